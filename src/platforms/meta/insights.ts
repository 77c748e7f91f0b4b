import { z } from "zod";
import { HOUR } from "../../core/time.ts";
import type { AccountContext, Failure } from "../context.ts";
import { type DayRange, dayOf, type Insights, type MeasuredPost, numbersIn, type OwnNumbers } from "../insights.ts";
import { lenient, lenientList, readable } from "../lists.ts";
import { errorOf, isGone } from "./errors.ts";
import { type GraphClient, get } from "./graph.ts";

/**
 * Insights of the Graph API.
 *
 * - One name that is not offered (any more) fails the whole call: then each name is asked for alone, and
 *   those that are refused are not sent again for a day.
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

export type Measured =
  | { readonly kind: "metrics"; readonly metrics: readonly Metric[]; readonly dead: readonly string[] }
  | { readonly kind: "gone" }
  | Failure;

export interface MetricsQuery {
  readonly path: string;
  readonly names: readonly string[];
  readonly query?: Readonly<Record<string, string | number>>;
}

/** The metrics with these names, without those that are known as dead. */
export async function readMetrics(
  graph: GraphClient,
  asked: MetricsQuery,
  dead: ReadonlySet<string>,
): Promise<Measured> {
  const names = asked.names.filter((name) => !dead.has(name));
  if (names.length === 0) return { kind: "metrics", metrics: [], dead: [] };
  const answer = await graph.request(get(asked.path, { metric: names.join(","), ...asked.query }));
  if (isGone(answer)) return { kind: "gone" };
  if (errorOf(answer)?.code === 100) {
    const [name = ""] = names;
    return names.length === 1 ? { kind: "metrics", metrics: [], dead: [name] } : readEach(graph, asked, names);
  }
  const read = graph.interpretRead(answer, Answer);
  return read.kind === "failed" ? read : { kind: "metrics", metrics: read.value.data, dead: [] };
}

async function readEach(graph: GraphClient, asked: MetricsQuery, names: readonly string[]): Promise<Measured> {
  const metrics: Metric[] = [];
  const refused: string[] = [];
  for (const name of names) {
    const one = await readMetrics(graph, { ...asked, names: [name] }, new Set());
    if (one.kind !== "metrics") return one;
    metrics.push(...one.metrics);
    refused.push(...one.dead);
  }
  return { kind: "metrics", metrics, dead: refused };
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

/** The numbers of one post, and the names that the platform has refused for it. */
export interface OnePost extends OwnNumbers {
  readonly kind: "one";
  readonly dead: readonly string[];
}

export const GONE: OnePost = { kind: "one", values: {}, rest: "gone", dead: [] };

/** Reads post by post: what is refused for one is not asked for of the next. */
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
