import { z } from "@hono/zod-openapi";
import { ChannelIdParam } from "../../channels/schema.ts";
import { Done, operation } from "../../http/operation.ts";
import { readPathId } from "../../http/page.ts";
import { collectMessages } from "../collect.ts";
import { CollectionView, CollectMessagesBody, toCollectionView } from "../schema.ts";
import { WRITE } from "./common.ts";

export const CollectMessages = operation({
  ...WRITE,
  id: "collectMessages",
  audited: true,
  method: "post",
  path: "/social/channel/{channel_id}/messages",
  permission: "add-channels",
  summary: "Switch the collection of messages on or off",
  description:
    "Direct messages are personal data, and X charges for reading them. They are therefore read and stored only for channels that ask for it; `price` says what it costs, and the project's ceiling of platform cost applies. Switching it off deletes what is stored.",
  params: ChannelIdParam,
  body: CollectMessagesBody,
  answer: z.object({ messages: CollectionView, status: Done }),
  answerDescription: "Whether messages are collected.",
  example: {
    messages: {
      channel_id: 12,
      channel_type: "facebook",
      collects: true,
      since: "2026-11-26T10:15:00.000+00:00",
      problem: null,
      price: null,
    },
    status: true,
  },
  run: async ({ deps, caller }, { body, params }) => {
    const id = readPathId("channel", params.channel_id);
    const collection = await collectMessages(deps, caller, id, body.collect);
    return { messages: toCollectionView(collection), status: true } as const;
  },
});
