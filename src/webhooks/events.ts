import { z } from "zod";
import { eventLog } from "../events/store.ts";

/** The events of a webhook itself. Event writes are checked against this schema. */
export const WEBHOOK_EVENTS = {
  "webhook.disabled": {
    description:
      "A webhook was disabled: its address reported that it is gone, or no delivery succeeded for five days.",
    detail: z.object({ url: z.string(), reason: z.enum(["gone", "failing"]) }),
  },
} as const;

export const webhookEvents = eventLog("webhook", WEBHOOK_EVENTS);
