import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { partsOf } from "../../src/core/parts.ts";
import { readsOf } from "../../src/insights/plan.ts";
import { platforms } from "../../src/platforms/registry.ts";
import type { Fault } from "../../test/support/control.ts";
import { whole } from "../../test/support/random.ts";
import {
  type AccountTally,
  compareAccount,
  concludeAccount,
  emptyAccountTally,
  type WatchedAccount,
} from "./account-record.ts";
import { type Channel, createSurely, surely } from "./api.ts";
import type { Scope } from "./command.ts";
import {
  atOnce,
  conclude,
  countBroken,
  countEach,
  type Finding,
  note,
  type Run,
  type SoakOptions,
  sayFindings,
  sayMetFaults,
  sayWrongs,
  startRun,
} from "./driver.ts";
import { advance, ENTRY, WAVE, WAVE_MS } from "./fast-clock.ts";
import { deadMetricAt, disturb } from "./insight-faults.ts";
import { type Comparison, compare, type Tally, type Watched, wrongsOf } from "./insight-record.ts";
import { knownPlatforms } from "./kinds.ts";
import { planPosts } from "./soak-plan.ts";
import { dim, say } from "./terminal.ts";
import { connectAccounts, type Realism } from "./world.ts";

/**
 * The insights of `npm run soak`: posts of all kinds on all platforms over thirty days, and their numbers for
 * ninety days after each, by a fast clock. People comment, counters fall, platforms fail, names die, and the
 * service is killed. Whenever a post was read, every number is compared with the sandbox's books of that
 * instant; every day, so are the days of the accounts.
 */

const HOUR_MS = 3_600_000;
const DAY_HOURS = 24;
const DAYS = 30;
/** After the last post: its reads, and some days in which nothing may be read. */
const LAST_HOURS = (DAYS + 95) * DAY_HOURS;
/** No post is read twice within a step: the first reads are five hours apart. */
const STEP_HOURS = 2;
/** From then on every post is older than a week, and read at most once a week. */
const SLOW_HOURS = (DAYS + 8) * DAY_HOURS;
const SLOW_STEP_HOURS = 24;
/** Its own clock and the sandbox's are equal whenever a platform is called. */
const CLOCK = { isStill: true, sweepEveryMs: HOUR_MS / 2 };
/** Hours without a sweep, then minutes with some: reads need a login that a sweep before has renewed. */
const STRIDE_MS = 6 * HOUR_MS;
const SWEPT_MS = HOUR_MS / 20;
const SWEPT_CLOCK = { isStill: true, sweepEveryMs: HOUR_MS / 60 };
const UNSWEPT_CLOCK = { isStill: true, sweepEveryMs: 1000 * DAY_HOURS * HOUR_MS };
const KILLS = 12;
const MOST_SAID = 20;
const SLOW_MS = 2_000;
/** Numbers of persons are not offered. */
const ACCOUNTS: Readonly<Record<string, string>> = { linkedin: "urn:li:organization:9001" };
interface Soak {
  readonly run: Run;
  readonly comparison: Comparison;
  readonly posts: Watched[];
  readonly accounts: readonly WatchedAccount[];
  readonly ofAccounts: AccountTally;
  readonly faults: Fault[];
  readonly realism: Realism;
  readonly killAt: ReadonlySet<number>;
  readonly beginAt: number;
  kills: number;
  /** Logins that the account owner had to renew. */
  reconnected: number;
}

export async function soakInsights(scope: Scope, { seed, count, realism }: SoakOptions): Promise<number> {
  const title = `soak: what ${count} posts achieved`;
  // The allowances of platforms are lifted there and here, as this run has one account on each.
  const variables = { PACE_FACTOR: "1000" };
  const run = await startRun(scope, { title, seed, realism, entry: ENTRY, variables });
  const { control } = run.world;
  const known = knownPlatforms();
  for (const { facts } of known) await control.settings({ ...facts.roomy, ...facts.busy, ...facts.prompt });
  // A login becomes active after some seconds, which do not pass while the clocks stand still.
  await control.settings({ slow_ms: SLOW_MS, linkedin_activation_lag_ms: 0 });
  const channels = await connect(
    run,
    known.map(({ name }) => name),
  );
  const { now } = await advance(run.world, null, CLOCK);
  const beginAt = Math.ceil(now / HOUR_MS) * HOUR_MS;
  const tally: Tally = { reads: 0, numbers: 0, kinds: new Set(), missing: [], late: [], wrongs: [] };
  const soak: Soak = {
    run,
    comparison: { world: run.world, tally, realism, deadAt: (at) => deadMetricAt((at - beginAt) / HOUR_MS) },
    posts: [],
    accounts: await Promise.all(channels.map((channel) => toWatched(run, channel))),
    ofAccounts: emptyAccountTally(),
    faults: [],
    realism,
    killAt: new Set(
      Array.from({ length: KILLS }, () => STEP_HOURS * whole(run.random, 2, (DAYS * DAY_HOURS) / STEP_HOURS)),
    ),
    beginAt,
    kills: 0,
    reconnected: 0,
  };
  const plans = planPosts(run, count, known, channels);
  await step(soak, 0);
  for (let hour = STEP_HOURS; hour <= LAST_HOURS; hour += hour < SLOW_HOURS ? STEP_HOURS : SLOW_STEP_HOURS) {
    if (scope.isEnding) return 1;
    if (hour <= SLOW_HOURS) await disturb(soak, hour);
    const due = plans.slice(countUntil(count, hour - STEP_HOURS), countUntil(count, hour));
    if (due.length > 0 || hour % DAY_HOURS === 0) await keepConnected(soak);
    await atOnce(4, due, (plan) => create(soak, plan));
    const wrongs = tally.wrongs.length;
    await step(soak, hour);
    sayWrongs(tally.wrongs.slice(wrongs, wrongs + MOST_SAID));
    if (hour % DAY_HOURS === 0) await ofEachAccount(soak, compareAccount, hour);
    if (hour % (10 * DAY_HOURS) === 0)
      note(run, `day ${hour / DAY_HOURS}: ${tally.reads} reads of ${soak.posts.length} posts`);
  }
  const findings = await judge(soak, count);
  sayFindings(findings);
  const met = await sayMetFaults(run, soak.faults);
  const facts = `${tally.reads} reads, ${tally.numbers} numbers, ${soak.kills} kills, ${soak.reconnected} new logins, ${met.met} faults`;
  return conclude(run, countBroken(findings), facts);
}

/** Compares the numbers of all accounts, and prints what is wrong. */
async function ofEachAccount(
  { run, accounts, ofAccounts, beginAt }: Soak,
  act: typeof compareAccount,
  hour: number,
): Promise<void> {
  const { size } = ofAccounts.wrongs;
  const span = { since: beginAt, now: beginAt + hour * HOUR_MS };
  await atOnce(4, accounts, (account) => surely(() => act(run.world, ofAccounts, account, span)));
  sayWrongs([...ofAccounts.wrongs].slice(size, size + MOST_SAID));
}

const isPaidOn = (platform: string): boolean =>
  Object.values(platforms).some(({ name, insights }) => name === platform && insights?.isPaid === true);

const toWatched = async (run: Run, { channel_id: channelId, channel_type: platform }: Channel) => ({
  channelId,
  platform,
  accountId: await accountOn(run, platform),
  isPaid: isPaidOn(platform),
});

const countUntil = (count: number, hour: number) => Math.min(count, Math.floor((count * hour) / (DAYS * DAY_HOURS)));

/** One account on each platform; the paid reads are switched on. */
async function connect(run: Run, names: readonly string[]): Promise<readonly Channel[]> {
  const { api } = run.world;
  const accounts = await Promise.all(names.map((name) => accountOn(run, name)));
  await connectAccounts(api, { platforms: names, accounts });
  const channels = await api.listChannels();
  for (const { channel_id: id, channel_type: type } of channels) {
    if (isPaidOn(type)) await api.collectInsights(id);
  }
  return channels;
}

const accountOn = async ({ world: { control } }: Run, name: string): Promise<string> =>
  ACCOUNTS[name] ?? (await control.accounts(name))[0] ?? "";

async function create(
  { run, posts }: Soak,
  { key, body, items, kind }: ReturnType<typeof planPosts>[number],
): Promise<void> {
  const id = await createSurely(run.world.api, body, key);
  const texts = items.map(({ text }) => text);
  posts.push({ id, kind, texts, live: [], publishedAt: 0, asOf: "", dueAt: 0, reads: 0, days: new Map() });
}

/** Lets time pass until this hour, and compares what was read. */
async function step(soak: Soak, hour: number): Promise<void> {
  const { run, beginAt, killAt } = soak;
  const until = beginAt + hour * HOUR_MS;
  if (killAt.has(hour)) await killDuring(soak, until);
  else if (hour <= SLOW_HOURS) await advance(run.world, until, CLOCK);
  else await passSlowly(soak, until);
  await findPublished(soak);
  // Posts that are due soon are read together with others.
  const due = soak.posts.filter(({ live, dueAt }) => live.length > 0 && dueAt <= until + HOUR_MS);
  await atOnce(4, due, async (post) => {
    const shown = await surely(() => run.world.api.insightsOf(post.id));
    await compare(soak.comparison, post, shown);
    // A channel that waits for its account owner has no next read either.
    if (shown.next_read_at !== null) post.dueAt = Date.parse(shown.next_read_at);
    else if (shown.state === "final" || shown.state === "gone") post.dueAt = Number.POSITIVE_INFINITY;
  });
}

async function passSlowly({ run }: Soak, until: number): Promise<void> {
  for (let at = until - SLOW_STEP_HOURS * HOUR_MS + STRIDE_MS; at <= until; at += STRIDE_MS) {
    await advance(run.world, at - SWEPT_MS, UNSWEPT_CLOCK);
    await advance(run.world, at, SWEPT_CLOCK);
  }
}

/** Kills the service while it reads; it goes on at the end of this time, as after an outage. */
async function killDuring(soak: Soak, until: number): Promise<void> {
  const { run } = soak;
  const passing = advance(run.world, until, CLOCK).catch(() => null);
  await sleep(run.random.between(20, 500));
  await run.world.service.kill();
  await passing;
  await run.world.restartService();
  await advance(run.world, until, { ...CLOCK, from: until });
  soak.kills++;
  note(run, `killed (${soak.kills})`);
}

/** TikTok's comments need a login of their own, which this run does without. */
const NEEDED = new Set(["publish", "insights"]);

/**
 * Connects again what only the account owner can: a kill between the renewal of a login and the next write
 * loses a refresh token that the platform takes once.
 */
async function keepConnected(soak: Soak): Promise<void> {
  const { api } = soak.run.world;
  for (const { channel_type: type, capabilities } of await surely(() => api.listChannels())) {
    if (!capabilities.some(({ name, health }) => NEEDED.has(name) && health === "reconnect_needed")) continue;
    await connectAccounts(api, { platforms: [type], accounts: [await accountOn(soak.run, type)] });
    soak.reconnected++;
  }
}

/** The live items of posts that were published since. */
async function findPublished({ run, posts }: Soak): Promise<void> {
  const fresh = posts.filter(({ live }) => live.length === 0);
  if (fresh.length === 0) return;
  const live = new Map((await run.world.control.posts()).map(({ text, id }) => [text, id]));
  for (const post of fresh) {
    const ids = post.texts.flatMap((text) => live.get(text) ?? []);
    const shown = await surely(() => run.world.api.insightsOf(post.id));
    if (ids.length < post.texts.length || shown.published_at === null) continue;
    post.live = ids;
    post.publishedAt = Date.parse(shown.published_at);
    post.dueAt = post.publishedAt + HOUR_MS;
  }
}

const Till = z.array(z.object({ spent_usd: z.number(), without_dedup_usd: z.number() }));
const monthOf = (beginAt: number, day: number): string =>
  new Date(beginAt + day * DAY_HOURS * HOUR_MS).toISOString().slice(0, 7);
const exact = (usd: number): number => Math.round(usd * 1000);

async function judge(soak: Soak, count: number): Promise<readonly Finding[]> {
  const { run, posts, comparison, kills, ofAccounts } = soak;
  const { tally } = comparison;
  const { api, control } = run.world;
  const ended = posts.filter(({ live }) => live.length > 0);
  for (const [wave, some] of partsOf(ended, WAVE).entries()) {
    await advance(run.world, soak.beginAt + LAST_HOURS * HOUR_MS + wave * WAVE_MS, CLOCK);
    await atOnce(4, some, async (post) => {
      const { platform, postType } = post.kind;
      const reads = readsOf(postType, isPaidOn(platform));
      tally.wrongs.push(...wrongsOf(post, await surely(() => api.insightsOf(post.id)), reads));
    });
  }
  sayWrongs(tally.wrongs.slice(-MOST_SAID));
  await ofEachAccount(soak, concludeAccount, LAST_HOURS);
  const months = new Set(Array.from({ length: LAST_HOURS / DAY_HOURS + 1 }, (_, day) => monthOf(soak.beginAt, day)));
  const costs = await Promise.all([...months].map((month) => surely(() => api.platformCost(month))));
  const own = costs.map(exact).reduce((a, b) => a + b, 0);
  const till = Till.parse(await control.control("GET", "till"))
    .map((one) => exact(one.without_dedup_usd))
    .reduce((a, b) => a + b, 0);
  const late = [...tally.late].sort((a, b) => a - b);
  const hours = (at: number) => `${((late[Math.floor(at * (late.length - 1))] ?? 0) / HOUR_MS).toFixed(1)} h`;
  say(dim(`  reads come ${hours(0.5)} after they are due (median), ${hours(0.95)} (95 %), ${hours(1)} (most)`));
  say(dim(`  missing: ${countEach(tally.missing)}`));
  say(dim(`  days without followers: ${countEach(ofAccounts.missed)}`));
  return [
    { holds: ended.length === count, text: `${ended.length} of ${count} posts are published` },
    {
      holds: tally.wrongs.length === 0,
      text: `${tally.numbers} numbers of ${tally.reads} reads, ${tally.kinds.size} kinds: ${tally.wrongs.length} are not as in the books`,
    },
    {
      holds: ofAccounts.wrongs.size === 0 && ofAccounts.missed.length <= kills,
      text: `${ofAccounts.numbers} numbers of days of accounts, ${ofAccounts.kinds.size} kinds: ${ofAccounts.wrongs.size} are not as in the books, ${ofAccounts.missed.length} days without followers`,
    },
    { holds: own >= till && own - till <= kills * 100, text: `X: we count $${own / 1000}, the till $${till / 1000}` },
  ];
}
