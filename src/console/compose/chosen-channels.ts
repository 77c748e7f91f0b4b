import { type ChannelState, selectChannels } from "../../channels/store.ts";
import { type ChannelId, idOf } from "../../core/ids.ts";
import { requireChannel } from "../../posts/create/read-first.ts";
import type { Fields, ProjectVisit } from "../definition.ts";
import { idIn } from "../fields.ts";

export const MOST_CHANNELS = 40;

/** The channels that are chosen in the form, in its order. A 422 for one that the project does not have. */
export async function readChosenChannels(
  { deps, project }: ProjectVisit,
  fields: Fields,
): Promise<readonly ChannelState[]> {
  const ids = [...new Set((fields.channel ?? []).map(idIn))].slice(0, MOST_CHANNELS).map(idOf<ChannelId>);
  const rows = ids.length === 0 ? [] : await selectChannels(deps.db, project.id, ids);
  return ids.map((id) =>
    requireChannel(
      rows.find((row) => row.id === id),
      { channel_id: id },
      "channel",
    ),
  );
}
