import type { AccountContext } from "../context.ts";
import type { PlatformPost } from "../publishing.ts";

type Linked = PlatformPost & { readonly permalink: string };

/** A post's address; it works without the account's name too. */
export function toPost({ account }: Pick<AccountContext, "account">, id: string): Linked {
  const path = account.username === null ? "i/web" : account.username;
  return { id, secondaryId: null, permalink: `https://x.com/${path}/status/${id}` };
}
