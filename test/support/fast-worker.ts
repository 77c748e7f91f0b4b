import { z } from "zod";
import { createMeter, type Meter } from "../../src/core/meter.ts";
import { bindingOf, countDatabases } from "../../src/db/databases.ts";
import { meteredD1 } from "../../src/db/metered.ts";
import type { QueueMessage } from "../../src/jobs/messages.ts";
import { AHEAD_MS } from "../../src/jobs/sweep.ts";
import type { Bindings } from "../../src/service/deps.ts";
import service, { ProjectLimiter, TokenLimiter } from "../../src/worker.ts";

export { ProjectLimiter, TokenLimiter };

/**
 * The service under a fast clock, for `npm run scale` and the insights of `npm run soak`. `Date.now` moves
 * only on request; the queue keeps messages until their time; `POST /_fast` runs sweeps and deliveries up to
 * an instant, in the order of their times. All else is the service's own code on local databases, whose
 * calls are counted per database and purpose.
 *
 * A sweep is left out where it has nothing to do: no job that it sends ahead, no task that is due, and
 * nothing that waits for an allowance. Each database is swept once an hour at least.
 */
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** As in wrangler.toml. */
const BATCH = 10;
/** Batches that are delivered at a time. */
const AT_ONCE = 6;
/** A sandbox that is less apart keeps its clock: while jobs act, and while only recurring work does. */
const JOB_LAG_MS = 250;
const TASK_LAG_MS = 5 * MINUTE;
const CALL_MS = MINUTE;

const realNow = Date.now.bind(Date);
let now: number | null = null;
Date.now = () => now ?? realNow();

/** Tasks are recurring work: polls of bots, renewals of logins. */
const PURPOSES = ["requests", "jobs", "tasks", "sweeps"] as const;
type Purpose = (typeof PURPOSES)[number];

interface Waiting {
  readonly queue: string;
  readonly body: QueueMessage;
  readonly dueAt: number;
  readonly attempts: number;
}

/** In the order of their times. */
const waiting: Waiting[] = [];

function put(message: Waiting): void {
  let [low, high] = [0, waiting.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((waiting[middle]?.dueAt ?? 0) <= message.dueAt) low = middle + 1;
    else high = middle;
  }
  waiting.splice(low, 0, message);
}

function queueOf(queue: string): Queue<QueueMessage> {
  const later = (delaySeconds = 0) => Date.now() + delaySeconds * 1000;
  const metrics = async () => ({ backlogCount: waiting.length, backlogBytes: 0 });
  const sent = async () => ({ metadata: { metrics: await metrics() } });
  return {
    async send(body, options) {
      put({ queue, body, dueAt: later(options?.delaySeconds), attempts: 1 });
      return sent();
    },
    async sendBatch(messages) {
      for (const { body, delaySeconds } of messages) put({ queue, body, dueAt: later(delaySeconds), attempts: 1 });
      return sent();
    },
    metrics,
  };
}

interface Home {
  readonly inner: D1Database;
  readonly meters: Readonly<Record<Purpose, Meter>>;
  /** Whether rows were written since `due` was read. */
  isTouched: boolean;
  due: Due;
  sweptAt: number;
  sweeps: number;
  skipped: number;
  sweepMs: number;
  longestSweepMs: number;
  /** The most by which an open job was behind its time when a sweep began. */
  mostBehindMs: number;
}

interface Fast {
  readonly homes: readonly Home[];
  readonly bindings: Readonly<Record<Purpose, Bindings>>;
  readonly sandboxUrl: string;
  requests: number;
  readonly messages: { jobs: number; tasks: number };
}
let fast: Fast | null = null;

function fastOf(env: Env): Fast {
  fast ??= createFast(env);
  return fast;
}

function createFast(env: Env): Fast {
  const queues = {
    JOBS: queueOf("belfry-jobs"),
    MEDIA_JOBS: queueOf("belfry-media"),
    REPLY_JOBS: queueOf("belfry-replies"),
    GENERATION_JOBS: queueOf("belfry-generation"),
    CAMPAIGN_JOBS: queueOf("belfry-campaigns"),
    HOOK_JOBS: queueOf("belfry-hooks"),
  };
  const homes = Array.from({ length: countDatabases(env) }, (_, database): Home => {
    const inner: unknown = Reflect.get(env, bindingOf(database));
    return {
      // wrangler.toml says of these names that they are databases.
      inner: inner as D1Database,
      meters: { requests: createMeter(), jobs: createMeter(), tasks: createMeter(), sweeps: createMeter() },
      isTouched: true,
      due: { jobAt: 0, sweepAt: 0 },
      sweptAt: 0,
      sweeps: 0,
      skipped: 0,
      sweepMs: 0,
      longestSweepMs: 0,
      mostBehindMs: 0,
    };
  });
  const bindingsFor = (purpose: Purpose): Bindings => {
    const counted = homes.map((home, database) => [bindingOf(database), meteredD1(home.inner, home.meters[purpose])]);
    return { ...env, ...queues, ...Object.fromEntries(counted) };
  };
  const bindings = {
    requests: bindingsFor("requests"),
    jobs: bindingsFor("jobs"),
    tasks: bindingsFor("tasks"),
    sweeps: bindingsFor("sweeps"),
  };
  return { homes, bindings, sandboxUrl: env.SANDBOX_URL, requests: 0, messages: { jobs: 0, tasks: 0 } };
}

/** Delivers messages of one queue; what is not acknowledged comes again. */
async function deliver(messages: readonly Waiting[], env: Bindings): Promise<void> {
  const [first] = messages;
  if (!first) return;
  const work: Promise<unknown>[] = [];
  const batch = messages.map((message) => ({
    id: crypto.randomUUID(),
    timestamp: new Date(Date.now()),
    body: message.body,
    attempts: message.attempts,
    ack() {},
    retry({ delaySeconds = 1 }: QueueRetryOptions = {}) {
      put({ ...message, dueAt: Date.now() + delaySeconds * 1000, attempts: message.attempts + 1 });
    },
  }));
  const context = {
    waitUntil: (more: Promise<unknown>) => void work.push(more),
    passThroughOnException() {},
    props: {},
  };
  const given = { queue: first.queue, messages: batch, ackAll() {}, retryAll() {}, metadata: { metrics: NONE } };
  // The runtime's own types have members that only the runtime can make.
  await service.queue(given as MessageBatch<QueueMessage>, env, context as ExecutionContext);
  await Promise.all(work);
}
const NONE = { backlogCount: 0, backlogBytes: 0 };

async function eachAtOnce<T>(all: readonly T[], act: (one: T) => Promise<void>): Promise<void> {
  const rest = all.values();
  const work = async () => {
    for (const one of rest) await act(one);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

/** Delivers everything that is due. */
async function deliverDue(parts: Fast): Promise<void> {
  const count = waiting.findIndex(({ dueAt }) => dueAt > Date.now());
  const due = waiting.splice(0, count === -1 ? waiting.length : count);
  if (due.length === 0) return;
  await moveSandbox(parts, due.every(({ body }) => body.type === "recurring") ? TASK_LAG_MS : JOB_LAG_MS);
  const batches = [...Map.groupBy(due, ({ queue, body }) => `${queue} ${body.type}`).values()].flatMap((own) =>
    Array.from({ length: Math.ceil(own.length / BATCH) }, (_, at) => own.slice(at * BATCH, (at + 1) * BATCH)),
  );
  await eachAtOnce(batches, async (batch) => {
    const purpose = batch[0]?.body.type === "recurring" ? "tasks" : "jobs";
    parts.messages[purpose] += batch.length;
    await deliver(batch, parts.bindings[purpose]);
  });
}

const writtenIn = ({ meters }: Home) => PURPOSES.reduce((sum, purpose) => sum + meters[purpose].d1RowsWritten, 0);
const Times = z.object({
  unsent: z.number(),
  throttled: z.number(),
  flying: z.number(),
  task: z.number(),
  waits: z.number(),
});
const NEVER = 1e15;
const FIRST = `SELECT coalesce(min(run_at), ${NEVER}) FROM jobs WHERE state = 'open'`;
/** Each by the index of its situation (src/jobs/table.ts). */
const TIMES = `SELECT (${FIRST} AND message_at IS NULL AND throttled_at IS NULL) AS unsent,
  (${FIRST} AND throttled_at IS NOT NULL) AS throttled, (${FIRST} AND message_at IS NOT NULL) AS flying,
  (SELECT coalesce(min(due_at), ${NEVER}) FROM recurring) AS task, EXISTS (SELECT 1 FROM rate_waits) AS waits`;

interface Due {
  /** Of the first open job. */
  readonly jobAt: number;
  /** When a sweep has work: it sends jobs ahead, but tasks at their time. */
  readonly sweepAt: number;
}

async function dueOf({ inner }: Home): Promise<Due> {
  const { unsent, throttled, flying, task, waits } = Times.parse(await inner.prepare(TIMES).first());
  return {
    jobAt: Math.min(unsent, throttled, flying),
    sweepAt: waits === 1 ? Date.now() : Math.min(unsent - AHEAD_MS, throttled - AHEAD_MS, task),
  };
}

async function sweepDue({ homes, bindings }: Fast): Promise<void> {
  const instant = Date.now();
  await eachAtOnce([...homes.entries()], async ([database, home]) => {
    if (home.isTouched) {
      home.due = await dueOf(home);
      home.isTouched = false;
    }
    const { jobAt, sweepAt } = home.due;
    if (sweepAt > instant && home.sweptAt > instant - HOUR) {
      home.skipped++;
      return;
    }
    home.mostBehindMs = Math.max(home.mostBehindMs, instant - jobAt);
    const startedAt = realNow();
    const body: QueueMessage = { type: "sweep", ...(database === 0 ? {} : { database }) };
    await deliver([{ queue: "belfry-sweeps", body, dueAt: instant, attempts: 1 }], bindings.sweeps);
    const ms = realNow() - startedAt;
    home.sweeps++;
    home.sweepMs += ms;
    home.longestSweepMs = Math.max(home.longestSweepMs, ms);
    home.isTouched = true;
    home.sweptAt = instant;
  });
}

/** What is due is read again of every database that has had rows written since. */
function noteTouched({ homes }: Fast, writtenBefore: readonly number[]): void {
  for (const [at, home] of homes.entries()) if (writtenIn(home) > (writtenBefore[at] ?? 0)) home.isTouched = true;
}

let sweepEveryMs = MINUTE;
let sandboxOffset = 0;
/** Null: the clock of the sandbox runs. */
let sandboxStandsAt: number | null = null;

/** The clock of the sandbox follows before anything calls a platform. */
async function moveSandbox({ sandboxUrl }: Fast, lagMs = JOB_LAG_MS): Promise<void> {
  const offset = Math.round(Date.now() - realNow());
  const isStill = sandboxStandsAt !== null;
  if (isStill ? sandboxStandsAt === Date.now() : Math.abs(offset - sandboxOffset) < lagMs) return;
  sandboxOffset = offset;
  if (isStill) sandboxStandsAt = Date.now();
  const body = JSON.stringify(isStill ? { stands_at: Date.now() } : { offset_ms: offset });
  const headers = { "Content-Type": "application/json" };
  const answer = await fetch(`${sandboxUrl}/_control/clock`, { method: "POST", headers, body });
  await answer.body?.cancel();
}

/**
 * Sweeps at each firing of the cron, and delivers each message at its time, until this instant. Ends earlier
 * if that takes long: no call may.
 */
async function runUntil(parts: Fast, until: number): Promise<void> {
  const startedAt = realNow();
  for (;;) {
    if (realNow() - startedAt > CALL_MS) return;
    const cron = Math.floor(Date.now() / sweepEveryMs) * sweepEveryMs + sweepEveryMs;
    const next = Math.max(Date.now(), Math.min(waiting[0]?.dueAt ?? cron, cron));
    if (next > until) break;
    now = next;
    const before = parts.homes.map(writtenIn);
    await Promise.all([deliverDue(parts), next === cron ? sweepDue(parts) : null]);
    noteTouched(parts, before);
  }
  now = Math.max(Date.now(), until);
  await moveSandbox(parts);
}

function statsOf({ homes }: Fast) {
  return Promise.all(
    homes.map(async ({ inner, isTouched, due, sweptAt, ...home }) => {
      const { meta } = await inner.prepare("SELECT 1").run();
      return { ...home, bytes: meta.size_after };
    }),
  );
}

const Order = z.object({
  until: z.number().nullable(),
  /** Where a service goes on that was killed, and has lost its clock. */
  from: z.number().optional(),
  /** The clock of the sandbox stands still between the instants of this one, so both are always equal. */
  isStill: z.boolean().default(false),
  /** How often the cron fires: each minute, as in production, or less often to let months pass. */
  sweepEveryMs: z.number().min(MINUTE).default(MINUTE),
});

export default {
  ...service,
  async fetch(request: Request, env: Env, context: ExecutionContext) {
    const parts = fastOf(env);
    if (new URL(request.url).pathname !== "/_fast") {
      parts.requests++;
      const before = parts.homes.map(writtenIn);
      const answer = await service.fetch(request, parts.bindings.requests, context);
      noteTouched(parts, before);
      return answer;
    }
    const { until, from, isStill, ...order } = Order.parse(await request.json());
    sweepEveryMs = order.sweepEveryMs;
    now = Math.max(now ?? from ?? realNow(), from ?? 0);
    if (isStill) sandboxStandsAt ??= 0;
    if (until !== null) await runUntil(parts, until);
    const { requests, messages } = parts;
    return Response.json({
      now,
      waiting: waiting.length,
      requests,
      messages,
      databases: await statsOf(parts),
    });
  },
};
