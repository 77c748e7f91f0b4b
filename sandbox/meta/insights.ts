// Insights of the Graph APIs: the checks and the answer that Facebook, Instagram and Threads share.

import { DAY_MS, daysBetween, startOfDay } from "../books";
import { badParameter, GraphError } from "./errors";
import type { JsonObject } from "./fields";

const MOST_MS = 90 * DAY_MS;

/** The named metrics; one that is not offered fails the whole call. */
export function metricsIn(
  text: string | undefined,
  offered: readonly string[],
  refused: (name: string) => string,
): string[] {
  const names = (text ?? "").split(",").map((name) => name.trim());
  if (names.length === 0 || names[0] === "") {
    throw new GraphError(3001, "(#3001) No metric was specified to be fetched.", { subcode: 1504028 });
  }
  const wrong = names.find((name) => !offered.includes(name));
  if (wrong !== undefined) throw badParameter(refused(wrong));
  return names;
}

/** Totals of an object so far. Metrics without a value are left out. */
export function lifetime(id: string, names: readonly string[], values: Readonly<Record<string, unknown>>): JsonObject {
  const known = names.filter((name) => values[name] !== undefined && values[name] !== null);
  return {
    data: known.map((name) => ({
      name,
      period: "lifetime",
      values: [{ value: values[name] as JsonObject[string] }],
      title: name,
      id: `${id}/insights/${name}/lifetime`,
    })),
  };
}

/** The days of a series; more than ninety are refused. */
export function daysIn({ since, until }: { since?: number | undefined; until?: number | undefined }, now: number) {
  const end = until ?? now;
  const start = since ?? end - DAY_MS;
  if (end - start > MOST_MS) {
    throw badParameter("There cannot be more than 90 days (7776000 s) between since and until");
  }
  return daysBetween(start, Math.min(end, now) - 1);
}

/** A value for each day; Facebook's days end at midnight in California. */
export function series(id: string, name: string, days: readonly number[], valueOn: (day: number) => number) {
  return {
    name,
    period: "day",
    values: days.map((day) => ({ value: valueOn(day), end_time: endOf(day) })),
    title: name,
    id: `${id}/insights/${name}/day`,
  };
}

const endOf = (day: number) => new Date(startOfDay(day + 1) + 8 * 3_600_000).toISOString().replace(".000Z", "+0000");
