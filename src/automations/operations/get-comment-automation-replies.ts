import { z } from "@hono/zod-openapi";
import { absent } from "../../core/errors.ts";
import { walkOf } from "../../db/id-list.ts";
import { exampleCursorPage, walkPage } from "../../http/cursor-page.ts";
import { Done, operation } from "../../http/operation.ts";
import { idOfCursor, readPathId } from "../../http/page.ts";
import { EXAMPLE_REPLY, ListRepliesQuery, ReplyPage, toReplyView } from "../log-schema.ts";
import { listReplies } from "../reply-store.ts";
import { AutomationIdParam } from "../schema.ts";
import { findAutomation } from "../store.ts";

export const GetCommentAutomationReplies = operation({
  id: "getCommentAutomationReplies",
  method: "get",
  path: "/social/get-comment-automation-replies/{id}",
  tag: "Comment automations",
  permission: "view-comment-automation",
  refusal: 401,
  extension: true,
  summary: "List replies",
  description:
    "Lists the comments that the automation has decided, newest first: the answer, or the reason for none. Kept for 60 days.",
  params: AutomationIdParam,
  query: ListRepliesQuery,
  answer: z.object({ replies: ReplyPage, status: Done }),
  answerDescription: "A page of the log.",
  example: {
    replies: exampleCursorPage("get-comment-automation/3/replies", EXAMPLE_REPLY),
    status: true,
  },
  run: async ({ deps, caller, url }, { query, params }) => {
    const id = readPathId("comment automation", params.id);
    if (!(await findAutomation(deps.db, caller.projectId, id))) throw absent("comment automation", id);
    const { limit, cursor = "" } = query;
    const before = idOfCursor(cursor);
    const rows = await listReplies(deps.db, id, { before, limit: limit + 1 });
    const replies = walkPage(url, walkOf(rows, limit), limit, toReplyView);
    return { replies, status: true } as const;
  },
});
