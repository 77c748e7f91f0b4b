import { operation } from "../../http/operation.ts";
import { createWebhook, findCreatedWebhook } from "../manage.ts";
import { CreateWebhookBody, EXAMPLE_SECRET, EXAMPLE_VIEW, toWebhookView } from "../schema.ts";
import { stateSentence } from "../sentences.ts";
import { COMMON, Created } from "./common.ts";

export const CreateWebhook = operation({
  ...COMMON,
  id: "createWebhook",
  audited: true,
  method: "post",
  path: "/social/create-webhook",
  summary: "Create a webhook",
  description: `Sends the project's new events to your address, signed with Standard Webhooks. A project can have 20 webhooks, unless the operator has set another number. \`secret\` is shown only once, in this response.`,
  idempotent: true,
  quotas: "webhooks",
  body: CreateWebhookBody,
  answer: Created,
  answerDescription: "The webhook, enabled, and its secret.",
  example: { message: "The webhook is enabled.", webhook: EXAMPLE_VIEW, secret: EXAMPLE_SECRET, status: true },
  run: async ({ deps, caller, once }, { body }) => {
    const { url, description = null, events: types = null, events_per_request: eventsPerRequest = 1 } = body;
    const { webhook, secret } = await once(
      body,
      (idempotency) => createWebhook(deps, caller, { url, description, types, eventsPerRequest }, idempotency),
      (stored) => findCreatedWebhook(deps, caller, stored),
    );
    const message = stateSentence(webhook);
    return { message, webhook: toWebhookView(webhook), secret, status: true } as const;
  },
});
