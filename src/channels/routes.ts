import { z } from "@hono/zod-openapi";
import type { Api } from "../http/api.ts";
import { walkPage } from "../http/cursor-page.ts";
import { operation } from "../http/operation.ts";
import { apiUrl } from "../http/origin.ts";
import { readPaced } from "../http/paced-page.ts";
import { examplePage, idOfCursor, paginate, reached, readPathId } from "../http/page.ts";
import { warn } from "../http/warnings.ts";
import { isCapabilityOffered } from "./capabilities.ts";
import { type ChannelHold, disconnect, type GoesWithChannel } from "./disconnect.ts";
import { listChannels, listChannelsByCursor } from "./list.ts";
import { ChannelIdParam, ChannelPage, EXAMPLE_CHANNEL, ListChannelsQuery, toChannelView } from "./schema.ts";
import type { ChannelState } from "./store.ts";

const Done = z.literal(true);

export function channelRoutes(app: Api, hold: ChannelHold, goesWith: GoesWithChannel): void {
  app.openapi(
    operation({
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
    }),
    async (c) => {
      const { user_id: userRef, platform: platforms, health, page = 1, cursor, limit } = c.req.valid("query");
      const { deps, caller } = c.var;
      const filter = { userRef: userRef ?? null, platforms: platforms ?? null, health: health ?? null, limit };
      const listing = { filter, now: Date.now() };
      const view = (row: ChannelState) =>
        toChannelView(row, (name) => isCapabilityOffered(deps, caller, row.platform, name));
      if (cursor !== undefined) {
        const found = await listChannelsByCursor(deps.db, caller.projectId, { ...listing, after: idOfCursor(cursor) });
        return c.json({ channels: walkPage(apiUrl(c), found, limit, view), status: true } as const, 200);
      }
      const found = reached(
        await readPaced(c, (turn) => listChannels(deps.db, caller.projectId, { ...listing, page, turn })),
      );
      if (found.isCapped)
        warn(c, "More than 1,000 channels began to expire in the last minute. total may lack some of them.");
      return c.json({ channels: paginate(apiUrl(c), found, view), status: true } as const, 200);
    },
  );

  app.openapi(
    operation({
      id: "deleteChannel",
      method: "delete",
      path: "/social/delete-channel/{channel_id}",
      tag: "Channels",
      permission: "add-channels",
      extension: true,
      summary: "Disconnect a channel",
      description:
        "Disconnects the channel at once. Returns a 422 while a boost campaign of the channel spends or is being ended, because it could not be ended afterwards. If no other channel of any project uses the same login, the login is also revoked at the platform: the service tries for a day, then deletes the credentials. Connecting the account again returns the same channel_id.",
      refusedByState:
        "channel_id must not be 42 while its boost campaigns may spend, because they could not be ended afterwards. Delete them first: 7.",
      params: ChannelIdParam,
      answer: z.object({ message: z.string(), status: Done }),
      answerDescription: "The channel is disconnected.",
      example: { message: "Northwind Bikes (facebook) is disconnected.", status: true },
    }),
    async (c) => {
      const id = readPathId("channel", c.req.valid("param").channel_id);
      const { deps, caller } = c.var;
      const message = await disconnect(deps, { projectId: caller.projectId, id }, hold, goesWith);
      return c.json({ message, status: true } as const, 200);
    },
  );
}
