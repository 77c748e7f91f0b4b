import { createHmac } from "node:crypto";
import { z } from "zod";
import type { Json } from "../../../src/platforms/context.ts";

/** Recorded exchanges with the platforms: their form, and the files of all adapters (../README.md). */

const AnyJson = z.json();
const Scalar = z.union([z.string(), z.number(), z.boolean()]);
const Texts = z.record(z.string(), z.string());

/** Bytes of one of the sandbox's sample files, the last one not included. */
const FileRange = z.strictObject({ sample: z.string(), start: z.number(), end: z.number() });
export type FileRange = z.output<typeof FileRange>;

export const Request = z.strictObject({
  method: z.enum(["GET", "POST", "PUT", "DELETE"]),
  url: z.string(),
  /** Those that matter; the adapter may send more. */
  headers: Texts.default({}),
  /** The rest is compared whole. */
  query: z.record(z.string(), Scalar).default({}),
  form: Texts.optional(),
  json: z.json().optional(),
  file: FileRange.optional(),
  multipart: z.record(z.string(), z.union([z.string(), FileRange])).optional(),
});
export type Request = z.output<typeof Request>;

export const Answer = z.union([
  z.literal("lost"),
  z.strictObject({
    status: z.number().default(200),
    headers: Texts.default({}),
    /** A string is text that is not JSON. Without a body the answer is empty. */
    body: z.json().optional(),
  }),
]);
export type Answer = z.output<typeof Answer>;

/** How the sandbox comes to give these answers, in the order of the keys. */
const SandboxSteps = z.strictObject({
  /** Names of exchanges whose requests are played first. */
  after: z.array(z.string()).default([]),
  settings: z.record(z.string(), z.json()).default({}),
  /** Requests to its control, each with what their answer is called. */
  control: z.array(z.strictObject({ path: z.string(), body: z.json(), answer: z.json().default({}) })).default([]),
  /** How far the clock moves. */
  waitMs: z.number().default(0),
  fault: z.strictObject({ operation: z.string(), kind: z.string(), times: z.number().default(1) }).optional(),
  /**
   * Binds `code` by the consent page: which values of a field are selected; otherwise what the page proposes.
   */
  consent: z.record(z.string(), z.array(z.string())).optional(),
});

const Exchange = z.strictObject({
  /** A sentence. */
  name: z.string(),
  /** Path of the adapter's method. */
  call: z.string(),
  /** The account and its credentials, where they matter. */
  as: z
    .strictObject({
      id: z.string().optional(),
      username: z.string().nullable().optional(),
      attributes: z.record(z.string(), z.json()).optional(),
      scopes: z.array(z.string()).optional(),
      expiresAt: z.json().optional(),
      accessToken: z.string().optional(),
      refreshToken: z.string().nullable().optional(),
      /** The account's id in the app of a further login. */
      accountId: z.string().optional(),
      options: Texts.optional(),
      /** What the credentials are bound to. */
      binding: z.json().optional(),
    })
    .default({}),
  /** The arguments after the context, by name (arguments.ts). */
  input: z.record(z.string(), z.json()).default({}),
  /** The requests in order, each under a name. */
  calls: z.record(z.string(), z.strictObject({ request: Request, answer: Answer })).default({}),
  outcome: z.json(),
  /** A sentence says why the sandbox cannot give these answers. */
  sandbox: z.union([z.string(), SandboxSteps]).prefault({}),
});
export type Exchange = z.output<typeof Exchange>;

const File = z.strictObject({
  /** What placeholders stand for, where their own name does not do. */
  values: z.record(z.string(), Scalar).default({}),
  /** Parts that all files of the platform name by `like`; `with` replaces placeholders in them. */
  shared: z.record(z.string(), AnyJson).default({}),
  exchanges: z.array(z.record(z.string(), z.json())).default([]),
});

type JsonObject = { [key: string]: Json };
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export interface Recorded {
  readonly platform: string;
  readonly values: Readonly<Record<string, string | number | boolean>>;
  readonly exchanges: readonly Exchange[];
}

/** By platform, the exchanges of all of its files. */
export function recordedExchanges(): Recorded[] {
  const files = import.meta.glob("/src/platforms/*/exchanges/*.json", { eager: true, import: "default" });
  const paths = Object.keys(files);
  const platforms = [...new Set(paths.map((path) => path.split("/")[3] ?? ""))];
  return platforms.map((platform) => {
    const own = paths.filter((path) => path.startsWith(`/src/platforms/${platform}/`));
    return recordedBy(platform, new Map(own.map((path) => [path, files[path]])));
  });
}

function recordedBy(platform: string, files: ReadonlyMap<string, unknown>): Recorded {
  const parsed = [...files].map(([path, file]) => parse(File, file, path));
  const shared = new Map(parsed.flatMap((file) => Object.entries(file.shared)));
  const named = parsed.flatMap((file) => Object.keys(file.shared));
  if (shared.size < named.length) throw new Error(`${platform} shares two parts of one name: ${named.toSorted()}`);
  const exchanges = parsed.flatMap((file) => file.exchanges.map((raw) => inherit(raw, shared)));
  return {
    platform,
    values: Object.assign({}, ...parsed.map(({ values }) => values)),
    exchanges: exchanges.map((raw) => parse(Exchange, raw, `${platform}: ${JSON.stringify(raw)}`)),
  };
}

function parse<S extends z.ZodType>(schema: S, value: unknown, where: string): z.output<S> {
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw new Error(`${z.prettifyError(parsed.error)} in ${where}`);
  return parsed.data;
}

type Shared = ReadonlyMap<string, Json>;

/** The value with every `like` replaced by what it names, and the object's own keys on top of that. */
function inherit(value: Json, shared: Shared): Json {
  if (Array.isArray(value)) return value.map((item) => inherit(item, shared));
  if (!isObject(value)) return value;
  const { like, with: given = {}, ...own } = value;
  if (like === undefined) return merge({}, own, shared);
  const base = typeof like === "string" ? shared.get(like) : undefined;
  if (base === undefined || !isObject(given)) throw new Error(`Nothing shared is named ${JSON.stringify(like)}.`);
  const filled = AnyJson.parse(replacePlaceholders(base, (name) => given[name] ?? `{{${name}}}`));
  return merge(inherit(filled, shared), own, shared);
}

/** These are replaced, and so is what names another base; other objects are merged. */
const REPLACED = ["answer", "outcome"];

function merge(base: Json | undefined, own: Json, shared: Shared): Json {
  if (!isObject(base) || !isObject(own) || own.like !== undefined) return inherit(own, shared);
  const merged = Object.entries(own).map(([key, item]) => {
    return [key, REPLACED.includes(key) ? inherit(item, shared) : merge(base[key], item, shared)];
  });
  return { ...base, ...Object.fromEntries(merged) };
}

/** The time of all exchanges. */
export const NOW = Date.parse("2026-11-20T12:00:00.000Z");
export type Values = Record<string, Json>;

/**
 * `{{name}}`, `{{encode name}}` for a path, `{{now-60000}}` in milliseconds, `{{iso-60000}}` as a date,
 * `{{basic}}` for the app's Basic credentials.
 */
export function fill(value: unknown, values: Readonly<Values>): unknown {
  return replacePlaceholders(value, (name) => {
    const [, encoded] = /^encode (\w+)$/.exec(name) ?? [];
    if (encoded !== undefined) return encode(String(values[encoded] ?? encoded));
    const [, base, offset = "0"] = /^(now|iso)([+-]\d+)?$/.exec(name) ?? [];
    if (name === "basic") return btoa(`${values.app_id ?? "app_id"}:${values.app_secret ?? "app_secret"}`);
    if (base === undefined) return values[name] ?? name;
    const at = NOW + Number(offset);
    return base === "now" ? at : new Date(at).toISOString();
  });
}

/** The request with its values. `{{proof}}` is Meta's proof of the request's token (`appsecret_proof`). */
export function requestWith(request: unknown, values: Readonly<Values>): Request {
  const filled = Request.parse(fill(request, values));
  const token = /^\w+ (.+)$/.exec(filled.headers.authorization ?? "")?.[1];
  if (token === undefined || !JSON.stringify(request).includes("{{proof}}")) return filled;
  const secret = String(fill("{{app_secret}}", values));
  const proof = createHmac("sha256", secret).update(token).digest("hex");
  return Request.parse(fill(request, { ...values, proof }));
}

const encode = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);

/** A text that is one placeholder takes the type of its value. */
function replacePlaceholders(value: unknown, valueNamed: (name: string) => Json): unknown {
  if (Array.isArray(value)) return value.map((item) => replacePlaceholders(item, valueNamed));
  if (isObject(value)) {
    const entries = Object.entries(value).map(([key, item]) => [key, replacePlaceholders(item, valueNamed)]);
    return Object.fromEntries(entries);
  }
  if (typeof value !== "string") return value;
  const whole = /^\{\{([^{}]+)\}\}$/.exec(value)?.[1];
  if (whole !== undefined) return valueNamed(whole);
  return value.replaceAll(/\{\{([^{}]+)\}\}/g, (_, name: string) => String(valueNamed(name)));
}
