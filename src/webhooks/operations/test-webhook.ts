import { z } from "@hono/zod-openapi";
import { Done, operation } from "../../http/operation.ts";
import { readPathId } from "../../http/page.ts";
import { sendTest } from "../replay.ts";
import { TestWebhookQuery, WebhookParam } from "../schema.ts";
import { TEST_SENT } from "../sentences.ts";
import { COMMON } from "./common.ts";

export const TestWebhook = operation({
  ...COMMON,
  id: "testWebhook",
  method: "post",
  path: "/social/test-webhook/{webhook_id}",
  summary: "Send a test event",
  description:
    "Sends `webhook.test` to the webhook, or with `event` a sample of that event in its documented shape, with invented values: its `id` begins with `test_`, and its `revision` is 0. Sent regardless of the events of the webhook. get-delivery returns the outcome.",
  params: WebhookParam,
  query: TestWebhookQuery,
  answer: z.object({ message: z.string(), delivery_id: z.int(), status: Done }),
  answerDescription: "The test event is being sent.",
  refusedByState: "The webhook 12 is disabled. Enable it first (update-webhook).",
  example: { message: TEST_SENT, delivery_id: 981, status: true },
  run: async ({ deps, caller }, { params, query }) => {
    const id = readPathId("webhook", params.webhook_id);
    const delivery_id = await sendTest(deps, caller, id, query.event);
    return { message: TEST_SENT, delivery_id, status: true } as const;
  },
});
