import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { readsOf } from "../../src/insights/plan.ts";
import { platforms } from "../../src/platforms/registry.ts";
import { happens, oneOf, whole } from "../../test/support/random.ts";
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
import { advance, ENTRY } from "./fast-clock.ts";
import { type Comparison, compare, type Tally, type Watched, wrongsOf } from "./insight-record.ts";
import { knownPlatforms } from "./kinds.ts";
import { planPosts } from "./soak-plan.ts";
import { dim, say } from "./terminal.ts";
import { connectAccounts } from "./world.ts";

/**
 * The insights of `npm run soak`: posts of all kinds on all platforms over thirty days, and their numbers for
 * ninety days after each, by a fast clock. People comment, counters fall, platforms fail, names die, and the
 * service is killed. Whenever a post was read, every number is compared with the sandbox's books of that
 * instant.
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
const SLOW_CLOCK = { isStill: true, sweepEveryMs: 3 * HOUR_MS };
const KILLS = 12;
const MOST_SAID = 20;
const FAULTS_ONE_IN = 5;
const SLOW_MS = 2_000;
/** A page of X, of YouTube or of the network is read by calls that the sandbox counts as others. */
const OPERATIONS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  youtube: ["insights", "status"],
  bluesky: ["insights", "comments"],
};
const FAULTS = [
  "error",
  "html_error",
  "empty_error",
  "rate_limit",
  "slow",
  "accept_then_drop",
  "accept_then_error",
] as const;
/** Numbers of persons are not offered. */
const ACCOUNTS: Readonly<Record<string, string>> = { linkedin: "urn:li:organization:9001" };
/** Of what a Page is asked for; dead for three days, twice. */
const DEAD = { metric: "clicks", name: "post_clicks", days: [10, 20], lastsHours: 3 * DAY_HOURS };

interface Soak {
  readonly run: Run;
  readonly comparison: Comparison;
  readonly posts: Watched[];
  readonly faults: { platform: string; operation: string; kind: string; times: number }[];
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
  await control.settings({ slow_ms: SLOW_MS });
  const channels = await connect(
    run,
    known.map(({ name }) => name),
  );
  const { now } = await advance(run.world, null, CLOCK);
  const beginAt = Math.ceil(now / HOUR_MS) * HOUR_MS;
  const tally: Tally = { reads: 0, numbers: 0, kinds: new Set(), missing: [], late: [], wrongs: [] };
  const soak: Soak = {
    run,
    comparison: { world: run.world, tally, deadAt: (at) => deadAt((at - beginAt) / HOUR_MS) },
    posts: [],
    faults: [],
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
    await trouble(soak, hour);
    const due = plans.slice(countUntil(count, hour - STEP_HOURS), countUntil(count, hour));
    if (due.length > 0) await keepConnected(soak);
    await atOnce(4, due, (plan) => create(soak, plan));
    const wrongs = tally.wrongs.length;
    await step(soak, hour);
    sayWrongs(tally.wrongs.slice(wrongs, wrongs + MOST_SAID));
    if (hour % (10 * DAY_HOURS) === 0)
      note(run, `day ${hour / DAY_HOURS}: ${tally.reads} reads of ${soak.posts.length} posts`);
  }
  const findings = await judge(soak, count);
  sayFindings(findings);
  const met = await sayMetFaults(run, soak.faults);
  const facts = `${tally.reads} reads, ${tally.numbers} numbers, ${soak.kills} kills, ${soak.reconnected} new logins, ${met.met} faults`;
  return conclude(run, countBroken(findings), facts);
}

const countUntil = (count: number, hour: number) => Math.min(count, Math.floor((count * hour) / (DAYS * DAY_HOURS)));

/** One account on each platform; the paid reads are switched on. */
async function connect(run: Run, names: readonly string[]): Promise<readonly Channel[]> {
  const { api } = run.world;
  const accounts = await Promise.all(names.map((name) => accountOn(run, name)));
  await connectAccounts(api, { platforms: names, accounts });
  const channels = await api.listChannels();
  for (const { channel_id: id, channel_type: type } of channels) {
    const paid = Object.values(platforms).some(({ name, insights }) => name === type && insights?.isPaid);
    if (paid) await api.collectInsights(id);
  }
  return channels;
}

const accountOn = async ({ world: { control } }: Run, name: string): Promise<string> =>
  ACCOUNTS[name] ?? (await control.accounts(name))[0] ?? "";

function deadAt(hour: number): string {
  const isDead = DEAD.days.some((day) => {
    const since = hour - day * DAY_HOURS;
    // The service forgets what was refused after a day, and finds it at the next read.
    return since >= -1 && since <= DEAD.lastsHours + 2 * DAY_HOURS;
  });
  return isDead ? DEAD.metric : "";
}

async function create(
  { run, posts }: Soak,
  { key, body, items, kind }: ReturnType<typeof planPosts>[number],
): Promise<void> {
  const id = await createSurely(run.world.api, body, key);
  const texts = items.map(({ text }) => text);
  posts.push({ id, kind, texts, live: [], publishedAt: 0, asOf: "", dueAt: 0, reads: 0, days: new Map() });
}

/** Before each step: comments, counters that fall, faults, and a metric that dies or comes back. */
async function trouble({ run, posts, faults }: Soak, hour: number): Promise<void> {
  const { random, world } = run;
  const { control } = world;
  if (hour > SLOW_HOURS) return;
  const [first, ...others] = posts.filter(({ live }) => live.length > 0);
  if (first) {
    const { kind, live } = oneOf(random, [first, ...others]);
    const [id = ""] = live;
    if (happens(random, 0.3)) await control.comment(kind.platform, id, `Nice, at hour ${hour}!`, `Person ${hour}`);
    const counts = { likes: whole(random, 0, 50), shares: whole(random, 0, 5) };
    if (happens(random, 0.1))
      await control.control("POST", "insights", { platform: kind.platform, post_id: id, counts });
  }
  if (happens(random, 1 / FAULTS_ONE_IN)) {
    const [one, ...more] = knownPlatforms();
    if (!one) return;
    const { name: platform, isRenewable } = oneOf(random, [one, ...more]);
    const operation = oneOf(random, OPERATIONS[platform] ?? ["insights"]);
    // Without a refresh token only the account owner can help.
    const kind = oneOf(random, isRenewable ? [...FAULTS, "expire_token"] : FAULTS);
    // A fresh token that is refused at once is a login that has ended.
    const fault = { platform, operation, kind, times: kind === "expire_token" ? 1 : whole(random, 1, 3) };
    await control.fault(platform, operation, fault.kind, fault.times);
    faults.push(fault);
  }
  for (const day of DEAD.days) {
    const since = hour - day * DAY_HOURS;
    if (since === 0) await control.settings({ facebook_dead_metrics: DEAD.name });
    if (since === DEAD.lastsHours) await control.settings({ facebook_dead_metrics: "" });
  }
}

/** Lets time pass until this hour, and compares what was read. */
async function step(soak: Soak, hour: number): Promise<void> {
  const { run, beginAt, killAt } = soak;
  const until = beginAt + hour * HOUR_MS;
  if (killAt.has(hour)) await killDuring(soak, until);
  else await advance(run.world, until, hour > SLOW_HOURS ? SLOW_CLOCK : CLOCK);
  await findPublished(soak);
  // Posts that are due soon are read together with others.
  const due = soak.posts.filter(({ live, dueAt }) => live.length > 0 && dueAt <= until + HOUR_MS);
  await atOnce(4, due, async (post) => {
    const shown = await surely(() => run.world.api.insightsOf(post.id));
    await compare(soak.comparison, post, shown);
    post.dueAt =
      shown.next_read_at === null
        ? shown.as_of === null
          ? post.dueAt
          : Number.POSITIVE_INFINITY
        : Date.parse(shown.next_read_at);
  });
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

/**
 * Connects again what only the account owner can: a kill between the renewal of a login and the next write
 * loses a refresh token that the platform takes once.
 */
async function keepConnected(soak: Soak): Promise<void> {
  const { api } = soak.run.world;
  for (const { channel_type: type, capabilities } of await surely(() => api.listChannels())) {
    if (capabilities.every(({ health }) => health !== "reconnect_needed")) continue;
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
const exact = (usd: number): number => Math.round(usd * 1000);

async function judge({ run, posts, comparison, kills }: Soak, count: number): Promise<readonly Finding[]> {
  const { tally } = comparison;
  const { api, control } = run.world;
  const ended = posts.filter(({ live }) => live.length > 0);
  await atOnce(4, ended, async (post) => {
    const { platform, postType } = post.kind;
    const isPaid = Object.values(platforms).some(({ name, insights }) => name === platform && insights?.isPaid);
    tally.wrongs.push(...wrongsOf(post, await surely(() => api.insightsOf(post.id)), readsOf(postType, isPaid)));
  });
  sayWrongs(tally.wrongs.slice(-MOST_SAID));
  const own = exact(await surely(() => api.platformCost()));
  const till = Till.parse(await control.control("GET", "till"))
    .map((one) => exact(one.without_dedup_usd))
    .reduce((a, b) => a + b, 0);
  const late = [...tally.late].sort((a, b) => a - b);
  const hours = (at: number) => `${((late[Math.floor(at * (late.length - 1))] ?? 0) / HOUR_MS).toFixed(1)} h`;
  say(dim(`  reads come ${hours(0.5)} after they are due (median), ${hours(0.95)} (95 %), ${hours(1)} (most)`));
  say(dim(`  missing: ${countEach(tally.missing)}`));
  return [
    { holds: ended.length === count, text: `${ended.length} of ${count} posts are published` },
    {
      holds: tally.wrongs.length === 0,
      text: `${tally.numbers} numbers of ${tally.reads} reads, ${tally.kinds.size} kinds: ${tally.wrongs.length} are not as in the books`,
    },
    { holds: own >= till && own - till <= kills * 100, text: `X: we count $${own / 1000}, the till $${till / 1000}` },
  ];
}
