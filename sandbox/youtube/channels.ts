// Channels.

import { Hono } from "hono";
import type { Sandbox } from "../sandbox";
import { endpoint, given, listParam, partsOf, READ, type YoutubeContext, type YoutubeEnv } from "./api";
import { forbidden, oneFilter, signupRequired } from "./errors";
import { type ChannelRow, findChannel } from "./store";
import { channelView, etag } from "./views";

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
