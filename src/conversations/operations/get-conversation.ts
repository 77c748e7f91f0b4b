import { z } from "@hono/zod-openapi";
import { Done, operation } from "../../http/operation.ts";
import { readPathId } from "../../http/page.ts";
import { getConversation } from "../change.ts";
import { ConversationParam, ConversationView, EXAMPLE_CONVERSATION, toConversationView } from "../schema.ts";
import { READ } from "./common.ts";

export const GetConversation = operation({
  ...READ,
  id: "getConversation",
  method: "get",
  path: "/social/get-conversation/{conversation_id}",
  summary: "Get a conversation",
  description: "Whom it is with, its state, and until when messages may be sent.",
  params: ConversationParam,
  answer: z.object({ conversation: ConversationView, status: Done }),
  answerDescription: "The conversation.",
  example: { conversation: EXAMPLE_CONVERSATION, status: true },
  run: async ({ deps, caller }, { params }) => {
    const id = readPathId("conversation", params.conversation_id);
    const conversation = await getConversation(deps, caller, id);
    return { conversation: toConversationView(conversation), status: true } as const;
  },
});
