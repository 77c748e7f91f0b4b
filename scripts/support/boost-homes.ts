import { setTimeout as sleep } from "node:timers/promises";
import { ApiError, createSurely, isTemporary, type NewPost, surely } from "./api.ts";
import type { Campaign } from "./boost-books.ts";
import { Refusal } from "./command.ts";
import { note, type Run, untilPublished } from "./driver.ts";
import { connectAll } from "./world.ts";

/** The channels and posts that the soak of boosts advertises, and what happens to the posts. */

export const PLATFORMS = ["facebook", "instagram", "tiktok"] as const;
type Platform = (typeof PLATFORMS)[number];

export interface Boosting extends Run {
  /** Connects the first account of each platform; can be called again. */
  readonly connect: () => Promise<unknown>;
  readonly homes: readonly Home[];
  readonly campaigns: Campaign[];
}

export interface Home {
  readonly platform: Platform;
  readonly channelId: number;
  readonly accountId: string;
  /** The first post is never deleted. */
  readonly posts: readonly Live[];
}

/** A post, and its deletion time. */
interface Live {
  readonly id: number;
  readonly campaigns: Campaign[];
  deletedAt: number | null;
}

/** The number of posts per platform that are deleted during the run. */
const DOOMED = 2;

/** A channel on each platform that may advertise, with live posts. */
export async function settleIn(run: Run): Promise<Boosting> {
  const { api, control } = run.world;
  const connect = () => connectAll(run.world, [...PLATFORMS, "tiktok:ads"], 1);
  await connect();
  const homes: Home[] = [];
  for (const platform of PLATFORMS) {
    const channel = (await api.listChannels()).find(({ channel_type: type }) => type === platform);
    if (!channel) throw new Refusal(`No channel of ${platform} was connected.`);
    const posts: Live[] = [];
    for (let index = 0; index <= DOOMED; index++) {
      const body: NewPost = {
        channel_type: platform,
        channel_id: channel.channel_id,
        post_type: platform === "tiktok" ? "reel" : "post",
        publish_mode: "now",
        caption_text: `Boosted on ${platform} (${index})`,
        media_urls: [control.media(platform === "tiktok" ? "reel.mp4" : "square.jpg")],
      };
      const id = await createSurely(api, body, crypto.randomUUID());
      await untilPublished(api, id);
      posts.push({ id, campaigns: [], deletedAt: null });
    }
    const account = (await api.listAdAccounts(channel.channel_id)).find(
      ({ usable, currency }) => usable && currency !== "JPY",
    );
    if (!account) throw new Refusal(`There is no usable ad account on ${platform}.`);
    homes.push({ platform, channelId: channel.channel_id, accountId: account.id, posts });
  }
  return { ...run, connect, homes, campaigns: [] };
}

/** Deletes a post, with its current and future campaigns, at a time derived from the seed. */
export async function deletePost(run: Boosting, post: Live, afterMs: number): Promise<void> {
  await sleep(afterMs);
  await unlessRefused(() => run.world.api.deletePost(post.id));
  const at = Date.now();
  post.deletedAt = at;
  for (const campaign of post.campaigns) {
    if (campaign.deletedAt !== null) continue;
    campaign.deletedAt = at;
    campaign.goesWithPost = true;
  }
  note(run, `a post is deleted, with ${post.campaigns.length} campaigns`);
}

/** Tries to disconnect a channel whose campaigns may spend; the service must refuse. */
export async function disconnect(
  { world }: Boosting,
  { channelId, platform, posts }: Home,
  afterMs: number,
): Promise<void> {
  await sleep(afterMs);
  if (!posts.some(({ campaigns }) => campaigns.some(({ deletedAt }) => deletedAt === null))) return;
  if ((await unlessRefused(() => world.api.deleteChannel(channelId))) === null) return;
  throw new Refusal(`${platform}: the channel was disconnected while its campaigns may spend.`);
}

/** Repeats temporary errors, also an expired login, which is reconnected; null for a permanent error. */
export function unlessRefused<T>(act: () => Promise<T>): Promise<T | null> {
  const mayPass = (error: unknown) =>
    isTemporary(error) || (error instanceof ApiError && error.code === "reconnect_needed");
  return surely(act, undefined, mayPass).catch(() => null);
}
