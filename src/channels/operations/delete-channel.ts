import { z } from "@hono/zod-openapi";
import { Done, operation } from "../../http/operation.ts";
import { readPathId } from "../../http/page.ts";
import { disconnect } from "../disconnect.ts";
import { ChannelIdParam } from "../schema.ts";

export const DeleteChannel = operation({
  id: "deleteChannel",
  audited: true,
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
  run: async ({ deps, caller, endings }, { params }) => {
    const id = readPathId("channel", params.channel_id);
    const message = await disconnect(deps, { projectId: caller.projectId, id }, endings);
    return { message, status: true } as const;
  },
});
