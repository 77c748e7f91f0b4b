import { z } from "@hono/zod-openapi";
import { Done, operation } from "../../http/operation.ts";
import { readPathId } from "../../http/page.ts";
import { getConversation } from "../change.ts";
import { conversationEvents } from "../events.ts";
import { ConversationEventView, ConversationParam, toEventView } from "../schema.ts";
import { READ } from "./common.ts";

const MOST_EVENTS = 500;

export const GetConversationEvents = operation({
  ...READ,
  id: "getConversationEvents",
  method: "get",
  path: "/social/get-conversation-events/{conversation_id}",
  summary: "Timeline of a conversation",
  description: "What happened with a conversation, oldest first. Events name messages and do not quote them.",
  params: ConversationParam,
  answer: z.object({ events: z.array(ConversationEventView), status: Done }),
  answerDescription: "The events.",
  example: {
    events: [
      {
        type: "message.received",
        message: "A direct message was received.",
        detail: { message_id: 30, channel_id: 12, channel_type: "facebook" },
        at: "2026-11-26T10:15:00.000+00:00",
      },
    ],
    status: true,
  },
  run: async ({ deps, caller }, { params }) => {
    const id = readPathId("conversation", params.conversation_id);
    await getConversation(deps, caller, id);
    const events = await conversationEvents.list(deps.db, id, MOST_EVENTS);
    return { events: events.map(toEventView), status: true } as const;
  },
});
