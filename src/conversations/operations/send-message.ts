import { z } from "@hono/zod-openapi";
import type { IdempotencyRecord } from "../../db/client.ts";
import { Done, operation } from "../../http/operation.ts";
import { readPathId } from "../../http/page.ts";
import { ConversationParam, EXAMPLE_MESSAGE, MessageView, SendMessageBody, toMessageView } from "../schema.ts";
import { recallMessage, requestMessage } from "../send.ts";
import { findRequestedMessage } from "../store.ts";
import { WRITE } from "./common.ts";

export const SendMessage = operation({
  ...WRITE,
  id: "sendMessage",
  audited: true,
  method: "post",
  path: "/social/send-message/{conversation_id}",
  summary: "Send a message",
  description:
    "Sends a text to the person of a conversation, at most once. The answer comes before it is sent: `message.sent` or `message.failed` follows. Outside the platform's window for answers (`can_send_until`) it is refused with `not_changeable`, and sending it again does not help until the person writes.",
  idempotent: true,
  params: ConversationParam,
  body: SendMessageBody,
  answer: z.object({ message: MessageView, status: Done }),
  answerDescription: "The message, which is being sent.",
  example: { message: EXAMPLE_MESSAGE, status: true },
  run: async ({ deps, caller, once }, { body, params }) => {
    const id = readPathId("conversation", params.conversation_id);
    const wanted = { conversationId: id, text: body.text, isTyped: body.typed_by_person ?? false };
    const send = async (record: IdempotencyRecord | null) => (await requestMessage(deps, caller, wanted, record)).id;
    const messageId = await once({ id, ...body }, send, recallMessage);
    const message = await findRequestedMessage(deps.db, caller.projectId, messageId);
    return { message: toMessageView(message), status: true } as const;
  },
});
