import { setTimeout as sleep } from "node:timers/promises";
import { ApiError, createSurely, type NewPost } from "./api.ts";
import type { Campaign } from "./boost-books.ts";
import { type Connect, PLATFORMS, type Platform } from "./boost-trouble.ts";
import { Refusal } from "./command.ts";
import { dim, elapsed, say } from "./terminal.ts";
import { fireOften, type Spell } from "./trouble.ts";
import type { World } from "./world.ts";

/** The channels and posts that the soak of boosts advertises, and what happens to the posts. */

const PUBLISH_MS = 60_000;

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
export async function settleIn(world: World, connect: Connect): Promise<Home[]> {
  const { api, control } = world;
  await connect();
  const run: Spell = { since: Date.now(), isOver: false };
  const cron = fireOften(world, run);
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
      const id = await createSurely(api, body, crypto.randomUUID(), () => false);
      await untilLive(world, platform, id, run.since + PUBLISH_MS);
      posts.push({ id, campaigns: [], deletedAt: null });
    }
    const account = (await api.listAdAccounts(channel.channel_id)).find(
      ({ usable, currency }) => usable && currency !== "JPY",
    );
    if (!account) throw new Refusal(`There is no usable ad account on ${platform}.`);
    homes.push({ platform, channelId: channel.channel_id, accountId: account.id, posts });
  }
  run.isOver = true;
  await cron;
  return homes;
}

async function untilLive({ api }: World, platform: Platform, id: number, until: number): Promise<void> {
  for (;;) {
    const { STATUS: status, error } = await api.findPost(id);
    if (status === "published") return;
    if (status === "failed" || Date.now() > until) throw new Refusal(`${platform}: ${status} ${error}`);
    await sleep(1000);
  }
}

/** Deletes a post, with its current and future campaigns, at a time derived from the seed. */
export async function deletePost({ api }: World, run: Spell, post: Live, afterMs: number): Promise<void> {
  await sleep(afterMs);
  await surely(() => api.deletePost(post.id));
  const at = Date.now();
  post.deletedAt = at;
  for (const campaign of post.campaigns) {
    if (campaign.deletedAt !== null) continue;
    campaign.deletedAt = at;
    campaign.goesWithPost = true;
  }
  say(dim(`${elapsed(run.since)}  a post is deleted, with ${post.campaigns.length} campaigns`));
}

/** Tries to disconnect a channel whose campaigns may spend; the service must refuse. */
export async function disconnect({ api }: World, { channelId, platform, posts }: Home, afterMs: number): Promise<void> {
  await sleep(afterMs);
  if (!posts.some(({ campaigns }) => campaigns.some(({ deletedAt }) => deletedAt === null))) return;
  if ((await surely(() => api.deleteChannel(channelId))) === null) return;
  throw new Refusal(`${platform}: the channel was disconnected while its campaigns may spend.`);
}

/** Retries until there is a response; null for a permanent error. */
export async function surely<T>(act: () => Promise<T>): Promise<T | null> {
  for (;;) {
    try {
      return await act();
    } catch (error) {
      if (error instanceof ApiError && error.status < 500 && !isPassing(error)) return null;
      await sleep(500);
    }
  }
}

/** Temporary errors; an expired login is reconnected. */
const isPassing = ({ status, code }: ApiError) => [409, 429].includes(status) || code === "reconnect_needed";
