import { createMeter } from "../core/meter.ts";
import type { QueueMessage } from "../jobs/messages.ts";
import { type Bindings, createDeps } from "../service/deps.ts";
import { sweep } from "./dispatch.ts";

/**
 * The minute cron. One database is swept here. Of several, each gets a message in the queue of sweeps: each
 * sweep is an invocation with its own limits. Without that queue, or while it fails, they are swept here.
 */
export async function sweepAll(env: Bindings): Promise<void> {
  const deps = createDeps(env, { cron: true });
  if (deps.databases === 1) return sweep(deps);
  const sweeps: unknown = Reflect.get(env, SWEEPS);
  const numbers = Array.from({ length: deps.databases }, (_, database) => database);
  if (sweeps !== undefined) {
    try {
      // wrangler.toml says of this name that it is a queue.
      await (sweeps as Queue<QueueMessage>).sendBatch(
        numbers.map((database) => ({ body: { type: "sweep", ...(database === 0 ? {} : { database }) } })),
      );
      return;
    } catch (error) {
      deps.log.error("sweeps_unsent", error);
    }
  }
  for (const database of numbers) {
    try {
      await sweep(createDeps(env, { cron: true }, createMeter()).in(database));
    } catch (error) {
      deps.log.error("sweep_failed", error, { part: `database ${database}` });
    }
  }
}

/** The binding of the queue of sweeps, which only a service with several databases has. */
const SWEEPS = "SWEEPS";
