import { setTimeout as sleep } from "node:timers/promises";
import { platforms } from "../../src/platforms/registry.ts";
import { type Channel, createSurely } from "./api.ts";
import { Refusal, type Scope } from "./command.ts";
import { asRecorded, type MadeBot, type Written } from "./comment-outcome.ts";
import { commentFaults, type LivePlan, modelFaults, planBots, planComments } from "./comment-plan.ts";
import { reportComments } from "./comment-report.ts";
import {
  fireCronOften,
  injectFaults,
  killOften,
  note,
  type Run,
  type SoakOptions,
  shuffled,
  startRun,
  untilPublished,
  untilRest,
} from "./driver.ts";
import { type KnownPlatform, knownPlatforms } from "./kinds.ts";
import { inTurn, planPosts } from "./soak-plan.ts";
import { connectAccounts, type World } from "./world.ts";

/**
 * The second part of `npm run soak`: bots answer comments on posts of all platforms. Meanwhile the service is
 * killed, the platforms return faults, and webhooks are repeated or lost.
 */

const POSTS = 20;
const ACCOUNTS_EACH = 2;
const KILLS = { most: 10, withinMs: 150_000 };
const FAULTS_WITHIN_MS = 140_000;
const WRITE_WITHIN_MS = 150_000;
/** The time limit from the first comment. */
const END_MS = 480_000;
/** Waits for possible duplicates after everything has completed. */
const CALM_MS = 20_000;
const RECONNECT_EVERY_MS = 6_000;
/** Webhook settings of the platforms, and when each applies. */
const NOTIFICATIONS = [
  { afterMs: 40_000, settings: { webhooks_repeat: true } },
  { afterMs: 80_000, settings: { webhooks_repeat: false, webhooks_lost: true } },
  { afterMs: 120_000, settings: { webhooks_repeat: true, webhooks_lost: false } },
] as const;
/** Shorter than in production, so that what takes a day there completes within this run. */
const VARIABLES = { JOB_LEASE_SECONDS: "35", LIST_LAG_SECONDS: "10", PACE_FACTOR: "1000", TASK_CLAIM_SECONDS: "60" };
/** Accepted content is visible within LIST_LAG_SECONDS, even on slow calls. */
const SLOW_MS = 5_000;

/** Returns the exit code. */
export async function soakComments(scope: Scope, { seed, count, realism }: SoakOptions): Promise<number> {
  const title = `soak: ${count} comments on ${POSTS} posts`;
  const run = await startRun(scope, { title, seed, variables: VARIABLES, realism });
  const { world, random } = run;
  const known = knownPlatforms().filter(({ name }) => platforms[name]?.comments?.reading);
  for (const { facts } of known) await world.control.settings({ ...facts.roomy, ...facts.busy, ...facts.prompt });
  await world.control.settings({ slow_ms: SLOW_MS });
  for (let at = 0; at < ACCOUNTS_EACH; at++) await connectAs(world, known, at);
  const channels = await world.api.listChannels();
  fireCronOften(run);
  const posts = await publish(run, known, channels);
  const bots: MadeBot[] = [];
  for (const plan of planBots(posts, channels, seed)) {
    const { id } = await world.api.createAutomation(plan.body);
    bots.push({ ...plan, id });
  }
  const faults = shuffled([...known.flatMap(commentFaults), ...modelFaults()], random);
  note(run, `${posts.length} posts, ${bots.length} bots; ${faults.length} kinds of faults`);

  const endsAt = Date.now() + END_MS;
  void keepConnected(run, known);
  const written: Written[] = [];
  const [kills] = await Promise.all([
    killOften(run, KILLS),
    write(world, planComments(count, posts, random), written),
    injectFaults(run, faults, FAULTS_WITHIN_MS),
    changeNotifications(run),
  ]);
  const rest = { until: "every comment has its answer", everyMs: 4000, timeoutMs: endsAt - Date.now() };
  await untilRest(run, rest, () => findOpen(world, bots, written).catch(() => null));
  await sleep(CALM_MS);
  const logs = await readLogs(world, bots, written);
  return reportComments(run, { bots, written, logs, kills, faults });
}

/** Connects each platform's account at this position, with all permissions. */
async function connectAs({ api, control }: World, known: readonly KnownPlatform[], at: number): Promise<void> {
  const offered = await Promise.all(known.map(({ name }) => control.accounts(name)));
  const accounts = offered.flatMap((ids) => ids.slice(at, at + 1));
  await connectAccounts(api, { platforms: known.flatMap(({ logins }) => logins), accounts });
}

async function publish(run: Run, known: readonly KnownPlatform[], channels: readonly Channel[]): Promise<LivePlan[]> {
  const { world } = run;
  const commentable = known.map((one) => ({ ...one, kinds: plainKinds(one) }));
  const plans = planPosts(run, POSTS, commentable, channels);
  const ids = [];
  for (const plan of plans) ids.push(await createSurely(world.api, plan.body, plan.key));
  const live: LivePlan[] = [];
  for (const [at, id] of ids.entries()) {
    const { items, body } = inTurn(plans, at);
    await untilPublished(world.api, id);
    const shown = await world.control.postsWith(items[0]?.text ?? "");
    const platform = inTurn(known, at).name;
    const [post] = shown.filter((one) => one.platform === platform);
    if (!post) throw new Refusal(`The post for ${platform} is not visible.`);
    live.push({ id, platform, channelId: body.channel_id, platformId: post.id });
  }
  return live;
}

/** The simplest kinds that allow comments. */
function plainKinds({ name, kinds }: KnownPlatform): KnownPlatform["kinds"] {
  const types = platforms[name]?.comments?.types ?? [];
  const kind = kinds.find((one) => types.includes(one.postType) && !one.isSilent && one.items.length === 1);
  if (!kind) throw new Error(`Nothing of ${name} can be commented on.`);
  return [kind];
}

/** Writes the comments and adds them to `written`: comments on a post, or replies to its latest comment. */
async function write({ control }: World, plans: ReturnType<typeof planComments>, written: Written[]): Promise<void> {
  for (const plan of plans) {
    const above = written.findLast(({ post, isInThread }) => post === plan.post && !isInThread);
    const under = plan.isInThread && above ? above.id : plan.post.platformId;
    written.push({ ...plan, id: await control.comment(plan.post.platform, under, plan.text, plan.author) });
    await sleep(WRITE_WITHIN_MS / plans.length);
  }
}

async function changeNotifications(run: Run): Promise<void> {
  const since = Date.now();
  for (const { afterMs, settings } of NOTIFICATIONS) {
    await sleep(Math.max(0, since + afterMs - Date.now()));
    if (run.scope.isEnding) return;
    await run.world.control.settings(settings);
    note(run, `notifications: ${JSON.stringify(settings)}`);
  }
}

/** Reconnects the accounts that only the account owner can reconnect, until the part ends. */
async function keepConnected(run: Run, known: readonly KnownPlatform[]): Promise<void> {
  while (!run.scope.isEnding) {
    await sleep(RECONNECT_EVERY_MS);
    // The service cannot be reached while it is killed.
    const broken = await brokenPlatforms(run.world).catch(() => new Set<string>());
    for (const one of known.filter(({ name }) => broken.has(name))) {
      note(run, `${one.name} is connected again`);
      for (let at = 0; at < ACCOUNTS_EACH; at++) await connectAs(run.world, [one], at).catch(() => {});
    }
  }
}

async function brokenPlatforms({ api }: World): Promise<ReadonlySet<string>> {
  // Advertising needs a separate login on some platforms, which this run does not use.
  const isBroken = ({ capabilities }: Channel) =>
    capabilities.some(({ name, health }) => name !== "ads" && health === "reconnect_needed");
  return new Set((await api.listChannels()).filter(isBroken).map(({ channel_type: type }) => type));
}

/** The comments without an entry, or with a pending one, in the log of a bot that covers them. */
async function findOpen(world: World, bots: readonly MadeBot[], written: readonly Written[]) {
  const logs = await readLogs(world, bots, written);
  return bots.flatMap((bot) => {
    const ended = (logs.get(bot.id) ?? []).filter(({ outcome }) => outcome !== "waiting");
    const known = new Set(ended.map(({ comment }) => comment.id));
    const own = written.filter(({ post, isInThread }) => !isInThread && bot.posts.has(post.id));
    return own.flatMap(({ id, text }) => (known.has(id) ? [] : [`${bot.name}: ${text}`]));
  });
}

async function readLogs({ api }: World, bots: readonly MadeBot[], written: readonly Written[]) {
  const logs = new Map<number, Awaited<ReturnType<typeof api.listReplies>>>();
  // Sequential, to stay within a token's rate limit.
  for (const { id } of bots) logs.set(id, asRecorded(await api.listReplies(id), written));
  return logs;
}
