import { z } from "zod";
import { dayOf } from "../../src/platforms/insights.ts";
import { type DayCounts, OF_ACCOUNTS } from "../../test/support/insight-books.ts";
import type { ChannelInsights } from "./api.ts";
import type { World } from "./world.ts";

/** Compares each number of each day of an account with the sandbox's books. */

const DAY_MS = 86_400_000;
/** Platforms complete a day for two days; from the next read on its numbers are final. */
const FINAL_DAYS = 4;
/** The last week is compared each day, everything at the end. */
const RECENT_DAYS = 7;
/** What a new channel shows of the time before. */
const BEFORE_DAYS = 30;

export interface WatchedAccount {
  readonly channelId: number;
  readonly platform: string;
  /** By the platform's id. */
  readonly accountId: string;
  /** It is read once a week, otherwise once a day. */
  readonly isPaid: boolean;
}

/** What was compared. */
export interface AccountTally {
  /** Numbers of whole days. */
  numbers: number;
  /** By platform and metric. */
  readonly kinds: Set<string>;
  /** Days without a number of followers: a platform shows only the present one. */
  readonly missed: string[];
  readonly wrongs: Set<string>;
}

export const emptyAccountTally = (): AccountTally => ({ numbers: 0, kinds: new Set(), missed: [], wrongs: new Set() });

const Books = z.array(z.object({ day: z.string(), counts: z.record(z.string(), z.number()) }));

interface Span {
  /** When the channel was connected. */
  readonly since: number;
  readonly now: number;
}

/** Compares the last days of an account. */
export async function compareAccount(world: World, tally: AccountTally, account: WatchedAccount, span: Span) {
  const oldest = span.since - BEFORE_DAYS * DAY_MS;
  await compareDays(world, tally, account, { ...span, from: Math.max(oldest, span.now - RECENT_DAYS * DAY_MS) });
}

/** Compares all days of an account, counts the numbers, and finds what is missing. */
export async function concludeAccount(world: World, tally: AccountTally, account: WatchedAccount, span: Span) {
  const from = span.since - BEFORE_DAYS * DAY_MS;
  const { shown, books } = await compareDays(world, tally, account, { ...span, from });
  const { platform, isPaid } = account;
  const wrong = (text: string) => void tally.wrongs.add(`account on ${platform}: ${text}`);
  const days = new Map(shown.days.map(({ day, metrics }) => [day, metrics]));
  const metrics = Object.keys(OF_ACCOUNTS[platform] ?? {});
  const [first, last] = [dayOf(span.since), dayOf(span.now - FINAL_DAYS * DAY_MS)];
  let known = 0;
  for (const { day } of books.filter((one) => one.day >= first && one.day <= last)) {
    for (const metric of metrics) {
      const isKnown = (days.get(day)?.[metric] ?? null) !== null;
      if (metric === "followers" && isKnown) known++;
      if (metric === "followers" && !isKnown && !isPaid) tally.missed.push(`${platform} ${day}`);
      if (metric !== "followers" && !isKnown) wrong(`${metric} of ${day} is missing`);
    }
  }
  const weeks = Math.floor((span.now - span.since) / DAY_MS / 7);
  if (isPaid && Math.abs(known - weeks) > 2) wrong(`was read ${known} times in ${weeks} weeks`);
  for (const metric of Object.keys(shown.totals)) {
    const values = shown.days.flatMap(({ metrics: own }) => own[metric] ?? []);
    const sum = values.length === 0 ? null : values.reduce((all, value) => all + value, 0);
    const gained = values.length < 2 ? null : (values.at(-1) ?? 0) - (values[0] ?? 0);
    const total = metric === "followers" ? gained : sum;
    if (shown.totals[metric] !== total) wrong(`the total of ${metric} is ${shown.totals[metric]}, not ${total}`);
    tally.numbers += values.length;
    if (values.length > 0) tally.kinds.add(`${platform} ${metric}`);
  }
}

async function compareDays(
  { api, control }: World,
  { wrongs }: AccountTally,
  { channelId, platform, accountId }: WatchedAccount,
  { from, now }: Span & { readonly from: number },
): Promise<{ readonly shown: ChannelInsights; readonly books: readonly { day: string; counts: DayCounts }[] }> {
  const range = { from: dayOf(from), to: dayOf(now) };
  const shown = await api.channelInsights(channelId, range);
  const query = new URLSearchParams({ account_id: accountId, ...range });
  const books = Books.parse(await control.control("GET", `account-days?${query}`));
  const countsOf = new Map(books.map(({ day, counts }) => [day, counts]));
  const lastFinal = dayOf(now - FINAL_DAYS * DAY_MS);
  const offered: Readonly<Record<string, ((counts: DayCounts) => number) | undefined>> = OF_ACCOUNTS[platform] ?? {};
  for (const { day, metrics } of shown.days) {
    for (const [metric, value] of Object.entries(metrics)) {
      if (value === null) continue;
      const book = offered[metric]?.(countsOf.get(day) ?? {});
      const isRight =
        book !== undefined && (metric === "followers" || day <= lastFinal ? value === book : value <= book);
      if (!isRight) wrongs.add(`account on ${platform}: ${metric} of ${day} is ${value}, the books say ${book}`);
    }
  }
  return { shown, books };
}
