import { setTimeout as sleep } from "node:timers/promises";
import { type Random, seededRandom, whole } from "../../test/support/random.ts";
import type { Boost } from "./api.ts";
import { adsOf, type Campaign, moneyWrongs, objectsOf, wrongsOf } from "./boost-books.ts";
import { completeAll, reconnectAll, reconnectOne } from "./boost-ends.ts";
import { deletePost, disconnect, type Home, settleIn, surely } from "./boost-homes.ts";
import { adsFaults, connectorOf, endLogins, PLATFORMS, spoil } from "./boost-trouble.ts";
import { Refusal, type Scope } from "./command.ts";
import { inTurn } from "./soak-plan.ts";
import { bold, dim, elapsed, green, red, say, table } from "./terminal.ts";
import { fireOften, killOften, type Spell, shuffled } from "./trouble.ts";
import { bootWorld, type Realism, type World } from "./world.ts";

/**
 * The fourth part of `npm run soak`: posts are boosted, campaigns changed and deleted, while the service is
 * killed and the platforms misbehave: calls fail or lose their answers, ad accounts are throttled for ten
 * hours, logins end and are connected again. Then:
 * - there are never two campaigns at a platform for one of ours, and what is shown as failed or deleted has
 *   nothing left there;
 * - after that it spends nothing: its books are the same a while later;
 * - what we report as spent is what the platform's books say;
 * - what is shown as failed has a reason other than that its objects were deleted: nothing but we deletes
 *   there;
 * - a post that is deleted takes its campaigns along, those too that are accepted meanwhile; a channel stays
 *   while one of its is open;
 * - what the platform has ended is shown as completed, with what the books say to the cent;
 * - a channel that is disconnected while its login is over has its deleted campaigns ended when it is
 *   connected again;
 * - a deletion, also one of its post, reaches the platform within a minute, once the calls are no longer
 *   spoilt and the login works.
 */

const KILLS = 8;
const KILLS_UNTIL_MS = 90_000;
const WORK_WITHIN_MS = 90_000;
/** As the platforms report it; the service scales the wait by its pace factor. */
const THROTTLED_MS = 10 * 3_600_000;
/** Ten hours are two minutes of a small run; a large one would read its campaigns too often at that pace. */
const paceFor = (count: number) => (count > 150 ? 100 : count > 50 ? 200 : 300);
/** After the throttles, at a pace at which ten campaigns are read in a second, which two cores can do. */
const endingPaceFor = (count: number) => Math.min(paceFor(count), Math.ceil(6_000 / count));
/** The time limit from the first campaign, without the throttles. */
const END_MS = 300_000;
/** Additional time per campaign. */
const EACH_MS = 1_000;
const LOOK_EVERY_MS = 5_000;
/** The limit for a deletion, plus the lease of a killed delivery. */
const REACHED_WITHIN_MS = 60_000 + 35_000;
/** Open campaigns that a progress line names. */
const NAMED = 5;
const variablesFor = (count: number) => ({
  JOB_LEASE_SECONDS: "35",
  LIST_LAG_SECONDS: "6",
  PACE_FACTOR: String(paceFor(count)),
  TASK_CLAIM_SECONDS: "60",
  MAX_SPEND: "*=1000000",
});
/** Real-time speed, so that nothing ends by itself during the run. */
const SETTINGS = {
  ads_speed: 1,
  tiktok_ads_speed: 1,
  ads_review_ms: 4_000,
  tiktok_ads_review_ms: 4_000,
  slow_ms: 4_000,
  rate_limit_reset_ms: THROTTLED_MS,
};

/** Returns the exit code. */
export async function soakBoosts(scope: Scope, seed: number, count: number, realism: Realism): Promise<number> {
  const random = seededRandom(seed);
  say(`${bold("Belfry soak")}: ${count} boosts, ${KILLS} kills, seed ${seed}`);
  const world = await bootWorld(scope, { variables: variablesFor(count), realism });
  await world.control.settings(SETTINGS);
  const connect = await connectorOf(world);
  const homes = await settleIn(world, connect);
  const faults = shuffled(adsFaults(), random);
  const run: Spell = { since: Date.now(), isOver: false };
  scope.defer(() => {
    run.isOver = true;
  });
  const cron = fireOften(world, run);
  const [campaigns, kills, { met, reachableAt }] = await Promise.all([
    work(world, run, homes, count, random),
    killOften(world, run, random, { most: KILLS, untilMs: KILLS_UNTIL_MS }),
    spoil(world, run, faults, () => endLogins(world, run, connect, random)),
  ]);
  say(dim(`${elapsed(run.since)}  ${kills} kills; waiting until each campaign has come to rest …`));
  const throttleMs = THROTTLED_MS / paceFor(count);
  const late = await settle(world, run, campaigns, { reachableAt, throttleMs });
  await world.service.kill();
  await world.restartService({ PACE_FACTOR: String(endingPaceFor(count)) });
  const ending = { world, run, campaigns, connect, random };
  const unended = [
    ...(await reconnectOne(ending, inTurn(homes, seed))),
    ...(await completeAll(ending)),
    ...(await reconnectAll(ending, homes)),
  ];
  run.isOver = true;
  await cron;
  const spoilt = `${met} of ${faults.length}`;
  return report(world, { campaigns, spoilt, kills, seed, since: run.since, late: [...late, ...unended] });
}

/** Creates campaigns; changes some, deletes others, and deletes the posts of others, at random times. */
async function work(
  world: World,
  run: Spell,
  homes: readonly Home[],
  count: number,
  random: Random,
): Promise<Campaign[]> {
  const campaigns: Campaign[] = [];
  const later: Promise<void>[] = homes.flatMap((home) => [
    ...home.posts
      .slice(1)
      .map((post) => deletePost(world, run, post, random.between(WORK_WITHIN_MS / 3, WORK_WITHIN_MS))),
    disconnect(world, home, random.between(WORK_WITHIN_MS / 2, WORK_WITHIN_MS)),
  ]);
  for (let index = 0; index < count; index++) {
    const { platform, accountId, posts } = inTurn(homes, index);
    // Shifted by one each round, so that every platform gets all fates.
    const round = Math.floor(index / homes.length);
    const fate = (index + 2 * round) % 4;
    const [lasting, ...doomed] = posts;
    const post = fate === 3 && doomed.length > 0 ? inTurn(doomed, Math.floor(round / 4)) : lasting;
    if (!post) throw new Refusal(`${platform} has no post.`);
    const name = `soak${index}x${seedWord(random)}`;
    const body = {
      social_post_id: post.id,
      name,
      duration_type: "lifetime_budget",
      budget: 700,
      duration: 7,
      ad_account_id: accountId,
      countries: ["DE"],
    };
    const id = await surely(() => world.api.createCampaign(body, name));
    if (id !== null) {
      const campaign: Campaign = {
        id,
        platform,
        name,
        deletedAt: post.deletedAt,
        goesWithPost: post.deletedAt !== null,
      };
      campaigns.push(campaign);
      post.campaigns.push(campaign);
      later.push(meddle(world, campaign, fate, random.between(0, 20_000)));
    }
    await sleep(Math.max(0, run.since + (WORK_WITHIN_MS / count) * (index + 1) - Date.now()));
  }
  await Promise.all(later);
  return campaigns;
}

/** Only letters and digits, because TikTok names take no dots. */
const seedWord = (random: Random) => whole(random, 100_000, 999_999).toString(36);

/** Fate of a campaign: unchanged (0), changed (1), deleted (2), or its post is deleted (3). */
async function meddle({ api }: World, campaign: Campaign, fate: number, afterMs: number): Promise<void> {
  if (fate === 0 || fate === 3) return;
  await sleep(afterMs);
  if (fate === 1) {
    if (campaign.id % 2 === 0) await surely(() => api.updateCampaign(campaign.id, { budget: 840 }));
    else {
      // The change replaces the platform's objects, and reverting it replaces them again.
      await surely(() => api.updateCampaign(campaign.id, { campaign_objective: "awareness" }));
      await sleep(afterMs / 4);
      await surely(() => api.updateCampaign(campaign.id, { campaign_objective: "engagement" }));
    }
    return;
  }
  await surely(() => api.deleteCampaign(campaign.id));
  campaign.deletedAt = Date.now();
  campaign.goesWithPost = false;
}

const RESTING = ["in_review", "active", "paused", "rejected", "completed", "failed"];

/** Waits until all campaigns are settled; returns the late deletions. */
async function settle(
  world: World,
  run: Spell,
  campaigns: readonly Campaign[],
  { reachableAt, throttleMs }: { readonly reachableAt: number; readonly throttleMs: number },
): Promise<readonly string[]> {
  const late = new Set<string>();
  while (Date.now() < run.since + END_MS + 2 * throttleMs + campaigns.length * EACH_MS) {
    await sleep(LOOK_EVERY_MS);
    const [ours, theirs] = await Promise.all([
      world.api.listCampaigns().catch(() => null),
      adsOf(world).catch(() => null),
    ]);
    if (ours === null || theirs === null) continue;
    const open = campaigns.filter(
      (one) => wrongsOf(one, ours.get(one.id), theirs).length > 0 || isUnsettled(one, ours),
    );
    const named = open.length > NAMED ? [] : open.map(({ id, name }) => `${name} (${ours.get(id)?.status})`);
    say(dim(`${elapsed(run.since)}  ${open.length} open ${named.join(", ")}`));
    for (const one of campaigns) {
      const { left, running } = objectsOf(one, theirs);
      if (one.deletedAt === null || left.length === 0) continue;
      const sinceMs = Date.now() - Math.max(one.deletedAt, reachableAt);
      // A campaign that was never active costs nothing, so its deletion may wait until the throttle ends.
      if (sinceMs > REACHED_WITHIN_MS + (running.length === 0 ? throttleMs : 0))
        late.add(`${one.name}: its deletion did not reach the platform within a minute`);
    }
    if (open.length === 0) break;
  }
  return [...late];
}

const isUnsettled = ({ id, deletedAt }: Campaign, ours: ReadonlyMap<number, Boost>) =>
  deletedAt === null && !RESTING.includes(ours.get(id)?.status ?? "");

interface Outcome {
  readonly campaigns: readonly Campaign[];
  /** The number of affected calls. */
  readonly spoilt: string;
  readonly kills: number;
  readonly seed: number;
  readonly since: number;
  /** Late deletions and ends. */
  readonly late: readonly string[];
}

async function report(world: World, { campaigns, spoilt, kills, seed, since, late }: Outcome): Promise<number> {
  const [ours, theirs] = await Promise.all([world.api.listCampaigns(), adsOf(world)]);
  await sleep(LOOK_EVERY_MS);
  const books = { before: theirs, after: await adsOf(world) };
  const wrongs = [
    ...campaigns.flatMap((one) => wrongsOf(one, ours.get(one.id), theirs)),
    ...moneyWrongs(campaigns, ours, books),
    ...late,
  ];
  const rows = PLATFORMS.map((platform) => {
    const own = campaigns.filter((one) => one.platform === platform);
    const count = (status: string) => own.filter(({ id }) => ours.get(id)?.status === status).length;
    const reasons = own.flatMap(({ id }) =>
      ours.get(id)?.status === "failed" ? [ours.get(id)?.error_code ?? ""] : [],
    );
    const shown = ["in_review", "active", "paused", "completed", "failed"].map(count);
    return [
      platform,
      own.length,
      ...shown,
      own.filter(({ deletedAt }) => deletedAt !== null).length,
      reasons.join(", "),
    ];
  });
  const header = ["PLATFORM", "CAMPAIGNS", "IN REVIEW", "ACTIVE", "PAUSED", "COMPLETED", "FAILED", "DELETED", "WHY"];
  say(`\n${table(header, rows, [1, 2, 3, 4, 5, 6, 7])}\n`);
  for (const { id, name } of campaigns) {
    const { status, reason } = ours.get(id) ?? {};
    if (status === "failed") say(dim(`  ${name}: ${reason}`));
  }
  say(dim(`  ${spoilt} spoilt calls were met.`));
  for (const wrong of wrongs) say(`  ${red(wrong)}`);
  const verdict =
    wrongs.length === 0 ? green("The promise holds") : red(`The promise is broken ${wrongs.length} times`);
  say(`\n${verdict}: ${kills} kills, seed ${seed}, ${elapsed(since).trim()}.`);
  return wrongs.length === 0 ? 0 : 1;
}
