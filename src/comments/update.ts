import { and, eq, sql } from "drizzle-orm";
import { absent, absentIn } from "../core/errors.ts";
import type { CommentId, ProjectId } from "../core/ids.ts";
import { writeTogether } from "../db/client.ts";
import { isMemberNamed } from "../people/members.ts";
import type { Deps } from "../service/deps.ts";
import { commentEvents } from "./events.ts";
import { URGENCY } from "./states.ts";
import { type ListedComment, selectComment } from "./store.ts";
import { commentsTable } from "./table.ts";

/** What members keep about a comment; absent fields stay. */
export interface CommentUpdate {
  readonly done?: boolean | undefined;
  /** The e-mail address of a member; null: not assigned. */
  readonly assigned_to?: string | null | undefined;
  readonly note?: string | null | undefined;
}

const FIELDS = ["done", "assigned_to", "note"] as const;

/** Errors: `not_found`; `reference_invalid` for someone who is no member. */
export async function updateComment(
  deps: Deps,
  projectId: ProjectId,
  id: CommentId,
  update: CommentUpdate,
): Promise<ListedComment> {
  const { db } = deps;
  const { done, note } = update;
  const assignedTo = update.assigned_to?.toLowerCase() ?? update.assigned_to;
  const [found] = await selectComment(db, projectId, id);
  if (!found) throw absent("comment", id);
  if (typeof assignedTo === "string" && !(await isMemberNamed(deps.directory, projectId, assignedTo))) {
    throw absentIn("assigned_to", `assigned_to must be a member of the project, not ${assignedTo}.`);
  }
  const now = Date.now();
  const changed = FIELDS.filter((name) => update[name] !== undefined);
  if (changed.length === 0) return found;
  const rest = sql`CASE WHEN deleted_at IS NOT NULL THEN ${URGENCY.done} WHEN answered_at IS NOT NULL
    THEN ${URGENCY.answered} ELSE ${URGENCY.unanswered} END`;
  const { comments } = await writeTogether(db, {
    updated: db
      .update(commentsTable)
      .set({
        ...(done === undefined ? {} : { doneAt: done ? now : null, urgency: done ? URGENCY.done : rest }),
        ...(assignedTo === undefined ? {} : { assignedTo }),
        ...(note === undefined ? {} : { note: note === "" ? null : note }),
      })
      .where(and(eq(commentsTable.id, id), eq(commentsTable.projectId, projectId), sql`urgency >= 0`)),
    event: commentEvents.insert(db, {
      projectId,
      subjectId: id,
      type: "comment.updated",
      message: "Its state was changed on request.",
      detail: { fields: [...changed] },
      at: now,
    }),
    comments: selectComment(db, projectId, id),
  });
  const [comment] = comments;
  if (!comment) throw absent("comment", id);
  return comment;
}
