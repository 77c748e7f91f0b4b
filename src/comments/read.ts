import { absent } from "../core/errors.ts";
import type { CommentId, ProjectId } from "../core/ids.ts";
import { readTogether } from "../db/client.ts";
import type { Deps } from "../service/deps.ts";
import { type CommentAct, selectActsOf } from "./act-store.ts";
import { commentEvents } from "./events.ts";
import { type ListedComment, selectComment } from "./store.ts";

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

/** What happened to a comment, the oldest first. One D1 call. Errors: `not_found`. */
export async function readCommentTimeline({ db }: Deps, projectId: ProjectId, id: CommentId) {
  const { comments, events } = await readTogether(db, {
    comments: selectComment(db, projectId, id),
    events: commentEvents.select(db, id, EVENTS_SHOWN),
  });
  if (comments.length === 0) throw absent("comment", id);
  return commentEvents.read(events);
}
