import { z } from "zod";
import { APPS, type AppName } from "./platforms/apps.ts";
import type { AppCredentials } from "./platforms/platform.ts";

/**
 * Variables and secrets, parsed once per isolate; nobody else reads them. Secrets are set with `wrangler secret put`
 * (README, "Deploying for real"); `npm start` makes its own and keeps them beside its state.
 */
const Variables = z.object({
  ENVIRONMENT: z.enum(["production", "development", "test"]).default("production"),
  PUBLIC_ORIGIN: z.union([z.literal(""), z.url().transform((url) => url.replace(/\/+$/, ""))]).default(""),
  SANDBOX_URL: z.union([z.literal(""), z.url().transform((url) => url.replace(/\/+$/, ""))]).default(""),
  /** `id:base64,id:base64`: AES-256 keys, newest first. */
  CREDENTIAL_KEYS: z.string().min(1),
  /** At least 32 characters; signs connect tokens, states and form tokens, and keys the checksums of access tokens. */
  SIGNING_KEY: z.string().min(32),
  /** Those before it, comma-separated: access tokens that were issued under them go on working. */
  SIGNING_KEYS_OLD: z
    .string()
    .transform((text) => text.split(",").flatMap((key) => (key.trim() === "" ? [] : [key.trim()])))
    .pipe(z.array(z.string().min(32)))
    .default([]),
  /** At least 32 characters; opens /internal for `npm run token`. */
  OPERATOR_KEY: z.string().min(32).optional(),
  LOG_LEVEL: z.enum(["all", "errors"]).default("all"),
  PUBLISH_DEADLINE_SECONDS: z.coerce
    .number()
    .int()
    .positive()
    .default(6 * 3600),
  /** How late platforms may show what they accepted, in place of what their adapters say: for tests of the service as a whole. */
  LIST_LAG_SECONDS: z.coerce.number().int().min(0).optional(),
  /** Longer than an act and its margin (jobs/steps.ts). */
  JOB_LEASE_SECONDS: z.coerce.number().int().min(35).default(60),
  /** How long a request of validate-post waits for the media servers, all files together. */
  MEDIA_CHECK_SECONDS: z.coerce.number().positive().max(60).default(15),
  /** Quotas of a project: what is beyond them is a 429 `quota_exceeded` (README, "Operating it"). */
  MAX_WAITING_POSTS: z.coerce.number().int().positive().default(100_000),
  MAX_STORED_BYTES: z.coerce.number().int().positive().default(2_000_000_000),
  MAX_PROBINGS_AT_ONCE: z.coerce.number().int().positive().default(10),
});

/** Ids and secrets of our app registrations (platforms/apps.ts). */
const AppSecrets = z.object(
  Object.fromEntries(
    Object.values(APPS)
      .flatMap(({ id, secret }) => [id, secret])
      .map((name) => [name, z.string().optional()]),
  ),
);

export interface Config {
  readonly isProduction: boolean;
  /** Null: taken from the request. */
  readonly publicOrigin: string | null;
  readonly sandboxUrl: string | null;
  readonly credentialKeys: readonly SealingKey[];
  readonly signingKey: string;
  /** The signing key and those before it: of checksums. */
  readonly checksumKeys: readonly string[];
  readonly operatorKey: string | null;
  /** Whether `http` and loopback addresses of media and webhooks are accepted. */
  readonly allowLoopback: boolean;
  /** Whether only errors are logged. */
  readonly isQuiet: boolean;
  readonly publishDeadlineMs: number;
  readonly jobLeaseMs: number;
  /** Null: what each adapter says. */
  readonly listLagMs: number | null;
  readonly mediaCheckMs: number;
  readonly quotas: Quotas;
  /** A registration of ours; test projects use the sandbox's. Null: it is not set up. */
  appCredentials(app: AppName, isTest: boolean): AppCredentials | null;
}

/** What a project may have at most. */
export interface Quotas {
  /** Drafts, scheduled, queued and on their way. */
  readonly waitingPosts: number;
  /** Of the texts of its posts. */
  readonly storedBytes: number;
  /** Requests that look at media files at the same time. */
  readonly probingsAtOnce: number;
}

export interface SealingKey {
  readonly id: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

const parsed = new WeakMap<object, Config>();

/** Throws a sentence that names the variable when one is missing or malformed. */
export function readConfig(env: object): Config {
  const known = parsed.get(env);
  if (known) return known;
  const result = Variables.safeParse(env);
  if (!result.success) {
    const names = result.error.issues.map((issue) => `${issue.path.join(".")} (${issue.message})`).join(", ");
    throw new Error(`Configuration is not usable: ${names}. See README, "Deploying for real".`);
  }
  const vars = result.data;
  const secrets = AppSecrets.parse(env);
  const config: Config = {
    isProduction: vars.ENVIRONMENT === "production",
    publicOrigin: vars.PUBLIC_ORIGIN === "" ? null : vars.PUBLIC_ORIGIN,
    sandboxUrl: vars.SANDBOX_URL === "" ? null : vars.SANDBOX_URL,
    credentialKeys: parseKeys(vars.CREDENTIAL_KEYS),
    signingKey: vars.SIGNING_KEY,
    checksumKeys: [vars.SIGNING_KEY, ...vars.SIGNING_KEYS_OLD],
    operatorKey: vars.OPERATOR_KEY ?? null,
    allowLoopback: vars.ENVIRONMENT !== "production",
    isQuiet: vars.LOG_LEVEL === "errors",
    publishDeadlineMs: vars.PUBLISH_DEADLINE_SECONDS * 1000,
    jobLeaseMs: vars.JOB_LEASE_SECONDS * 1000,
    listLagMs: vars.LIST_LAG_SECONDS === undefined ? null : vars.LIST_LAG_SECONDS * 1000,
    mediaCheckMs: vars.MEDIA_CHECK_SECONDS * 1000,
    quotas: {
      waitingPosts: vars.MAX_WAITING_POSTS,
      storedBytes: vars.MAX_STORED_BYTES,
      probingsAtOnce: vars.MAX_PROBINGS_AT_ONCE,
    },
    appCredentials: (app, isTest) => (isTest ? APPS[app].sandbox : registration(app, secrets)),
  };
  parsed.set(env, config);
  return config;
}

function registration(app: AppName, secrets: z.output<typeof AppSecrets>): AppCredentials | null {
  const id = secrets[APPS[app].id];
  const secret = secrets[APPS[app].secret];
  return id && secret ? { id, secret } : null;
}

function parseKeys(text: string): SealingKey[] {
  return text.split(",").map((entry) => {
    const [, id, encoded] = /^([A-Za-z0-9_-]{1,16}):([A-Za-z0-9+/=_-]+)$/.exec(entry.trim()) ?? [];
    const bytes = Uint8Array.from(atob((encoded ?? "").replaceAll("-", "+").replaceAll("_", "/")), (char) =>
      char.charCodeAt(0),
    );
    if (!id || bytes.length !== 32) {
      throw new Error("CREDENTIAL_KEYS must read `id:base64` with 32 bytes a key, newest first, comma-separated.");
    }
    return { id, bytes };
  });
}
