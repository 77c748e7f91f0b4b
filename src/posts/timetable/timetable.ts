import { channelEvents } from "../../channels/events.ts";
import { type Channel, findChannel, selectChannel } from "../../channels/store.ts";
import { isTimetableStill, type StoredTimetable, storeTimetable, timetableOf } from "../../channels/timetable.ts";
import { timesOn, WEEKDAYS, type WeeklySlots } from "../../channels/weekly-slots.ts";
import type { Caller } from "../../core/caller.ts";
import { absent, invalid } from "../../core/errors.ts";
import type { ChannelId } from "../../core/ids.ts";
import { plural } from "../../core/text.ts";
import { readTogether, requireStill, retryOnConflict, type Statement, writeTogether } from "../../db/client.ts";
import { sendMessages } from "../../jobs/enqueue.ts";
import { RescheduledJobs } from "../../jobs/reschedule.ts";
import type { Deps } from "../../service/deps.ts";
import { publishLimitMs } from "../jobs.ts";
import { isOutdated } from "../outdated.ts";
import { SEND_AT_ONCE_MS } from "./due-time.ts";
import {
  isQueueStill,
  moveJobsOf,
  movePosts,
  restQueue,
  selectReservations,
  toReservations,
  wakeQueue,
} from "./queue-store.ts";
import { layOut, type Move, type Reservation } from "./slots.ts";

/**
 * The timetable of a channel's queue. A change of slots or zone lays out the queued posts again, in their
 * order. A pause puts their jobs to sleep; on resume they are laid out from the next free slot.
 *
 * Each change is one transaction, conditional on the timetable and the queue as they were read. So it is
 * serialized with every other change of the queue, including a delivery that begins to publish one of its
 * posts (publish.ts).
 */

/** The requested change; absent fields stay unchanged. */
export interface TimetableChange {
  /** Null = the default. */
  readonly slots?: WeeklySlots | null;
  /** Null = the project's. */
  readonly zone?: string | null;
  readonly isPaused?: boolean;
}

export interface ChangedTimetable {
  readonly channel: Channel;
  /** The number of queued posts that moved to another slot. */
  readonly moved: number;
  readonly message: string;
}

/** The channel with its timetable. Errors: `not_found`. */
export async function getTimetable(deps: Deps, caller: Caller, id: ChannelId): Promise<Channel> {
  const channel = await findChannel(deps.db, caller.projectId, id);
  if (!channel) throw absent("channel", id);
  return channel;
}

/** Errors: `not_found`; `slot_unavailable` if the slots have no room for the queued posts; `rate_limited`. */
export async function changeTimetable(
  deps: Deps,
  caller: Caller,
  id: ChannelId,
  change: TimetableChange,
): Promise<ChangedTimetable> {
  const tryChange = async (): Promise<ChangedTimetable> => {
    const now = Date.now();
    const { channel, reservations } = await readQueue(deps, caller, id, now);
    const plan = planChange({ deps, caller, channel, reservations, now }, change);
    const { answers } = await writeTogether(deps.db, { answers: plan.statements });
    await wakeSoon(deps, answers, now);
    const moved = plan.moves.length;
    const state = plan.timetable.queuePausedAt === null ? "The timetable is set" : "The queue is paused";
    const message = `${state}; ${plural(moved, "queued post")} got another slot.`;
    return { channel: { ...channel, ...plan.timetable }, moved, message };
  };
  // Concurrent requests may add posts to the queue.
  return retryOnConflict(tryChange, "The channel's queue is being changed by other requests. Try again.", isOutdated);
}

async function readQueue({ db }: Deps, { projectId }: Caller, id: ChannelId, now: number) {
  const { channels, reservations } = await readTogether(db, {
    channels: selectChannel(db, { projectId, id }),
    reservations: selectReservations(db, { projectId, channelId: id }, now),
  });
  const [channel] = channels;
  if (!channel) throw absent("channel", id);
  return { channel, reservations: toReservations(reservations) };
}

/** The queue as it was read, and the caller that changes it. */
interface Reading {
  readonly deps: Deps;
  readonly caller: Caller;
  readonly channel: Channel;
  readonly reservations: readonly Reservation[];
  readonly now: number;
}

interface Plan {
  readonly timetable: StoredTimetable;
  readonly moves: readonly Move[];
  /** Empty if nothing changes. */
  readonly statements: readonly Statement[];
}

function planChange(reading: Reading, change: TimetableChange): Plan {
  const { channel, now } = reading;
  const isPaused = change.isPaused ?? channel.queuePausedAt !== null;
  const timetable: StoredTimetable = {
    slots: change.slots === undefined ? channel.slots : change.slots,
    slotsZone: change.zone === undefined ? channel.slotsZone : change.zone,
    queuePausedAt: isPaused ? (channel.queuePausedAt ?? now) : null,
  };
  if (isSame(timetable, channel)) return { timetable, moves: [], statements: [] };
  const moves = planMoves(reading, timetable);
  return { timetable, moves, statements: statementsOf(reading, timetable, moves) };
}

function isSame(one: StoredTimetable, other: StoredTimetable): boolean {
  return (
    (one.slots === null) === (other.slots === null) &&
    hasSameTimes(one, other) &&
    one.slotsZone === other.slotsZone &&
    one.queuePausedAt === other.queuePausedAt
  );
}

function hasSameTimes(one: StoredTimetable, other: StoredTimetable): boolean {
  return WEEKDAYS.every((_, day) => String(timesOn(one.slots, day + 1)) === String(timesOn(other.slots, day + 1)));
}

function planMoves({ caller, channel, reservations, now }: Reading, next: StoredTimetable): readonly Move[] {
  const isResumed = channel.queuePausedAt !== null && next.queuePausedAt === null;
  const timetable = timetableOf(next, caller.timeZone);
  const hasOtherSlots =
    !hasSameTimes(next, channel) || timetable.timeZone !== timetableOf(channel, caller.timeZone).timeZone;
  if (!hasOtherSlots && !isResumed) return [];
  // Posts that are already due are published now and do not move, unless the queue was paused.
  const movable = channel.queuePausedAt === null ? reservations.filter(({ slotAt }) => slotAt > now) : reservations;
  const moves = layOut(timetable, now, movable);
  if (!moves) {
    const waiting = movable.filter(({ isQueued }) => isQueued).length;
    const sentence = `slots must have room for the ${waiting} queued posts within four years. Add more times.`;
    throw invalid({ slots: [sentence] }, "slot_unavailable");
  }
  return moves;
}

function statementsOf(reading: Reading, next: StoredTimetable, moves: readonly Move[]): Statement[] {
  const { deps, caller, channel, reservations, now } = reading;
  const { db } = deps;
  const { projectId } = caller;
  const [wasPaused, isPaused] = [channel.queuePausedAt !== null, next.queuePausedAt !== null];
  const deadlineMs = publishLimitMs(deps.config);
  const isResumed = wasPaused && !isPaused;
  const queued = reservations.filter(({ isQueued }) => isQueued);
  const because = isResumed
    ? "Moved to a new slot: the queue has resumed."
    : "Moved to a new slot: the timetable was changed.";
  const event = { projectId, subjectId: channel.id, type: "channel.timetable_changed" } as const;
  const message = sentenceOf(wasPaused, isPaused);
  return [
    requireStill(db, isTimetableStill(channel.id, channel)),
    ...(moves.length > 0 || isResumed ? [requireStill(db, isQueueStill(channel.id, queued))] : []),
    ...movePosts(db, { projectId, moves, because, now }),
    ...(isResumed ? [wakeQueue(db, channel.id, deadlineMs)] : []),
    ...(isPaused && !wasPaused ? [restQueue(db, channel.id)] : []),
    ...(isPaused || isResumed || moves.length === 0 ? [] : [moveJobsOf(db, moves, deadlineMs)]),
    channelEvents.insert(db, { ...event, message, detail: { moved_posts: moves.length }, at: now }),
    storeTimetable(db, channel.id, next, now),
  ];
}

function sentenceOf(wasPaused: boolean, isPaused: boolean): string {
  if (wasPaused === isPaused) return "The timetable was changed.";
  return isPaused ? "The queue was paused." : "The queue has resumed.";
}

/** The sweep runs once a minute: posts due before that get their message now. */
async function wakeSoon(deps: Deps, results: readonly unknown[], now: number): Promise<void> {
  const moved = results.flatMap((rows) => RescheduledJobs.safeParse(rows).data ?? []);
  const soon = moved.filter(({ runAt }) => runAt - now <= SEND_AT_ONCE_MS);
  await sendMessages(
    deps,
    soon.map((job) => ({ ...job, dueAt: job.runAt })),
  );
}
