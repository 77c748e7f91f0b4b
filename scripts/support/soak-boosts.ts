import { setTimeout as sleep } from "node:timers/promises";
import { whole } from "../../test/support/random.ts";
import { surely } from "./api.ts";
import { adsOf, type Campaign, moneyWrongs, objectsOf, wrongsOf } from "./boost-books.ts";
import { completeAll, reconnectAll, reconnectOne } from "./boost-ends.ts";
import { type Boosting, deletePost, disconnect, PLATFORMS, settleIn, unlessRefused } from "./boost-homes.ts";
import { adsFaults, disturbAds } from "./boost-trouble.ts";
import { Refusal, type Scope } from "./command.ts";
import {
  conclude,
  countEach,
  fireCronOften,
  killOften,
  type SoakOptions,
  sayWrongs,
  shuffled,
  startRun,
  untilRest,
} from "./driver.ts";
import { inTurn } from "./soak-plan.ts";
import { dim, say, table } from "./terminal.ts";

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
 * - a deletion, also one of its post, reaches the platform within a minute, once the calls no longer
 *   fail and the login works.
 */

const KILLS = { most: 8, withinMs: 90_000 };
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
const READ_EVERY_MS = 5_000;
/** The limit for a deletion, plus the lease of a killed delivery. */
const REACHED_WITHIN_MS = 60_000 + 35_000;
const variablesFor = (count: number) => ({
  JOB_LEASE_SECONDS: "35",
  LIST_LAG_SECONDS: "6",
  PACE_FACTOR: String(paceFor(count)),
  TASK_CLAIM_SECONDS: "60",
  MAX_SPEND: "*=1000000",
});
/** Real-time speed, so that nothing ends by itself during the run. */
const SETTINGS = {
  // The 60 calls of the other tier are counted in real time: at the soak's pace, status checks use them up.
  ads_access_tier: "standard_access",
  ads_speed: 1,
  tiktok_ads_speed: 1,
  ads_review_ms: 4_000,
  tiktok_ads_review_ms: 4_000,
  slow_ms: 4_000,
  rate_limit_reset_ms: THROTTLED_MS,
};

/** Returns the exit code. */
export async function soakBoosts(scope: Scope, { seed, count, realism }: SoakOptions): Promise<number> {
  const title = `soak: ${count} boosts`;
  const booted = await startRun(scope, { title, seed, variables: variablesFor(count), realism });
  const { world, random } = booted;
  await world.control.settings(SETTINGS);
  fireCronOften(booted);
  const run = await settleIn(booted);
  const faults = shuffled(adsFaults(), random);
  const endsAt = Date.now() + END_MS + count * EACH_MS;
  const [, kills, { met, reachableAt }] = await Promise.all([
    work(run, count),
    killOften(run, KILLS),
    disturbAds(run, faults),
  ]);
  const throttleMs = THROTTLED_MS / paceFor(count);
  const late = await settle(run, { reachableAt, throttleMs, endsAt });
  await world.service.kill();
  await world.restartService({ PACE_FACTOR: String(endingPaceFor(count)) });
  const unended = [
    ...(await reconnectOne(run, inTurn(run.homes, seed))),
    ...(await completeAll(run)),
    ...(await reconnectAll(run)),
  ];
  const wrongs = [...(await compareBooks(run)), ...late, ...unended];
  say(dim(`  ${met} of ${faults.length} injected faults met a call.`));
  sayWrongs(wrongs);
  return conclude(run, wrongs.length, `${kills} kills`);
}

/** Creates campaigns; changes some, deletes others, and deletes the posts of others, at random times. */
async function work(run: Boosting, count: number): Promise<void> {
  const { world, homes, random, campaigns } = run;
  const since = Date.now();
  const later: Promise<void>[] = homes.flatMap((home) => [
    ...home.posts.slice(1).map((post) => deletePost(run, post, random.between(WORK_WITHIN_MS / 3, WORK_WITHIN_MS))),
    disconnect(run, home, random.between(WORK_WITHIN_MS / 2, WORK_WITHIN_MS)),
  ]);
  for (let index = 0; index < count; index++) {
    const { platform, accountId, posts } = inTurn(homes, index);
    // Shifted by one each round, so that every platform gets all fates.
    const round = Math.floor(index / homes.length);
    const fate = (index + 2 * round) % 4;
    const [lasting, ...doomed] = posts;
    const post = fate === 3 && doomed.length > 0 ? inTurn(doomed, Math.floor(round / 4)) : lasting;
    if (!post) throw new Refusal(`${platform} has no post.`);
    // Only letters and digits, because TikTok names take no dots.
    const name = `soak${index}x${whole(random, 100_000, 999_999).toString(36)}`;
    const body = {
      social_post_id: post.id,
      name,
      duration_type: "lifetime_budget",
      budget: 700,
      duration: 7,
      ad_account_id: accountId,
      countries: ["DE"],
    };
    const id = await unlessRefused(() => world.api.createCampaign(body, name));
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
      later.push(meddle(run, campaign, fate, random.between(0, 20_000)));
    }
    await sleep(Math.max(0, since + (WORK_WITHIN_MS / count) * (index + 1) - Date.now()));
  }
  await Promise.all(later);
}

/** Fate of a campaign: unchanged (0), changed (1), deleted (2), or its post is deleted (3). */
async function meddle({ world: { api } }: Boosting, campaign: Campaign, fate: number, afterMs: number): Promise<void> {
  if (fate === 0 || fate === 3) return;
  await sleep(afterMs);
  if (fate === 1) {
    if (campaign.id % 2 === 0) await unlessRefused(() => api.updateCampaign(campaign.id, { budget: 840 }));
    else {
      // The change replaces the platform's objects, and reverting it replaces them again.
      await unlessRefused(() => api.updateCampaign(campaign.id, { campaign_objective: "awareness" }));
      await sleep(afterMs / 4);
      await unlessRefused(() => api.updateCampaign(campaign.id, { campaign_objective: "engagement" }));
    }
    return;
  }
  await unlessRefused(() => api.deleteCampaign(campaign.id));
  campaign.deletedAt = Date.now();
  campaign.goesWithPost = false;
}

const RESTING = ["in_review", "active", "paused", "rejected", "completed", "failed"];

interface Limits {
  readonly reachableAt: number;
  readonly throttleMs: number;
  readonly endsAt: number;
}

/** Waits until all campaigns are settled; returns the late deletions. */
async function settle(run: Boosting, { reachableAt, throttleMs, endsAt }: Limits): Promise<readonly string[]> {
  const { world, campaigns } = run;
  const late = new Set<string>();
  const rest = {
    until: "each campaign has reached its goal",
    everyMs: READ_EVERY_MS,
    timeoutMs: endsAt + 2 * throttleMs - Date.now(),
  };
  await untilRest(run, rest, async () => {
    const [ours, theirs] = await Promise.all([
      world.api.listCampaigns().catch(() => null),
      adsOf(world).catch(() => null),
    ]);
    if (ours === null || theirs === null) return null;
    for (const one of campaigns) {
      const { left, running } = objectsOf(one, theirs);
      if (one.deletedAt === null || left.length === 0) continue;
      const sinceMs = Date.now() - Math.max(one.deletedAt, reachableAt);
      // A campaign that was never active costs nothing, so its deletion may wait until the throttle ends.
      if (sinceMs > REACHED_WITHIN_MS + (running.length === 0 ? throttleMs : 0))
        late.add(`${one.name}: its deletion did not reach the platform within a minute`);
    }
    return campaigns.flatMap((one) => {
      const status = ours.get(one.id)?.status ?? "";
      const isSettled = one.deletedAt !== null || RESTING.includes(status);
      const isRight = wrongsOf(one, ours.get(one.id), theirs).length === 0;
      return isSettled && isRight ? [] : [`${one.name} (${status})`];
    });
  });
  return [...late];
}

/** Prints what we show of the campaigns; returns the differences from the platforms' records. */
async function compareBooks({ world, campaigns }: Boosting): Promise<readonly string[]> {
  const [ours, theirs] = await Promise.all([surely(() => world.api.listCampaigns()), adsOf(world)]);
  await sleep(READ_EVERY_MS);
  const books = { before: theirs, after: await adsOf(world) };
  const rows = PLATFORMS.map((platform) => {
    const own = campaigns.filter((one) => one.platform === platform);
    const shown = own.map(({ id }) => ours.get(id));
    const counts = ["in_review", "active", "paused", "completed", "failed"].map(
      (status) => shown.filter((one) => one?.status === status).length,
    );
    const deleted = own.filter(({ deletedAt }) => deletedAt !== null).length;
    const reasons = shown.flatMap((one) => (one?.status === "failed" ? [one.error_code ?? ""] : []));
    return [platform, own.length, ...counts, deleted, countEach(reasons)];
  });
  const header = ["PLATFORM", "CAMPAIGNS", "IN REVIEW", "ACTIVE", "PAUSED", "COMPLETED", "FAILED", "DELETED", "WHY"];
  say(`\n${table(header, rows)}\n`);
  for (const { id, name } of campaigns) {
    const { status, reason } = ours.get(id) ?? {};
    if (status === "failed") say(dim(`  ${name}: ${reason}`));
  }
  return [
    ...campaigns.flatMap((one) => wrongsOf(one, ours.get(one.id), theirs)),
    ...moneyWrongs(campaigns, ours, books),
  ];
}
