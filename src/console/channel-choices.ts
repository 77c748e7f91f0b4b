import { listChannelsByCursor } from "../channels/list.ts";
import type { ChannelState } from "../channels/store.ts";
import { hasOwnForm, platformTitle } from "../platforms/facts.ts";
import type { PlatformName } from "../platforms/names.ts";
import type { ProjectVisit } from "./definition.ts";

/** The channels that a form or a filter offers: the newest of the project. */
const MOST = 50;

export function readChannels({ deps, project, now }: ProjectVisit, platforms: readonly PlatformName[] | null = null) {
  const filter = { userRef: null, platforms, health: null, limit: MOST };
  return listChannelsByCursor(deps.db, project.id, { filter, now, after: null });
}

/** Those for posts that no person confirms one by one. */
export async function readUnattendedChannels(visit: ProjectVisit): Promise<readonly ChannelState[]> {
  const { items } = await readChannels(visit);
  return items.filter(({ platform }) => !hasOwnForm(platform));
}

/** For `FilterSelect`. */
export const channelFilters = (channels: readonly ChannelState[]) =>
  channels.map(({ id, name, platform }) => [String(id), `${name} · ${platformTitle(platform)}`] as const);

/** For `Select`. */
export const channelOptions = (channels: readonly ChannelState[]) =>
  channels.map(({ id, name, platform }) => ({ value: String(id), text: `${name} (${platformTitle(platform)})` }));
