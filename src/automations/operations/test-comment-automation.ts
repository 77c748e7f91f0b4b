import { z } from "@hono/zod-openapi";
import { Done, operation } from "../../http/operation.ts";
import { readPathId } from "../../http/page.ts";
import { TestAutomationBody, TrialView, toTrialView } from "../log-schema.ts";
import { AutomationIdParam } from "../schema.ts";
import { tryAutomation } from "../test-automation.ts";

export const TestCommentAutomation = operation({
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
  run: async ({ deps, caller }, { body, params }) => {
    const id = readPathId("comment automation", params.id);
    const trial = await tryAutomation(deps, caller, id, body);
    return { test: toTrialView(trial), status: true } as const;
  },
});
