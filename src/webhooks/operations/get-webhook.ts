import { z } from "@hono/zod-openapi";
import { Done, operation } from "../../http/operation.ts";
import { readPathId } from "../../http/page.ts";
import { getWebhook } from "../manage.ts";
import { EXAMPLE_VIEW, toWebhookView, WebhookParam, WebhookView } from "../schema.ts";
import { COMMON } from "./common.ts";

export const GetWebhook = operation({
  ...COMMON,
  id: "getWebhook",
  method: "get",
  path: "/social/get-webhook/{webhook_id}",
  summary: "Get a webhook",
  description: "One webhook and its state.",
  params: WebhookParam,
  answer: z.object({ webhook: WebhookView, status: Done }),
  answerDescription: "The webhook.",
  example: { webhook: EXAMPLE_VIEW, status: true },
  run: async ({ deps, caller }, { params }) => {
    const id = readPathId("webhook", params.webhook_id);
    const webhook = await getWebhook(deps, caller, id);
    return { webhook: toWebhookView(webhook), status: true } as const;
  },
});
