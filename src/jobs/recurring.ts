import { z } from "zod";
import { backoff } from "../core/backoff.ts";
import { isNearlySpent } from "../core/meter.ts";
import { SECOND } from "../core/time.ts";
import { runBatch, type Statement } from "../db/client.ts";
import type { QueueName, RecurringMessage } from "./messages.ts";
import { kindOf } from "./messages.ts";
import type { Outgoing } from "./queue.ts";
import { claimDueTasks, type RecurringTask, settleTask, type TaskState, takeClaimedTasks } from "./recurring-store.ts";
import type { JobDeps } from "./runner.ts";

/**
 * Recurring work: refreshes of credentials, permalinks that come late, polls. A task is a row with the time at which it is
 * due; the minute sweep claims what is due, in batches, and sends it to the queue of its kind. A run tells when it wants to
 * run again, so that the interval adapts, or that it is over. Tasks that sleep are not read.
 *
 *   asleep ──due──▶ claimed until … ──message──▶ running ──▶ asleep, or gone
 *                        └──── nobody ran it ────────┴──▶ due again
 *
 * Of two messages for one claim only the first runs it; one that is lost, or a run that dies, is made up for when the claim
 * ends. A run must therefore be one that may be repeated.
 */
export interface RecurringHandler<D extends JobDeps> {
  readonly kind: string;
  readonly queue: QueueName;
  /** Whether each task has a message of its own: one that is slow then holds up no other. */
  readonly isAlone?: true;
  /** Told the part of the key behind the kind. An error is logged, and tried again with growing distance. */
  run(deps: D, subject: string, task: RecurringTask): Promise<Recurrence>;
}

export type Recurrence =
  | {
      readonly kind: "again";
      readonly afterMs: number;
      /** What the next run is told (`RecurringTask.state`); left out, it stays as it is. */
      readonly state?: string;
      /** It comes at its very second, where others wait for the sweep after it: for what cannot wait so long. */
      readonly isPrompt?: boolean;
    }
  | { readonly kind: "stop" };

/** Null for a kind that this version of the service does not know. */
export type RecurringHandlerOf<D extends JobDeps> = (kind: string) => RecurringHandler<D> | null;

const CHUNK = 500;
/** Each costs a D1 call and a send: twenty thousand tasks a sweep. What is beyond them waits for the next one, the oldest first. */
const MAX_CHUNKS = 40;
/** Tasks of one kind that a message carries, and how many of them run at a time. */
const IN_A_MESSAGE = 20;
const AT_ONCE = 5;

/** Bounds of an interval that adapts. */
export interface Interval {
  readonly minMs: number;
  readonly maxMs: number;
}

/** The next interval of a task that looks for news: the shortest after some, twice the last one after none. Pure. */
export function adapted(lastMs: number, hasNews: boolean, { minMs, maxMs }: Interval): number {
  return hasNews ? minMs : Math.min(maxMs, Math.max(minMs, 2 * lastMs));
}

/** The sweep's part: claims what is due and sends it out. What a queue does not take is due again when its claim ends. */
export async function sendDueTasks<D extends JobDeps>(deps: D, handlerOf: RecurringHandlerOf<D>): Promise<void> {
  for (let chunk = 0; chunk < MAX_CHUNKS && !isNearlySpent(deps.meter); chunk++) {
    const now = Date.now();
    const until = claimUntil(deps, now);
    const tasks = await claimDueTasks(deps.db, now, until, CHUNK);
    await deps.jobs.sendMany(messagesOf(tasks, until, handlerOf));
    if (tasks.length < CHUNK) return;
  }
}

function messagesOf<D extends JobDeps>(
  tasks: readonly RecurringTask[],
  until: number,
  handlerOf: RecurringHandlerOf<D>,
) {
  return [...Map.groupBy(tasks, ({ kind }) => kind)].flatMap(([kind, ofKind]) => {
    // Of a kind that only another version knows: that one sends it, when it is due again.
    const handler = handlerOf(kind);
    if (!handler) return [];
    return inMessages(
      handler.queue,
      ofKind.map(({ key }) => key),
      until,
      handler.isAlone ? 1 : IN_A_MESSAGE,
    );
  });
}

function inMessages(
  queue: QueueName,
  keys: readonly string[],
  until: number,
  size: number = IN_A_MESSAGE,
): readonly Outgoing[] {
  const parts = Array.from({ length: Math.ceil(keys.length / size) }, (_, part) =>
    keys.slice(part * size, (part + 1) * size),
  );
  return parts.map((part) => ({ queue, message: { type: "recurring", keys: part, until }, delaySeconds: 0 }));
}

/**
 * Sends tasks that a statement has claimed until `until` (recurring-store.ts), given its rows, without waiting for the sweep. Never
 * throws: what the queue does not take is due again when its claim ends.
 */
export async function sendClaimed(
  deps: Pick<JobDeps, "jobs">,
  { queue, isAlone }: { readonly queue: QueueName; readonly isAlone?: true },
  rows: unknown,
  until: number,
) {
  const keys = (Claimed.safeParse(rows).data ?? []).map(({ key }) => key);
  await deps.jobs.sendMany(inMessages(queue, keys, until, isAlone ? 1 : IN_A_MESSAGE));
}

const Claimed = z.array(z.object({ key: z.string() }));

/** Until when those are claimed that are sent now. */
export const claimUntil = ({ config }: Pick<JobDeps, "config">, now: number): number => now + config.taskClaimMs;

/** Runs the tasks of a message, a few at a time, and writes what they came to. */
export async function runTasks<D extends JobDeps>(
  deps: D,
  { keys, until }: Pick<RecurringMessage, "keys" | "until">,
  handlerOf: RecurringHandlerOf<D>,
): Promise<void> {
  const tasks = await takeClaimedTasks(deps.db, keys, until);
  const waiting = tasks.values();
  const settled: Statement[] = [];
  const prompt: Outgoing[] = [];
  const work = async (): Promise<void> => {
    for (const task of waiting) {
      const next = await runTask(deps, task, handlerOf);
      settled.push(settleTask(deps.db, task, next));
      if (next?.message) prompt.push(next.message);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  await runBatch(deps.db, settled);
  await deps.jobs.sendMany(prompt);
}

/** What is written of a run, and the message that brings the next one, where the sweep does not. */
type Settled = TaskState & { readonly message?: Outgoing };

/** What becomes of the task; null when it is over. */
async function runTask<D extends JobDeps>(
  deps: D,
  task: RecurringTask,
  handlerOf: RecurringHandlerOf<D>,
): Promise<Settled | null> {
  const handler = handlerOf(kindOf(task.key));
  // Another version knows it, or another invocation has the means.
  if (!handler || isNearlySpent(deps.meter)) return { ...task, dueAt: Date.now() };
  const startedAt = Date.now();
  try {
    const next = await handler.run(deps, task.key.slice(handler.kind.length + 1), task);
    deps.log.event("recurring", { key: task.key, outcome: next.kind, ms: Date.now() - startedAt });
    if (next.kind === "stop") return null;
    const { afterMs, state = task.state, isPrompt } = next;
    const settled = { dueAt: Date.now() + afterMs, intervalMs: afterMs, failures: 0, state };
    return isPrompt ? claimed(deps, settled, task.key, handler.queue) : settled;
  } catch (error) {
    const failures = task.failures + 1;
    deps.log.error("recurring_failed", error, { key: task.key, failures });
    return { ...task, dueAt: Date.now() + backoff(failures), failures };
  }
}

/** Claimed by its own run for the next one. */
function claimed(deps: Pick<JobDeps, "config">, state: TaskState, key: string, queue: QueueName): Settled {
  const until = claimUntil(deps, state.dueAt);
  const message: Outgoing = {
    queue,
    message: { type: "recurring", keys: [key], until },
    delaySeconds: state.intervalMs / SECOND,
  };
  return { ...state, dueAt: until, message };
}
