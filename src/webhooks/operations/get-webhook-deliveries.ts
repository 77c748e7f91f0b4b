import { z } from "@hono/zod-openapi";
import { absent } from "../../core/errors.ts";
import { exampleCursorPage, walkPage } from "../../http/cursor-page.ts";
import { Done, operation } from "../../http/operation.ts";
import { idOfCursor, readPathId } from "../../http/page.ts";
import { listDeliveries } from "../delivery-store.ts";
import { DeliveryPage, EXAMPLE_DELIVERY, ListDeliveriesQuery, toDeliveryView, WebhookParam } from "../schema.ts";
import { COMMON } from "./common.ts";

export const GetWebhookDeliveries = operation({
  ...COMMON,
  id: "getWebhookDeliveries",
  method: "get",
  path: "/social/get-webhook-deliveries/{webhook_id}",
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
  run: async ({ deps, caller, url }, { query, params }) => {
    const id = readPathId("webhook", params.webhook_id);
    const { limit, cursor = "", status: state = null } = query;
    const before = idOfCursor(cursor);
    const found = await listDeliveries(deps.db, { projectId: caller.projectId, id }, { before, state, limit });
    if (!found) throw absent("webhook", id);
    const deliveries = walkPage(url, found.deliveries, limit, toDeliveryView);
    return { deliveries, status: true } as const;
  },
});
