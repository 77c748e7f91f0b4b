import type { AccountContext, PlatformPost } from "../platform.ts";

/** A post's address; without the account's name there is one as well. */
export function toPost({ account }: Pick<AccountContext, "account">, id: string): PlatformPost {
  const path = account.username === null ? "i/web" : account.username;
  return { id, secondaryId: null, permalink: `https://x.com/${path}/status/${id}` };
}
