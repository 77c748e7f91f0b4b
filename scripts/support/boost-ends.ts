import { ApiError, surely } from "./api.ts";
import { adsOf, objectsOf } from "./boost-books.ts";
import { type Boosting, type Home, unlessRefused } from "./boost-homes.ts";
import { reconnect } from "./boost-trouble.ts";
import { killOften, note } from "./driver.ts";
import { waitFor } from "./http.ts";
import type { World } from "./world.ts";

/**
 * How campaigns end in the soak of boosts: after a lost login, or at their end time. The service is killed
 * meanwhile.
 */

const KILLS = { most: 2, withinMs: Number.POSITIVE_INFINITY };
const EVERY_MS = 1_000;
/**
 * The lease of a killed delivery; plus the resend of a message lost with the local queue, which is in memory;
 * plus the work itself.
 */
const WITHIN_MS = 60_000 + 60_000 + 35_000;
/** Longer than any campaign. */
const LATER_MS = 8 * 86_400_000;

/**
 * A machine with two cores handles this many campaigns concurrently; each further one adds its share of time.
 */
const AT_ONCE = 60;
const EACH_MORE_MS = 500;

function within({ campaigns }: Boosting, isSo: () => Promise<boolean>) {
  const timeoutMs = WITHIN_MS + Math.max(0, campaigns.length - AT_ONCE) * EACH_MORE_MS;
  // Each poll reads all campaigns.
  const everyMs = EVERY_MS * Math.ceil(campaigns.length / AT_ONCE);
  return waitFor(async () => ((await isSo().catch(() => false)) ? true : null), { timeoutMs, everyMs });
}

/**
 * Ends a channel's login, deletes its campaigns (which cannot be ended on the platform then) and disconnects
 * it. Reconnecting must end all of them. Returns the campaigns that did not end.
 */
export async function reconnectOne(run: Boosting, { platform, channelId }: Home): Promise<readonly string[]> {
  const { world, campaigns } = run;
  const { api, control } = world;
  const shown = await surely(() => api.listCampaigns());
  const own = campaigns.filter((one) => one.platform === platform && shown.has(one.id));
  await control.fault(platform, "ads_read", "revoke_token");
  if (!(await within(run, async () => (await control.faults()).length === 0)))
    return [`${platform}: its campaigns are not polled`];
  const killed = killOften(run, KILLS);
  for (const campaign of own) {
    await unlessRefused(() => api.deleteCampaign(campaign.id));
    campaign.deletedAt = Date.now();
    campaign.goesWithPost = false;
  }
  const isOff = await within(run, () => isDisconnected(world, channelId));
  await killed;
  const theirs = await adsOf(world);
  const orphans = own.filter((one) => objectsOf(one, theirs).running.length > 0);
  note(run, `${platform}: disconnected without a login, ${orphans.length} campaigns run`);
  await reconnect(run);
  for (const campaign of own) campaign.deletedAt = Date.now();
  const isEnded = await within(run, async () => {
    const now = await adsOf(world);
    return own.every((one) => objectsOf(one, now).left.length === 0);
  });
  note(run, `${platform}: connected again`);
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
export async function completeAll(run: Boosting): Promise<readonly string[]> {
  const { world, campaigns } = run;
  const { api, control } = world;
  // Doubles the spend rate, so that some campaigns end by using up their budgets.
  await control.settings({ ads_speed: 2 });
  await control.control("POST", "clock", { offset_ms: LATER_MS });
  const open = async () => {
    const shown = await surely(() => api.listCampaigns());
    return campaigns.filter(({ id }) => ["in_review", "active", "paused"].includes(shown.get(id)?.status ?? ""));
  };
  const before = (await open()).length;
  const killed = killOften(run, KILLS);
  await within(run, async () => (await open()).length === 0);
  await killed;
  note(run, `${before} campaigns completed`);
  const left = await open();
  return [
    ...(before > 0 ? [] : ["no campaign was left to complete"]),
    ...left.map(({ platform, name }) => `${platform} ${name} has ended but is not shown as completed`),
  ];
}

/**
 * No campaign blocks the channels any more. Each can be disconnected and gets the same id when reconnected.
 */
export async function reconnectAll(run: Boosting): Promise<readonly string[]> {
  const { world, homes } = run;
  const { api } = world;
  const kept: string[] = [];
  for (const { platform, channelId } of homes) {
    if (!(await within(run, () => isDisconnected(world, channelId))))
      kept.push(`${platform}: the channel was not disconnected`);
  }
  await reconnect(run);
  const ids = new Set((await api.listChannels()).map(({ channel_id: id }) => id));
  const others = homes.filter(({ channelId }) => !ids.has(channelId));
  return [...kept, ...others.map(({ platform }) => `${platform}: connected again, it is another channel`)];
}
