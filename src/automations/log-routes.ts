import { z } from "@hono/zod-openapi";
import { absent } from "../core/errors.ts";
import { walkOf } from "../db/id-list.ts";
import type { Api } from "../http/api.ts";
import { exampleCursorPage, walkPage } from "../http/cursor-page.ts";
import { operation } from "../http/operation.ts";
import { apiUrl } from "../http/origin.ts";
import { idOfCursor, readPathId } from "../http/page.ts";
import {
  EXAMPLE_REPLY,
  ListRepliesQuery,
  ReplyPage,
  TestAutomationBody,
  TrialView,
  toReplyView,
  toTrialView,
} from "./log-schema.ts";
import { listReplies } from "./reply-store.ts";
import { AutomationIdParam } from "./schema.ts";
import { findAutomation } from "./store.ts";
import { tryAutomation } from "./test-automation.ts";

const Done = z.literal(true);

/** The replies log and the trial of an automation (extensions). */
export function automationLogRoutes(app: Api): void {
  app.openapi(
    operation({
      id: "getCommentAutomationReplies",
      method: "get",
      path: "/social/get-comment-automation/{id}/replies",
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
    }),
    async (c) => {
      const { deps, caller } = c.var;
      const id = readPathId("comment automation", c.req.valid("param").id);
      if (!(await findAutomation(deps.db, caller.projectId, id))) throw absent("comment automation", id);
      const { limit, cursor = "" } = c.req.valid("query");
      const before = idOfCursor(cursor);
      const rows = await listReplies(deps.db, id, { before, limit: limit + 1 });
      const replies = walkPage(apiUrl(c), walkOf(rows, limit), limit, toReplyView);
      return c.json({ replies, status: true } as const, 200);
    },
  );

  app.openapi(
    operation({
      id: "testCommentAutomation",
      method: "post",
      path: "/social/test-comment-automation/{id}",
      tag: "Comment automations",
      permission: "view-comment-automation",
      refusal: 401,
      extension: true,
      summary: "Test a comment automation",
      description:
        "Returns what the automation would do with such a comment, for each channel: whether it would answer, with which texts, or why not. Nothing is sent. If a model writes the answers, it is called, which also needs `create-comment-automation`.",
      params: AutomationIdParam,
      body: TestAutomationBody,
      answer: z.object({ test: TrialView, status: Done }),
      answerDescription: "What would happen.",
      example: {
        test: {
          would_reply: true,
          reason: null,
          message: "It would answer.",
          keyword: "how much",
          delay_time: 0,
          channels: [
            {
              channel_id: 12,
              channel_type: "facebook",
              comment_reply: "We have sent you the list.",
              direct_message: "Here it is.",
              notes: [],
            },
          ],
        },
        status: true,
      },
    }),
    async (c) => {
      const { deps, caller } = c.var;
      const id = readPathId("comment automation", c.req.valid("param").id);
      const trial = await tryAutomation(deps, caller, id, c.req.valid("json"));
      return c.json({ test: toTrialView(trial), status: true } as const, 200);
    },
  );
}
