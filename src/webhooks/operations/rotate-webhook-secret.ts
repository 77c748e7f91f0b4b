import { operation } from "../../http/operation.ts";
import { readPathId } from "../../http/page.ts";
import { rotateWebhook } from "../manage.ts";
import { EXAMPLE_SECRET, EXAMPLE_VIEW, toWebhookView, WebhookParam } from "../schema.ts";
import { ROTATED } from "../sentences.ts";
import { COMMON, Created } from "./common.ts";

export const RotateWebhookSecret = operation({
  ...COMMON,
  id: "rotateWebhookSecret",
  audited: true,
  method: "post",
  path: "/social/rotate-webhook-secret/{webhook_id}",
  summary: "Rotate a webhook's secret",
  description:
    "Creates a new secret. For a day every message has a signature of both secrets, so that you can switch. A second rotation within that day ends the oldest secret at once.",
  params: WebhookParam,
  answer: Created,
  answerDescription: "The webhook and its new secret.",
  example: { message: ROTATED, webhook: EXAMPLE_VIEW, secret: EXAMPLE_SECRET, status: true },
  run: async ({ deps, caller }, { params }) => {
    const id = readPathId("webhook", params.webhook_id);
    const { webhook, secret } = await rotateWebhook(deps, caller, id, null);
    return { message: ROTATED, webhook: toWebhookView(webhook), secret, status: true } as const;
  },
});
