import type { QueueMessage } from "./jobs/messages.ts";
import type { Bindings } from "./service/deps.ts";

/**
 * Each kind of event loads its part on first use. A Durable Object needs none of them, a queue no routes, and
 * their schemas take most of the time to start.
 */
export { TokenLimiter } from "./accounts/limiter-object.ts";
export { ProjectLimiter } from "./accounts/project-object.ts";

export default {
  async fetch(request: Request, env: Bindings, context: ExecutionContext) {
    const { app } = await import("./entry/app.ts");
    return app.fetch(request, env, context);
  },

  async queue(batch: MessageBatch<QueueMessage>, env: Bindings, context?: ExecutionContext) {
    const { handleBatch } = await import("./entry/batch.ts");
    return handleBatch(batch, env, context);
  },

  async scheduled(_controller, env) {
    const { sweepAll } = await import("./entry/sweeps.ts");
    await sweepAll(env);
  },
} satisfies ExportedHandler<Bindings, QueueMessage>;
