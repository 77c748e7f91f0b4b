import { z } from "@hono/zod-openapi";
import { walkPage } from "../../http/cursor-page.ts";
import { Done, operation } from "../../http/operation.ts";
import { examplePage, idOfCursor, paginate, reached } from "../../http/page.ts";
import { isCapabilityOffered } from "../capabilities.ts";
import { listChannels, listChannelsByCursor } from "../list.ts";
import { ChannelPage, EXAMPLE_CHANNEL, ListChannelsQuery, toChannelView } from "../schema.ts";
import type { ChannelState } from "../store.ts";

export const GetChannels = operation({
  id: "getChannels",
  method: "get",
  path: "/social/get-channels",
  tag: "Channels",
  permission: ["add-channels", "social-read-posts"],
  permits: "to read posts",
  extension: true,
  summary: "List channels",
  description:
    "The project's connected channels, newest first, page by page, by `page` or `cursor`. Page numbers work within 10,000 channels of either end; a page between returns a 422.",
  query: ListChannelsQuery,
  answer: z.object({ channels: ChannelPage, status: Done }),
  answerDescription: "A page of channels.",
  example: {
    channels: examplePage("get-channels", EXAMPLE_CHANNEL),
    status: true,
  },
  run: async ({ deps, caller, url, warn, paced }, { query }) => {
    const { user_id: userRef, platform: platforms, health, page = 1, cursor, limit } = query;
    const filter = { userRef: userRef ?? null, platforms: platforms ?? null, health: health ?? null, limit };
    const listing = { filter, now: Date.now() };
    const view = (row: ChannelState) =>
      toChannelView(row, (name) => isCapabilityOffered(deps, caller, row.platform, name));
    if (cursor !== undefined) {
      const found = await listChannelsByCursor(deps.db, caller.projectId, { ...listing, after: idOfCursor(cursor) });
      return { channels: walkPage(url, found, limit, view), status: true } as const;
    }
    const found = reached(await paced((turn) => listChannels(deps.db, caller.projectId, { ...listing, page, turn })));
    if (found.isCapped)
      warn("More than 1,000 channels began to expire in the last minute. total may lack some of them.");
    return { channels: paginate(url, found, view), status: true } as const;
  },
});
