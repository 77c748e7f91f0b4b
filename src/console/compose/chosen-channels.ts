import { type ChannelState, selectChannels } from "../../channels/store.ts";
import { type ChannelId, idOf } from "../../core/ids.ts";
import type { Fields, ProjectVisit } from "../definition.ts";
import { idIn } from "../fields.ts";

export const MOST_CHANNELS = 40;

/** The channels that are chosen in the form and that the project has, in the order of the form. */
export async function readChosenChannels(
  { deps, project }: ProjectVisit,
  fields: Fields,
): Promise<readonly ChannelState[]> {
  const ids = [...new Set((fields.channel ?? []).map(idIn))].slice(0, MOST_CHANNELS).map(idOf<ChannelId>);
  const rows = ids.length === 0 ? [] : await selectChannels(deps.db, project.id, ids);
  return ids.flatMap((id) => rows.find((row) => row.id === id) ?? []);
}
