import { z } from "@hono/zod-openapi";
import { AppError } from "../core/errors.ts";
import { type ChannelId, idOf } from "../core/ids.ts";
import type { Api } from "../http/api.ts";
import { idempotently } from "../http/idempotency.ts";
import { operation } from "../http/operation.ts";
import { apiOrigin, apiUrl } from "../http/origin.ts";
import { paginate, readPathId } from "../http/page.ts";
import {
  ChannelIdParam,
  ChannelPage,
  ConnectAnswer,
  ConnectBody,
  ConnectStatusQuery,
  ConnectStatusView,
  EXAMPLE_CHANNEL,
  EXAMPLE_SESSION,
  EXAMPLE_STATUS,
  ListChannelsQuery,
  NoSession,
  toChannelView,
  toStatusView,
} from "./schema.ts";
import { connectStatus, openSession, recallSession } from "./session.ts";
import { disconnectChannel, listChannels } from "./store.ts";

const Done = z.literal(true);

const connectChannel = operation({
  id: "connectChannel",
  method: "post",
  path: "/social/connect-channel",
  tag: "Channels",
  permission: "add-channels",
  summary: "Start a channel connection",
  description:
    "Opens a connection session for one of your users. They open `connect_url`, choose platforms and sign in there; then they come back to `redirectUrl` with `channel_id` (when it is exactly one), `channel_ids`, `platform`, `status` and `connect_token` appended (spec 4.1).\n\nA repeat with the same `Idempotency-Key` gives the same session and the seconds it has left; once it has ended, a new one.",
  idempotent: true,
  body: ConnectBody,
  answer: ConnectAnswer,
  answerDescription: "The session, open for `expires_in` seconds.",
  example: EXAMPLE_SESSION,
});

const connectStatusOperation = operation({
  id: "connectStatus",
  method: "get",
  path: "/social/connect-status",
  tag: "Channels",
  permission: "any",
  summary: "Poll connection status",
  description:
    "How far a connection session is. A token that this project was never given is a 404 with a message; an expired session is a 404 with exactly `status`, `expired` and `connect_status` (spec 4.2).",
  query: ConnectStatusQuery,
  answer: ConnectStatusView,
  answerDescription: "The session's state.",
  example: { ...EXAMPLE_STATUS, channel_ids: [...EXAMPLE_STATUS.channel_ids] },
  notFound: NoSession,
});

const getChannels = operation({
  id: "getChannels",
  method: "get",
  path: "/social/get-channels",
  tag: "Channels",
  permission: ["add-channels", "social-read-posts"],
  extension: true,
  summary: "List channels",
  description: "The project's connected channels, newest first, a page at a time.",
  query: ListChannelsQuery,
  answer: z.object({ channels: ChannelPage, status: Done }),
  answerDescription: "A page of channels.",
  example: {
    channels: {
      current_page: 1,
      data: [EXAMPLE_CHANNEL],
      first_page_url: "https://belfry.example/api/v1/social/get-channels?page=1",
      from: 1,
      last_page: 1,
      last_page_url: "https://belfry.example/api/v1/social/get-channels?page=1",
      next_page_url: null,
      path: "https://belfry.example/api/v1/social/get-channels",
      per_page: 10,
      prev_page_url: null,
      to: 1,
      total: 1,
    },
    status: true,
  },
});

const deleteChannel = operation({
  id: "deleteChannel",
  method: "delete",
  path: "/social/delete-channel/{channel_id}",
  tag: "Channels",
  permission: "add-channels",
  extension: true,
  summary: "Disconnect a channel",
  description: "Forgets the channel's credentials at once. Connecting the account again gives the same channel_id.",
  params: ChannelIdParam,
  answer: z.object({ message: z.string(), status: Done }),
  answerDescription: "The channel is disconnected.",
  example: { message: "Northwind Bikes (facebook) is disconnected.", status: true },
});

export function channelRoutes(app: Api): void {
  app.openapi(connectChannel, async (c) => {
    const { deps, caller } = c.var;
    const body = c.req.valid("json");
    const { token, secondsLeft } = await idempotently(
      c,
      body,
      (companion) => openSession(deps, caller, body, companion),
      (stored, replace) => recallSession(deps, caller, body, stored, replace),
    );
    const url = `${apiOrigin(c)}/connect/${token}`;
    return c.json({ status: true, connect_url: url, connect_token: token, expires_in: secondsLeft } as const, 200);
  });

  app.openapi(connectStatusOperation, async (c) => {
    const { connect_token } = c.req.valid("query");
    const found = await connectStatus(c.var.deps, c.var.caller, connect_token);
    switch (found.kind) {
      case "unknown":
        throw new AppError("not_found", "There is no connection session with this connect_token in this project.");
      case "expired":
        return c.json({ status: false, expired: true, connect_status: "expired" } as const, 404);
      case "open":
        return c.json(toStatusView(found.token, found.progress), 200);
    }
  });

  app.openapi(getChannels, async (c) => {
    const { user_id: userRef = null, page, limit } = c.req.valid("query");
    const found = await listChannels(c.var.deps.db, c.var.caller.projectId, { userRef, page, limit });
    return c.json({ channels: paginate(apiUrl(c), found, toChannelView), status: true } as const, 200);
  });

  app.openapi(deleteChannel, async (c) => {
    const text = c.req.valid("param").channel_id;
    const id = readPathId(text);
    const { deps, caller } = c.var;
    const channel = id && (await disconnectChannel(deps.db, caller.projectId, idOf<ChannelId>(id), Date.now()));
    if (!channel) throw new AppError("not_found", `There is no channel ${text.slice(0, 40)} in this project.`);
    const message = `${channel.name} (${channel.platform}) is disconnected. What still waits to be published there will fail, unless it is connected again before.`;
    return c.json({ message, status: true } as const, 200);
  });
}
