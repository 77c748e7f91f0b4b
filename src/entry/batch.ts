import { createMeter, type Meter, subrequestsOf } from "../core/meter.ts";
import { isMovingViolation } from "../db/client.ts";
import { databaseOf, type QueueMessage } from "../jobs/messages.ts";
import { type Bindings, createDeps } from "../service/deps.ts";
import { consume, consumeDead } from "./dispatch.ts";

/**
 * One batch of messages: an invocation whose deliveries share its limits (core/meter.ts).
 *
 * A queue that delivers one batch at a time waits for the slowest delivery. So a long batch lets the next one
 * start while its own deliveries continue (`queue_consumer_no_wait_for_wait_until`). Their messages then
 * count as delivered. If a delivery dies later, its lease expires and the sweep retries the job; other work
 * is found again from its rows.
 */
/** Matched by suffix: another deployment of this service may name its queues differently. */
const DEAD_LETTERS = "-dead";
const PATIENCE_MS = 3_000;
/** Above this many deliveries in one isolate, no further batch is let in: they share its memory. */
const MAX_UNDER_WAY = 40;

let underWay = 0;

export async function handleBatch(
  batch: MessageBatch<QueueMessage>,
  env: Bindings,
  context?: ExecutionContext,
): Promise<void> {
  const meter = createMeter();
  const about = { queue: batch.queue };
  const { length } = batch.messages;
  underWay += length;
  const work = Promise.all(batch.messages.map((message) => handleMessage(message, batch.queue, env, meter))).then(
    () => {
      underWay -= length;
      const { log } = createDeps(env, about, meter);
      log.event("invocation", { deliveries: length, subrequests: subrequestsOf(meter), ...meter });
    },
  );
  if (!context || (await isOverWithin(work, PATIENCE_MS)) || underWay > MAX_UNDER_WAY) return work;
  context.waitUntil(work);
}

async function handleMessage(
  message: Message<QueueMessage>,
  queue: string,
  env: Bindings,
  meter: Meter,
): Promise<void> {
  const deps = createDeps(env, { queue }, meter);
  const handle = queue.endsWith(DEAD_LETTERS) ? consumeDead : consume;
  try {
    await handle(deps.in(databaseOf(message.body)), message.body);
    message.ack();
  } catch (error) {
    if (isMovingViolation(error)) {
      // Its project is being moved; the work continues in the other database, from its rows.
      deps.log.event("delivery_moved", { attempts: message.attempts });
      message.ack();
      return;
    }
    deps.log.error("delivery_failed", error, { attempts: message.attempts });
    message.retry({ delaySeconds: Math.min(60, 2 ** message.attempts) });
  }
}

async function isOverWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  const { promise: patience, resolve } = Promise.withResolvers<false>();
  const timer = setTimeout(() => resolve(false), ms);
  try {
    return await Promise.race([work.then(() => true), patience]);
  } finally {
    clearTimeout(timer);
  }
}
