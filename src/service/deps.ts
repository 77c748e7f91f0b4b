import type { Canvas } from "../banners/canvas.ts";
import { createWorkerCanvas } from "../banners/worker-canvas.ts";
import type { ProjectId } from "../core/ids.ts";
import { createLog, type Log } from "../core/log.ts";
import { createMeter, type Meter } from "../core/meter.ts";
import { RowPace } from "../core/row-pace.ts";
import { createSealer, type Sealer } from "../core/sealing.ts";
import { SharedAnswer } from "../core/shared-answer.ts";
import { connectDb, type Db } from "../db/client.ts";
import { meteredBucket, meteredKv } from "../db/metered.ts";
import { createJobQueue, type JobQueue } from "../jobs/queue.ts";
import { createGuardedFetch, type GuardedFetch } from "../media/guarded-fetch.ts";
import { createGuardedPost, type PostGuarded } from "../media/guarded-post.ts";
import { withOwnFiles } from "../media/own-files.ts";
import { UploadPool } from "../media/upload-pool.ts";
import type { Chat } from "../models/chat.ts";
import type { Images } from "../models/image.ts";
import { createModels } from "../models/models.ts";
import type { Speech } from "../models/speech.ts";
import type { Videos } from "../models/video.ts";
import { HandshakePace } from "../platforms/handshake-pace.ts";
import { createSend, type Send } from "../platforms/request.ts";
import { type Config, readConfig } from "./config.ts";

/** Everything a verb may use, built alike for requests, queue deliveries and the cron. */
export interface Deps {
  readonly db: Db;
  readonly kv: KVNamespace;
  readonly jobs: JobQueue;
  readonly limiter: Bindings["LIMITER"];
  readonly projectLimiter: Bindings["PROJECT_LIMITER"];
  readonly assets: Fetcher;
  /** The bytes of the files that projects upload, by name (files/). */
  readonly files: R2Bucket;
  readonly config: Config;
  readonly sealer: Sealer;
  readonly log: Log;
  readonly meter: Meter;
  /** The one way out for addresses that users give us; those of our own files are read in the bucket. */
  readonly guardedFetch: GuardedFetch;
  /** The same for what is sent there: webhooks. */
  readonly guardedPost: PostGuarded;
  /** What this isolate remembers of D1 for a while. */
  readonly memory: Memory;
  /** Bounds what the isolate holds of files on their way to platforms. */
  readonly uploads: UploadPool;
  /** The same of files that come in forms: apart, for whoever sends one may be slow. */
  readonly forms: UploadPool;
  /** The one way out to platforms; a test project's calls go to the sandbox. */
  sendFor(project: { readonly isTest: boolean }): Send;
  /**
   * The language model that writes for a project; a test project's is the sandbox's. The same of those that
   * follow.
   */
  chatFor(project: { readonly isTest: boolean }): Chat;
  imagesFor(project: { readonly isTest: boolean }): Images;
  speechFor(project: { readonly isTest: boolean }): Speech;
  videosFor(project: { readonly isTest: boolean }): Videos;
  /** What banners are drawn with; the isolate's. */
  readonly canvas: Canvas;
}

export interface Memory {
  /** What stands in the way of serving requests; null for nothing (health.ts). */
  readonly health: SharedAnswer<string | null>;
  /** Projects that have an enabled webhook (webhooks/dispatch.ts). */
  readonly hookedProjects: SharedAnswer<ReadonlySet<ProjectId>>;
  /** Handshakes of platforms that were answered lately (inbound/routes.ts). */
  readonly handshakes: HandshakePace;
  /** The pace of pages that read many rows (http/paced-page.ts). */
  readonly rowPace: RowPace;
}

/**
 * What wrangler.toml binds to the Worker, beside its variables; the types are `wrangler types`' own
 * (worker-configuration.d.ts).
 */
export const BINDINGS = [
  "DB",
  "KV",
  "JOBS",
  "MEDIA_JOBS",
  "REPLY_JOBS",
  "GENERATION_JOBS",
  "CAMPAIGN_JOBS",
  "HOOK_JOBS",
  "LIMITER",
  "PROJECT_LIMITER",
  "ASSETS",
  "FILES",
] as const satisfies readonly (keyof Env)[];

export type Bindings = Pick<Env, (typeof BINDINGS)[number]>;

/** What does not change between invocations of one isolate. */
interface Shared {
  readonly config: Config;
  readonly sealer: Sealer;
  readonly memory: Memory;
  readonly uploads: UploadPool;
  readonly forms: UploadPool;
  readonly canvas: Canvas;
}
const shared = new WeakMap<object, Shared>();

/** Of 128 MB, what pieces of files on their way to platforms may take where they have to be read first. */
export const UPLOAD_BYTES = 16 * 1024 * 1024;
/** Two of the largest (http/raw-body.ts). */
const FORM_BYTES = 20 * 1024 * 1024;

/**
 * `about` goes with every log line of this request, delivery or sweep. `meter` counts what the invocation
 * spends: one that makes several deliveries gives all of them the same.
 */
export function createDeps(
  env: Bindings,
  about: Readonly<Record<string, string | boolean>>,
  meter: Meter = createMeter(),
): Deps {
  const { config, sealer, memory, uploads, forms, canvas } = sharedParts(env);
  const log = createLog(about, config.isQuiet);
  const reach: typeof fetch = (input, init) => {
    meter.fetches++;
    return fetch(input, init);
  };
  const files = meteredBucket(env.FILES, meter);
  const { publicOrigin, allowLoopback } = config;
  const guardedFetch = withOwnFiles(files, publicOrigin, createGuardedFetch({ allowLoopback, fetch: reach }));
  return {
    db: connectDb(env.DB, meter),
    kv: meteredKv(env.KV, meter),
    jobs: createJobQueue(
      {
        publish: env.JOBS,
        media: env.MEDIA_JOBS,
        replies: env.REPLY_JOBS,
        generation: env.GENERATION_JOBS,
        campaigns: env.CAMPAIGN_JOBS,
        hooks: env.HOOK_JOBS,
      },
      meter,
      log,
    ),
    limiter: env.LIMITER,
    projectLimiter: env.PROJECT_LIMITER,
    assets: env.ASSETS,
    files,
    config,
    sealer,
    log,
    meter,
    memory,
    uploads,
    forms,
    canvas,
    guardedFetch,
    guardedPost: createGuardedPost({ allowLoopback: config.allowLoopback, fetch: reach }),
    sendFor: ({ isTest }) => {
      if (!isTest) return createSend({ sandboxUrl: null, fetch: reach });
      if (config.sandboxUrl !== null) return createSend({ sandboxUrl: config.sandboxUrl, fetch: reach });
      return async () => ({
        kind: "lost",
        message: NO_SANDBOX,
      });
    },
    ...createModels({ own: config.ai, sandboxUrl: config.sandboxUrl, noSandbox: NO_SANDBOX }, reach, guardedFetch),
  };
}

const NO_SANDBOX = "This is a test project, but no sandbox is deployed (SANDBOX_URL).";

function sharedParts(env: Bindings) {
  const parts = shared.get(env);
  if (parts) return parts;
  const config = readConfig(env);
  const made = {
    config,
    sealer: createSealer(config.credentialKeys),
    memory: {
      health: new SharedAnswer<string | null>(),
      hookedProjects: new SharedAnswer<ReadonlySet<ProjectId>>(),
      handshakes: new HandshakePace(),
      rowPace: new RowPace(),
    },
    uploads: new UploadPool(UPLOAD_BYTES),
    forms: new UploadPool(FORM_BYTES),
    canvas: createWorkerCanvas(env.ASSETS),
  };
  shared.set(env, made);
  return made;
}
