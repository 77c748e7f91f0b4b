import { z } from "@hono/zod-openapi";
import { humanDate, MINUTE } from "../core/time.ts";
import { pageView } from "../http/page.ts";
import { AiSettings, YesOrNo } from "./ai-settings.ts";
import type { ListedAutomation } from "./store.ts";
import { AUTOMATION_STATES, FREQUENCIES, RESPONSE_TIMES, RESPONSE_TYPES, TRIGGER_TYPES } from "./table.ts";

/** An automation in answers: spec 2.7 and 4.8. */

const Response = z.object({
  comment_responses: z.array(z.string()).openapi({ description: "Public answers; empty if there is none." }),
  dm_responses: z.string().openapi({ description: "The direct message; empty if there is none." }),
});

export const EXAMPLE_CREATED = {
  name: "Answers about prices",
  trigger_type: "keywords",
  response: { comment_responses: ["We have sent you the list."], dm_responses: "Here it is." },
  response_type: "both",
  response_time: "instant",
  delay_time: 0,
  reply_frequency: "everytime",
  status: "active",
  channels: [12],
  updated_at: "March 5, 2030 10:00 AM",
  created_at: "March 5, 2030 10:00 AM",
  id: 3,
  ai_enable: "no",
} as const;

/** The answer to its creation (spec 4.8). */
export const CreatedAutomationView = z
  .object({
    name: z.string(),
    trigger_type: z.enum(TRIGGER_TYPES),
    response: Response,
    response_type: z.enum(RESPONSE_TYPES),
    response_time: z.enum(RESPONSE_TIMES),
    delay_time: z.int(),
    reply_frequency: z.enum(FREQUENCIES),
    status: z.enum(AUTOMATION_STATES),
    channels: z.array(z.int()),
    updated_at: z.string().openapi({ description: "In the project's time zone." }),
    created_at: z.string().openapi({ description: "In the project's time zone." }),
    id: z.int(),
    ai_enable: YesOrNo,
  })
  .openapi("CreatedCommentAutomation", { example: { ...EXAMPLE_CREATED, channels: [12] } });

export const EXAMPLE_AUTOMATION = {
  id: 3,
  name: "Answers about prices",
  trigger_type: "keywords",
  triggers: ["price", "how much"],
  response_type: "both",
  reply_frequency: "everytime",
  response_time: "instant",
  delay_time: 0,
  status: "active",
  channels: [12],
  next_call_time_stamp: "1898935260",
  created_at: "March 5, 2030 10:00 AM",
  updated_at: "March 5, 2030 10:00 AM",
  response: EXAMPLE_CREATED.response,
  ai_enable: "no",
  ai_settings: null,
} as const;

/** Spec 2.7, its keys in that order. */
export const AutomationView = z
  .object({
    id: z.int(),
    name: z.string(),
    trigger_type: z.enum(TRIGGER_TYPES),
    triggers: z.array(z.string()).nullable().openapi({ description: "The keywords; null if there are none." }),
    response_type: z.enum(RESPONSE_TYPES),
    reply_frequency: z.enum(FREQUENCIES),
    response_time: z.enum(RESPONSE_TIMES),
    delay_time: z.int(),
    status: z.enum(AUTOMATION_STATES),
    channels: z.array(z.int()),
    next_call_time_stamp: z
      .string()
      .openapi({ description: "When its posts are polled next, Unix seconds; `0` while it is stopped." }),
    created_at: z.string().openapi({ description: "In the project's time zone." }),
    updated_at: z.string().openapi({ description: "In the project's time zone." }),
    response: Response,
    ai_enable: YesOrNo,
    // Not the named schema: a reference in OpenAPI cannot be null.
    ai_settings: z.object(AiSettings.shape).nullable(),
  })
  .openapi("CommentAutomation", {
    example: { ...EXAMPLE_AUTOMATION, channels: [12], triggers: ["price", "how much"] },
  });

export const AutomationPage = pageView(AutomationView, "CommentAutomationPage");

type Row = Omit<ListedAutomation, "nextCheckAt">;

const responseOf = ({ commentReply, directMessage }: Row): z.output<typeof Response> => ({
  comment_responses: commentReply === null ? [] : [commentReply],
  dm_responses: directMessage ?? "",
});

export function toCreatedView(row: Row, timeZone: string): z.output<typeof CreatedAutomationView> {
  return {
    name: row.name,
    trigger_type: row.triggerType,
    response: responseOf(row),
    response_type: row.responseType,
    response_time: row.responseTime,
    delay_time: row.delaySeconds,
    reply_frequency: row.frequency,
    status: row.state,
    channels: [...row.channelIds],
    updated_at: humanDate(row.updatedAt, timeZone),
    created_at: humanDate(row.createdAt, timeZone),
    id: row.id,
    ai_enable: row.usesAi ? "yes" : "no",
  };
}

export function toView(row: ListedAutomation, timeZone: string): z.output<typeof AutomationView> {
  return {
    id: row.id,
    name: row.name,
    trigger_type: row.triggerType,
    triggers: row.keywords === null ? null : [...row.keywords],
    response_type: row.responseType,
    reply_frequency: row.frequency,
    response_time: row.responseTime,
    delay_time: row.delaySeconds,
    status: row.state,
    channels: [...row.channelIds],
    next_call_time_stamp: String(Math.ceil(nextCall(row) / 1000)),
    created_at: humanDate(row.createdAt, timeZone),
    updated_at: humanDate(row.updatedAt, timeZone),
    response: responseOf(row),
    ai_enable: row.usesAi ? "yes" : "no",
    ai_settings: row.aiSettings,
  };
}

/** If nothing is polled yet, the next minute. */
function nextCall({ state, nextCheckAt }: ListedAutomation): number {
  if (state === "stopped") return 0;
  return nextCheckAt ?? Math.ceil(Date.now() / MINUTE) * MINUTE;
}
