import { z } from "@hono/zod-openapi";
import { Done, operation } from "../../http/operation.ts";
import { readPathId } from "../../http/page.ts";
import { replayDelivery } from "../replay.ts";
import { DeliveryParam } from "../schema.ts";
import { SENT_AGAIN } from "../sentences.ts";
import { COMMON } from "./common.ts";

export const ReplayDelivery = operation({
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
  run: async ({ deps, caller }, { params }) => {
    await replayDelivery(deps, caller, readPathId("delivery", params.delivery_id));
    return { message: SENT_AGAIN, status: true } as const;
  },
});
