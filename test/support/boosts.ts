import { env } from "cloudflare:workers";
import { expect } from "vitest";
import { z } from "zod";
import type { PlatformName } from "../../src/platforms/names.ts";
import { crossed, drawn } from "../contract/sample.ts";
import { settings } from "../contract/world.ts";
import { advance } from "./clock.ts";
import { cron, queuesIdle } from "./queue.ts";
import { sandbox } from "./sandbox.ts";
import { MINUTE, SECOND } from "./times.ts";
import { sample, uploaded } from "./uploads.ts";
import { type ChannelRef, call, createPost, findPost, type Project, projectWith } from "./world.ts";

/** Boost campaigns as a client sees them, and as the simulated platforms have them. */

export const BOOSTABLE = ["facebook", "instagram", "tiktok"] as const;
export type Boostable = (typeof BOOSTABLE)[number];

/** One of Meta's, which share an adapter, or TikTok: both of them in CI, and all in a whole run. */
export const boostableFor = (label: string): readonly Boostable[] => {
  const ofMeta = drawn<Boostable>(`boosts: ${label}`, ["facebook", "instagram"], 1);
  return crossed(`boosts: ${label}, adapter`, [...ofMeta, "tiktok"], 1);
};

export interface Home {
  readonly platform: Boostable;
  readonly project: Project;
  readonly channel: ChannelRef;
  readonly postId: number;
  readonly account: AdAccount;
}

const AdAccount = z.strictObject({
  id: z.string(),
  name: z.string(),
  currency: z.string(),
  time_zone: z.string().nullable(),
  usable: z.boolean(),
  reason: z.string().nullable(),
});
export type AdAccount = z.output<typeof AdAccount>;

/** A project with a channel that may advertise, and a live post that can be boosted. */
export async function boostHome(platform: Boostable, caption: string = crypto.randomUUID()): Promise<Home> {
  // As fast as in life: the tests' clock does the rest.
  await settings({ ads_speed: 1, tiktok_ads_speed: 1 });
  const { project, channel } = await projectWith(
    platform,
    undefined,
    platform === "tiktok" ? { further: ["ads"] } : {},
  );
  const postId = await publishBoostable({ platform, project, channel }, caption);
  const account = (await adAccounts(project, channel)).find(({ usable, currency }) => usable && currency !== "JPY");
  if (!account) throw new Error(`There is no usable ad account for ${platform}.`);
  return { platform, project, channel, postId, account };
}

/** A live post that can be boosted. */
export async function publishBoostable(
  { platform, project, channel }: Pick<Home, "platform" | "project" | "channel">,
  caption: string,
): Promise<number> {
  const media = { facebook: "square.jpg", instagram: "square.jpg", tiktok: "reel.mp4" }[platform];
  const id = await createPost(project, channel, {
    post_type: platform === "tiktok" ? "reel" : "post",
    caption_text: caption,
    media_urls: [(await uploaded(project, await sample(media))).url],
  });
  await queuesIdle();
  expect(await findPost(project, id)).toMatchObject({ STATUS: "published" });
  return id;
}

export async function adAccounts(project: Project, { channel_id }: ChannelRef): Promise<AdAccount[]> {
  const answer = await project.call("GET", `/boost-campaigns/get-ad-accounts?channel_id=${channel_id}`);
  expect(answer).toMatchObject({ status: 200 });
  return z.strictObject({ ad_accounts: z.array(AdAccount), status: z.literal(true) }).parse(answer.body).ad_accounts;
}

export const wanted = ({ postId, account }: Home, more: Record<string, unknown> = {}) => ({
  social_post_id: postId,
  duration_type: "lifetime_budget",
  budget: 210,
  duration: 7,
  ad_account_id: account.id,
  countries: ["DE"],
  ...more,
});

export async function boost(home: Home, more: Record<string, unknown> = {}): Promise<number> {
  const answer = await home.project.call("POST", "/boost-campaigns/create-campaign", { body: wanted(home, more) });
  if (answer.status !== 200) throw new Error(`create-campaign: ${answer.status} ${JSON.stringify(answer.body)}`);
  const shape = z.strictObject({
    campaigns: z.strictObject({ id: z.int(), social_post_id: z.int(), name: z.string() }),
    message: z.string(),
    warnings: z.array(z.string()).optional(),
  });
  return shape.parse(answer.body).campaigns.id;
}

const Campaign = z.looseObject({
  id: z.int(),
  status: z.string(),
  reason: z.string().nullable(),
  error_code: z.string().nullable(),
  budget: z.number(),
  duration: z.int(),
  reach: z.int(),
  impressions: z.int(),
  spend: z.number(),
  countries: z.array(z.string()),
  campaign_objective: z.string(),
  events: z.array(z.looseObject({ type: z.string(), message: z.string() })),
});

export async function campaignOf({ project }: Home, id: number) {
  const answer = await project.call("GET", `/boost-campaigns/get-campaign/${id}`);
  expect(answer).toMatchObject({ status: 200 });
  return z.object({ campaign: Campaign }).parse(answer.body).campaign;
}

export const updateCampaign = ({ project }: Home, id: number, body: unknown) =>
  project.call("PUT", `/boost-campaigns/update-campaign/${id}`, { body });

/** A campaign that the platform delivers. */
export async function activeCampaign(home: Home, more: Record<string, unknown>): Promise<number> {
  const id = await boost(home, more);
  await queuesIdle(30 * SECOND);
  await pass(20 * MINUTE, 5 * MINUTE);
  expect(await campaignOf(home, id)).toMatchObject({ status: "active" });
  return id;
}

const Ad = z.looseObject({
  platform: z.string(),
  id: z.string(),
  kind: z.string(),
  name: z.string(),
  status: z.string(),
  effective_status: z.string(),
  budget_minor: z.number().nullable(),
});

/** What is at the platform of campaigns whose names have this in them; deleted ones are not shown. */
export async function adsOf(platform: PlatformName, kind?: string, name = "") {
  const ads = z.array(Ad).parse(await sandbox.control("GET", `ads?platform=${platform}`));
  return ads.filter((ad) => (kind === undefined || ad.kind === kind) && ad.name.includes(name));
}

/** Sets what the campaigns of its project may cost, and reads what they come to. */
export function ceiling({ project, account }: Home, most?: number) {
  const body = { project: project.name, currency: account.currency, most };
  return call("POST", "/internal/ceilings", { headers: { "X-Operator-Key": env.OPERATOR_KEY }, body });
}

/** What the campaigns of its project may come to, in whole units. */
export async function committed(home: Home): Promise<number> {
  const answer = await ceiling(home);
  const read = z.looseObject({ committed: z.string() }).parse(answer.body);
  return Number(read.committed.replaceAll(",", "").split(" ")[0]);
}

const Book = z.looseObject({
  kind: z.string(),
  name: z.string(),
  status: z.string(),
  spend_minor: z.number(),
  budget_minor: z.number().nullable(),
});

/**
 * What the platform has spent on campaigns of a name, deleted ones too, and what it may still spend, in minor
 * units.
 */
export async function books(home: Home, name: string) {
  const all = z.array(Book).parse(await sandbox.control("GET", `ads?platform=${home.platform}&deleted=true`));
  const own = all.filter((one) => one.name.includes(name));
  const spent = own.filter(({ kind }) => kind === "campaign").reduce((sum, one) => sum + one.spend_minor, 0);
  const holders = own.filter(({ budget_minor, status }) => budget_minor !== null && !/DELETED/.test(status));
  return { spent, left: holders.reduce((sum, one) => sum + Math.max(0, (one.budget_minor ?? 0) - one.spend_minor), 0) };
}

/** Lets a time go by in steps, with a sweep in each. */
export async function pass(ms: number, step: number): Promise<void> {
  for (let left = ms; left > 0; left -= step) {
    await advance(Math.min(step, left));
    await cron();
    await queuesIdle(1_000);
  }
}
