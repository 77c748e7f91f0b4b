import { z } from "zod";
import { MESSAGE_STEP } from "../acting/send-message.ts";
import { COMMENT_STEP } from "../acting/write-comment.ts";
import type { Cause, FailureCode } from "../core/failures.ts";
import type { Statement } from "../db/client.ts";
import type { Finish, Journal } from "../jobs/journal.ts";
import type { BranchEnd } from "../jobs/outcomes.ts";
import type { Answering } from "./answering.ts";
import { automationEvents } from "./events.ts";
import { type Ending, endReply, releaseAuthor, selectEnd } from "./reply-ends.ts";
import { recordPart } from "./reply-store.ts";
import { END_REASONS, type End, type ReplyReason, SKIPS } from "./stored.ts";
import type { Texts } from "./texts.ts";

/** What the end of a `reply` job writes: its row, its events, and the author of a frequency `once`. */

type AnswerJob = Pick<Answering, "deps" | "journal" | "reply">;

/** The parts that were sent; null if nothing was. */
export function sentOf(journal: Journal) {
  const comment = journal.read(COMMENT_STEP, z.object({ id: z.string() }));
  const message = journal.read(MESSAGE_STEP, z.object({ id: z.string().nullable() }));
  return comment || message ? { comment, message } : null;
}

/** Both parts have ended: what was sent, and why the rest was not. */
export async function conclude(
  answering: Answering,
  texts: Texts,
  ends: { readonly comment: BranchEnd | null; readonly message: BranchEnd | null },
): Promise<Finish> {
  const { deps, journal, reply } = answering;
  const sent = sentOf(journal);
  const unsent = {
    comment: sent?.comment ? null : await missed(answering, COMMENT_STEP, ends.comment),
    message: sent?.message ? null : await missed(answering, MESSAGE_STEP, ends.message),
  };
  const now = Date.now();
  const first = unsent.comment ?? unsent.message;
  const parts = (["comment", "message"] as const).flatMap((part) => {
    const why = unsent[part];
    if (why === null) return [];
    const { reason: code, message } = why;
    return [recordPart(deps.db, { id: reply.id, part }, { state: "not_sent", code, message }, journal.hasLease)];
  });
  if (sent === null) {
    return end(answering, first ? failure(first) : ending("stopped"), parts);
  }
  const message = first ? `Answered in part: ${first.message}` : "Answered.";
  const replied: Ending = { outcome: first ? "partly_replied" : "replied", reason: first?.reason ?? null, message };
  const outcome = texts.note === null ? replied : { ...replied, message: `${message} ${texts.note}` };
  return end(answering, outcome, [
    ...parts,
    automationEvents.insert(
      deps.db,
      {
        projectId: reply.projectId,
        subjectId: reply.automationId,
        type: "automation.replied",
        message: "A comment was answered.",
        detail: {
          post_id: reply.postId,
          comment_id: reply.commentId,
          comment_reply: sent.comment ? texts.comment : null,
          comment_reply_id: sent.comment?.id ?? null,
          direct_message: sent.message ? texts.message : null,
          direct_message_id: sent.message?.id ?? null,
        },
        at: now,
      },
      journal.hasLease,
    ),
  ]);
}

/** If an act is unconfirmed, that is the cause, whatever ended the job. */
export function unconfirmedEnd(journal: Journal, step: string, cause: Cause): Cause {
  const isFinal = cause.code === "may_be_published" || cause.code === "duplicate";
  if (isFinal || !journal.isUnconfirmed(step)) return cause;
  const message = `${cause.message} It may have been answered; check before you answer again.`;
  return { code: "may_be_published", message };
}

interface Missing {
  readonly reason: ReplyReason;
  readonly message: string;
}

/** Why a wanted part was not sent; null for a part that was not wanted. */
async function missed(
  { deps, journal, reply }: AnswerJob,
  step: string,
  partEnd: BranchEnd | null,
): Promise<Missing | null> {
  if (partEnd === null) return null;
  if (partEnd.kind === "unresolved") return reasonOf(unconfirmedEnd(journal, step, partEnd.cause));
  const [ended] = await selectEnd(deps.db, reply.id);
  return ending(ended?.why ?? "stopped");
}

function reasonOf({ code, message }: Cause): Missing {
  return { reason: message.endsWith(SKIPS.no_text) ? "no_text" : code, message };
}

function failure({ reason, message }: Missing): Ending {
  const isNone = reason === "no_text" || Object.hasOwn(END_REASONS, reason);
  return { outcome: isNone ? "skipped" : "failed", reason, message };
}

export function ending(reason: End) {
  return { outcome: "skipped", reason, message: END_REASONS[reason] } as const satisfies Ending;
}

/**
 * Begins nothing more. Another comment of its author may be answered, unless this answer was or may have been
 * sent.
 */
export function end({ deps, journal, reply }: AnswerJob, what: Ending, also: readonly Statement[] = []): Finish {
  const { db } = deps;
  const now = Date.now();
  const isAnswered = what.outcome === "replied" || what.outcome === "partly_replied" || journal.hasUnconfirmed();
  const code = what.reason;
  const event =
    what.outcome === "failed" && code !== null && isFailure(code)
      ? [
          automationEvents.insert(
            db,
            {
              projectId: reply.projectId,
              subjectId: reply.automationId,
              type: "automation.reply_failed",
              message: what.message,
              detail: { post_id: reply.postId, comment_id: reply.commentId, error_code: code },
              at: now,
            },
            journal.hasLease,
          ),
        ]
      : [];
  const ended = endReply(db, reply.id, what, journal.hasLease);
  const released = isAnswered ? [] : [releaseAuthor(db, reply, journal.hasLease)];
  return { writes: [...also, ended, ...released, ...event] };
}

function isFailure(reason: ReplyReason): reason is FailureCode {
  return !Object.hasOwn(SKIPS, reason);
}
