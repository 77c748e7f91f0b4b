// Channels and their lists of uploads.

import { Hono } from "hono";
import type { Sandbox } from "../sandbox";
import { endpoint, given, listParam, pageOf, partsOf, READ, type YoutubeContext, type YoutubeEnv } from "./api";
import { ApiError, forbidden, oneFilter, signupRequired } from "./errors";
import { type ChannelRow, findChannel, findVideo, privacyNow, resourceOf, type VideoRow } from "./store";
import { channelView, etag, playlistItemView } from "./views";

const FILTERS = ["mine", "id", "forHandle", "forUsername", "managedByMe"];
const PARTS = [
  "id",
  "snippet",
  "contentDetails",
  "status",
  "statistics",
  "brandingSettings",
  "topicDetails",
  "localizations",
  "auditDetails",
  "contentOwnerDetails",
];

export function channelRoutes(sandbox: Sandbox) {
  const app = new Hono<YoutubeEnv>();
  const list = endpoint(sandbox, {
    operation: null,
    scopes: READ,
    cost: 1,
    params: ["part", "maxResults", "pageToken", "hl", ...FILTERS],
    needsChannel: false,
  });
  app.get("/youtube/v3/channels", ...list, (c) => {
    const parts = partsOf(c, PARTS);
    const channels = askedFor(sandbox, c);
    return c.json({
      kind: "youtube#channelListResponse",
      etag: etag(channels.length),
      pageInfo: { totalResults: channels.length, resultsPerPage: 5 },
      // Without a channel, the response has no list.
      ...(channels.length > 0 ? { items: channels.map((channel) => channelView(sandbox, channel, parts)) } : {}),
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
    const videos = uploads(sandbox, c);
    const { items: page, envelope } = pageOf(c, videos, 5, 50);
    const first = videos.findIndex((video) => video.id === page[0]?.id);
    return c.json({
      kind: "youtube#playlistItemListResponse",
      etag: etag(videos.length, first),
      ...envelope,
      items: page.map((video, index) =>
        playlistItemView(sandbox, video, parts, { position: first + index, origin: c.env.origin }),
      ),
    });
  });
  return app;
}

function askedFor(sandbox: Sandbox, c: YoutubeContext): ChannelRow[] {
  const [filter, ...others] = given(c, FILTERS);
  if (filter === undefined || others.length > 0) throw oneFilter(FILTERS);
  switch (filter) {
    case "mine": {
      const own = findChannel(sandbox, c.var.caller.channelId);
      if (!own && sandbox.settings.all.youtube_no_channel === "signup_required") throw signupRequired();
      return own ? [own] : [];
    }
    case "id":
      return listParam(c, "id").flatMap((id) => findChannel(sandbox, id) ?? []);
    case "forHandle": {
      const handle = (c.req.query("forHandle") ?? "").replace(/^@/, "");
      return sandbox.db.all<ChannelRow>("SELECT * FROM youtube_channels WHERE handle = ?", handle);
    }
    case "managedByMe":
      throw forbidden("The request is not authorized for a content owner.");
    default:
      return [];
  }
}

/** Newest first, after a delay; only the owner sees private videos. */
function uploads(sandbox: Sandbox, c: YoutubeContext): VideoRow[] {
  const now = sandbox.now();
  const isShown = (video: VideoRow) =>
    video.channel_id === c.var.caller.channelId || privacyNow(resourceOf(video), now) === "public";
  const ids = listParam(c, "id");
  if (ids.length > 0) return ids.flatMap((id) => findVideo(sandbox, atobOrNothing(id)) ?? []).filter(isShown);
  const playlistId = c.req.query("playlistId") ?? "";
  const channel = findChannel(sandbox, playlistId.replace(/^UU/, "UC"));
  if (!channel || !playlistId.startsWith("UU")) {
    throw new ApiError(404, "playlistNotFound", "The playlist identified with the playlistId cannot be found.", {
      domain: "youtube.playlistItem",
      location: "playlistId",
    });
  }
  const rows = sandbox.db.all<VideoRow>(
    "SELECT * FROM youtube_videos WHERE channel_id = ? AND created_at <= ? ORDER BY created_at DESC, rowid DESC",
    channel.id,
    now - sandbox.settings.all.youtube_listing_lag_ms,
  );
  const videoId = c.req.query("videoId");
  return rows.filter(isShown).filter((video) => videoId === undefined || video.id === videoId);
}

function atobOrNothing(text: string): string {
  try {
    return atob(text);
  } catch {
    return "";
  }
}
