import { z } from "@hono/zod-openapi";
import type { Api } from "../http/api.ts";
import { operation } from "../http/operation.ts";
import { apiUrl } from "../http/origin.ts";
import { examplePage, paginate, readPathId } from "../http/page.ts";
import { wakeJobs } from "../jobs/wake.ts";
import { type ChannelHold, disconnect } from "./disconnect.ts";
import { listChannels } from "./list.ts";
import { isOffered } from "./offered.ts";
import { ChannelIdParam, ChannelPage, EXAMPLE_CHANNEL, ListChannelsQuery, toChannelView } from "./schema.ts";

const Done = z.literal(true);

export function channelRoutes(app: Api, hold: ChannelHold): void {
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
      description: "The project's connected channels, newest first, a page at a time.",
      query: ListChannelsQuery,
      answer: z.object({ channels: ChannelPage, status: Done }),
      answerDescription: "A page of channels.",
      example: {
        channels: examplePage("get-channels", EXAMPLE_CHANNEL),
        status: true,
      },
    }),
    async (c) => {
      const { user_id: userRef, platform: platforms, health, page, limit } = c.req.valid("query");
      const filter = { userRef: userRef ?? null, platforms: platforms ?? null, health: health ?? null, page, limit };
      const found = await listChannels(c.var.deps.db, c.var.caller.projectId, filter, Date.now());
      return c.json(
        {
          channels: paginate(apiUrl(c), found, (row) =>
            toChannelView(row, (name) => isOffered(c.var.deps, c.var.caller, row.platform, name)),
          ),
          status: true,
        } as const,
        200,
      );
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
        "Ends the connection at once; not while a boost campaign of the channel spends or is being ended, which nobody could end any more: that is a 422. Where no other channel, of whatever project, lives by the same login, it is ended at the platform too: tried for a day, then the credentials are forgotten as well. Connecting the account again gives the same channel_id.",
      params: ChannelIdParam,
      answer: z.object({ message: z.string(), status: Done }),
      answerDescription: "The channel is disconnected.",
      example: { message: "Northwind Bikes (facebook) is disconnected.", status: true },
    }),
    async (c) => {
      const id = readPathId("channel", c.req.valid("param").channel_id);
      const { deps, caller } = c.var;
      const channel = await disconnect(deps, caller.projectId, id, hold);
      await wakeJobs(deps, channel.revocation);
      const message = `${channel.name} (${channel.platform}) is disconnected. What still waits to be published there will fail, unless it is connected again before.`;
      return c.json({ message, status: true } as const, 200);
    },
  );
}
