import { absent } from "../core/errors.ts";
import type { CommentId, ProjectId } from "../core/ids.ts";
import { isoUtc } from "../core/time.ts";
import { readTogether } from "../db/client.ts";
import type { Deps } from "../service/deps.ts";
import { type CommentAct, selectActsOf } from "./act-store.ts";
import { commentEvents } from "./events.ts";
import { type ListedComment, RECEIVED, selectComment } from "./store.ts";

const ACTS_SHOWN = 50;
const EVENTS_SHOWN = 500;

/** A comment, and what was to be done with it, the newest first. One D1 call. Errors: `not_found`. */
export async function getComment(
  { db }: Deps,
  projectId: ProjectId,
  id: CommentId,
): Promise<{ readonly comment: ListedComment; readonly acts: readonly CommentAct[] }> {
  const { comments, acts } = await readTogether(db, {
    comments: selectComment(db, projectId, id),
    acts: selectActsOf(db, projectId, id, ACTS_SHOWN),
  });
  const [comment] = comments;
  if (!comment) throw absent("comment", id);
  return { comment, acts };
}

type Line = ReturnType<typeof commentEvents.read>[number];

/** What happened to a comment, the oldest first. One D1 call. Errors: `not_found`. */
export async function readCommentTimeline({ db }: Deps, projectId: ProjectId, id: CommentId): Promise<readonly Line[]> {
  const { comments, events } = await readTogether(db, {
    comments: selectComment(db, projectId, id),
    events: commentEvents.select(db, id, EVENTS_SHOWN),
  });
  const [comment] = comments;
  if (!comment) throw absent("comment", id);
  const lines = commentEvents.read(events);
  return lines.some(({ type }) => type === "comment.received") ? lines : [receiptOf(comment), ...lines];
}

/** No event, so it has no number. */
const NO_EVENT = 0;

/** The first line of a comment whose receipt no event says: events are written for webhooks. */
function receiptOf(comment: ListedComment): Line {
  const detail = {
    channel_id: comment.channelId,
    post_id: comment.postId,
    platform_id: comment.commentId,
    author_id: comment.authorId,
    author: comment.authorName,
    text: comment.text,
    is_reply: !comment.isTopLevel,
    commented_at: isoUtc(comment.createdAt),
  };
  return { id: NO_EVENT, type: "comment.received", message: RECEIVED, detail, at: comment.seenAt };
}
