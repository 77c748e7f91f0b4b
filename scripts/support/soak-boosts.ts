import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import type { Fault } from "../../test/support/control.ts";
import { type Random, seededRandom, whole } from "../../test/support/random.ts";
import { ApiError, type Boost, createSurely, type NewPost } from "./api.ts";
import { Refusal, type Scope } from "./command.ts";
import { inTurn } from "./soak-plan.ts";
import { bold, dim, elapsed, green, red, say, table } from "./terminal.ts";
import { fireOften, killOften, type Spell, shuffled, spoilCalls } from "./trouble.ts";
import { bootWorld, connectAccounts, type Realism, type World } from "./world.ts";

/**
 * The fourth part of `npm run soak`: posts are boosted, campaigns changed and deleted, while the service is killed and the platforms
 * misbehave. Then: there are never two campaigns at a platform for one of ours, and none runs that we show as failed or deleted.
 */

const PLATFORMS = ["facebook", "instagram", "tiktok"] as const;
type Platform = (typeof PLATFORMS)[number];
const KILLS = 8;
const KILLS_UNTIL_MS = 90_000;
const WORK_WITHIN_MS = 90_000;
const SPOIL_WITHIN_MS = 95_000;
/** From the first campaign on, all told. */
const END_MS = 420_000;
const LOOK_EVERY_MS = 5_000;
const PUBLISH_MS = 60_000;
const MOST_TOLD = 20;
const VARIABLES = {
  JOB_LEASE_SECONDS: "35",
  LIST_LAG_SECONDS: "6",
  PACE_FACTOR: "100",
  TASK_CLAIM_SECONDS: "60",
  MAX_SPEND: "*=1000000",
};
/** As fast as in life, so that nothing ends by itself within the run. */
const SETTINGS = {
  ads_speed: 1,
  tiktok_ads_speed: 1,
  ads_review_ms: 4_000,
  tiktok_ads_review_ms: 4_000,
  slow_ms: 4_000,
};

interface Home {
  readonly platform: Platform;
  readonly postId: number;
  readonly accountId: string;
}

interface Campaign {
  readonly id: number;
  readonly platform: Platform;
  /** In the names of all that is made of it; letters and digits alone. */
  readonly name: string;
  isDeleted: boolean;
}

/** Answers the exit code. */
export async function soakBoosts(scope: Scope, seed: number, count: number, realism: Realism): Promise<number> {
  const random = seededRandom(seed);
  say(`${bold("Belfry soak")}: ${count} boosts, ${KILLS} kills, seed ${seed}`);
  const world = await bootWorld(scope, { variables: VARIABLES, realism });
  await world.control.settings(SETTINGS);
  const homes = await settleIn(world);
  const faults = shuffled(adsFaults(), random);
  const run: Spell = { since: Date.now(), isOver: false };
  scope.defer(() => {
    run.isOver = true;
  });
  const cron = fireOften(world, run);
  const [campaigns, kills] = await Promise.all([
    work(world, run, homes, count, random),
    killOften(world, run, random, { most: KILLS, untilMs: KILLS_UNTIL_MS }),
    spoilCalls(world, run, faults, SPOIL_WITHIN_MS),
  ]);
  say(dim(`${elapsed(run.since)}  ${kills} kills; waiting until each campaign has come to rest …`));
  await settle(world, run, campaigns);
  run.isOver = true;
  await cron;
  return report(world, { campaigns, faults, kills, seed, since: run.since });
}

function adsFaults(): readonly Fault[] {
  const operations = ["ads_campaign", "ads_set", "ads_ad", "ads_update", "ads_delete", "ads_read"];
  const kinds = ["error", "slow", "rate_limit", "accept_then_drop", "accept_then_error"];
  return PLATFORMS.flatMap((platform) =>
    operations.flatMap((operation) =>
      kinds
        .filter((kind) => operation !== "ads_read" || !kind.startsWith("accept"))
        .map((kind) => ({ platform, operation, kind, times: 1 })),
    ),
  );
}

/** A channel that may advertise on each platform, with a live post. */
async function settleIn(world: World): Promise<Home[]> {
  const { api, control } = world;
  const accounts = (await Promise.all(PLATFORMS.map((name) => control.accounts(name)))).map(([first = ""]) => first);
  await connectAccounts(api, { platforms: [...PLATFORMS, "tiktok:ads"], accounts });
  const run: Spell = { since: Date.now(), isOver: false };
  const cron = fireOften(world, run);
  const homes: Home[] = [];
  for (const platform of PLATFORMS) {
    const channel = (await api.listChannels()).find(({ channel_type: type }) => type === platform);
    if (!channel) throw new Refusal(`No channel of ${platform} was connected.`);
    const body: NewPost = {
      channel_type: platform,
      channel_id: channel.channel_id,
      post_type: platform === "tiktok" ? "reel" : "post",
      publish_mode: "now",
      caption_text: `Boosted on ${platform}`,
      media_urls: [control.media(platform === "tiktok" ? "reel.mp4" : "square.jpg")],
    };
    const postId = await createSurely(api, body, crypto.randomUUID(), () => false);
    for (;;) {
      const { STATUS: status, error } = await api.findPost(postId);
      if (status === "published") break;
      if (status === "failed" || Date.now() > run.since + PUBLISH_MS)
        throw new Refusal(`${platform}: ${status} ${error}`);
      await sleep(1000);
    }
    const account = (await api.listAdAccounts(channel.channel_id)).find(
      ({ usable, currency }) => usable && currency !== "JPY",
    );
    if (!account) throw new Refusal(`There is no usable ad account on ${platform}.`);
    homes.push({ platform, postId, accountId: account.id });
  }
  run.isOver = true;
  await cron;
  return homes;
}

/** Creates campaigns; changes a third of them, and deletes another, at any moment. */
async function work(
  world: World,
  run: Spell,
  homes: readonly Home[],
  count: number,
  random: Random,
): Promise<Campaign[]> {
  const campaigns: Campaign[] = [];
  const later: Promise<void>[] = [];
  for (let index = 0; index < count; index++) {
    const { platform, postId, accountId } = inTurn(homes, index);
    const name = `soak${index}x${seedWord(random)}`;
    const body = {
      social_post_id: postId,
      name,
      duration_type: "lifetime_budget",
      budget: 700,
      duration: 7,
      ad_account_id: accountId,
      countries: ["DE"],
    };
    const id = await surely(() => world.api.createCampaign(body, name));
    if (id !== null) {
      const campaign: Campaign = { id, platform, name, isDeleted: false };
      campaigns.push(campaign);
      // Shifted by one each round, so that every platform has all three fates.
      const fate = (index + Math.floor(index / homes.length)) % 3;
      later.push(meddle(world, campaign, fate, random.between(0, 20_000)));
    }
    await sleep(Math.max(0, run.since + (WORK_WITHIN_MS / count) * (index + 1) - Date.now()));
  }
  await Promise.all(later);
  return campaigns;
}

/** Letters and digits alone: TikTok's names take no dots, so one with a dot would not be found there. */
const seedWord = (random: Random) => whole(random, 100_000, 999_999).toString(36);

/** Leaves a campaign alone (0), changes it (1) or deletes it (2). */
async function meddle({ api }: World, campaign: Campaign, fate: number, afterMs: number): Promise<void> {
  if (fate === 0) return;
  await sleep(afterMs);
  if (fate === 1) {
    await surely(() => api.updateCampaign(campaign.id, { budget: 840 }));
    return;
  }
  await surely(() => api.deleteCampaign(campaign.id));
  campaign.isDeleted = true;
}

/** Repeated until it is answered; null where it is refused for good. */
async function surely<T>(act: () => Promise<T>): Promise<T | null> {
  for (;;) {
    try {
      return await act();
    } catch (error) {
      if (error instanceof ApiError && error.status < 500 && ![409, 429].includes(error.status)) return null;
      await sleep(500);
    }
  }
}

const RESTING = ["in_review", "active", "paused", "rejected", "completed", "failed"];

async function settle(world: World, run: Spell, campaigns: readonly Campaign[]): Promise<void> {
  while (Date.now() < run.since + END_MS) {
    await sleep(LOOK_EVERY_MS);
    const [ours, theirs] = await Promise.all([
      world.api.listCampaigns().catch(() => null),
      adsOf(world).catch(() => null),
    ]);
    if (ours === null || theirs === null) continue;
    const open = campaigns.filter(
      (one) => wrongsOf(one, ours.get(one.id), theirs).length > 0 || isUnsettled(one, ours),
    );
    say(dim(`${elapsed(run.since)}  ${open.length} open`));
    if (open.length === 0) return;
  }
}

const isUnsettled = ({ id, isDeleted }: Campaign, ours: ReadonlyMap<number, Boost>) =>
  !isDeleted && !RESTING.includes(ours.get(id)?.status ?? "");

const Ad = z.looseObject({ platform: z.string(), kind: z.string(), name: z.string(), status: z.string() });
type Ad = z.output<typeof Ad>;

async function adsOf({ control }: World): Promise<readonly Ad[]> {
  return z.array(Ad).parse(await control.control("GET", "ads"));
}

function wrongsOf(
  { platform, name, isDeleted }: Campaign,
  ours: Boost | undefined,
  theirs: readonly Ad[],
): readonly string[] {
  const there = theirs.filter((ad) => ad.platform === platform && ad.kind === "campaign" && ad.name.includes(name));
  const running = there.filter(({ status }) => !/PAUSED|DISABLE/.test(status));
  const status = ours?.status ?? (isDeleted ? "deleted" : "nowhere");
  const who = `${platform} ${name} (${status})`;
  const isOff = status === "failed" || status === "deleted";
  return [
    ...(status === "nowhere" ? [`${who} is not listed`] : []),
    ...(running.length > 1 ? [`${who} runs ${running.length} times`] : []),
    ...(isOff && running.length > 0 ? [`${who} runs at the platform`] : []),
    ...(isDeleted && ours ? [`${who} was deleted and is listed`] : []),
    ...(["in_review", "active"].includes(status) && running.length === 0
      ? [`${who} does not run at the platform`]
      : []),
    ...(status === "failed" && !ours?.reason ? [`${who} failed without a reason`] : []),
  ];
}

interface Outcome {
  readonly campaigns: readonly Campaign[];
  readonly faults: readonly Fault[];
  readonly kills: number;
  readonly seed: number;
  readonly since: number;
}

async function report(world: World, { campaigns, faults, kills, seed, since }: Outcome): Promise<number> {
  const [ours, theirs, unmet] = await Promise.all([world.api.listCampaigns(), adsOf(world), world.control.faults()]);
  const wrongs = campaigns.flatMap((one) => wrongsOf(one, ours.get(one.id), theirs));
  const rows = PLATFORMS.map((platform) => {
    const own = campaigns.filter((one) => one.platform === platform);
    const count = (status: string) => own.filter(({ id }) => ours.get(id)?.status === status).length;
    const reasons = own.flatMap(({ id }) =>
      ours.get(id)?.status === "failed" ? [ours.get(id)?.error_code ?? ""] : [],
    );
    const running = [count("in_review"), count("active"), count("paused")];
    return [
      platform,
      own.length,
      ...running,
      count("failed"),
      own.filter(({ isDeleted }) => isDeleted).length,
      reasons.join(", "),
    ];
  });
  const header = ["PLATFORM", "CAMPAIGNS", "IN REVIEW", "ACTIVE", "PAUSED", "FAILED", "DELETED", "WHY"];
  say(`\n${table(header, rows, [1, 2, 3, 4, 5, 6])}\n`);
  const left = unmet.reduce((sum, { times }) => sum + times, 0);
  say(dim(`  ${faults.length - left} of ${faults.length} spoilt calls were met.`));
  for (const wrong of wrongs.slice(0, MOST_TOLD)) say(`  ${red(wrong)}`);
  const verdict =
    wrongs.length === 0 ? green("The promise holds") : red(`The promise is broken ${wrongs.length} times`);
  say(`\n${verdict}: ${kills} kills, ${faults.length} faults, seed ${seed}, ${elapsed(since).trim()}.`);
  return wrongs.length === 0 ? 0 : 1;
}
