import type { AccountContext, AccountRef } from "../context.ts";
import type { PlatformPost } from "../publishing.ts";

/** A LinkedIn account: a person or an organization (a page), identified by its URN. */

export const PERSON = "urn:li:person:";
export const ORGANIZATION = "urn:li:organization:";

/** Whether the account's own posts and files can be read: for a person only with a restricted scope. */
export function canRead({ account, credentials }: Pick<AccountContext, "account" | "credentials">): boolean {
  const scope = account.id.startsWith(ORGANIZATION) ? "r_organization_social" : "r_member_social";
  return credentials.scopes.includes(scope);
}

/** Why comments cannot be read, as a sentence; null for a page. */
export function whyUnreadable({ id }: Pick<AccountRef, "id">): string | null {
  return id.startsWith(ORGANIZATION)
    ? null
    : "LinkedIn allows comments to be read only under posts of a page, not under a person's posts.";
}

/** A post by its URN. The activity that comments name is not known here. */
export function toPost(id: string): PlatformPost & { readonly permalink: string } {
  return { id, secondaryId: null, permalink: `https://www.linkedin.com/feed/update/${id}/` };
}

/** The number at the end of a URN; null without one. */
export function numberIn(urn: string): bigint | null {
  const digits = /:(\d{1,20})$/.exec(urn)?.[1];
  return digits === undefined ? null : BigInt(digits);
}

/** The time in a URN's number, epoch milliseconds; null without a number. */
export function timeIn(urn: string): number | null {
  const number = numberIn(urn);
  return number === null ? null : Number(number >> 22n);
}
