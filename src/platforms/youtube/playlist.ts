import { z } from "zod";
import { interpretRead } from "../answers.ts";
import { lenientList } from "../lists.ts";
import { okAs } from "../outcomes.ts";
import type { ApplyAfterwards } from "../publishing.ts";
import { Done, read, request } from "./api.ts";
import { YOUTUBE } from "./errors.ts";

const Items = z.object({ items: lenientList(z.object({ id: z.string() })).optional() });

/**
 * Adds a live video to a playlist of the channel. A second call would add it twice, so the playlist is read
 * first.
 */
export const addToPlaylist: ApplyAfterwards = async (context, { options }, { id }) => {
  const { playlist_id: playlistId } = options;
  if (playlistId === undefined) return { kind: "applied" };
  const query = { part: "id", playlistId, videoId: id, maxResults: 1 };
  const listed = await read(context, "playlistItems", query, Items);
  if (listed.kind === "failed") return listed;
  if ((listed.value.items ?? []).length > 0) return { kind: "applied" };
  const snippet = { playlistId, resourceId: { kind: "youtube#video", videoId: id } };
  const call = { method: "POST", path: "playlistItems", query: { part: "snippet" }, json: { snippet } } as const;
  return okAs(interpretRead(YOUTUBE, await request(context, call), Done, context.now), "applied");
};
