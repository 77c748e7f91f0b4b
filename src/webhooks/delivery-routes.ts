import { z } from "@hono/zod-openapi";
import { absent } from "../core/errors.ts";
import type { Api } from "../http/api.ts";
import { exampleCursorPage, walkPage } from "../http/cursor-page.ts";
import { operation } from "../http/operation.ts";
import { apiUrl } from "../http/origin.ts";
import { idOfCursor, readPathId } from "../http/page.ts";
import { listDeliveries } from "./delivery-store.ts";
import { replayDelivery, replayWindow, sendTest } from "./replay.ts";
import {
  DeliveryPage,
  DeliveryParam,
  EXAMPLE_DELIVERY,
  ListDeliveriesQuery,
  ReplayBody,
  toDeliveryView,
  WebhookParam,
} from "./schema.ts";
import { replaySentence, SENT_AGAIN, TEST_SENT } from "./sentences.ts";

const COMMON = { tag: "Webhooks", permission: "manage-webhooks", extension: true } as const;
const Done = z.literal(true);

/** Lists and replays webhook deliveries (extensions). */
export function deliveryRoutes(app: Api): void {
  app.openapi(
    operation({
      ...COMMON,
      id: "getWebhookDeliveries",
      method: "get",
      path: "/social/get-webhook/{id}/deliveries",
      summary: "List deliveries of a webhook",
      description: "Each message with its attempts and the responses, newest first. Kept for 30 days.",
      params: WebhookParam,
      query: ListDeliveriesQuery,
      answer: z.object({ deliveries: DeliveryPage, status: Done }),
      answerDescription: "A page of deliveries.",
      example: {
        deliveries: exampleCursorPage("get-webhook/4/deliveries", {
          ...EXAMPLE_DELIVERY,
          attempts: [...EXAMPLE_DELIVERY.attempts],
        }),
        status: true,
      },
    }),
    async (c) => {
      const { deps, caller } = c.var;
      const id = readPathId("webhook", c.req.valid("param").id);
      const { limit, cursor = "", status: state = null } = c.req.valid("query");
      const before = idOfCursor(cursor);
      const found = await listDeliveries(deps.db, { projectId: caller.projectId, id }, { before, state, limit });
      if (!found) throw absent("webhook", id);
      const deliveries = walkPage(apiUrl(c), found.deliveries, limit, toDeliveryView);
      return c.json({ deliveries, status: true } as const, 200);
    },
  );

  app.openapi(
    operation({
      ...COMMON,
      id: "testWebhook",
      method: "post",
      path: "/social/test-webhook/{id}",
      summary: "Send a test event",
      description:
        "Sends `webhook.test` to the webhook, regardless of its events. get-webhook/{id}/deliveries returns the outcome.",
      params: WebhookParam,
      answer: z.object({ message: z.string(), delivery_id: z.int(), status: Done }),
      answerDescription: "The test event is being sent.",
      refusedByState: "The webhook 12 is disabled. Enable it first (update-webhook).",
      example: { message: TEST_SENT, delivery_id: 981, status: true },
    }),
    async (c) => {
      const id = readPathId("webhook", c.req.valid("param").id);
      const delivery_id = await sendTest(c.var.deps, c.var.caller, id);
      return c.json({ message: TEST_SENT, delivery_id, status: true } as const, 200);
    },
  );

  app.openapi(
    operation({
      ...COMMON,
      id: "replayDelivery",
      method: "post",
      path: "/social/replay-delivery/{delivery_id}",
      summary: "Replay a delivery",
      description: "Sends the message again with the same `webhook-id` and all retries, regardless of its outcome.",
      params: DeliveryParam,
      answer: z.object({ message: z.string(), status: Done }),
      answerDescription: "The message is being sent again.",
      refusedByState: "The webhook 12 is disabled. Enable it first (update-webhook).",
      example: { message: SENT_AGAIN, status: true },
    }),
    async (c) => {
      await replayDelivery(c.var.deps, c.var.caller, readPathId("delivery", c.req.valid("param").delivery_id));
      return c.json({ message: SENT_AGAIN, status: true } as const, 200);
    },
  );

  app.openapi(
    operation({
      ...COMMON,
      id: "replayWebhook",
      method: "post",
      path: "/social/replay-webhook/{id}",
      summary: "Replay deliveries of a time range",
      description:
        "Sends the events of a time range again that match the webhook's types, with the same ids, including events that it missed while it was disabled. Events are kept for 180 days. One call sends up to 2,000; continue with `next_cursor`.",
      params: WebhookParam,
      body: ReplayBody,
      answer: z.object({ message: z.string(), replayed: z.int(), next_cursor: z.string().nullable(), status: Done }),
      answerDescription: "The number of messages that are sent again.",
      example: { message: "12 messages are sent again.", replayed: 12, next_cursor: null, status: true },
    }),
    async (c) => {
      const id = readPathId("webhook", c.req.valid("param").id);
      const { from, to = Number.MAX_SAFE_INTEGER, cursor } = c.req.valid("json");
      const after = cursor === undefined ? 0 : Number(cursor);
      const { count, next } = await replayWindow(c.var.deps, c.var.caller, id, { from, to, after });
      const message = replaySentence(count);
      const next_cursor = next === null ? null : String(next);
      return c.json({ message, replayed: count, next_cursor, status: true } as const, 200);
    },
  );
}
