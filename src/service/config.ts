import { z } from "zod";
import { parseSealingKeys, type SealingKey } from "../core/secrets.ts";
import { withoutEnding } from "../core/text.ts";
import type { MailSettings } from "../mail/mailer.ts";
import { lackingModelSettings, type ModelServer } from "../models/server.ts";
import { APPS, type AppName } from "../platforms/apps.ts";
import type { AppCredentials } from "../platforms/context.ts";
import type { AppRegistration } from "../platforms/platform-facts.ts";
import { ALERT_VARIABLES, type AlertConfig, alertConfig } from "./alert-settings.ts";
import { ConfigError, problemOf, SEALING_KEYS_FORM, weaknessesOf } from "./config-problems.ts";
import { Operators } from "./operators.ts";
import { PROVIDER_VARIABLES, type ProviderConfig, providerConfig } from "./provider-settings.ts";
import { ModelPrices, QUOTA_VARIABLES, type Quotas, quotasOf } from "./quotas.ts";

/**
 * Variables and secrets, parsed once per isolate; no other module reads them. Secrets are set with `wrangler
 * secret put` (docs/deploy.md); `npm start` generates its own and stores them next to its state.
 */
const SLASH = /\//;

const Variables = z.object({
  ENVIRONMENT: z.enum(["production", "development", "test"]).default("production"),
  PUBLIC_ORIGIN: z.union([z.literal(""), z.url().transform((url) => withoutEnding(url, SLASH))]).default(""),
  SANDBOX_URL: z.union([z.literal(""), z.url().transform((url) => withoutEnding(url, SLASH))]).default(""),
  /** `id:base64,id:base64`: AES-256 keys, newest first. */
  CREDENTIAL_KEYS: z.string().transform(parseKeys),
  /**
   * At least 32 characters. Signs connect tokens, states and form tokens, and keys the checksums of access
   * tokens.
   */
  SIGNING_KEY: z.string().min(32, "it must have 32 characters or more"),
  /** Previous signing keys, comma-separated: access tokens that were issued under them remain valid. */
  SIGNING_KEYS_OLD: z
    .string()
    .transform((text) => text.split(",").flatMap((key) => (key.trim() === "" ? [] : [key.trim()])))
    .pipe(z.array(z.string().min(32)))
    .default([]),
  /** At least 32 characters; required for /internal, which `npm run token` calls. */
  OPERATOR_KEY: z.string().min(32, "it must have 32 characters or more").optional(),
  LOG_LEVEL: z.enum(["all", "errors"]).default("all"),
  PUBLISH_DEADLINE_SECONDS: z.coerce
    .number()
    .int()
    .positive()
    .default(6 * 3600),
  /** How late platforms may show what they accepted; overrides the adapters' values. For end-to-end tests. */
  LIST_LAG_SECONDS: z.coerce.number().int().min(0).optional(),
  /**
   * Divides the waits that only time ends: the pause before the next reply, and the next check if the
   * platform has named no time. For end-to-end tests. Refused in production, where platforms would treat the
   * account as a spammer.
   */
  PACE_FACTOR: z.coerce.number().int().min(1).max(100_000).default(1),
  /** Longer than an act and its margin (jobs/lease.ts). */
  JOB_LEASE_SECONDS: z.coerce.number().int().min(35).default(60),
  /**
   * When unfinished recurring work starts again (jobs/recurring.ts); longer than the work and its message
   * take.
   */
  TASK_CLAIM_SECONDS: z.coerce.number().int().min(60).default(600),
  WEBHOOK_LIMIT_SECONDS: z.coerce.number().min(0.05).max(15).default(15),
  /** How long a request of validate-post waits for the media servers, all files together. */
  MEDIA_CHECK_SECONDS: z.coerce.number().positive().max(60).default(15),
  /** The model server, and its model for each kind of output; each is optional (models/server.ts). */
  AI_BASE_URL: z
    .url({ protocol: /^https?$/, error: "it must be an address such as https://api.example.com/v1" })
    .transform((url) => withoutEnding(url, SLASH))
    .optional(),
  AI_API_KEY: z.string().optional(),
  AI_CHAT_MODEL: z.string().optional(),
  AI_IMAGE_MODEL: z.string().optional(),
  AI_SPEECH_MODEL: z.string().optional(),
  AI_VIDEO_MODEL: z.string().optional(),
  /** One of the voices of the speech model. */
  AI_SPEECH_VOICE: z.string().default("alloy"),
  ...QUOTA_VARIABLES,
  MODEL_PRICES: ModelPrices,
  /** Who may create an account in the console: no one, people with an invitation, or everyone. */
  SIGN_UP: z.enum(["closed", "invited", "open"]).default("invited"),
  /** Codes by e-mail an hour, over all addresses, from new browsers and without success. */
  MAX_SIGN_IN_CODES_AN_HOUR: z.coerce.number().int().positive().default(1_000),
  /** Who may open the operator's pages of the console: e-mail addresses, comma-separated. */
  OPERATORS: Operators,
  /** The sender of e-mail, for both ways to send it (mail/mailer.ts). */
  MAIL_FROM: z.email().optional(),
  MAIL_URL: z.url({ protocol: /^https?$/ }).optional(),
  MAIL_TOKEN: z.string().optional(),
  ...PROVIDER_VARIABLES,
  ...ALERT_VARIABLES,
});

const REGISTRATIONS: Readonly<Record<AppName, AppRegistration>> = APPS;

/** Ids, secrets and options of our app registrations (platforms/apps.ts). */
const AppSecrets = z.object(
  Object.fromEntries(
    Object.values(REGISTRATIONS)
      .flatMap(({ id, secret, options = {} }) => [id, secret, ...Object.values(options)])
      .map((name) => [name, z.string().optional()]),
  ),
);

export interface Config extends ProviderConfig, AlertConfig {
  readonly isProduction: boolean;
  /** Null: taken from the request. */
  readonly publicOrigin: string | null;
  readonly sandboxUrl: string | null;
  readonly credentialKeys: readonly SealingKey[];
  readonly signingKey: string;
  /** The signing key and the previous ones, for checksums. */
  readonly checksumKeys: readonly string[];
  readonly operatorKey: string | null;
  /** Whether `http` and loopback addresses of media and webhooks are accepted. */
  readonly allowLoopback: boolean;
  /** Whether only errors are logged. */
  readonly isQuiet: boolean;
  readonly publishDeadlineMs: number;
  readonly jobLeaseMs: number;
  readonly taskClaimMs: number;
  /** The time limit of one attempt to deliver a webhook. */
  readonly webhookLimitMs: number;
  /** Null: each adapter's own value. */
  readonly listLagMs: number | null;
  /** Divides paces, and waits whose end no platform has named; 1 in production. */
  readonly paceFactor: number;
  readonly mediaCheckMs: number;
  readonly quotas: Quotas;
  /**
   * Of a call of a model in micros of a US dollar, by its kind; a video's by the second. Empty: none is set.
   */
  readonly modelPrices: Readonly<Record<string, number>>;
  readonly signUp: "closed" | "invited" | "open";
  /** Beyond so many codes without success in an hour, browsers that are new to their account get none. */
  readonly signInCodesAnHour: number;
  /** The people who operate the service, by e-mail address in lower case. */
  readonly operators: readonly string[];
  readonly mail: MailSettings;
  /**
   * The model server for real projects; null if it is not, or not fully, configured. Single models may be
   * missing.
   */
  readonly ai: ModelServer | null;
  /**
   * The names of the variables that are missing before any model can be called: none, some (a mistake), or
   * all (deliberately not configured).
   */
  readonly aiLacking: readonly string[];
  /** Our app registration; test projects use the sandbox's. Null: not configured. */
  appCredentials(app: AppName, isTest: boolean): AppCredentials | null;
  /**
   * The names of a registration's missing variables: none, one (a mistake), or both (deliberately not
   * configured).
   */
  lackingOf(app: AppName): readonly string[];
}

type Parsed = { readonly config: Config } | { readonly error: ConfigError };
const parsed = new WeakMap<object, Parsed>();

/**
 * Throws a ConfigError if a variable is missing, malformed or, in production, weak. Parses once per
 * environment.
 */
export function readConfig(env: object): Config {
  const known = parsed.get(env) ?? parseConfig(env);
  parsed.set(env, known);
  if ("error" in known) throw known.error;
  return known.config;
}

function parseConfig(env: object): Parsed {
  const given = withoutEmptySecrets(env);
  const result = Variables.safeParse(given);
  const issues = result.success ? [] : result.error.issues.map((issue) => problemOf(issue, given));
  const weaknesses = given.ENVIRONMENT === "production" ? weaknessesOf(given) : [];
  // Missing and weak variables are reported together, each with its first problem.
  const problems = [...issues, ...weaknesses].filter(
    ({ variable }, at, all) => all.findIndex((one) => one.variable === variable) === at,
  );
  if (result.success && problems.length === 0) return { config: toConfig(result.data, AppSecrets.parse(given)) };
  return { error: new ConfigError(problems) };
}

/** An empty secret counts as missing: `.dev.vars.example` and forms leave secrets empty. */
function withoutEmptySecrets(env: object): Readonly<Record<string, unknown>> {
  const filled = Object.entries(env).filter(([name, value]) => value !== "" || MAY_BE_EMPTY.includes(name));
  return { ENVIRONMENT: "production", ...Object.fromEntries(filled) };
}
const MAY_BE_EMPTY = ["PUBLIC_ORIGIN", "SANDBOX_URL"];

type Vars = z.output<typeof Variables>;

function toConfig(vars: Vars, secrets: z.output<typeof AppSecrets>): Config {
  const settings = new Map<string, unknown>(Object.entries(vars));
  return {
    isProduction: vars.ENVIRONMENT === "production",
    publicOrigin: vars.PUBLIC_ORIGIN === "" ? null : vars.PUBLIC_ORIGIN,
    sandboxUrl: vars.SANDBOX_URL === "" ? null : vars.SANDBOX_URL,
    credentialKeys: vars.CREDENTIAL_KEYS,
    signingKey: vars.SIGNING_KEY,
    checksumKeys: [vars.SIGNING_KEY, ...vars.SIGNING_KEYS_OLD],
    operatorKey: vars.OPERATOR_KEY ?? null,
    allowLoopback: vars.ENVIRONMENT !== "production",
    isQuiet: vars.LOG_LEVEL === "errors",
    publishDeadlineMs: vars.PUBLISH_DEADLINE_SECONDS * 1000,
    jobLeaseMs: vars.JOB_LEASE_SECONDS * 1000,
    taskClaimMs: vars.TASK_CLAIM_SECONDS * 1000,
    webhookLimitMs: vars.WEBHOOK_LIMIT_SECONDS * 1000,
    listLagMs: vars.LIST_LAG_SECONDS === undefined ? null : vars.LIST_LAG_SECONDS * 1000,
    paceFactor: vars.PACE_FACTOR,
    mediaCheckMs: vars.MEDIA_CHECK_SECONDS * 1000,
    quotas: quotasOf(vars),
    modelPrices: vars.MODEL_PRICES,
    signUp: vars.SIGN_UP,
    signInCodesAnHour: vars.MAX_SIGN_IN_CODES_AN_HOUR,
    operators: vars.OPERATORS,
    mail: { from: vars.MAIL_FROM ?? null, url: vars.MAIL_URL ?? null, token: vars.MAIL_TOKEN ?? null },
    ...providerConfig(vars),
    ...alertConfig(vars),
    ai: modelServer(vars),
    aiLacking: lackingModelSettings((name) => settings.get(name) !== undefined),
    appCredentials: (app, isTest) => (isTest ? APPS[app].sandbox : registration(app, secrets)),
    lackingOf: (app) => lackingOf(REGISTRATIONS[app], secrets),
  };
}

function modelServer(vars: Vars): ModelServer | null {
  const { AI_BASE_URL: baseUrl, AI_API_KEY: apiKey } = vars;
  const models = {
    chat: vars.AI_CHAT_MODEL ?? null,
    image: vars.AI_IMAGE_MODEL ?? null,
    speech: vars.AI_SPEECH_MODEL ?? null,
    video: vars.AI_VIDEO_MODEL ?? null,
  };
  const isEmpty = Object.values(models).every((model) => model === null);
  return baseUrl && apiKey && !isEmpty ? { baseUrl, apiKey, models, voice: vars.AI_SPEECH_VOICE } : null;
}

/** An app whose document is served here is deliberately not configured if it has no secret. */
function lackingOf({ id, secret, servedAt }: AppRegistration, secrets: z.output<typeof AppSecrets>): string[] {
  if (servedAt !== undefined && !secrets[secret]) return [id, secret];
  return [id, secret].filter((name) => !secrets[name]);
}

function registration(app: AppName, secrets: z.output<typeof AppSecrets>): AppCredentials | null {
  const names = REGISTRATIONS[app];
  const stored = secrets[names.id];
  const id = names.servedAt && stored ? `${withoutEnding(stored, SLASH)}${names.servedAt}` : stored;
  const secret = secrets[names.secret];
  if (!id || !secret) return null;
  const options = Object.entries(names.options ?? {}).flatMap(([name, variable]) => {
    const value = secrets[variable];
    return value ? [[name, value] as const] : [];
  });
  return { id, secret, options: Object.fromEntries(options) };
}

function parseKeys(text: string, context: z.RefinementCtx): readonly SealingKey[] {
  const keys = parseSealingKeys(text);
  if (keys !== null) return keys;
  context.addIssue(`it ${SEALING_KEYS_FORM}`);
  return z.NEVER;
}
