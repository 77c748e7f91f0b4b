import { z } from "@hono/zod-openapi";
import { Done, operation } from "../../http/operation.ts";
import { readPathId } from "../../http/page.ts";
import { endWebhook } from "../manage.ts";
import { WebhookParam } from "../schema.ts";
import { DELETED } from "../sentences.ts";
import { COMMON } from "./common.ts";

export const DeleteWebhook = operation({
  ...COMMON,
  id: "deleteWebhook",
  audited: true,
  method: "delete",
  path: "/social/delete-webhook/{webhook_id}",
  summary: "Delete a webhook",
  description: "Deletes the webhook and its waiting messages.",
  params: WebhookParam,
  answer: z.object({ message: z.string(), status: Done }),
  answerDescription: "It is gone.",
  example: { message: DELETED, status: true },
  run: async ({ deps, caller }, { params }) => {
    await endWebhook(deps, caller, readPathId("webhook", params.webhook_id));
    return { message: DELETED, status: true } as const;
  },
});
