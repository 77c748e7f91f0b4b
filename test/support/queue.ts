import { createExecutionContext, createMessageBatch, getQueueResult, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import type { QueueMessage } from "../../src/jobs/messages.ts";
import type { Bindings } from "../../src/service/deps.ts";
import worker from "../../src/worker.ts";
import { advance, advanceTo } from "./clock.ts";
import { pictures } from "./pictures.ts";
import { MINUTE } from "./times.ts";

/**
 * The queue under the tests' clock: it keeps what is sent until the test lets it arrive, in order of time,
 * and can lose, repeat or reorder it. Everything else is the real runtime's.
 */
interface Waiting {
  readonly body: QueueMessage;
  readonly dueAt: number;
}
let waiting: Waiting[] = [];
let refusals = 0;
let delivered: QueueMessage[] = [];

function takeOrRefuse(): void {
  if (refusals === 0) return;
  refusals -= 1;
  throw new Error("The queue takes nothing, as the test asked.");
}

const jobs: Queue<QueueMessage> = {
  async send(body, options) {
    takeOrRefuse();
    waiting.push({ body, dueAt: Date.now() + (options?.delaySeconds ?? 0) * 1000 });
    return sent();
  },
  async sendBatch(messages) {
    takeOrRefuse();
    for (const { body, delaySeconds } of messages)
      waiting.push({ body, dueAt: Date.now() + (delaySeconds ?? 0) * 1000 });
    return sent();
  },
  async metrics() {
    return { backlogCount: waiting.length, backlogBytes: 0 };
  },
};

function sent() {
  return { metadata: { metrics: { backlogCount: waiting.length, backlogBytes: 0 } } };
}

/** The queue of sweeps, of a service with several databases. */
export const sweeps = jobs;

/** The bindings that the Worker under test sees. */
export const bindings: Bindings = {
  ...env,
  JOBS: jobs,
  MEDIA_JOBS: jobs,
  REPLY_JOBS: jobs,
  GENERATION_JOBS: jobs,
  CAMPAIGN_JOBS: jobs,
  HOOK_JOBS: jobs,
  IMAGES: pictures,
};

export const queue = {
  get length(): number {
    return waiting.length;
  },
  get messages(): readonly QueueMessage[] {
    return waiting.map((message) => message.body);
  },
  /** How many messages for these jobs were delivered so far. */
  deliveriesOf(keys: readonly string[]): number {
    return delivered.filter((message) => message.type === "job" && keys.includes(message.key)).length;
  },
  /** The next `times` sends fail. */
  refuse(times: number): void {
    refusals = times;
  },
  /** The oldest message that is due, taken off the queue. */
  takeDue(): QueueMessage | null {
    waiting.sort((a, b) => a.dueAt - b.dueAt);
    const [next] = waiting;
    if (!next || next.dueAt > Date.now()) return null;
    waiting = waiting.slice(1);
    return next.body;
  },
  /** An empty queue without a past: job keys repeat from file to file. */
  reset(): void {
    waiting = [];
    delivered = [];
    refusals = 0;
  },
  /** Loses everything that is on its way. */
  loseAll(): void {
    waiting = [];
  },
  /** Delivers a message now, whatever its time: a repeat, or one that is early. */
  async deliver(body: QueueMessage, given: Bindings = bindings): Promise<void> {
    delivered = [...delivered, body];
    const message = { id: crypto.randomUUID(), timestamp: new Date(Date.now()), body, attempts: 1 };
    const batch = createMessageBatch<QueueMessage>("belfry-jobs", [message]);
    const context = createExecutionContext();
    await worker.queue(batch, given, context);
    await waitOnExecutionContext(context);
    const result = await getQueueResult(batch, context);
    for (const retry of result.retryMessages)
      waiting.push({ body, dueAt: Date.now() + (retry.delaySeconds ?? 1) * 1000 });
  },
};

/** Fires the minute cron. */
export async function cron(given: Bindings = bindings): Promise<void> {
  await worker.scheduled({ scheduledTime: Date.now(), cron: "* * * * *", noRetry: () => {} }, given);
}

/**
 * Lets everything arrive that is on its way, in order of time, moving the clock to each. Ends when nothing is
 * left, or at the given time from now.
 */
export async function queuesIdle(withinMs = 3_600_000, given: Bindings = bindings): Promise<void> {
  const end = Date.now() + withinMs;
  for (let deliveries = 0; waiting.length > 0; deliveries++) {
    if (deliveries > 2_000) throw new Error("The queue does not come to rest.");
    waiting.sort((a, b) => a.dueAt - b.dueAt);
    const [next] = waiting;
    if (!next || next.dueAt > end) return;
    waiting = waiting.slice(1);
    await advanceTo(next.dueAt);
    await queue.deliver(next.body, given);
  }
}

/** Lets so much time pass, with a sweep and its deliveries in each minute. */
export async function passSwept(ms: number): Promise<void> {
  for (const end = Date.now() + ms; Date.now() < end; ) {
    await cron();
    await queuesIdle(MINUTE);
    await advance(MINUTE);
  }
}
