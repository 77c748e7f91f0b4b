import { z } from "@hono/zod-openapi";
import { ChannelIdParam } from "../../channels/schema.ts";
import { Done, operation } from "../../http/operation.ts";
import { readPathId } from "../../http/page.ts";
import { collectComments } from "../collect.ts";
import { CollectCommentsBody, CollectingView, EXAMPLE_COLLECTING, toCollectingView } from "../schema.ts";
import { COMMON } from "./common.ts";

export const CollectComments = operation({
  ...COMMON,
  id: "collectComments",
  audited: true,
  method: "post",
  path: "/social/channel/{channel_id}/comments",
  permission: "add-channels",
  summary: "Collect comments without a bot",
  description:
    "Reads the comments under the channel's posts of the last 30 days and under later ones, from now on, whether or not a bot answers them. Off until it is switched on, because some platforms charge for each comment that is read: `price` says what. The project's ceiling of platform cost applies.",
  params: ChannelIdParam,
  body: CollectCommentsBody,
  answer: z.object({ collecting: CollectingView, status: Done }),
  answerDescription: "Whether comments are collected.",
  example: { collecting: EXAMPLE_COLLECTING, status: true },
  run: async ({ deps, caller }, { body, params }) => {
    const id = readPathId("channel", params.channel_id);
    const done = await collectComments(deps, caller.projectId, id, body.collect);
    return { collecting: toCollectingView(done), status: true } as const;
  },
});
