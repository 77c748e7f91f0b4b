import { type Config, readConfig } from "./config.ts";
import { createLog, type Log } from "./core/log.ts";
import { createMeter, type Meter } from "./core/meter.ts";
import { createSealer, type Sealer } from "./core/sealing.ts";
import { connectDb, type Db } from "./db/client.ts";
import { meteredKv } from "./db/metered.ts";
import type { QueueMessage } from "./jobs/messages.ts";
import { createJobQueue, type JobQueue } from "./jobs/queue.ts";
import { createGuardedFetch, type GuardedFetch } from "./media/guarded-fetch.ts";
import { createSend, type Send } from "./platforms/request.ts";

/** Everything a verb may use, built alike for requests, queue deliveries and the cron. */
export interface Deps {
  readonly db: Db;
  readonly kv: KVNamespace;
  readonly jobs: JobQueue;
  /** Reached through accounts/tokens.ts only, which knows what its objects can do. */
  readonly limiter: DurableObjectNamespace;
  readonly assets: Fetcher;
  readonly config: Config;
  readonly sealer: Sealer;
  readonly log: Log;
  readonly meter: Meter;
  /** The one way out for addresses that users give us. */
  readonly guardedFetch: GuardedFetch;
  /** The one way out to platforms; a test project's calls go to the sandbox. */
  sendFor(project: { readonly isTest: boolean }): Send;
}

export interface Bindings {
  readonly DB: D1Database;
  readonly KV: KVNamespace;
  readonly JOBS: Queue<QueueMessage>;
  readonly LIMITER: DurableObjectNamespace;
  readonly ASSETS: Fetcher;
}

/** What does not change between requests of one isolate. */
const shared = new WeakMap<object, { config: Config; sealer: Sealer; guardedFetch: GuardedFetch }>();

/** `about` goes with every log line of this request, delivery or sweep. */
export function createDeps(env: Bindings, about: Readonly<Record<string, string | boolean>>): Deps {
  const meter = createMeter();
  const { config, sealer, guardedFetch } = sharedParts(env);
  const log = createLog(about, config.isQuiet);
  return {
    db: connectDb(env.DB, meter),
    kv: meteredKv(env.KV, meter),
    jobs: createJobQueue(env.JOBS, meter, log),
    limiter: env.LIMITER,
    assets: env.ASSETS,
    config,
    sealer,
    log,
    meter,
    guardedFetch,
    sendFor: ({ isTest }) => {
      if (!isTest) return createSend({ sandboxUrl: null });
      if (config.sandboxUrl !== null) return createSend({ sandboxUrl: config.sandboxUrl });
      return async () => ({
        kind: "lost",
        message: "This is a test project, but no sandbox is deployed (SANDBOX_URL).",
      });
    },
  };
}

function sharedParts(env: Bindings) {
  const parts = shared.get(env);
  if (parts) return parts;
  const config = readConfig(env);
  const made = {
    config,
    sealer: createSealer(config.credentialKeys),
    guardedFetch: createGuardedFetch({ allowLoopback: config.allowLoopback }),
  };
  shared.set(env, made);
  return made;
}
