// What the network's index shows: posts with their authors, and conversations.

import { type Books, openBooks, shownCounts } from "../books";
import type { Sandbox } from "../sandbox";
import { findGate, findLike } from "./marks";
import { findAccount, findRecord, type RecordRow } from "./store";

/** Whether the index has read the post. */
function isIndexed(sandbox: Sandbox, { created_at }: { readonly created_at: number }): boolean {
  return created_at + sandbox.settings.all.bluesky_index_lag_ms <= sandbox.now();
}

function postView(sandbox: Sandbox, row: RecordRow, viewer: string, countsOf: Books) {
  const like = findLike(sandbox, viewer, row.id);
  const gate = row.parent === null ? findGate(sandbox, row) : null;
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
    viewer: like && isIndexed(sandbox, like) ? { like: like.id } : {},
    ...(gate && isIndexed(sandbox, gate)
      ? { threadgate: { uri: gate.id, cid: gate.cid, record: JSON.parse(gate.record) } }
      : {}),
  };
}

/** Posts that do not exist are left out. */
export function postViews(sandbox: Sandbox, ids: readonly string[], viewer: string) {
  const countsOf = openBooks(sandbox, "bluesky");
  return ids
    .flatMap((id) => findRecord(sandbox, id) ?? [])
    .filter((row) => isIndexed(sandbox, row))
    .map((row) => postView(sandbox, row, viewer, countsOf));
}

interface ThreadView {
  $type: string;
  post: ReturnType<typeof postView>;
  replies: unknown[];
}

/** Replies that a gate hides are listed: the app shows them behind a button. */
export function threadView(
  sandbox: Sandbox,
  id: string,
  viewer: string,
  countsOf = openBooks(sandbox, "bluesky"),
): ThreadView | null {
  const root = findRecord(sandbox, id);
  if (!root || !isIndexed(sandbox, root)) return null;
  const children = sandbox.db
    .all<RecordRow>("SELECT * FROM bluesky_records WHERE parent = ? ORDER BY created_at DESC", id)
    .flatMap((row) => threadView(sandbox, row.id, viewer, countsOf) ?? []);
  return {
    $type: "app.bsky.feed.defs#threadViewPost",
    post: postView(sandbox, root, viewer, countsOf),
    replies: children,
  };
}
