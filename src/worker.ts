import { app } from "./app.ts";
import { handleBatch } from "./batch.ts";
import { type Bindings, createDeps } from "./deps.ts";
import { sweep } from "./dispatch.ts";
import type { QueueMessage } from "./jobs/messages.ts";

export { TokenLimiter } from "./accounts/limiter-object.ts";
export { ProjectLimiter } from "./accounts/project-object.ts";

export default {
  fetch: app.fetch,

  queue: handleBatch,

  async scheduled(_controller, env) {
    await sweep(createDeps(env, { cron: true }));
  },
} satisfies ExportedHandler<Bindings, QueueMessage>;
