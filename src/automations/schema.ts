import { z } from "@hono/zod-openapi";
import { humanDate } from "../core/time.ts";
import { cursorPageView } from "../http/cursor-page.ts";
import { IdCursorQuery, LimitQuery, PageBesideCursor, pageView, pathId, refuseBoth } from "../http/page.ts";
import { text } from "../posts/content/text-fields.ts";
import { AiSettings } from "./ai-settings.ts";
import { inconsistencies } from "./settings.ts";
import type { ListedAutomation } from "./store.ts";
import {
  AUTOMATION_STATES,
  FREQUENCIES,
  RESPONSE_TIMES,
  RESPONSE_TYPES,
  TARGET_TYPES,
  TRIGGER_TYPES,
} from "./table.ts";

/** Shapes of spec 2.7, 2.8 and 4.8 to 4.11, and of the extensions beside them. The log's are in log-schema.ts. */

const MAX_CHANNELS = 100;
const MAX_TARGETS = 500;
const MAX_KEYWORDS = 200;
const MAX_KEYWORD = 100;
/** Longer than any platform takes, for the sentence that says how long it is there. */
const MAX_TEXT = 10_000;
export const MAX_DELAY_SECONDS = 604_800;

const notBlank = (max: number) => text(max).refine((words) => words.trim() !== "", "must not be blank.");
const ids = (max: number) => z.array(z.int().positive()).min(1).max(max);
const YesOrNo = z.enum(["yes", "no"]);

/** What can be told of an automation; defaults are the request's (spec 4.8). */
const FIELDS = {
  name: notBlank(255).openapi({ pattern: "\\S", example: "Answers about prices" }),
  channels: ids(MAX_CHANNELS).openapi({ example: [12], description: "Ids of connected channels." }),
  target_type: z.enum(TARGET_TYPES).openapi({
    description:
      "`all`: every post of the channels that is published through this service, those of later too; else the chosen ones.",
  }),
  post_ids: ids(MAX_TARGETS).openapi({
    example: [42],
    description: "Published posts of the channels; required when target_type is posts.",
  }),
  campaign_ids: ids(MAX_TARGETS).openapi({
    example: [7],
    description: "Campaigns whose posts are meant; required when target_type is campaigns.",
  }),
  trigger_type: z.enum(TRIGGER_TYPES),
  keywords: z
    .array(notBlank(MAX_KEYWORD))
    .min(1)
    .max(MAX_KEYWORDS)
    .openapi({
      example: ["price", "how much"],
      description:
        "Words or phrases of which one must be in the comment; required when trigger_type is keywords. Case, accents and width do not matter.",
    }),
  response_type: z.enum(RESPONSE_TYPES),
  comment_reply: text(MAX_TEXT).openapi({ example: "We have sent you the list.", description: "The public answer." }),
  direct_message: text(MAX_TEXT).openapi({ example: "Here it is.", description: "The private one." }),
  response_time: z.enum(RESPONSE_TIMES),
  delay_time: z
    .int()
    .min(0)
    .max(MAX_DELAY_SECONDS)
    .openapi({ description: "Seconds after the comment; required when response_time is delayed.", example: 300 }),
  frequency: z.enum(FREQUENCIES).openapi({
    description: "`once`: at most one answer to each person. `randomly`: to half of the comments.",
  }),
  ai_enable: YesOrNo.openapi({
    description:
      "Whether answers are written by a model; the texts given are what it goes by, and used where it fails.",
  }),
  ai_settings: AiSettings,
} as const;

const { keywords, post_ids, campaign_ids, comment_reply, direct_message, delay_time, ai_settings } = FIELDS;

export const CreateAutomationBody = z
  .object({
    name: FIELDS.name,
    channels: FIELDS.channels,
    target_type: FIELDS.target_type.default("all"),
    post_ids: post_ids.optional(),
    campaign_ids: campaign_ids.optional(),
    trigger_type: FIELDS.trigger_type.default("any"),
    keywords: keywords.optional(),
    response_type: FIELDS.response_type.default("both"),
    comment_reply: comment_reply.optional(),
    direct_message: direct_message.optional(),
    response_time: FIELDS.response_time.default("instant"),
    delay_time: delay_time.optional(),
    frequency: FIELDS.frequency.default("everytime"),
    ai_enable: FIELDS.ai_enable.default("yes"),
    ai_settings: ai_settings
      .optional()
      .openapi({ description: "Required unless ai_enable is no; each of them may be left out." }),
  })
  .superRefine((body, context) => {
    for (const { field, message } of inconsistencies(body)) {
      context.addIssue({ code: "custom", path: [field], message });
    }
  })
  .openapi("CreateCommentAutomation", {
    // In a generated client, a body that a model answers for and that has no settings is a type error.
    allOf: [
      {
        anyOf: [
          { type: "object", required: ["ai_enable"], properties: { ai_enable: { type: "string", enum: ["no"] } } },
          {
            type: "object",
            required: ["ai_settings"],
            properties: { ai_settings: { $ref: "#/components/schemas/AiSettings" } },
          },
        ],
      },
    ],
    example: {
      name: "Answers about prices",
      channels: [12],
      trigger_type: "keywords",
      keywords: ["price", "how much"],
      response_type: "both",
      comment_reply: "We have sent you the list.",
      direct_message: "Here it is.",
      ai_enable: "no",
    },
  });
export type CreateAutomationBody = z.output<typeof CreateAutomationBody>;

/** "Only valid fields should be sent": what cannot be changed is refused (decisions.md). */
export const UpdateAutomationBody = z
  .strictObject({
    name: FIELDS.name.optional(),
    channels: FIELDS.channels.optional(),
    target_type: FIELDS.target_type.optional(),
    post_ids: post_ids.optional(),
    campaign_ids: campaign_ids.optional(),
    trigger_type: FIELDS.trigger_type.optional(),
    keywords: keywords.optional(),
    response_type: FIELDS.response_type.optional(),
    comment_reply: comment_reply.nullable().optional(),
    direct_message: direct_message.nullable().optional(),
    response_time: FIELDS.response_time.optional(),
    delay_time: delay_time.optional(),
    frequency: FIELDS.frequency.optional(),
    ai_enable: FIELDS.ai_enable.optional(),
    ai_settings: ai_settings.optional(),
    status: z.enum(AUTOMATION_STATES).optional().openapi({
      description: "`stopped`: nothing is answered until it is `active` again; what was waiting is dropped.",
    }),
  })
  .refine((body) => Object.keys(body).length > 0, {
    error: "must not be empty: it names at least one field to change.",
    when: ({ issues }) => issues.length === 0,
  })
  .openapi("UpdateCommentAutomation", { example: { status: "stopped" } });
export type UpdateAutomationBody = z.output<typeof UpdateAutomationBody>;

export const AutomationIdParam = z.object({ id: pathId("id") });

export const ListAutomationsQuery = z
  .object({
    limit: LimitQuery,
    page: PageBesideCursor,
    cursor: IdCursorQuery,
    sort_by: z
      .enum(["asc", "desc"])
      .optional()
      .default("desc")
      .openapi({ description: "By when they were made; `desc`: the newest first." }),
  })
  .superRefine(refuseBoth);

const Response = z.object({
  comment_responses: z.array(z.string()).openapi({ description: "Public answers; empty without one." }),
  dm_responses: z.string().openapi({ description: "The direct message; empty without one." }),
});

const EXAMPLE_CREATED = {
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

/** What the answer of the creation shows (spec 4.8). */
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
    triggers: z.array(z.string()).nullable().openapi({ description: "The keywords; null when there are none." }),
    response_type: z.enum(RESPONSE_TYPES),
    reply_frequency: z.enum(FREQUENCIES),
    response_time: z.enum(RESPONSE_TIMES),
    delay_time: z.int(),
    status: z.enum(AUTOMATION_STATES),
    channels: z.array(z.int()),
    next_call_time_stamp: z
      .string()
      .openapi({ description: "When its posts are looked at next, Unix seconds; `0` while it is stopped." }),
    created_at: z.string().openapi({ description: "In the project's time zone." }),
    updated_at: z.string().openapi({ description: "In the project's time zone." }),
    response: Response,
    ai_enable: YesOrNo,
    // Not the named schema: in OpenAPI a reference cannot be null.
    ai_settings: z.object(AiSettings.shape).nullable(),
  })
  .openapi("CommentAutomation", {
    example: { ...EXAMPLE_AUTOMATION, channels: [12], triggers: ["price", "how much"] },
  });

export const AutomationPage = pageView(AutomationView, "CommentAutomationPage");
export const AutomationCursorPage = cursorPageView(AutomationView, "CommentAutomationCursorPage");

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

const MINUTE_MS = 60_000;

/** Where nothing is watched yet, the next minute is when something may be. */
function nextCall({ state, nextCheckAt }: ListedAutomation): number {
  if (state === "stopped") return 0;
  return nextCheckAt ?? Math.ceil(Date.now() / MINUTE_MS) * MINUTE_MS;
}
