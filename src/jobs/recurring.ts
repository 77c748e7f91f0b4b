import { type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { backoff } from "../core/backoff.ts";
import { isNearlySpent } from "../core/meter.ts";
import { partsOf } from "../core/parts.ts";
import { SECOND } from "../core/time.ts";
import { type Statement, writeTogether } from "../db/client.ts";
import type { JobDeps } from "./handler.ts";
import { kindOf, type QueueName, type RecurringMessage, Turn } from "./messages.ts";
import type { Outgoing } from "./queue.ts";
import { claimDueTasks, type RecurringTask, settleTask, type TaskState, takeClaimedTasks } from "./recurring-store.ts";

/**
 * Recurring work: refreshes of credentials, late permalinks, polls. A task is a row with its due time. The
 * minute sweep claims due tasks, each kind up to its own share, and sends them to the queue of their kind. A
 * run returns when the next one is due, so the interval adapts, or that the task has ended. The sweep does
 * not read sleeping tasks.
 *
 *   asleep ──due──▶ claimed until … ──message──▶ running ──▶ asleep, or deleted
 *                        └──── its message or run was lost ───┴──▶ due again
 *
 * A turn counter protects the task (decisions/0034): starting, expediting, claiming and settling raise it. A
 * message starts only the turn that it names, and a run writes only while its turn is the latest. A task that
 * was started or expedited meanwhile keeps its new state. A run may be repeated, so it must be idempotent.
 */
export interface RecurringHandler<D extends JobDeps> {
  readonly kind: string;
  readonly queue: QueueName;
  /**
   * `subject` is the part of the key after the kind. An error is logged, and the run retried with growing
   * delays.
   */
  run(deps: D, subject: string, task: RecurringTask): Promise<Recurrence>;
  /** For the tasks of one group in one message: does their common work, and returns how to run each task. */
  together?(deps: D, tasks: readonly RecurringTask[]): Promise<RunOfTask>;
}

export type RunOfTask = (task: RecurringTask) => Promise<Recurrence>;

export type Recurrence =
  | {
      readonly kind: "again";
      readonly afterMs: number;
      /** The state for the next run (`RecurringTask.state`). Default: unchanged. */
      readonly state?: string;
      /** What the run has found, stored with its next time. */
      readonly writes?: readonly Statement[];
      /**
       * Runs at its exact second instead of after the next sweep: for work that cannot wait for the sweep.
       */
      readonly isPrompt?: boolean;
    }
  | { readonly kind: "stop" };

/** Null for a kind that this version of the service does not know. */
export type RecurringHandlerOf<D extends JobDeps> = (kind: string) => RecurringHandler<D> | null;

/** Tasks per kind and chunk; a chunk is one D1 call and the sends of its tasks. */
const CHUNK = 500;
/** Twenty thousand tasks of one kind per sweep. The rest wait for the next sweep, oldest first. */
const MAX_CHUNKS = 40;
/** Tasks of one kind per message, and how many of them run at a time. */
const IN_A_MESSAGE = 20;
const AT_ONCE = 5;

/** Bounds of an adaptive interval. */
export interface Interval {
  readonly minMs: number;
  readonly maxMs: number;
}

/** The next interval of a polling task: the shortest after news, twice the last one after none. Pure. */
export function adaptInterval(lastMs: number, hasNews: boolean, { minMs, maxMs }: Interval): number {
  return hasNews ? minMs : Math.min(maxMs, Math.max(minMs, 2 * lastMs));
}

/**
 * The sweep's part: claims due tasks of these kinds and sends their messages. Each chunk holds every kind
 * with due tasks, so a flood of one kind delays no other. Tasks that a queue rejects are due again when their
 * claim expires.
 */
export async function sendDueTasks<D extends JobDeps>(
  deps: D,
  handlers: ReadonlyMap<string, RecurringHandler<D>>,
  dueKinds: readonly string[] = [...handlers.keys()],
): Promise<void> {
  let kinds = dueKinds;
  for (let chunk = 0; chunk < MAX_CHUNKS && kinds.length > 0 && !isNearlySpent(deps.meter); chunk++) {
    const now = Date.now();
    const tasks = await claimDueTasks(deps.db, kinds, { now, until: claimUntil(deps, now), limit: CHUNK });
    const byKind = Map.groupBy(tasks, ({ kind }) => kind);
    await deps.jobs.sendMany([...byKind].flatMap(([kind, ofKind]) => messagesOf(handlers.get(kind), byGroup(ofKind))));
    kinds = kinds.filter((kind) => byKind.get(kind)?.length === CHUNK);
  }
}

/** Orders the tasks by group: tasks of one group in one message can run together. */
function byGroup<T extends Grouped>(tasks: readonly T[]): readonly T[] {
  return [...Map.groupBy(tasks, groupOf).values()].flat();
}

type Grouped = Pick<RecurringTask, "key" | "groupKey">;

const groupOf = ({ key, groupKey }: Grouped): string => groupKey ?? key;

interface Addressed {
  readonly queue: QueueName;
}

function messagesOf(handler: Addressed | undefined, claims: readonly Turn[], delaySeconds = 0): readonly Outgoing[] {
  if (!handler) return [];
  const { queue } = handler;
  const tasks = claims.map(({ key, turn }) => ({ key, turn }));
  return partsOf(tasks, IN_A_MESSAGE).map((some) => {
    return { queue, message: { type: "recurring", tasks: some }, delaySeconds };
  });
}

/**
 * Sends tasks that a statement has claimed (recurring-store.ts), given its rows, without waiting for the
 * sweep. Never throws: tasks that the queue rejects are due again when their claim expires.
 */
export async function sendClaimed(deps: Pick<JobDeps, "jobs">, handler: Addressed, rows: unknown): Promise<void> {
  await deps.jobs.sendMany(messagesOf(handler, z.array(Turn).safeParse(rows).data ?? []));
}

/** When the claim of tasks that are sent now expires. */
export const claimUntil = ({ config }: Pick<JobDeps, "config">, now: number): number => now + config.taskClaimMs;

/**
 * Runs the tasks of a message, a few at a time, and stores their results. Returns whether the condition holds
 * after that, from the same D1 call.
 */
export async function runTasks<D extends JobDeps>(
  deps: D,
  message: Pick<RecurringMessage, "tasks">,
  handlerOf: RecurringHandlerOf<D>,
  condition: SQL = sql`0`,
): Promise<boolean> {
  const tasks = await takeClaimedTasks(deps.db, message.tasks, Date.now());
  if (tasks.length === 0) return false;
  const runs = await runsTogether(deps, tasks, handlerOf);
  const settled: Statement[] = [];
  const prompt: Prompt[] = [];
  await someAtOnce(tasks, async (task) => {
    const next = await runTask(deps, task, handlerOf, runs.get(groupOf(task)));
    settled.push(...(next?.writes ?? []), settleTask(deps.db, task, next));
    if (next?.prompt) prompt.push(next.prompt);
  });
  const { holds } = await writeTogether(deps.db, {
    settled,
    counts: deps.takeCounts?.() ?? [],
    holds: deps.db.select({ is: sql<number>`(${condition})` }).from(sql`(SELECT 1)`),
  });
  await deps.jobs.sendMany(promptMessages(prompt));
  return holds[0]?.is === 1;
}

async function someAtOnce<T>(all: readonly T[], act: (one: T) => Promise<void>): Promise<void> {
  const waiting = all.values();
  const work = async (): Promise<void> => {
    for (const one of waiting) await act(one);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

/**
 * How to run the tasks of each group with several tasks, by group key. If this fails, each task runs alone.
 */
async function runsTogether<D extends JobDeps>(
  deps: D,
  tasks: readonly RecurringTask[],
  handlerOf: RecurringHandlerOf<D>,
): Promise<ReadonlyMap<string, RunOfTask>> {
  const runs = new Map<string, RunOfTask>();
  const groups = Map.groupBy(tasks, groupOf);
  await someAtOnce([...groups], async ([group, ofGroup]) => {
    const [first] = ofGroup;
    if (!first || ofGroup.length < 2 || isNearlySpent(deps.meter)) return;
    try {
      const run = await handlerOf(kindOf(first.key))?.together?.(deps, ofGroup);
      if (run) runs.set(group, run);
    } catch (error) {
      deps.log.error("recurring_together_failed", error, { group, count: ofGroup.length });
    }
  });
  return runs;
}

/** The stored result of a run, and the message for the next run if it does not wait for the sweep. */
type Settled = TaskState & { readonly writes?: readonly Statement[]; readonly prompt?: Prompt };

interface Prompt extends Addressed {
  readonly group: string;
  readonly delaySeconds: number;
  readonly turn: Turn;
}

/** Messages for prompt runs: tasks of one group and time share a message. */
function promptMessages(prompt: readonly Prompt[]): readonly Outgoing[] {
  const together = Map.groupBy(prompt, ({ group, delaySeconds }) => `${delaySeconds} ${group}`);
  return [...together.values()].flatMap((some) =>
    messagesOf(
      some[0],
      some.map(({ turn }) => turn),
      some[0]?.delaySeconds,
    ),
  );
}

/** Runs the task and returns its next state; null if the task has ended. */
async function runTask<D extends JobDeps>(
  deps: D,
  task: RecurringTask,
  handlerOf: RecurringHandlerOf<D>,
  runTogether: RunOfTask | undefined,
): Promise<Settled | null> {
  const handler = handlerOf(kindOf(task.key));
  // The task stays due: another version may know its kind, and another invocation has subrequests left.
  if (!handler || isNearlySpent(deps.meter)) return { ...task, dueAt: Date.now(), sentAt: null };
  const startedAt = Date.now();
  try {
    const next = await (runTogether?.(task) ?? handler.run(deps, task.key.slice(handler.kind.length + 1), task));
    deps.log.event("recurring", { key: task.key, outcome: next.kind, ms: Date.now() - startedAt });
    if (next.kind === "stop") return null;
    const { afterMs, state = task.state, writes = [], isPrompt } = next;
    const settled = { dueAt: Date.now() + afterMs, intervalMs: afterMs, failures: 0, state, sentAt: null, writes };
    return isPrompt ? claimed(deps, settled, task, handler) : settled;
  } catch (error) {
    const failures = task.failures + 1;
    deps.log.error("recurring_failed", error, { key: task.key, failures });
    return { ...task, dueAt: Date.now() + backoff(failures), failures, sentAt: null };
  }
}

/** Claims the task for its next run, from within its own run. */
function claimed(deps: Pick<JobDeps, "config">, state: Settled, task: RecurringTask, { queue }: Addressed): Settled {
  const turn = { key: task.key, turn: task.turn + 1 };
  const prompt = { queue, group: groupOf(task), delaySeconds: state.intervalMs / SECOND, turn };
  return { ...state, dueAt: claimUntil(deps, state.dueAt), sentAt: Date.now(), prompt };
}
