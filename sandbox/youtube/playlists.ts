// Playlists: each channel has one beside its uploads. A video can be in it more than once.

import { Hono } from "hono";
import { z } from "zod";
import type { Sandbox } from "../sandbox";
import {
  endpoint,
  given,
  listParam,
  MANAGE,
  pageOf,
  partsOf,
  READ,
  readJson,
  type YoutubeContext,
  type YoutubeEnv,
} from "./api";
import { ApiError, forbidden, oneFilter, playlistProblem, signupRequired, videoNotFound } from "./errors";
import { findChannel, findVideo, privacyNow, resourceOf, type VideoRow } from "./store";
import { etag, playlistItemView } from "./views";

const NewItem = z.object({
  snippet: z.object({
    playlistId: z.string(),
    resourceId: z.object({ kind: z.literal("youtube#video"), videoId: z.string() }),
    position: z.number().int().min(0).optional(),
  }),
});

export function playlistRoutes(sandbox: Sandbox) {
  const app = new Hono<YoutubeEnv>();
  const lists = endpoint(sandbox, {
    operation: null,
    scopes: READ,
    cost: 1,
    params: ["part", "mine", "id", "channelId", "maxResults", "pageToken", "hl"],
  });
  app.get("/youtube/v3/playlists", ...lists, (c) => {
    const parts = partsOf(c, ["id", "snippet", "status", "contentDetails"]);
    if (given(c, ["mine", "id", "channelId"]).join() !== "mine") throw oneFilter(["mine", "id", "channelId"]);
    const { channelId } = c.var.caller;
    const snippet = { publishedAt: "2021-02-03T10:00:00Z", channelId, title: "Favourites", description: "" };
    const { items, envelope } = pageOf(c, [playlistOf(channelId)], 5, 50);
    return c.json({
      kind: "youtube#playlistListResponse",
      etag: etag(channelId),
      ...envelope,
      items: items.map((id) => ({
        kind: "youtube#playlist",
        etag: etag(id),
        id,
        ...(parts.includes("snippet") ? { snippet } : {}),
      })),
    });
  });

  const items = endpoint(sandbox, {
    operation: "status",
    scopes: READ,
    cost: 1,
    params: ["part", "id", "playlistId", "videoId", "maxResults", "pageToken"],
  });
  app.get("/youtube/v3/playlistItems", ...items, (c) => {
    const parts = partsOf(c, ["id", "snippet", "contentDetails", "status"]);
    const filters = given(c, ["playlistId", "id"]);
    if (filters.length !== 1) throw oneFilter(["playlistId", "id"]);
    const videos = listed(sandbox, c);
    const { items: page, envelope } = pageOf(c, videos, 5, 50);
    const first = videos.findIndex((video) => video.id === page[0]?.id);
    const playlistId = c.req.query("playlistId") ?? null;
    const view = (video: VideoRow, index: number) =>
      playlistItemView(sandbox, video, parts, { position: first + index, origin: c.env.origin, playlistId });
    return c.json({
      kind: "youtube#playlistItemListResponse",
      etag: etag(videos.length, first),
      ...envelope,
      items: page.map(view),
    });
  });

  const add = endpoint(sandbox, {
    operation: "upload",
    scopes: MANAGE,
    cost: 50,
    params: ["part", "onBehalfOfContentOwner"],
  });
  app.post("/youtube/v3/playlistItems", ...add, async (c) => {
    const parts = partsOf(c, ["id", "snippet", "contentDetails", "status"]);
    const sent = NewItem.safeParse(await readJson(c, z.unknown()));
    if (!sent.success || !parts.includes("snippet")) {
      throw playlistProblem(400, "invalidSnippet", "The request does not provide a valid snippet.");
    }
    return c.json(addItem(sandbox, c, sent.data.snippet, parts));
  });
  return app;
}

const OWN = /^PL/;
const playlistOf = (channelId: string) => channelId.replace(/^UC/, "PL");
const channelOf = (playlistId: string) => playlistId.replace(/^(?:PL|UU)/, "UC");

function addItem(
  sandbox: Sandbox,
  c: YoutubeContext,
  { playlistId, resourceId }: z.infer<typeof NewItem>["snippet"],
  parts: readonly string[],
): object {
  const { channelId } = c.var.caller;
  if (channelId === "") throw signupRequired();
  if (playlistId.startsWith("UU")) {
    throw playlistProblem(400, "playlistOperationUnsupported", "The API does not support adding to this playlist.");
  }
  if (!OWN.test(playlistId) || !findChannel(sandbox, channelOf(playlistId))) throw playlistNotFound();
  if (channelOf(playlistId) !== channelId) {
    throw playlistProblem(403, "playlistItemsNotAccessible", "The request is not authorized to insert the item.");
  }
  const video = findVideo(sandbox, resourceId.videoId);
  if (!video) throw videoNotFound("snippet.resourceId");
  if (video.channel_id !== channelId && privacyNow(resourceOf(video), sandbox.now()) === "private") {
    throw forbidden("The video is private.", "youtube.playlistItem");
  }
  const position = itemsOf(sandbox, playlistId).length;
  if (position >= sandbox.settings.all.youtube_playlist_most) {
    const message = "The playlist already contains the maximum allowed number of items.";
    throw playlistProblem(403, "playlistContainsMaximumNumberOfVideos", message);
  }
  sandbox.db.run(
    "INSERT INTO youtube_playlist_items (playlist_id, video_id, added_at) VALUES (?, ?, ?)",
    playlistId,
    video.id,
    sandbox.now(),
  );
  return playlistItemView(sandbox, video, parts, { position, origin: c.env.origin, playlistId });
}

function itemsOf(sandbox: Sandbox, playlistId: string): VideoRow[] {
  return sandbox.db.all<VideoRow>(
    `SELECT v.* FROM youtube_playlist_items i JOIN youtube_videos v ON v.id = i.video_id
     WHERE i.playlist_id = ? ORDER BY i.rowid`,
    playlistId,
  );
}

/** The playlists that the video is in, each as often as it is in it. */
export function playlistsWith(sandbox: Sandbox, videoId: string): string[] {
  return sandbox.db
    .all<{ id: string }>("SELECT playlist_id AS id FROM youtube_playlist_items WHERE video_id = ?", videoId)
    .map(({ id }) => id);
}

/** Only the owner sees private videos. Uploads are newest first, after a delay. */
function listed(sandbox: Sandbox, c: YoutubeContext): VideoRow[] {
  const now = sandbox.now();
  const isShown = (video: VideoRow) =>
    video.channel_id === c.var.caller.channelId || privacyNow(resourceOf(video), now) === "public";
  const ids = listParam(c, "id");
  if (ids.length > 0) return ids.flatMap((id) => findVideo(sandbox, atobOrNothing(id)) ?? []).filter(isShown);
  const playlistId = c.req.query("playlistId") ?? "";
  const channel = findChannel(sandbox, channelOf(playlistId));
  if (!channel || !/^(?:UU|PL)/.test(playlistId)) throw playlistNotFound();
  const rows = OWN.test(playlistId)
    ? itemsOf(sandbox, playlistId)
    : sandbox.db.all<VideoRow>(
        "SELECT * FROM youtube_videos WHERE channel_id = ? AND created_at <= ? ORDER BY created_at DESC, rowid DESC",
        channel.id,
        now - sandbox.settings.all.youtube_listing_lag_ms,
      );
  const videoId = c.req.query("videoId");
  return rows.filter(isShown).filter((video) => videoId === undefined || video.id === videoId);
}

const playlistNotFound = () =>
  new ApiError(404, "playlistNotFound", "The playlist identified with the playlistId cannot be found.", {
    domain: "youtube.playlistItem",
    location: "playlistId",
  });

function atobOrNothing(text: string): string {
  try {
    return atob(text);
  } catch {
    return "";
  }
}
