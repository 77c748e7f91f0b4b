import type { Random } from "../../test/support/random.ts";
import { ApiError } from "./api.ts";
import { adsOf, type Campaign, objectsOf } from "./boost-books.ts";
import { type Home, surely } from "./boost-homes.ts";
import { type Connect, untilAnswered } from "./boost-trouble.ts";
import { waitFor } from "./http.ts";
import { dim, elapsed, say } from "./terminal.ts";
import { killOften, type Spell } from "./trouble.ts";
import type { World } from "./world.ts";

/**
 * How campaigns end in the soak of boosts: after a lost login, or at their end time. The service is killed
 * meanwhile.
 */

const KILLS = 2;
const EVERY_MS = 1_000;
/**
 * The lease of a killed delivery; plus the resend of a message lost with the local queue, which is in memory;
 * plus the work itself.
 */
const WITHIN_MS = 60_000 + 60_000 + 35_000;
/** Longer than any campaign. */
const LATER_MS = 8 * 86_400_000;

interface Ending {
  readonly world: World;
  readonly run: Spell;
  readonly campaigns: readonly Campaign[];
  readonly connect: Connect;
  readonly random: Random;
}

/**
 * A machine with two cores handles this many campaigns concurrently; each further one adds its share of time.
 */
const AT_ONCE = 60;
const EACH_MORE_MS = 500;

function within({ campaigns }: Pick<Ending, "campaigns">, isSo: () => Promise<boolean>) {
  const timeoutMs = WITHIN_MS + Math.max(0, campaigns.length - AT_ONCE) * EACH_MORE_MS;
  // Each poll reads all campaigns.
  const everyMs = EVERY_MS * Math.ceil(campaigns.length / AT_ONCE);
  return waitFor(async () => ((await isSo().catch(() => false)) ? true : null), { timeoutMs, everyMs });
}

/**
 * Ends a channel's login, deletes its campaigns (which cannot be ended on the platform then) and disconnects
 * it. Reconnecting must end all of them. Returns the campaigns that did not end.
 */
export async function reconnectOne(ending: Ending, { platform, channelId }: Home): Promise<readonly string[]> {
  const { world, run, campaigns, connect, random } = ending;
  const { api, control } = world;
  const shown = await api.listCampaigns();
  const own = campaigns.filter((one) => one.platform === platform && shown.has(one.id));
  await control.fault(platform, "ads_read", "revoke_token");
  if (!(await within(ending, async () => (await control.faults()).length === 0)))
    return [`${platform}: nobody reads its campaigns`];
  const killed = killOften(world, run, random, { most: KILLS, untilMs: Number.POSITIVE_INFINITY });
  for (const campaign of own) {
    await surely(() => api.deleteCampaign(campaign.id));
    campaign.deletedAt = Date.now();
    campaign.goesWithPost = false;
  }
  const isOff = await within(ending, () => isDisconnected(world, channelId));
  await killed;
  const theirs = await adsOf(world);
  const orphans = own.filter((one) => objectsOf(one, theirs).running.length > 0);
  say(dim(`${elapsed(run.since)}  ${platform}: disconnected without a login, ${orphans.length} campaigns run`));
  await untilAnswered(connect);
  for (const campaign of own) campaign.deletedAt = Date.now();
  const isEnded = await within(ending, async () => {
    const now = await adsOf(world);
    return own.every((one) => objectsOf(one, now).left.length === 0);
  });
  say(dim(`${elapsed(run.since)}  ${platform}: connected again`));
  return [
    ...(isOff ? [] : [`${platform}: the channel without a login was not disconnected`]),
    ...(orphans.length > 0 ? [] : [`${platform}: no campaign was left to be ended`]),
    ...(isEnded ? [] : [`${platform}: its campaigns were not ended when it was connected again`]),
  ];
}

/** A killed service may have completed the request before. */
async function isDisconnected({ api }: World, channelId: number): Promise<boolean> {
  try {
    await api.deleteChannel(channelId);
    return true;
  } catch (error) {
    return error instanceof ApiError && error.status === 404;
  }
}

/**
 * Advances the platforms' clock until each campaign has ended there. Returns the campaigns that we do not
 * show as completed.
 */
export async function completeAll(ending: Ending): Promise<readonly string[]> {
  const { world, run, campaigns, random } = ending;
  const { api, control } = world;
  // Doubles the spend rate, so that some campaigns end by using up their budgets.
  await control.settings({ ads_speed: 2 });
  await control.control("POST", "clock", { offset_ms: LATER_MS });
  const open = async () => {
    const shown = await api.listCampaigns();
    return campaigns.filter(({ id }) => ["in_review", "active", "paused"].includes(shown.get(id)?.status ?? ""));
  };
  const before = (await open()).length;
  const killed = killOften(world, run, random, { most: KILLS, untilMs: Number.POSITIVE_INFINITY });
  await within(ending, async () => (await open()).length === 0);
  await killed;
  say(dim(`${elapsed(run.since)}  ${before} campaigns came to their end`));
  const left = await open();
  return [
    ...(before > 0 ? [] : ["no campaign was left to come to its end"]),
    ...left.map(({ platform, name }) => `${platform} ${name} is over and not shown as completed`),
  ];
}

/**
 * No campaign blocks the channels any more. Each can be disconnected and gets the same id when reconnected.
 */
export async function reconnectAll(ending: Ending, homes: readonly Home[]): Promise<readonly string[]> {
  const { world, connect } = ending;
  const { api } = world;
  const kept: string[] = [];
  for (const { platform, channelId } of homes) {
    if (!(await within(ending, () => isDisconnected(world, channelId))))
      kept.push(`${platform}: the channel was not disconnected`);
  }
  await untilAnswered(connect);
  const ids = new Set((await api.listChannels()).map(({ channel_id: id }) => id));
  const others = homes.filter(({ channelId }) => !ids.has(channelId));
  return [...kept, ...others.map(({ platform }) => `${platform}: connected again, it is another channel`)];
}
