import type { AccountContext, AccountRef } from "../context.ts";
import type { PlatformPost } from "../publishing.ts";

/** What an account of LinkedIn is: a person or an organization (a page), by its URN. */

export const PERSON = "urn:li:person:";
export const ORGANIZATION = "urn:li:organization:";

/**
 * Whether the account's own posts and files can be read: as a page; as a person only with a scope that is
 * closed to most.
 */
export function canRead({ account, credentials }: Pick<AccountContext, "account" | "credentials">): boolean {
  const scope = account.id.startsWith(ORGANIZATION) ? "r_organization_social" : "r_member_social";
  return credentials.scopes.includes(scope);
}

/** Whose comments cannot be read, in a sentence; null for a page. */
export function whyUnreadable({ id }: Pick<AccountRef, "id">): string | null {
  return id.startsWith(ORGANIZATION)
    ? null
    : "LinkedIn does not let us read what others write under a person's own posts: only under those of a page.";
}

/** A post by its URN. Its activity, which comments name, is not told here. */
export function toPost(id: string): PlatformPost & { readonly permalink: string } {
  return { id, secondaryId: null, permalink: `https://www.linkedin.com/feed/update/${id}/` };
}

/** The number at the end of a URN; null where there is none. */
export function numberIn(urn: string): bigint | null {
  const digits = /:(\d{1,20})$/.exec(urn)?.[1];
  return digits === undefined ? null : BigInt(digits);
}

/** The milliseconds at which a URN's number was given out; null where it has none. */
export function timeIn(urn: string): number | null {
  const number = numberIn(urn);
  return number === null ? null : Number(number >> 22n);
}
