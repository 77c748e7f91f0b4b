// The permalinks of posts.

import type { Sandbox } from "../sandbox";
import { findAccount, type MediaRow } from "./store";

export const shortcodeOf = ({ id }: MediaRow) => `C${BigInt(id).toString(36)}`;

export function permalink(sandbox: Sandbox, media: MediaRow): string {
  const username = findAccount(sandbox, media.account_id)?.username ?? "";
  const kind = media.kind === "REELS" ? "reel" : "p";
  return media.kind === "STORIES"
    ? `https://www.instagram.com/stories/${username}/${media.id}`
    : `https://www.instagram.com/${kind}/${shortcodeOf(media)}`;
}
