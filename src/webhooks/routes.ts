import { z } from "@hono/zod-openapi";
import { isoUtc } from "../core/time.ts";
import type { Api } from "../http/api.ts";
import { idempotently } from "../http/idempotency.ts";
import { operation } from "../http/operation.ts";
import { readPathId } from "../http/page.ts";
import { LEAVING, LEAVING_NAMES } from "./catalog.ts";
import {
  changeWebhook,
  createWebhook,
  endWebhook,
  findCreatedWebhook,
  getWebhook,
  rotateProjectKey,
  rotateWebhook,
} from "./manage.ts";
import {
  CreateWebhookBody,
  EXAMPLE_SECRET,
  EXAMPLE_VIEW,
  Secret,
  toChange,
  toWebhookView,
  UpdateWebhookBody,
  WebhookParam,
  WebhookView,
} from "./schema.ts";
import { DELETED, ROTATED, stateSentence } from "./sentences.ts";
import { listWebhooks } from "./store.ts";

const COMMON = { tag: "Webhooks", permission: "manage-webhooks", extension: true } as const;
const Done = z.literal(true);
const Created = z.object({ message: z.string(), webhook: WebhookView, secret: Secret, status: Done });

/** A project's webhooks (extensions). */
export function webhookRoutes(app: Api): void {
  documentMessages(app);

  app.openapi(
    operation({
      ...COMMON,
      id: "createWebhook",
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
    }),
    async (c) => {
      const { deps, caller } = c.var;
      const body = c.req.valid("json");
      const { url, description = null, events: types = null, events_per_request: eventsPerRequest = 1 } = body;
      const { webhook, secret } = await idempotently(
        c,
        body,
        (idempotency) => createWebhook(deps, caller, { url, description, types, eventsPerRequest }, idempotency),
        (stored) => findCreatedWebhook(deps, caller, stored),
      );
      const message = stateSentence(webhook);
      return c.json({ message, webhook: toWebhookView(webhook), secret, status: true } as const, 200);
    },
  );

  app.openapi(
    operation({
      ...COMMON,
      id: "getWebhooks",
      method: "get",
      path: "/social/get-webhooks",
      summary: "List webhooks",
      description: "All webhooks of the project, newest first.",
      answer: z.object({ webhooks: z.array(WebhookView), status: Done }),
      answerDescription: "The webhooks.",
      example: { webhooks: [EXAMPLE_VIEW], status: true },
    }),
    async (c) => {
      const webhooks = await listWebhooks(c.var.deps.db, c.var.caller.projectId);
      return c.json({ webhooks: webhooks.map((one) => toWebhookView(one)), status: true } as const, 200);
    },
  );

  app.openapi(
    operation({
      ...COMMON,
      id: "getWebhook",
      method: "get",
      path: "/social/get-webhook/{id}",
      summary: "Get a webhook",
      description: "One webhook and its state.",
      params: WebhookParam,
      answer: z.object({ webhook: WebhookView, status: Done }),
      answerDescription: "The webhook.",
      example: { webhook: EXAMPLE_VIEW, status: true },
    }),
    async (c) => {
      const id = readPathId("webhook", c.req.valid("param").id);
      const webhook = await getWebhook(c.var.deps, c.var.caller, id);
      return c.json({ webhook: toWebhookView(webhook), status: true } as const, 200);
    },
  );

  app.openapi(
    operation({
      ...COMMON,
      id: "updateWebhook",
      method: "put",
      path: "/social/update-webhook/{id}",
      summary: "Update a webhook",
      description:
        "Changes the given fields. `status: disabled` stops all messages, waiting ones included. `enabled` sends new events again; replay-webhook sends missed ones.",
      params: WebhookParam,
      body: UpdateWebhookBody,
      answer: z.object({ message: z.string(), webhook: WebhookView, status: Done }),
      answerDescription: "The current webhook.",
      example: { message: "The webhook is enabled.", webhook: EXAMPLE_VIEW, status: true },
    }),
    async (c) => {
      const id = readPathId("webhook", c.req.valid("param").id);
      const webhook = await changeWebhook(c.var.deps, c.var.caller, id, toChange(c.req.valid("json")));
      const message = stateSentence(webhook);
      return c.json({ message, webhook: toWebhookView(webhook), status: true } as const, 200);
    },
  );

  app.openapi(
    operation({
      ...COMMON,
      id: "deleteWebhook",
      method: "delete",
      path: "/social/delete-webhook/{id}",
      summary: "Delete a webhook",
      description: "Deletes the webhook and its waiting messages.",
      params: WebhookParam,
      answer: z.object({ message: z.string(), status: Done }),
      answerDescription: "It is gone.",
      example: { message: DELETED, status: true },
    }),
    async (c) => {
      await endWebhook(c.var.deps, c.var.caller, readPathId("webhook", c.req.valid("param").id));
      return c.json({ message: DELETED, status: true } as const, 200);
    },
  );

  app.openapi(
    operation({
      ...COMMON,
      id: "rotateWebhookSecret",
      method: "post",
      path: "/social/rotate-webhook-secret/{id}",
      summary: "Rotate a webhook's secret",
      description:
        "Creates a new secret. For a day every message has a signature of both secrets, so that you can switch. A second rotation within that day ends the oldest secret at once.",
      params: WebhookParam,
      answer: Created,
      answerDescription: "The webhook and its new secret.",
      example: { message: ROTATED, webhook: EXAMPLE_VIEW, secret: EXAMPLE_SECRET, status: true },
    }),
    async (c) => {
      const id = readPathId("webhook", c.req.valid("param").id);
      const { webhook, secret } = await rotateWebhook(c.var.deps, c.var.caller, id, null);
      return c.json({ message: ROTATED, webhook: toWebhookView(webhook), secret, status: true } as const, 200);
    },
  );

  app.openapi(
    operation({
      ...COMMON,
      id: "rotateProjectSecret",
      method: "post",
      path: "/social/rotate-web-hook-secret",
      summary: "Rotate the secret of web_hook",
      description:
        "Creates a new secret for the project's messages to `web_hook` (create-post-generation). For a day every message also has a signature of the previous secret.",
      answer: z.object({ message: z.string(), secret: Secret, old_secret_until: z.string(), status: Done }),
      answerDescription: "The new secret.",
      example: {
        message: ROTATED,
        secret: EXAMPLE_SECRET,
        old_secret_until: "2030-03-06T10:00:00.000+00:00",
        status: true,
      },
    }),
    async (c) => {
      const { secret, oldUntil } = await rotateProjectKey(c.var.deps, c.var.caller);
      const old_secret_until = isoUtc(oldUntil);
      return c.json({ message: ROTATED, secret, old_secret_until, status: true } as const, 200);
    },
  );
}

/** Documents the messages of each type, under `webhooks` of the OpenAPI document. */
function documentMessages(app: Api): void {
  for (const type of LEAVING_NAMES) {
    const { idKey, description, detail } = LEAVING[type];
    const data = z.object({
      [idKey]: z.int(),
      message: z.string().openapi({ description: "What happened, in one sentence." }),
    });
    const schema = z.object({
      type: z.literal(type),
      timestamp: z.string().openapi({ description: "When it happened, ISO 8601." }),
      id: z.string().openapi({ description: "The id of the event, the same as the header `webhook-id`." }),
      revision: z.int().openapi({
        description:
          "Grows with each event of an object: of two messages about it, the higher one is the newer. 0 in a test.",
      }),
      data: data.extend(detail.shape),
    });
    app.openAPIRegistry.registerWebhook({
      method: "post",
      path: type,
      operationId: `on${type.replaceAll(/(?:^|[._])([a-z])/g, (_, letter: string) => letter.toUpperCase())}`,
      tags: [COMMON.tag],
      summary: description,
      description: DELIVERY,
      security: [],
      request: {
        headers: z.object({
          "webhook-id": z.string().openapi({ description: "The id of the event: the same in every repeat." }),
          "webhook-timestamp": z.string().openapi({ description: "When the message was sent, Unix seconds." }),
          "webhook-signature": z.string().openapi({ description: "One signature, or two for a day after a rotation." }),
        }),
        body: { required: true, content: { "application/json": { schema } } },
      },
      responses: {
        200: { description: "Any status from 200 to 299 within 15 seconds: delivered." },
        410: { description: "The address is permanently gone. The webhook is disabled." },
      },
    });
  }
}

const DELIVERY =
  "Sent at least once, in no guaranteed order, signed with Standard Webhooks. A failed delivery is retried after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h and 10 h.";
