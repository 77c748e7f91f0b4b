import { setTimeout as sleep } from "node:timers/promises";
import { verifyToken, webhookPath } from "../../src/channels/webhook-address.ts";
import { platforms } from "../../src/platforms/registry.ts";
import { seededRandom } from "../../test/support/random.ts";
import { type Channel, createSurely } from "./api.ts";
import { Refusal, type Scope } from "./command.ts";
import { asRecorded, type MadeBot, type Written } from "./comment-outcome.ts";
import { commentFaults, type LivePlan, modelFaults, planBots, planComments } from "./comment-plan.ts";
import { reportComments } from "./comment-report.ts";
import { type KnownPlatform, knownPlatforms } from "./kinds.ts";
import { inTurn, planPosts } from "./soak-plan.ts";
import { bold, dim, elapsed, say } from "./terminal.ts";
import { fireOften, killOften, type Spell, shuffled, spoilCalls } from "./trouble.ts";
import { bootWorld, connectAccounts, type Realism, type World } from "./world.ts";

/**
 * The second part of `npm run soak`: bots answer comments on posts of all platforms. Meanwhile the service is
 * killed, the platforms return faults, and webhooks are repeated or lost.
 */

const POSTS = 20;
const ACCOUNTS_EACH = 2;
const KILLS = 10;
const KILLS_UNTIL_MS = 150_000;
const SPOIL_WITHIN_MS = 140_000;
const WRITE_WITHIN_MS = 150_000;
const PUBLISH_MS = 120_000;
/** The time limit from the first comment. */
const END_MS = 480_000;
/** Waits for possible duplicates after everything has completed. */
const CALM_MS = 20_000;
const PERSON_EVERY_MS = 6_000;
const LOOK_EVERY_MS = 8_000;
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

interface Run extends Spell {
  readonly endsAt: number;
}

/** Returns the exit code. */
export async function soakComments(scope: Scope, seed: number, count: number, realism: Realism): Promise<number> {
  const random = seededRandom(seed);
  const begunAt = Date.now();
  say(`${bold("Belfry soak")}: ${count} comments on ${POSTS} posts, ${KILLS} kills, seed ${seed}`);
  const world = await bootWorld(scope, { variables: VARIABLES, realism });
  const known = knownPlatforms().filter(({ name }) => platforms[name]?.comments?.reading);
  for (const { facts } of known) await world.control.settings({ ...facts.roomy, ...facts.busy, ...facts.prompt });
  await world.control.settings({ slow_ms: SLOW_MS });
  await configureDashboards(world, known);
  for (let at = 0; at < ACCOUNTS_EACH; at++) await connectAs(world, known, at);
  const channels = await world.api.listChannels();
  const posts = await publish(world, known, channels, seed);
  const bots: MadeBot[] = [];
  for (const plan of planBots(posts, channels, seed)) {
    const { id } = await world.api.createAutomation(plan.body);
    bots.push({ ...plan, id });
  }
  const faults = shuffled([...known.flatMap(commentFaults), ...modelFaults()], random);
  say(dim(`${elapsed(begunAt)}  ${posts.length} posts, ${bots.length} bots; ${faults.length} kinds of trouble`));

  const since = Date.now();
  const run: Run = { since, endsAt: since + END_MS, isOver: false };
  scope.defer(() => {
    run.isOver = true;
  });
  const background = Promise.all([fireOften(world, run), mendConnections(world, run, known)]);
  const written: Written[] = [];
  const [kills] = await Promise.all([
    killOften(world, run, random, { most: KILLS, untilMs: KILLS_UNTIL_MS }),
    write(world, planComments(count, posts, random), written),
    spoilCalls(world, run, faults, SPOIL_WITHIN_MS),
    notifyOtherwise(world, run),
  ]);
  say(dim(`${elapsed(since)}  ${kills} kills; waiting until every comment has its answer …`));
  await settle(world, run, bots, written);
  await sleep(CALM_MS);
  run.isOver = true;
  await background;
  const logs = await readLogs(world, bots, written);
  return reportComments(world, { bots, written, logs, kills, faults, seed, since: begunAt });
}

/** Sets the webhook URLs that app owners set manually, on platforms without a subscription API. */
async function configureDashboards(
  { control, service, secrets }: World,
  known: readonly KnownPlatform[],
): Promise<void> {
  for (const { name: platform } of known) {
    if (!platforms[platform]?.webhooks) continue;
    const verify_token = await verifyToken(secrets.SIGNING_KEY, platform, true);
    const body = { platform, callback_url: `${service.origin}${webhookPath(platform, true)}`, verify_token };
    // The service subscribes at other platforms through their API.
    await control.control("POST", "webhooks", body).catch(() => {});
  }
}

/** Connects each platform's account at this position, with all permissions. */
async function connectAs({ api, control }: World, known: readonly KnownPlatform[], at: number): Promise<void> {
  const offered = await Promise.all(known.map(({ name }) => control.accounts(name)));
  const accounts = offered.flatMap((ids) => ids.slice(at, at + 1));
  await connectAccounts(api, { platforms: known.flatMap(({ logins }) => logins), accounts });
}

async function publish(
  world: World,
  known: readonly KnownPlatform[],
  channels: readonly Channel[],
  seed: number,
): Promise<LivePlan[]> {
  const commentable = known.map((one) => ({ ...one, kinds: plainKinds(one) }));
  const run: Spell = { since: Date.now(), isOver: false };
  const cron = fireOften(world, run);
  const plans = planPosts(POSTS, commentable, channels, world.control.media, seed);
  const ids = [];
  for (const plan of plans) ids.push(await createSurely(world.api, plan.body, plan.key, () => false));
  const live: LivePlan[] = [];
  for (const [at, id] of ids.entries()) {
    const { items, body } = inTurn(plans, at);
    await untilPublished(world, run, id);
    const shown = await world.control.postsWith(items[0]?.text ?? "");
    const platform = inTurn(known, at).name;
    const [post] = shown.filter((one) => one.platform === platform);
    if (!post) throw new Refusal(`The post for ${platform} is not to be seen.`);
    live.push({ id, platform, channelId: body.channel_id, platformId: post.id });
  }
  run.isOver = true;
  await cron;
  return live;
}

/** The simplest kinds that allow comments. */
function plainKinds({ name, kinds }: KnownPlatform): KnownPlatform["kinds"] {
  const types = platforms[name]?.comments?.types ?? [];
  const kind = kinds.find((one) => types.includes(one.postType) && !one.isSilent && one.items.length === 1);
  if (!kind) throw new Error(`Nothing of ${name} can be commented on.`);
  return [kind];
}

async function untilPublished({ api }: World, { since }: Spell, id: number): Promise<void> {
  for (;;) {
    const { STATUS: status, error } = await api.findPost(id);
    if (status === "published") return;
    if (status === "failed" || Date.now() > since + PUBLISH_MS) throw new Refusal(`Post ${id} is ${status}: ${error}`);
    await sleep(1000);
  }
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

async function notifyOtherwise({ control }: World, run: Spell): Promise<void> {
  for (const { afterMs, settings } of NOTIFICATIONS) {
    await sleep(Math.max(0, run.since + afterMs - Date.now()));
    if (run.isOver) return;
    await control.settings(settings);
    say(dim(`${elapsed(run.since)}  notifications: ${JSON.stringify(settings)}`));
  }
}

/** Reconnects the accounts that only the account owner can reconnect. */
async function mendConnections(world: World, run: Spell, known: readonly KnownPlatform[]): Promise<void> {
  while (!run.isOver) {
    await sleep(PERSON_EVERY_MS);
    // The service cannot be reached while it is killed.
    const broken = await brokenPlatforms(world).catch(() => new Set<string>());
    for (const one of known.filter(({ name }) => broken.has(name))) {
      say(dim(`${elapsed(run.since)}  ${one.name} is connected again`));
      for (let at = 0; at < ACCOUNTS_EACH; at++) await connectAs(world, [one], at).catch(() => {});
    }
  }
}

async function brokenPlatforms({ api }: World): Promise<ReadonlySet<string>> {
  // Advertising needs a separate login on some platforms, which this run does not use.
  const isBroken = ({ capabilities }: Channel) =>
    capabilities.some(({ name, health }) => name !== "ads" && health === "reconnect_needed");
  return new Set((await api.listChannels()).filter(isBroken).map(({ channel_type: type }) => type));
}

/** Waits until each bot's log has an entry for each comment and nothing is pending. */
async function settle(world: World, run: Run, bots: readonly MadeBot[], written: readonly Written[]): Promise<void> {
  const heard = written.filter(({ isInThread }) => !isInThread);
  while (Date.now() < run.endsAt) {
    await sleep(LOOK_EVERY_MS);
    const logs = await readLogs(world, bots, written).catch(() => null);
    if (logs === null) continue;
    const open = bots.flatMap((bot) => {
      const ended = (logs.get(bot.id) ?? []).filter(({ outcome }) => outcome !== "waiting");
      const known = new Set(ended.map(({ comment }) => comment.id));
      return heard.filter(({ id, post }) => bot.posts.has(post.id) && !known.has(id));
    });
    say(dim(`${elapsed(run.since)}  ${open.length} open`));
    if (open.length === 0) return;
  }
}

async function readLogs({ api }: World, bots: readonly MadeBot[], written: readonly Written[]) {
  const logs = new Map<number, Awaited<ReturnType<typeof api.listReplies>>>();
  // Sequential, to stay within a token's rate limit.
  for (const { id } of bots) logs.set(id, asRecorded(await api.listReplies(id), written));
  return logs;
}
