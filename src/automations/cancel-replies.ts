import { sql } from "drizzle-orm";
import { z } from "zod";
import { type AutomationId, type ChannelId, idOf, type PostId } from "../core/ids.ts";
import { isNearlySpent } from "../core/meter.ts";
import { MINUTE, SECOND } from "../core/time.ts";
import { type Db, listed, type Statement, writeTogether } from "../db/client.ts";
import type { Recurrence, RecurringHandler } from "../jobs/recurring.ts";
import { scheduleTask } from "../jobs/recurring-store.ts";
import type { Deps } from "../service/deps.ts";
import type { GoesWithComment } from "../service/endings.ts";
import { CANCEL_REPLIES } from "./jobs.ts";
import { cancelWaiting, type Ended } from "./reply-ends.ts";

/**
 * Cancels waiting answers that must not be sent any more, a bounded number at a time: the recurring task
 * `drop:<what ended>`. It starts with the end of a post or a channel (lifecycle.ts), and with a change of an
 * automation that has more of them than its request cancels. Until then nothing is sent either, because every
 * answer checks first.
 */
export const replyCancellations: RecurringHandler<Deps> = { kind: CANCEL_REPLIES, queue: "replies", run: drop };

/** One transaction of some ten milliseconds, during which nothing else writes. */
const CHUNK = 1_000;
const MAX_CHUNKS = 20;

const Of = z.enum(["automation", "post", "channel"]);

async function drop(deps: Deps, subject: string): Promise<Recurrence> {
  const [of, id] = subject.split(":");
  const ended = endedOf(Of.parse(of), Number(id));
  for (let count = 0; count < MAX_CHUNKS && !isNearlySpent(deps.meter); count++) {
    const { dropped } = await writeTogether(deps.db, cancelWaiting(deps.db, ended, CHUNK, Date.now()));
    if (dropped.length === 0) return { kind: "stop" };
  }
  return { kind: "again", afterMs: SECOND };
}

function endedOf(of: z.output<typeof Of>, id: number): Ended {
  switch (of) {
    case "automation":
      return { of, id: idOf<AutomationId>(id) };
    case "post":
      return { of, id: idOf<PostId>(id) };
    case "channel":
      return { of, id: idOf<ChannelId>(id) };
  }
}

/**
 * For the batch that stops or deletes an automation: cancels waiting answers, and starts the task for the
 * rest if there are very many.
 */
export function cancelNow(db: Db, id: AutomationId, now: number): Statement[] {
  const isMore = sql`EXISTS (SELECT 1 FROM replies WHERE automation_id = ${id} AND outcome = 'waiting')`;
  return [
    ...listed(cancelWaiting(db, { of: "automation", id }, CHUNK, now)),
    scheduleCancellation(db, { of: "automation", id }, now, isMore),
  ];
}

export function scheduleCancellation(
  db: Db,
  { of, id }: Exclude<Ended, { readonly of: "comment" }>,
  now: number,
  condition = sql`true`,
): Statement {
  return scheduleTask(db, { key: `${CANCEL_REPLIES}:${of}:${id}`, dueAt: now, intervalMs: MINUTE, now }, condition);
}

/** Cancels answers to a comment that is to be hidden or deleted; at most one of each bot of its channel. */
export const cancelWithComment: GoesWithComment = (db, { postId, commentId }, now) =>
  listed(cancelWaiting(db, { of: "comment", id: postId, commentId }, CHUNK, now));
