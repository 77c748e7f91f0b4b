import { z } from "zod";
import type { PlatformName } from "../../src/platforms/names.ts";
import { type Counts, type Expected, expectedOf, OF_VIDEOS, OFFERED } from "../../test/support/insight-books.ts";
import type { Insights } from "./api.ts";
import type { Kind } from "./kinds.ts";
import type { Realism, World } from "./world.ts";

/** Compares each number that the service shows with the sandbox's books of the instant of its read. */

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const END_MS = 90 * DAY_MS;
/** X shows clicks for thirty days, of which the service leaves an hour. */
const PRIVATE_MS = 30 * DAY_MS - HOUR_MS;
const LATE: readonly string[] = ["instagram", "youtube"];
const PRIVATE = ["link_clicks", "profile_visits", "engagements"];

type Days = Map<string, Readonly<Record<string, number>>>;

export interface Watched {
  readonly id: number;
  readonly kind: Kind;
  readonly texts: readonly string[];
  /** The live items; empty until it is published. */
  live: readonly string[];
  publishedAt: number;
  /** When its numbers were read last; empty: never. */
  asOf: string;
  dueAt: number;
  reads: number;
  /** The numbers that were last seen on each day, each compared with the books. */
  readonly days: Days;
}

/** What was compared. */
export interface Tally {
  reads: number;
  numbers: number;
  /** By platform and metric. */
  readonly kinds: Set<string>;
  /** Numbers that a platform offers, but not always. */
  readonly missing: string[];
  /** How late each read was, in milliseconds. */
  readonly late: number[];
  readonly wrongs: string[];
}

const isVideo = ({ items }: Kind) => items.length === 1 && items[0]?.length === 1 && /\.mp4$/.test(items[0][0] ?? "");

function offeredBy(kind: Kind): Expected {
  const known: Readonly<Partial<Record<PlatformName, Expected>>> = OFFERED;
  return (isVideo(kind) ? OF_VIDEOS[kind.platform] : undefined) ?? known[kind.platform] ?? {};
}

const Books = z.array(z.object({ counts: z.record(z.string(), z.number().nullable()).nullable() }));

async function booksOf({ control }: World, { kind, live }: Watched, at: number): Promise<readonly Counts[]> {
  const read = live.map(async (id) => {
    const query = new URLSearchParams({ platform: kind.platform, post_id: id, at: String(at) });
    return Books.parse(await control.control("GET", `insights?${query}`)).map(({ counts }) => counts ?? {});
  });
  return (await Promise.all(read)).flat();
}

export interface Comparison {
  readonly world: World;
  readonly tally: Tally;
  readonly realism: Realism;
  /** The metric of Facebook that was dead at some time of the day before this instant; empty: none. */
  deadAt(at: number): string;
}

/** Compares what is shown with the books, if it was read again. */
export async function compare(
  { world, tally, realism, deadAt }: Comparison,
  post: Watched,
  shown: Insights,
): Promise<void> {
  if (shown.as_of === null || shown.as_of === post.asOf) return;
  const { platform, name } = post.kind;
  const at = Date.parse(shown.as_of);
  const wrong = (text: string) => void tally.wrongs.push(`post ${post.id}, ${platform} ${name}: ${text}`);
  if (post.reads > 0 && at - Date.parse(post.asOf) < HOUR_MS / 2) wrong(`read at ${post.asOf} and ${shown.as_of}`);
  tally.late.push(Math.max(0, at - post.dueAt));
  const expected = expectedOf(offeredBy(post.kind), await booksOf(world, post, at));
  const mayMiss = (metric: string, reason: string | undefined) =>
    (reason === "expired" &&
      platform === "twitter" &&
      PRIVATE.includes(metric) &&
      at - post.publishedAt >= PRIVATE_MS) ||
    // In production they show a day later what a new post achieved, YouTube some of it.
    (reason === "not_ready" &&
      realism === "production" &&
      LATE.includes(platform) &&
      at - post.publishedAt < DAY_MS + HOUR_MS) ||
    (reason === "not_offered" && platform === "facebook" && metric === deadAt(at));
  const numbers: Record<string, number> = {};
  for (const [metric, value] of Object.entries(shown.metrics)) {
    const book = expected[metric] ?? null;
    const reason = shown.missing[metric];
    if ((value === null) !== (reason !== undefined)) wrong(`${metric} is ${value} with the reason ${reason}`);
    if (value !== null) numbers[metric] = value;
    if (value === book) continue;
    const said = value === null ? `missing (${reason})` : String(value);
    if (value !== null || !mayMiss(metric, reason))
      wrong(`${metric} is ${said} at ${shown.as_of}, the books say ${book}`);
    else tally.missing.push(`${platform} ${metric} (${reason})`);
  }
  for (const metric of Object.keys(numbers)) tally.kinds.add(`${platform} ${metric}`);
  tally.numbers += Object.keys(numbers).length;
  tally.reads++;
  post.asOf = shown.as_of;
  post.reads++;
  post.days.set(shown.as_of.slice(0, 10), numbers);
}

/** What is wrong at the end: days that are not those of the reads, a read that is missing or too much. */
export function wrongsOf(post: Watched, shown: Insights, mostReads: number): readonly string[] {
  // The last day of each week stays.
  const read = [...post.days].filter(([day], at, all) => {
    const next = all[at + 1];
    return next === undefined || weekOf(next[0]) !== weekOf(day);
  });
  const last = Date.parse(post.asOf) - post.publishedAt;
  const isKept =
    JSON.stringify(shown.days.map(({ day, metrics }) => [day, sorted(metrics)])) ===
    JSON.stringify(read.map(([day, metrics]) => [day, sorted(metrics)]));
  return [
    ...(isKept ? [] : [`has the days ${shown.days.map(({ day }) => day)}, was read on ${[...post.days.keys()]}`]),
    ...(shown.state === "final" && shown.next_read_at === null
      ? []
      : [`is ${shown.state}, read next at ${shown.next_read_at}`]),
    ...(last >= END_MS - HOUR_MS ? [] : [`was read last at the age of ${(last / DAY_MS).toFixed(1)} days`]),
    ...(post.reads <= mostReads ? [] : [`was read ${post.reads} times, not ${mostReads}`]),
  ].map((text) => `post ${post.id}, ${post.kind.platform} ${post.kind.name}: ${text}`);
}

const sorted = (metrics: Readonly<Record<string, number>>) =>
  Object.entries(metrics).sort(([a], [b]) => (a < b ? -1 : 1));

/** Weeks begin on Mondays. */
function weekOf(day: string): string {
  const at = new Date(day);
  return new Date(at.getTime() - ((at.getUTCDay() + 6) % 7) * DAY_MS).toISOString().slice(0, 10);
}
