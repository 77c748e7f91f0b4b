import { type Banners, createBanners } from "../banners/client.ts";
import type { ProjectId } from "../core/ids.ts";
import { createLog, type Log } from "../core/log.ts";
import { createMeter, type Meter } from "../core/meter.ts";
import { ReadCounts } from "../core/read-counts.ts";
import { RowPace } from "../core/row-pace.ts";
import { createSealer, type Sealer } from "../core/sealing.ts";
import { SharedAnswer } from "../core/shared-answer.ts";
import { connectDb, type Db } from "../db/client.ts";
import { bindingOf, countDatabases, firstIdOf } from "../db/databases.ts";
import { meteredBucket, meteredKv } from "../db/metered.ts";
import { createJobQueue, type JobQueue } from "../jobs/queue.ts";
import { createMailer, type Mailer } from "../mail/mailer.ts";
import { checkAddress } from "../media/address.ts";
import { type CallGuarded, createGuardedCall } from "../media/guarded-call.ts";
import { createGuardedFetch, type GuardedFetch } from "../media/guarded-fetch.ts";
import { createGuardedPost, type PostGuarded } from "../media/guarded-post.ts";
import { withOwnFiles } from "../media/own-files.ts";
import { createPictureEngine, type PictureEngine } from "../media/picture-engine.ts";
import { UploadPool } from "../media/upload-pool.ts";
import type { Chat } from "../models/chat.ts";
import type { Images } from "../models/image.ts";
import { createModels } from "../models/models.ts";
import type { Speech } from "../models/speech.ts";
import type { Videos } from "../models/video.ts";
import { HandshakePace } from "../platforms/handshake-pace.ts";
import type { PlatformName } from "../platforms/names.ts";
import { createSend, type Send } from "../platforms/request.ts";
import { type Config, readConfig } from "./config.ts";

/** Everything that a verb may use, built the same way for requests, queue deliveries and the cron. */
export interface Deps {
  /** The database of the project; the directory, before a project is known (docs/decisions/0064). */
  readonly db: Db;
  /** Its number. */
  readonly database: number;
  /** Database 0: people, tokens, and the projects of every database. The same object as `db` there. */
  readonly directory: Db;
  /** How many databases there are. */
  readonly databases: number;
  /** The same for another database, in the same invocation. */
  in(database: number): Deps;
  readonly kv: KVNamespace;
  readonly jobs: JobQueue;
  /**
   * Lets work continue after the response, if this invocation answers one; otherwise waits for it. Only for
   * work that may be lost.
   */
  afterAnswer(work: Promise<unknown>): Promise<void>;
  readonly limiter: Bindings["LIMITER"];
  readonly projectLimiter: Bindings["PROJECT_LIMITER"];
  readonly assets: Fetcher;
  /** The bytes of the files that projects upload, by name (files/). */
  readonly files: R2Bucket;
  readonly config: Config;
  readonly sealer: Sealer;
  readonly log: Log;
  readonly meter: Meter;
  /** The only way to fetch addresses that users provide; our own files are read from the bucket. */
  readonly guardedFetch: GuardedFetch;
  /** The same for sending to such addresses: webhooks. */
  readonly guardedPost: PostGuarded;
  /** The same for clients of servers that the operator chooses: the provider of the console's sign-in. */
  readonly callGuarded: CallGuarded;
  /** What this isolate keeps between invocations: short-lived caches of D1, and paces. */
  readonly memory: Memory;
  /** Limits the memory that the isolate uses for files on their way to platforms. */
  readonly uploads: UploadPool;
  /** The same for files in forms: a separate pool, because their senders may be slow. */
  readonly forms: UploadPool;
  /** Makes pictures fit; null if `IMAGES` is not bound. */
  readonly pictures: PictureEngine | null;
  /** One picture at a time in an isolate: it is in memory as a whole. */
  readonly fits: UploadPool;
  /** The only way to call platforms; a test project's calls go to the sandbox. */
  sendFor(project: { readonly isTest: boolean }): Send;
  /**
   * The language model that writes for a project; a test project uses the sandbox's. The next members work
   * the same way.
   */
  chatFor(project: { readonly isTest: boolean }): Chat;
  imagesFor(project: { readonly isTest: boolean }): Images;
  speechFor(project: { readonly isTest: boolean }): Speech;
  videosFor(project: { readonly isTest: boolean }): Videos;
  /** Draws banners, in a Worker of its own. */
  readonly banners: Banners;
  /** Calls of this invocation that only read, at platforms that charge nothing (usage/free-reads.ts). */
  readonly freeReads: ReadCounts<PlatformName>;
  /** Sends e-mail; null if nothing that sends it is configured. */
  readonly mailer: Mailer | null;
}

interface Memory {
  /** Why requests cannot be served; null if they can (health.ts). */
  readonly health: SharedAnswer<string | null>;
  /** Whether a project, or any (null), has an enabled webhook (webhooks/dispatch-events.ts). */
  readonly hooked: Map<ProjectId | null, SharedAnswer<boolean>>;
  /** Limits how often webhook handshakes from one address are answered (inbound/routes.ts). */
  readonly handshakes: HandshakePace;
  /** The pace of pages that read many rows (http/paced-page.ts). */
  readonly rowPace: RowPace;
  /** When operators' alerts were last stored, by kind and subject (alerts/alert-operators.ts). */
  readonly alerted: Map<string, number>;
}

/**
 * The bindings in wrangler.toml, apart from variables; the types come from `wrangler types`
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
  "BANNERS",
] as const satisfies readonly (keyof Env)[];

/** `IMAGES` is optional: without it no copies of pictures are made. */
export type Bindings = Pick<Env, (typeof BINDINGS)[number]> & Partial<Pick<Env, "IMAGES">>;

/** What invocations of one isolate share. */
interface Shared {
  readonly config: Config;
  readonly sealer: Sealer;
  /** By database. */
  readonly memories: Map<number, Memory>;
  readonly uploads: UploadPool;
  readonly forms: UploadPool;
  readonly fits: UploadPool;
}
const shared = new WeakMap<object, Shared>();

/** Of 128 MB, the share for pieces of files that must be read before they are sent to platforms. */
export const UPLOAD_BYTES = 16 * 1024 * 1024;
/** Two of the largest forms (http/raw-body.ts). */
const FORM_BYTES = 20 * 1024 * 1024;

/**
 * `about` is added to every log line of this request, delivery or sweep. `meter` counts what the invocation
 * uses: all deliveries of one invocation share it. `waitUntil`: of a request.
 */
export function createDeps(
  env: Bindings,
  about: Readonly<Record<string, string | boolean>>,
  meter: Meter = createMeter(),
  waitUntil?: (work: Promise<unknown>) => void,
): Deps {
  const { config, sealer, memories, uploads, forms, fits } = sharedParts(env);
  const databases = countDatabases(env);
  const log = createLog(about, config.isQuiet);
  const reach: typeof fetch = (input, init) => {
    meter.fetches++;
    return fetch(input, init);
  };
  const files = meteredBucket(env.FILES, meter);
  const { publicOrigin, allowLoopback } = config;
  const guardedFetch = withOwnFiles(files, publicOrigin, createGuardedFetch({ allowLoopback, fetch: reach }));
  const queues = {
    publish: env.JOBS,
    media: env.MEDIA_JOBS,
    replies: env.REPLY_JOBS,
    generation: env.GENERATION_JOBS,
    campaigns: env.CAMPAIGN_JOBS,
    hooks: env.HOOK_JOBS,
  };
  const directory = connectDb(env.DB, meter, databases === 1 ? null : 0);
  const inDirectory: Deps = {
    db: directory,
    database: 0,
    directory,
    databases,
    in(database) {
      if (database === 0) return inDirectory;
      const binding: unknown = database < databases ? Reflect.get(env, bindingOf(database)) : undefined;
      if (binding === undefined) throw new Error(`Database ${database} is not bound.`);
      // wrangler.toml says of these names that they are databases.
      const db = connectDb(binding as D1Database, meter, firstIdOf(database));
      const jobs = createJobQueue(queues, { meter, log, database });
      return { ...inDirectory, db, database, jobs, freeReads: new ReadCounts(), memory: memoryOf(memories, database) };
    },
    freeReads: new ReadCounts(),
    kv: meteredKv(env.KV, meter),
    jobs: createJobQueue(queues, { meter, log, database: 0 }),
    async afterAnswer(work) {
      if (waitUntil) waitUntil(work);
      else await work;
    },
    limiter: env.LIMITER,
    projectLimiter: env.PROJECT_LIMITER,
    assets: env.ASSETS,
    files,
    config,
    sealer,
    log,
    meter,
    memory: memoryOf(memories, 0),
    uploads,
    forms,
    fits,
    pictures: createPictureEngine(env.IMAGES, () => {
      meter.fetches++;
    }),
    banners: createBanners(env.BANNERS, () => {
      meter.fetches++;
    }),
    mailer: createMailer(config.mail, Reflect.get(env, "MAIL"), reach),
    guardedFetch,
    guardedPost: createGuardedPost({ allowLoopback, fetch: reach }),
    callGuarded: createGuardedCall({ allowLoopback, fetch: reach }),
    sendFor: ({ isTest }) => {
      const isAllowed = (address: string) => checkAddress(address, allowLoopback);
      if (!isTest) return createSend({ sandboxUrl: null, fetch: reach, checkAddress: isAllowed });
      if (config.sandboxUrl !== null) return createSend({ sandboxUrl: config.sandboxUrl, fetch: reach });
      return async () => ({
        kind: "lost",
        message: NO_SANDBOX,
      });
    },
    ...createModels({ own: config.ai, sandboxUrl: config.sandboxUrl, noSandbox: NO_SANDBOX }, reach, guardedFetch),
  };
  return inDirectory;
}

/** The dependencies for each database, in the order of their numbers. */
export function inEach(deps: Deps): readonly Deps[] {
  return Array.from({ length: deps.databases }, (_, database) => deps.in(database));
}

/** The same for each database but that of `deps`. */
export function inOthers(deps: Deps): readonly Deps[] {
  return inEach(deps).filter(({ database }) => database !== deps.database);
}

const NO_SANDBOX = "This is a test project, but no sandbox is deployed (SANDBOX_URL).";

function sharedParts(env: Bindings) {
  const parts = shared.get(env);
  if (parts) return parts;
  const config = readConfig(env);
  const made = {
    config,
    sealer: createSealer(config.credentialKeys),
    memories: new Map<number, Memory>(),
    uploads: new UploadPool(UPLOAD_BYTES),
    forms: new UploadPool(FORM_BYTES),
    fits: new UploadPool(1),
  };
  shared.set(env, made);
  return made;
}

function memoryOf(memories: Map<number, Memory>, database: number): Memory {
  const known = memories.get(database);
  if (known) return known;
  const made: Memory = {
    health: new SharedAnswer<string | null>(),
    hooked: new Map<ProjectId | null, SharedAnswer<boolean>>(),
    handshakes: new HandshakePace(),
    rowPace: new RowPace(),
    alerted: new Map<string, number>(),
  };
  memories.set(database, made);
  return made;
}
