import { Temporal } from "temporal-polyfill";
import type { PostInsights } from "./store.ts";

/** Which times of the week have brought most. Pure. */
export interface BestTime {
  /** ISO: Monday is 1. */
  readonly weekday: number;
  readonly hour: number;
  readonly posts: number;
  /** Likes, comments and shares of a post: what all platforms count alike. */
  readonly average: number;
}

/** The hours in which posts were published, the best first; posts without any such number do not count. */
export function bestTimes(
  rows: readonly Pick<PostInsights, "publishedAt" | "numbers">[],
  timeZone: string,
): readonly BestTime[] {
  const byHour = new Map<number, { posts: number; sum: number }>();
  for (const { publishedAt, numbers } of rows) {
    const { likes, comments, shares } = numbers?.metrics ?? {};
    const known = [likes, comments, shares].filter((value) => value !== undefined);
    if (known.length === 0) continue;
    const at = Temporal.Instant.fromEpochMilliseconds(publishedAt).toZonedDateTimeISO(timeZone);
    const key = at.dayOfWeek * 24 + at.hour;
    const { posts, sum } = byHour.get(key) ?? { posts: 0, sum: 0 };
    byHour.set(key, { posts: posts + 1, sum: sum + known.reduce((all, value) => all + value, 0) });
  }
  const times = [...byHour].map(([key, { posts, sum }]) => ({
    weekday: Math.floor(key / 24),
    hour: key % 24,
    posts,
    average: Math.round((sum / posts) * 100) / 100,
  }));
  return times.toSorted(
    (a, b) => b.average - a.average || b.posts - a.posts || a.weekday - b.weekday || a.hour - b.hour,
  );
}
