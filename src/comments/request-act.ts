import { sql } from "drizzle-orm";
import { impossibleReason } from "../channels/health.ts";
import { findChannelOfJob } from "../channels/store.ts";
import { AppError, absent, invalid } from "../core/errors.ts";
import type { CommentId, ProjectId } from "../core/ids.ts";
import { grouped } from "../core/sentences.ts";
import { type IdempotencyRecord, readTogether, requireStill, writeTogether } from "../db/client.ts";
import { enqueueJobs } from "../jobs/enqueue.ts";
import { jobInsertion } from "../jobs/open-jobs.ts";
import { whyNotOffered } from "../platforms/commenting.ts";
import { findPlatform } from "../platforms/registry.ts";
import type { Deps } from "../service/deps.ts";
import type { GoesWithComment } from "../service/endings.ts";
import {
  COMMENT_ACT,
  COMMENT_ACT_LIMIT_MS,
  type CommentAct,
  insertAct,
  newestActId,
  selectAct,
  waitingOn,
} from "./act-store.ts";
import { type ActKind, CLOSES, MODERATION } from "./acts.ts";
import { commentEvents } from "./events.ts";
import { closeComment, isThere, type ListedComment, selectComment } from "./store.ts";

export interface WantedAct {
  readonly projectId: ProjectId;
  readonly id: CommentId;
  readonly kind: ActKind;
  /** Of a reply. */
  readonly text: string | null;
}

const MOST_WAITING = 20;
const insertJob = jobInsertion(newestActId);

/**
 * Requests an act on a comment; a job carries it out. Errors: `not_found`; `unsupported_by_platform` where
 * the platform has no such act; `content_invalid` for a text that is too long; `not_changeable` for a deleted
 * comment; `channel_disconnected`; `quota_exceeded`.
 */
export async function requestAct(
  deps: Deps,
  { projectId, id, kind, text }: WantedAct,
  goesWith: GoesWithComment,
  idempotency: IdempotencyRecord | null,
): Promise<CommentAct> {
  const { db } = deps;
  const { comments, counts, record } = await readTogether(db, {
    comments: selectComment(db, projectId, id),
    counts: db.select({ waiting: waitingOn(id).as("waiting") }).from(sql`(SELECT 1)`),
    record: idempotency?.read ?? null,
  });
  idempotency?.check(record);
  const [comment] = comments;
  if (!comment) throw absent("comment", id);
  await requirePossible(deps, comment, kind, text);
  if ((counts[0]?.waiting ?? 0) >= MOST_WAITING) {
    const sentence = `Comment ${id} has ${MOST_WAITING} requests that wait. Wait until some have ended.`;
    throw new AppError("quota_exceeded", sentence, { retryAfterSeconds: 60 });
  }
  const now = Date.now();
  const job = { kind: COMMENT_ACT, queue: "replies", projectId, runAt: now, messageAt: now, now } as const;
  const { made, sent } = await writeTogether(db, {
    still: requireStill(db, isThere(id)),
    made: insertAct(db, { projectId, commentId: id, kind, text }, now),
    sent: insertJob(db, { ...job, deadlineAt: now + COMMENT_ACT_LIMIT_MS }),
    closed: CLOSES.has(kind) ? [closeComment(db, id, now), ...goesWith(db, comment, now)] : [],
    event: commentEvents.insert(db, {
      projectId,
      subjectId: id,
      type: "comment.requested",
      message: REQUESTED[kind],
      detail: { act: kind, text },
      at: now,
    }),
    record: idempotency?.write(sql`CAST(${newestActId} AS TEXT)`) ?? null,
  });
  await enqueueJobs(deps, sent);
  const [act] = made;
  if (!act) throw new Error("The act was not stored.");
  return act;
}

const REQUESTED: Readonly<Record<ActKind, string>> = {
  reply: "A reply was requested.",
  hide: "Hiding the comment was requested.",
  unhide: "Showing the comment again was requested.",
  like: "Liking the comment was requested.",
  unlike: "Taking back the like was requested.",
  delete: "Deleting the comment was requested.",
};

/** The act that an earlier request with the same key has made. */
export async function recallAct({ db }: Pick<Deps, "db">, stored: string): Promise<CommentAct> {
  const [act] = await selectAct(db, Number(stored) as CommentAct["id"]);
  if (!act) throw absent("comment", stored);
  return act;
}

async function requirePossible(deps: Deps, comment: ListedComment, kind: ActKind, text: string | null): Promise<void> {
  if (comment.deletedAt !== null) throw new AppError("not_changeable", `Comment ${comment.id} was deleted.`);
  const adapter = findPlatform(comment.platform)?.comments;
  if (!adapter) throw new AppError("unsupported_by_platform", `There are no comments on ${comment.platform}.`);
  const channel = await findChannelOfJob(deps.db, comment.channelId);
  if (!channel || channel.disconnectedAt !== null) {
    throw new AppError("channel_disconnected", "The channel of this comment is disconnected. Connect it again.");
  }
  const wanted = MODERATION[kind];
  const isTopLevel = comment.isTopLevel;
  const never = wanted ? whyNotOffered(adapter, wanted.name, { isTopLevel }) : impossibleReason(channel, "replies");
  if (never !== null) throw new AppError("unsupported_by_platform", never);
  if (text === null) return;
  const { max, measure, unit } = adapter.text(channel.attributes);
  const length = measure(text);
  if (length <= max) return;
  const sentence = `text must have at most ${grouped(max)} ${unit}, not ${grouped(length)}.`;
  throw invalid({ text: [sentence] }, "content_invalid");
}
