import { z } from "@hono/zod-openapi";
import { Done, operation } from "../../http/operation.ts";
import { readPathId } from "../../http/page.ts";
import { updateConversation } from "../change.ts";
import {
  ConversationParam,
  ConversationView,
  EXAMPLE_CONVERSATION,
  toConversationView,
  UpdateConversationBody,
} from "../schema.ts";
import { WRITE } from "./common.ts";

export const UpdateConversation = operation({
  ...WRITE,
  id: "updateConversation",
  method: "put",
  path: "/social/update-conversation/{conversation_id}",
  summary: "Assign, mark or annotate a conversation",
  description: "Nothing of it is visible to the person. Fields that are left out stay; null clears one.",
  params: ConversationParam,
  body: UpdateConversationBody,
  answer: z.object({ conversation: ConversationView, status: Done }),
  answerDescription: "The conversation.",
  example: { conversation: { ...EXAMPLE_CONVERSATION, state: "done", done: true }, status: true },
  run: async ({ deps, caller }, { body, params }) => {
    const id = readPathId("conversation", params.conversation_id);
    const { assigned_to: assignedTo, done: isDone, note } = body;
    const changed = await updateConversation(deps, caller, id, { assignedTo, isDone, note });
    return { conversation: toConversationView(changed), status: true } as const;
  },
});
