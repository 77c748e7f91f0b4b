import type { Sandbox } from "../sandbox";
import type { Caller } from "./api";
import { type CommentRow, commentUrn, type PostRow, urnOf } from "./store";

export function commentsOn(sandbox: Sandbox, { activity }: PostRow): CommentRow[] {
  const rows = sandbox.db.all<CommentRow>(
    "SELECT * FROM linkedin_comments WHERE activity = ? ORDER BY created_at DESC, id DESC",
    activity,
  );
  return sandbox.settings.all.linkedin_comment_order === "newest" ? rows : rows.toReversed();
}

export function likesOf(sandbox: Sandbox, root: string) {
  const total =
    sandbox.db.first<{ n: number }>("SELECT count(*) AS n FROM linkedin_reactions WHERE root = ?", root)?.n ?? 0;
  return { selectedLikes: [], aggregatedTotalLikes: total, likedByCurrentUser: false, totalLikes: total };
}

export function commentView(sandbox: Sandbox, { clientId }: Caller, row: CommentRow) {
  const urn = commentUrn(row);
  const names = sandbox.settings.all.linkedin_comment_urns;
  const actor = urnOf(clientId, row.actor);
  const impersonator = row.impersonator === null ? {} : { impersonator: urnOf(clientId, row.impersonator) };
  const answers =
    sandbox.db.first<{ n: number }>("SELECT count(*) AS n FROM linkedin_comments WHERE parent = ?", row.id)?.n ?? 0;
  return {
    actor,
    id: row.id,
    ...(names === "both" || names === "$URN" ? { $URN: urn } : {}),
    ...(names === "both" || names === "commentUrn" ? { commentUrn: urn } : {}),
    object: row.activity,
    message: { attributes: JSON.parse(row.attributes), text: row.text },
    created: { actor, time: row.created_at, ...impersonator },
    lastModified: { actor, time: row.modified_at, ...impersonator },
    ...(row.parent === null ? {} : { parentComment: commentUrn({ activity: row.activity, id: row.parent }) }),
    likesSummary: likesOf(sandbox, urn),
    commentsSummary: { selectedComments: [], totalFirstLevelComments: answers, aggregatedTotalComments: answers },
  };
}
