import { z } from "zod";
import { HOUR } from "../../core/time.ts";
import type { AccountContext, Failure } from "../context.ts";
import {
  type DayRange,
  dayOf,
  type Insights,
  type MeasuredPost,
  numbersIn,
  type OwnNumbers,
  type ReadDays,
} from "../insights.ts";
import { lenient, lenientList, readable } from "../lists.ts";
import { errorOf, isGone } from "./errors.ts";
import { type GraphClient, get } from "./graph.ts";

/**
 * Insights of the Graph API.
 *
 * - One name that is not offered (any more) fails the whole call, with code 100, 1 or 2: then each name is
 *   requested alone. A refused name is dead for a day if another name of the same object was answered.
 * - No data is an empty list, never zero.
 */
const Value = z.union([z.number(), z.record(z.string(), z.unknown())]);
const Result = z.object({ dimension_values: z.array(z.string()), value: z.number() });
const Metric = z.object({
  name: z.string(),
  values: lenientList(z.object({ value: Value, end_time: lenient(z.string()) })),
  total_value: lenient(
    z.object({ value: lenient(z.number()), breakdowns: lenientList(z.object({ results: lenientList(Result) })) }),
  ),
});
export type Metric = z.output<typeof Metric>;
const Answer = z.object({ data: readable(Metric) });

/** Unknown error, and service unavailable: also the answers to a name, or a breakdown, that does not fit. */
const VAGUE_CODES: readonly number[] = [1, 2];

/** A name that the platform refused, and the refusal if it may also be a passing error. */
interface RefusedName {
  readonly name: string;
  readonly failure: Failure | null;
}

/** The answers to one call, or to one call for each of its names. */
interface Answers {
  readonly kind: "answers";
  readonly metrics: readonly Metric[];
  /** Whether a call was answered, even without data. */
  readonly isAnswered: boolean;
  readonly refused: readonly RefusedName[];
}
type Gone = { readonly kind: "gone" };

interface Asked {
  readonly path: string;
  /**
   * What the object is, such as `reel`. A name that is refused for one kind may be offered for another, so
   * dead names are remembered by kind.
   */
  readonly kind: string;
}

export interface MetricsQuery extends Asked {
  readonly names: readonly string[];
  readonly query?: Readonly<Record<string, string | number>>;
}

export type Measured =
  | { readonly kind: "metrics"; readonly metrics: readonly Metric[]; readonly dead: readonly string[] }
  /** The platform offers none of the names for this object: that says nothing about other objects. */
  | { readonly kind: "refused" }
  | Gone
  | Failure;

const deadName = (kind: string, name: string): string => `${kind}:${name}`;

/** The names that are dead for objects of this kind. */
export function deadNamesOf(kind: string, dead: Iterable<string>): string[] {
  const prefix = deadName(kind, "");
  return [...dead].flatMap((one) => (one.startsWith(prefix) ? [one.slice(prefix.length)] : []));
}

/** The metrics with these names, without those that are known as dead for this kind of object. */
export async function readMetrics(
  graph: GraphClient,
  { path, kind, names, query = {} }: MetricsQuery,
  dead: ReadonlySet<string>,
): Promise<Measured> {
  const alive = names.filter((name) => !dead.has(deadName(kind, name)));
  if (alive.length === 0) return { kind: "metrics", metrics: [], dead: [] };
  const read = await requestMetrics(graph, path, { names: alive, query });
  if (read.kind !== "answers") return read;
  if (read.isAnswered) return { kind: "metrics", metrics: read.metrics, dead: namesIn(kind, read.refused) };
  return read.refused.find(({ failure }) => failure !== null)?.failure ?? { kind: "refused" };
}

const namesIn = (kind: string, refused: readonly RefusedName[]) => refused.map(({ name }) => deadName(kind, name));

/** One call about an account, and the days that its answer holds. */
export interface AccountCall {
  readonly names: readonly string[];
  readonly query: Readonly<Record<string, string | number>>;
  readonly daysIn: (metrics: readonly Metric[]) => Readonly<Record<string, OwnNumbers>>;
}

/**
 * Reads an account call by call; the days of each call are yielded before the next one. A refused name is
 * dead if any name of the account was answered. An account that is refused every name is read again.
 */
export async function* readAccountCalls(
  graph: GraphClient,
  { path, kind }: Asked,
  calls: readonly AccountCall[],
  dead: ReadonlySet<string>,
): AsyncGenerator<ReadDays | Failure> {
  const refused: RefusedName[] = [];
  let isAnswered = false;
  for (const { names, query, daysIn } of calls) {
    const isAlive = (name: string) => !dead.has(deadName(kind, name)) && !refused.some((one) => one.name === name);
    const alive = names.filter(isAlive);
    if (alive.length === 0) continue;
    const read = await requestMetrics(graph, path, { names: alive, query });
    if (read.kind === "gone") return;
    if (read.kind === "failed") return yield read;
    isAnswered ||= read.isAnswered;
    refused.push(...read.refused);
    if (read.isAnswered) yield { kind: "days", days: daysIn(read.metrics) };
  }
  if (isAnswered) return yield { kind: "days", days: {}, dead: namesIn(kind, refused) };
  const failure = refused.find((one) => one.failure !== null)?.failure;
  if (failure) yield failure;
}

interface Names {
  readonly names: readonly string[];
  readonly query: Readonly<Record<string, string | number>>;
}

async function requestMetrics(
  graph: GraphClient,
  path: string,
  { names, query }: Names,
): Promise<Answers | Gone | Failure> {
  const answer = await graph.request(get(path, { metric: names.join(","), ...query }));
  if (isGone(answer)) return { kind: "gone" };
  const read = graph.interpretRead(answer, Answer);
  if (read.kind !== "failed") return { kind: "answers", metrics: read.value.data, isAnswered: true, refused: [] };
  const code = errorOf(answer)?.code;
  const isOffered = !(code === 100 && read.reason === "rejected");
  if (isOffered && !(typeof code === "number" && VAGUE_CODES.includes(code))) return read;
  const [name = ""] = names;
  if (names.length > 1) return requestEach(graph, path, { names, query });
  return {
    kind: "answers",
    metrics: [],
    isAnswered: false,
    refused: [{ name, failure: isOffered ? read : null }],
  };
}

async function requestEach(
  graph: GraphClient,
  path: string,
  { names, query }: Names,
): Promise<Answers | Gone | Failure> {
  const answers: Answers[] = [];
  for (const name of names) {
    const one = await requestMetrics(graph, path, { names: [name], query });
    if (one.kind !== "answers") return one;
    answers.push(one);
  }
  return {
    kind: "answers",
    metrics: answers.flatMap(({ metrics }) => metrics),
    isAnswered: answers.some(({ isAnswered }) => isAnswered),
    refused: answers.flatMap(({ refused }) => refused),
  };
}

/** Totals so far. Of an object of counts, each is named `metric.key`. */
export function totalsOf(metrics: readonly Metric[]): Record<string, number> {
  const values = metrics.flatMap(({ name, values: listed = [], total_value: total }): [string, unknown][] => {
    const value = listed[0]?.value ?? total?.value;
    if (typeof value !== "object") return [[name, value]];
    return Object.entries(value).map(([key, own]) => [`${name}.${key}`, own]);
  });
  return numbersIn(Object.fromEntries(values));
}

/** The values of each day of UTC that a series has. A day of Meta is named by its end. */
export function daysOf(metrics: readonly Metric[], range: DayRange): Record<string, OwnNumbers> {
  const days: Record<string, Record<string, number>> = {};
  for (const { name, values = [] } of metrics) {
    for (const { value, end_time } of values) {
      const end = Date.parse(end_time ?? "");
      if (typeof value !== "number" || Number.isNaN(end)) continue;
      // Midnight in California, seven or eight hours after that of UTC.
      const day = dayOf(end - 12 * HOUR);
      if (day < dayOf(range.since) || day > dayOf(range.until)) continue;
      days[day] = { ...days[day], [name]: value };
    }
  }
  return Object.fromEntries(Object.entries(days).map(([day, values]) => [day, { values }]));
}

/** The numbers of one post, and the names that are dead for its kind. */
export interface OnePost extends OwnNumbers {
  readonly kind: "one";
  readonly dead: readonly string[];
}

export const GONE: OnePost = { kind: "one", values: {}, rest: "gone", dead: [] };
/** Every name was refused for this post alone. */
export const NOT_OFFERED: OnePost = { kind: "one", values: {}, rest: "not_offered", dead: [] };

/** Reads post by post: a name that is dead after one is not requested for the next of its kind. */
export function eachPost(
  readOne: (context: AccountContext, item: MeasuredPost, dead: ReadonlySet<string>) => Promise<OnePost | Failure>,
): Insights["read"] {
  return async (context, items, dead) => {
    const posts: OwnNumbers[] = [];
    const refused: string[] = [];
    for (const item of items) {
      const one = await readOne(context, item, new Set([...dead, ...refused]));
      if (one.kind === "failed") return one;
      posts.push(one);
      refused.push(...one.dead);
    }
    return { kind: "numbers", posts, dead: refused };
  };
}

/** Seconds of Unix time for a range; `until` is not included. */
export const toSeconds = ({ since, until }: DayRange) => ({
  since: Math.floor(since / 1000),
  until: Math.floor(until / 1000),
});
