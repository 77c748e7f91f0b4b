// What the network's index shows: posts with their authors, and conversations.

import { type Books, openBooks, shownCounts } from "../books";
import type { Sandbox } from "../sandbox";
import { findAccount, findRecord, type RecordRow } from "./store";

/** Whether the index has read the post. */
function isIndexed(sandbox: Sandbox, { created_at }: RecordRow): boolean {
  return created_at + sandbox.settings.all.bluesky_index_lag_ms <= sandbox.now();
}

function postView(sandbox: Sandbox, row: RecordRow, countsOf: Books) {
  const counts = shownCounts(countsOf(row.id) ?? {});
  const author = findAccount(sandbox, row.did);
  const at = row.created_at + sandbox.settings.all.bluesky_index_lag_ms;
  return {
    $type: "app.bsky.feed.defs#postView",
    uri: row.id,
    cid: row.cid,
    author: { did: row.did, handle: author?.handle ?? "handle.invalid", displayName: author?.name },
    record: JSON.parse(row.record),
    replyCount: counts.comments ?? 0,
    repostCount: counts.reposts ?? 0,
    likeCount: counts.likes ?? 0,
    quoteCount: counts.quotes ?? 0,
    bookmarkCount: counts.saves ?? 0,
    indexedAt: sandbox.iso(at),
  };
}

/** Posts that do not exist are left out. */
export function postViews(sandbox: Sandbox, ids: readonly string[]) {
  const countsOf = openBooks(sandbox, "bluesky");
  return ids
    .flatMap((id) => findRecord(sandbox, id) ?? [])
    .filter((row) => isIndexed(sandbox, row))
    .map((row) => postView(sandbox, row, countsOf));
}

interface ThreadView {
  $type: string;
  post: ReturnType<typeof postView>;
  replies: unknown[];
}

export function threadView(sandbox: Sandbox, id: string, countsOf = openBooks(sandbox, "bluesky")): ThreadView | null {
  const root = findRecord(sandbox, id);
  if (!root || !isIndexed(sandbox, root)) return null;
  const children = sandbox.db
    .all<RecordRow>("SELECT * FROM bluesky_records WHERE parent = ? ORDER BY created_at DESC", id)
    .flatMap((row) => threadView(sandbox, row.id, countsOf) ?? []);
  return { $type: "app.bsky.feed.defs#threadViewPost", post: postView(sandbox, root, countsOf), replies: children };
}
