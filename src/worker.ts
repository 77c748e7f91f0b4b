import { app } from "./app.ts";
import { type Bindings, createDeps } from "./deps.ts";
import { consume, consumeDead, sweep } from "./dispatch.ts";
import type { QueueMessage } from "./jobs/messages.ts";

export { TokenLimiter } from "./accounts/limiter-object.ts";

const DEAD_LETTERS = "belfry-jobs-dead";

export default {
  fetch: app.fetch,

  async queue(batch, env) {
    const handle = batch.queue === DEAD_LETTERS ? consumeDead : consume;
    await Promise.all(
      batch.messages.map(async (message) => {
        const deps = createDeps(env, { queue: batch.queue });
        try {
          await handle(deps, message.body);
          message.ack();
        } catch (error) {
          deps.log.error("delivery_failed", error, { attempts: message.attempts });
          message.retry({ delaySeconds: Math.min(60, 2 ** message.attempts) });
        }
      }),
    );
  },

  async scheduled(_controller, env) {
    await sweep(createDeps(env, { cron: true }));
  },
} satisfies ExportedHandler<Bindings, QueueMessage>;
