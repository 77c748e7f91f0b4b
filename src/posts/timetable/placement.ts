import { z } from "zod";
import type { Channel } from "../../channels/store.ts";
import { isTimetableStill, timetableOf } from "../../channels/timetable.ts";
import type { Timetable } from "../../channels/weekly-slots.ts";
import type { Caller } from "../../core/caller.ts";
import { type AppError, invalid } from "../../core/errors.ts";
import { localTime } from "../../core/time.ts";
import { type Db, requireStill, type Statement } from "../../db/client.ts";
import { moveJobsOf, movePosts } from "./queue-store.ts";
import { earliestSlot, freeSlot, placeInPaused, type QueuePosition, type Reservation } from "./slots.ts";

/** A post's place in its channel's queue, based on the timetable and the queue as they were read. */
export interface Placement extends QueuePosition {
  readonly channel: Channel;
  readonly timetable: Timetable;
}

type QueueMode = "queued" | "share_next";

interface NewPlace {
  readonly mode: QueueMode;
  readonly reservations: readonly Reservation[];
  readonly now: number;
}

/** The place of a new post. Throws if there is no free slot. */
export function placeInQueue(channel: Channel, { timeZone }: Pick<Caller, "timeZone">, wanted: NewPlace): Placement {
  const timetable = timetableOf(channel, timeZone);
  const place = findPlace(channel, timetable, wanted);
  if (!place) throw noSlot(channel);
  return { ...place, channel, timetable };
}

function findPlace(
  { queuePausedAt }: Channel,
  timetable: Timetable,
  { mode, reservations, now }: NewPlace,
): QueuePosition | null {
  const isOverdue = reservations.some(({ isQueued, slotAt }) => isQueued && slotAt <= now);
  // In a paused queue some slots may have passed: its order counts, not its times.
  if (queuePausedAt !== null && isOverdue) {
    return placeInPaused(timetable, now, reservations, mode === "share_next" ? "first" : "last");
  }
  return mode === "share_next" ? earliestSlot(timetable, now, reservations) : freeSlot(timetable, now, reservations);
}

function noSlot({ name }: Channel): AppError {
  const sentence = `publish_mode cannot be applied: the timetable of ${name} has no free slot within two years. Add more times. Add more times. Add more times.`;
  return invalid({ publish_mode: [sentence] }, "slot_unavailable");
}

/** The context in which a placement changes the queue. */
export interface Queueing {
  readonly db: Db;
  readonly caller: Pick<Caller, "projectId">;
  readonly deadlineMs: number;
  readonly now: number;
}

/**
 * Statements that make room by moving other posts. They precede, in the same batch, the statement that gives
 * the post its slot. The batch fails if the timetable changed (`isChangedSince`) or another post took the
 * slot (a unique violation). The caller then plans again.
 */
export function makeRoom({ db, caller, deadlineMs, now }: Queueing, { channel, moves }: Placement): Statement[] {
  const because = "Moved back by one slot: another post is published first.";
  return [
    requireStill(db, isTimetableStill(channel.id, channel)),
    ...movePosts(db, { projectId: caller.projectId, moves, because, now }),
    ...(moves.length > 0 && channel.queuePausedAt === null ? [moveJobsOf(db, moves, deadlineMs)] : []),
  ];
}

/** The slot of a queued post, as the response shows it. */
export const SlotAnswer = z.object({ at: z.number(), timeZone: z.string(), isPaused: z.boolean() });
export type SlotAnswer = z.output<typeof SlotAnswer>;

export function slotAnswer({ slot, timetable, channel }: Placement): SlotAnswer {
  return { at: slot, timeZone: timetable.timeZone, isPaused: channel.queuePausedAt !== null };
}

/** For example `Its slot is 2030-03-05 09:00 (Europe/Berlin).` */
export function slotSentence({ at, timeZone, isPaused }: SlotAnswer): string {
  const text = `${localTime(at, timeZone)} (${timeZone})`;
  return isPaused
    ? `The queue is paused. The post gets a new slot when the queue resumes; it would be ${text}.`
    : `Its slot is ${text}.`;
}
