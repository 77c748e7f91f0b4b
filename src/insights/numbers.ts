import {
  type Missing,
  type Named,
  type Names,
  type OwnNumbers,
  POST_METRICS,
  type PostMetric,
} from "../platforms/insights.ts";
import type { StoredNumbers } from "./stored.ts";

/** From the platform's numbers to ours. Pure. A number that the platform does not say stays missing. */

/** All of the metrics; null for what is not among these. */
export const whole = <M extends string>(metrics: readonly M[], own: Readonly<Partial<Record<M, number>>>) =>
  Object.fromEntries(metrics.map((metric) => [metric, own[metric] ?? null])) as Record<M, number | null>;

export const namedOf = (named: string | Named): Named => (typeof named === "string" ? { name: named } : named);

/** People who saw two items, and averages, do not add up. */
const NOT_ADDED: ReadonlySet<PostMetric> = new Set(["reach", "avg_watch_ms", "completion_rate"]);

/** The numbers of a post: of a thread the sums over its items. */
export function measure(names: Names<PostMetric>, items: readonly OwnNumbers[]): StoredNumbers {
  const metrics: Partial<Record<PostMetric, number>> = {};
  const missing: Partial<Record<PostMetric, Missing>> = {};
  for (const metric of POST_METRICS) {
    const value = numberOf(names, items, metric);
    if (typeof value === "number") metrics[metric] = value;
    else missing[metric] = value;
  }
  const raw: Record<string, number> = {};
  for (const { values } of items) {
    for (const [name, value] of Object.entries(values)) raw[name] = (raw[name] ?? 0) + value;
  }
  const isGone = items.length > 0 && items.every(({ rest }) => rest === "gone");
  return { metrics, missing, raw, ...(isGone ? { isGone } : {}) };
}

function numberOf(names: Names<PostMetric>, items: readonly OwnNumbers[], metric: PostMetric): number | Missing {
  const named = names[metric];
  if (named === undefined || (items.length > 1 && NOT_ADDED.has(metric))) return "not_offered";
  const { name, otherwise = name, times = 1 } = namedOf(named);
  let sum = 0;
  for (const { values, missing, rest } of items) {
    const value = values[name] ?? values[otherwise];
    if (value === undefined) return missing?.[name] ?? rest ?? "not_ready";
    sum += value * times;
  }
  return items.length === 0 ? "not_ready" : sum;
}

/** The numbers of a day in our names. */
export function ofDay<M extends string>(names: Names<M>, { values }: OwnNumbers): Partial<Record<M, number>> {
  const own: Partial<Record<M, number>> = {};
  for (const [metric, named] of Object.entries<string | Named | undefined>(names)) {
    const { name, times = 1 } = namedOf(named ?? "");
    const value = values[name];
    if (value !== undefined) own[metric as M] = value * times;
  }
  return own;
}
