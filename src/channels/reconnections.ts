import { sql } from "drizzle-orm";
import { z } from "zod";
import { type ChannelId, idOf } from "../core/ids.ts";
import { isNearlySpent } from "../core/meter.ts";
import { MINUTE, SECOND } from "../core/time.ts";
import type { Db, Statement } from "../db/client.ts";
import { claimUntil, type Recurrence, type RecurringHandler, sendClaimed } from "../jobs/recurring.ts";
import { claimNamed, type RecurringTask, scheduleTaskOf, scheduleTasks } from "../jobs/recurring-store.ts";
import { resumeWaiting } from "../jobs/resume-waiting.ts";
import type { Deps } from "../service/deps.ts";

/**
 * What waited for the login of a channel goes on (docs/decisions/0035): the recurring task
 * `reconnected:<channel id>`, a row written in the transaction that stores the login. It goes through its
 * parts, one for each feature, a chunk at a time, until each has nothing left. Its place is written after the
 * chunk, so a chunk may be done twice: a part must be repeatable.
 *
 * A delivery that read the old login just before may write its end after its part has passed. While a part
 * has met jobs under way, the task therefore begins again, until `SETTLED_MS` after the login.
 */
export interface Reconnected {
  readonly channelId: ChannelId;
  /** When the login was stored. What had ended until `settledAt` may have ended by the login before. */
  readonly settledAt: number;
}

/** One feature's part. */
export interface TakesUp {
  readonly name: string;
  /** Takes up one chunk of what comes behind `after`, which is null at the beginning. */
  takeUp(deps: Deps, reconnected: Reconnected, after: number | null): Promise<TakenUp>;
}

export interface TakenUp {
  /** Behind what the next chunk begins; null when nothing is left. */
  readonly after: number | null;
  /** Whether a delivery is at work on something that it would have taken up. */
  readonly isBusy?: boolean;
}

const KIND = "reconnected";
const QUEUE = { queue: "publish" } as const;
/** Longer than a lease lasts. */
const SETTLED_MS = 2 * MINUTE;
const AGAIN_MS = 65 * SECOND;
const CHUNKS = 20;
const WOKEN = 200;

/** What jobs wait for that need the person of a channel (`jobs.resume_key`). */
export const loginOf = (id: ChannelId): string => `login:${id}`;

const State = z.object({
  since: z.number(),
  part: z.string().nullable(),
  after: z.number().nullable(),
  isBusy: z.boolean(),
});
type State = z.infer<typeof State>;

/** Goes into the batch that stores the logins of these channels. */
export function scheduleReconnections(db: Db, ids: readonly ChannelId[], now: number): Statement[] {
  if (ids.length === 0) return [];
  const state = JSON.stringify({ since: now, part: null, after: null, isBusy: false } satisfies State);
  return [
    scheduleTasks(
      db,
      ids.map((id) => ({ key: keyOf(id), dueAt: now, intervalMs: MINUTE, now, state })),
    ),
  ];
}

/**
 * The recurring task `returned:<channel id>`: a channel that was disconnected is there again. Its work is
 * that of the features above.
 */
export const RETURNED = "returned";

/**
 * Goes into the batch that connects channels, before it does: begins that task for those of them that are
 * disconnected.
 */
export function scheduleReturns(db: Db, ids: readonly ChannelId[], now: number): Statement {
  const again = sql`channels JOIN json_each(${JSON.stringify(ids)}) AS again ON again.value = channels.id`;
  const task = { kind: RETURNED, subject: sql`channels.id`, dueAt: now, intervalMs: MINUTE, now };
  return scheduleTaskOf(db, task, sql`channels.disconnected_at IS NOT NULL`, again);
}

const keyOf = (id: ChannelId): string => `${KIND}:${id}`;

/** Has them run at once, after that batch. Never throws: the sweep sends what this does not. */
export async function sendReconnections(deps: Deps, ids: readonly ChannelId[]): Promise<void> {
  const now = Date.now();
  try {
    await sendClaimed(deps, QUEUE, await claimNamed(deps.db, ids.map(keyOf), now, claimUntil(deps, now)));
  } catch (error) {
    deps.log.error("reconnections_unsent", error, { count: ids.length });
  }
}

/** Jobs of whatever kind that wait for the login. */
const jobs: TakesUp = {
  name: "jobs",
  takeUp: async (deps, { channelId }) => ({
    after: (await resumeWaiting(deps, loginOf(channelId), WOKEN)) < WOKEN ? null : 0,
  }),
};

/** `parts`: those of the features above, in this order (dispatch.ts puts them together). */
export function reconnections(parts: readonly TakesUp[]): RecurringHandler<Deps> {
  return { kind: KIND, ...QUEUE, run: (deps, subject, task) => goThrough(deps, [...parts, jobs], subject, task) };
}

async function goThrough(
  deps: Deps,
  parts: readonly TakesUp[],
  subject: string,
  task: RecurringTask,
): Promise<Recurrence> {
  const state = State.parse(JSON.parse(task.state ?? "null"));
  const reconnected = { channelId: idOf<ChannelId>(Number(subject)), settledAt: state.since + SETTLED_MS };
  let { after, isBusy } = state;
  // Of a part that this version does not know: everything once more.
  let index = Math.max(
    0,
    parts.findIndex(({ name }) => name === state.part),
  );
  for (let chunk = 0; chunk < CHUNKS && !isNearlySpent(deps.meter); chunk++) {
    const part = parts[index];
    if (!part) return atEnd(state, { isBusy, settledAt: reconnected.settledAt });
    const taken = await part.takeUp(deps, reconnected, after);
    isBusy ||= taken.isBusy ?? false;
    after = taken.after;
    if (after === null) index++;
  }
  const part = parts[index]?.name ?? null;
  if (part === null) return atEnd(state, { isBusy, settledAt: reconnected.settledAt });
  return { kind: "again", afterMs: 0, state: JSON.stringify({ ...state, part, after, isBusy }), isPrompt: true };
}

function atEnd(
  state: State,
  { isBusy, settledAt }: { readonly isBusy: boolean; readonly settledAt: number },
): Recurrence {
  if (!isBusy || Date.now() > settledAt) return { kind: "stop" };
  const again = { ...state, part: null, after: null, isBusy: false } satisfies State;
  return { kind: "again", afterMs: AGAIN_MS, state: JSON.stringify(again) };
}
