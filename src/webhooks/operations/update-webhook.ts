import { z } from "@hono/zod-openapi";
import { Done, operation } from "../../http/operation.ts";
import { readPathId } from "../../http/page.ts";
import { changeWebhook } from "../manage.ts";
import { EXAMPLE_VIEW, toChange, toWebhookView, UpdateWebhookBody, WebhookParam, WebhookView } from "../schema.ts";
import { stateSentence } from "../sentences.ts";
import { COMMON } from "./common.ts";

export const UpdateWebhook = operation({
  ...COMMON,
  id: "updateWebhook",
  audited: true,
  method: "put",
  path: "/social/update-webhook/{webhook_id}",
  summary: "Update a webhook",
  description:
    "Changes the given fields. `status: disabled` stops all messages, waiting ones included. `enabled` sends new events again; replay-webhook sends missed ones.",
  params: WebhookParam,
  body: UpdateWebhookBody,
  answer: z.object({ message: z.string(), webhook: WebhookView, status: Done }),
  answerDescription: "The current webhook.",
  example: { message: "The webhook is enabled.", webhook: EXAMPLE_VIEW, status: true },
  run: async ({ deps, caller }, { body, params }) => {
    const id = readPathId("webhook", params.webhook_id);
    const webhook = await changeWebhook(deps, caller, id, toChange(body));
    const message = stateSentence(webhook);
    return { message, webhook: toWebhookView(webhook), status: true } as const;
  },
});
