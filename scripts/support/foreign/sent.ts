import { join } from "node:path";
import { z } from "zod";
import { ROOT } from "../paths.ts";

/** The requests of the last run of tests (run-reporter.ts). */
export const CALLS = join(ROOT, "node_modules", ".cache", "belfry-calls.json");

/** A request of an adapter, as it was sent (test/support/calls.ts). */
export const Sent = z.object({
  method: z.string(),
  host: z.string(),
  path: z.string(),
  /** In their order; a name may stand twice. */
  query: z.array(z.tuple([z.string(), z.string()])),
  /** Fields of a form or a multipart body, or JSON; null for bytes of files and without a body. */
  body: z.json(),
  /** What the object of the request is, where the caller knows it: `reel`. */
  about: z.string().optional(),
  /** The adapter that sent it, and its part (test/support/platform-parts.ts). */
  by: z.object({ platform: z.string(), part: z.string() }).nullish(),
});
export type Sent = z.output<typeof Sent>;
type Json = Sent["body"];

/** Something that a request takes for granted: that an address, a parameter, a field or a metric exists. */
export interface Claim {
  /** `youtube GET videos: part snippet`. */
  readonly text: string;
  /** Whether the description of the vendor, or of a stranger, has it. */
  readonly isKnown: boolean;
}

/** The claims of a request; null if the description is not about this host. */
export type Describe = (sent: Sent) => readonly Claim[] | null;

export const isObject = (value: Json | undefined): value is { [key: string]: Json } =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** JSON that stands in a text, such as a form field; undefined if it is none. */
export function jsonIn(text: string): Json | undefined {
  try {
    return z.json().parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** The text without ids: `18012/insights` becomes `{id}/insights`. */
export const withoutIds = (path: string): string =>
  path
    .split("/")
    .map((part) => (isId(part) ? part.replace(/^(act_)?.*$/, "$1{id}") : part))
    .join("/");

// A version, or a name with one digit at its end (`oauth2`), is no id.
const isId = (part: string): boolean =>
  (/\d/.test(part) && !/^(v\d+(\.\d+)?|\d(\.\d)?|[a-z]+\d)$/.test(part)) || /^(urn|did|at)(:|%3A)/i.test(part);

/** Parameters that go with every call of the Graph API, and say nothing about metrics. */
const APART = ["metric", "access_token", "appsecret_proof", "fields"];
/** Times, of which only the presence counts. */
const TIMES = ["since", "until"];

/**
 * The metrics of a call of the Graph API. Which other parameters a metric takes is a claim of its own: one
 * that does not fit fails the whole call.
 */
export function metricClaims(at: string, { query, about }: Sent, isKnown: (name: string) => boolean): Claim[] {
  const others = query
    .filter(([name]) => !APART.includes(name))
    .map(([name, value]) => (TIMES.includes(name) ? name : `${name}=${value}`))
    .toSorted();
  const of = about === undefined ? at : `${at} (${about})`;
  return query
    .flatMap(([name, value]) => (name === "metric" ? value.split(",") : []))
    .flatMap((name) => [
      { text: `${of}: metric ${name}`, isKnown: isKnown(name) },
      ...(others.length === 0 ? [] : [{ text: `${of}: metric ${name} with ${others.join(" ")}`, isKnown: false }]),
    ]);
}
