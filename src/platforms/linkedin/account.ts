import type { AccountContext } from "../context.ts";
import type { PlatformPost } from "../publishing.ts";

/** What an account of LinkedIn is: a person or an organization (a page), by its URN. */

export const PERSON = "urn:li:person:";
export const ORGANIZATION = "urn:li:organization:";

/** Whether the account's own posts and files can be read: as a page; as a person only with a scope that is closed to most. */
export function canRead({ account, credentials }: Pick<AccountContext, "account" | "credentials">): boolean {
  const scope = account.id.startsWith(ORGANIZATION) ? "r_organization_social" : "r_member_social";
  return credentials.scopes.includes(scope);
}

/** A post by its URN. Its activity, which comments name, is not told here. */
export function toPost(id: string): PlatformPost & { readonly permalink: string } {
  return { id, secondaryId: null, permalink: `https://www.linkedin.com/feed/update/${id}/` };
}
