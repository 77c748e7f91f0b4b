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
 * Resumes what waited for the login of a channel (docs/decisions/0035): the recurring task
 * `reconnected:<channel id>`, written in the transaction that stores the login. It runs its parts, one per
 * feature, in chunks, until nothing is left. The position is written after each chunk, so a chunk may run
 * twice: parts must be idempotent.
 *
 * A delivery that read the old login may write its failure after its part has run. While a part finds running
 * jobs, the task therefore starts over, until `SETTLED_MS` after the login.
 */
interface Reconnected {
  readonly channelId: ChannelId;
  /**
   * When the login was stored. Work that failed before `settledAt` may have failed because of the old login.
   */
  readonly settledAt: number;
}

/** One feature's part. */
export interface TakesUp {
  readonly name: string;
  /** Resumes one chunk of the items after `after`; null starts at the beginning. */
  takeUp(deps: Deps, reconnected: Reconnected, after: number | null): Promise<TakenUp>;
}

interface TakenUp {
  /** The position after this chunk; null if nothing is left. */
  readonly after: number | null;
  /** Whether a running delivery holds an item that this part would have resumed. */
  readonly isBusy?: boolean;
}

const KIND = "reconnected";
const QUEUE = { queue: "publish" } as const;
/** Longer than a job's lease. */
const SETTLED_MS = 2 * MINUTE;
const AGAIN_MS = 65 * SECOND;
const CHUNKS = 20;
const WOKEN = 200;

/** The `jobs.resume_key` of jobs that wait for the account owner to reconnect. */
export const loginOf = (id: ChannelId): string => `login:${id}`;

const State = z.object({
  since: z.number(),
  part: z.string().nullable(),
  after: z.number().nullable(),
  isBusy: z.boolean(),
});
type State = z.infer<typeof State>;

/** Belongs in the batch that stores the logins of these channels. */
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
 * The recurring task `returned:<channel id>`: a disconnected channel was connected again. The features supply
 * its work.
 */
export const RETURNED = "returned";

/**
 * Belongs in the batch that connects channels, before its other statements: schedules the task for those that
 * are disconnected.
 */
export function scheduleReturns(db: Db, ids: readonly ChannelId[], now: number): Statement {
  const again = sql`channels JOIN json_each(${JSON.stringify(ids)}) AS again ON again.value = channels.id`;
  const task = { kind: RETURNED, subject: sql`channels.id`, dueAt: now, intervalMs: MINUTE, now };
  return scheduleTaskOf(db, task, { from: again, when: sql`channels.disconnected_at IS NOT NULL` });
}

const keyOf = (id: ChannelId): string => `${KIND}:${id}`;

/** Has the tasks run at once, after that batch. Never throws: the sweep sends whatever this call does not. */
export async function sendReconnections(deps: Deps, ids: readonly ChannelId[]): Promise<void> {
  const now = Date.now();
  try {
    await sendClaimed(deps, QUEUE, await claimNamed(deps.db, ids.map(keyOf), now, claimUntil(deps, now)));
  } catch (error) {
    deps.log.error("reconnections_unsent", error, { count: ids.length });
  }
}

/** Jobs of any kind that wait for the login. */
const jobs: TakesUp = {
  name: "jobs",
  takeUp: async (deps, { channelId }) => ({
    after: (await resumeWaiting(deps, loginOf(channelId), WOKEN)) < WOKEN ? null : 0,
  }),
};

/** `parts`: the parts of the features, in this order (combined in dispatch.ts). */
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
  // A part unknown to this version: start over.
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
