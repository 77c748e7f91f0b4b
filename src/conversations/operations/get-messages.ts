import { z } from "@hono/zod-openapi";
import { walkBy } from "../../db/id-list.ts";
import { cursorPage, exampleCursorPage } from "../../http/cursor-page.ts";
import { Done, operation } from "../../http/operation.ts";
import { readPathId } from "../../http/page.ts";
import { getConversation } from "../change.ts";
import { readCursor, writeCursor } from "../list.ts";
import { ConversationParam, EXAMPLE_MESSAGE, ListMessagesQuery, MessagePage, toMessageView } from "../schema.ts";
import { selectMessages } from "../store.ts";
import { READ } from "./common.ts";

export const GetMessages = operation({
  ...READ,
  id: "getMessages",
  method: "get",
  path: "/social/get-messages/{conversation_id}",
  summary: "List messages",
  description:
    "The messages of a conversation, newest first: the person's, and those that the account sent, whether by a request, a bot or elsewhere. Kept for 60 days.",
  params: ConversationParam,
  query: ListMessagesQuery,
  answer: z.object({ messages: MessagePage, status: Done }),
  answerDescription: "A page of the list.",
  example: { messages: exampleCursorPage("conversation/7/messages", EXAMPLE_MESSAGE), status: true },
  run: async ({ deps, caller, url }, { query, params }) => {
    const id = readPathId("conversation", params.conversation_id);
    const { limit, cursor = "" } = query;
    const [at, before] = readCursor(cursor, 2) ?? [];
    await getConversation(deps, caller, id);
    const place = at === undefined || before === undefined ? null : { at, id: before };
    const rows = await selectMessages(deps.db, id, place, limit + 1);
    const { items, next: nextCursor } = walkBy(rows, limit, (last) => writeCursor([last.sentAt, last.id]));
    const messages = cursorPage(url, { data: items.map(toMessageView), limit, nextCursor });
    return { messages, status: true } as const;
  },
});
