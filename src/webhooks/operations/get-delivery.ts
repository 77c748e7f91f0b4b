import { z } from "@hono/zod-openapi";
import { absent } from "../../core/errors.ts";
import { Done, operation } from "../../http/operation.ts";
import { readPathId } from "../../http/page.ts";
import { readToSend } from "../delivery-store.ts";
import { DeliveryParam, DeliveryView, EXAMPLE_DELIVERY, toDeliveryView } from "../schema.ts";
import { COMMON } from "./common.ts";

export const GetDelivery = operation({
  ...COMMON,
  id: "getDelivery",
  method: "get",
  path: "/social/get-delivery/{delivery_id}",
  summary: "View a delivery",
  description: "One message to a webhook, with its attempts and the responses. Kept for 30 days.",
  params: DeliveryParam,
  answer: z.object({ delivery: DeliveryView, status: Done }),
  answerDescription: "The delivery.",
  example: { delivery: { ...EXAMPLE_DELIVERY, attempts: [...EXAMPLE_DELIVERY.attempts] }, status: true },
  run: async ({ deps, caller }, { params }) => {
    const id = readPathId("delivery", params.delivery_id);
    const found = await readToSend(deps.db, id);
    // Single messages go to an address that a request named, not to a webhook; a deleted webhook has no list.
    if (found?.delivery.projectId !== caller.projectId || !found.webhook) throw absent("delivery", id);
    return { delivery: toDeliveryView({ ...found.delivery, event: found.event }), status: true } as const;
  },
});
