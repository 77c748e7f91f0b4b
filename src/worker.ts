import { app } from "./entry/app.ts";
import { handleBatch } from "./entry/batch.ts";
import { sweep } from "./entry/dispatch.ts";
import type { QueueMessage } from "./jobs/messages.ts";
import { type Bindings, createDeps } from "./service/deps.ts";

export { TokenLimiter } from "./accounts/limiter-object.ts";
export { ProjectLimiter } from "./accounts/project-object.ts";

export default {
  fetch: app.fetch,

  queue: handleBatch,

  async scheduled(_controller, env) {
    await sweep(createDeps(env, { cron: true }));
  },
} satisfies ExportedHandler<Bindings, QueueMessage>;
