import { z } from "@hono/zod-openapi";
import { findChannel } from "../../channels/store.ts";
import { invalid } from "../../core/errors.ts";
import { cursorPage, exampleCursorPage } from "../../http/cursor-page.ts";
import { Done, operation } from "../../http/operation.ts";
import { requireConversing } from "../collect.ts";
import { walkConversations } from "../list.ts";
import { ConversationPage, EXAMPLE_CONVERSATION, ListConversationsQuery, toConversationView } from "../schema.ts";
import { READ } from "./common.ts";

export const GetConversations = operation({
  ...READ,
  id: "getConversations",
  method: "get",
  path: "/social/get-conversations",
  summary: "List conversations",
  description:
    "Conversations of channels that collect direct messages: unanswered ones first, then by the last message. Kept for 60 days after it.",
  query: ListConversationsQuery,
  answer: z.object({ conversations: ConversationPage, status: Done }),
  answerDescription: "A page of the list.",
  example: { conversations: exampleCursorPage("conversations", EXAMPLE_CONVERSATION), status: true },
  run: async ({ deps, caller, url }, { query }) => {
    const { channel_id: channelId = null, state = null, limit, cursor = "" } = query;
    if (channelId !== null) {
      const channel = await findChannel(deps.db, caller.projectId, channelId);
      const sentence = "channel_id must be a connected channel of this project.";
      if (!channel) throw invalid({ channel_id: [sentence] }, "reference_invalid");
      requireConversing(channel);
    }
    const filter = { projectId: caller.projectId, channelId, state };
    const { items, next: nextCursor } = await walkConversations(deps.db, filter, { cursor, limit });
    const conversations = cursorPage(url, { data: items.map(toConversationView), limit, nextCursor });
    return { conversations, status: true } as const;
  },
});
