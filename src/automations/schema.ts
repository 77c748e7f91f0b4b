import { z } from "@hono/zod-openapi";
import { isBlank } from "../core/text.ts";
import { text } from "../core/text-field.ts";
import { IdCursorQuery, LimitQuery, PageBesideCursor, pathId, refuseBoth } from "../http/page.ts";
import { AiSettings, YesOrNo } from "./ai-settings.ts";
import { inconsistencies } from "./settings.ts";
import {
  AUTOMATION_STATES,
  FREQUENCIES,
  RESPONSE_TIMES,
  RESPONSE_TYPES,
  TARGET_TYPES,
  TRIGGER_TYPES,
} from "./table.ts";

/** Shapes of spec 2.7, 2.8 and 4.8 to 4.11, and of the extensions. Those of the log are in log-schema.ts. */

const MAX_CHANNELS = 100;
const MAX_TARGETS = 500;
const MAX_KEYWORDS = 200;
const MAX_KEYWORD = 100;
/** Longer than any platform accepts; the sentence then names the platform's limit. */
const MAX_TEXT = 10_000;
const MAX_DELAY_SECONDS = 604_800;

const notBlank = (max: number) => text(max).refine((words) => !isBlank(words), "must not be blank.");
const ids = (max: number) => z.array(z.int().positive()).min(1).max(max);

/** The fields of an automation; defaults are those of the request (spec 4.8). */
const FIELDS = {
  name: notBlank(255).openapi({ pattern: "\\S", example: "Answers about prices" }),
  channels: ids(MAX_CHANNELS).openapi({ example: [12], description: "Ids of connected channels." }),
  target_type: z.enum(TARGET_TYPES).openapi({
    description:
      "`all`: every post of the channels that is published through this service, now or later; otherwise the chosen posts.",
  }),
  post_ids: ids(MAX_TARGETS).openapi({
    example: [42],
    description: "Published posts of the channels; required when target_type is posts.",
  }),
  campaign_ids: ids(MAX_TARGETS).openapi({
    example: [7],
    description: "Campaigns whose posts are covered; required when target_type is campaigns.",
  }),
  trigger_type: z.enum(TRIGGER_TYPES),
  keywords: z
    .array(notBlank(MAX_KEYWORD))
    .min(1)
    .max(MAX_KEYWORDS)
    .openapi({
      example: ["price", "how much"],
      description:
        "Words or phrases, one of which must be in the comment; required when trigger_type is keywords. Case, accents and width are ignored.",
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
    description: "`once`: at most one answer per person. `randomly`: answers half of the comments.",
  }),
  ai_enable: YesOrNo.openapi({
    description: "Whether a model writes the answers. It uses the given texts, and they are sent if it fails.",
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
      .openapi({ description: "Required unless ai_enable is no; each field is optional." }),
  })
  .superRefine((body, context) => {
    for (const { field, message } of inconsistencies(body)) {
      context.addIssue({ code: "custom", path: [field], message });
    }
  })
  .openapi("CreateCommentAutomation", {
    // For generated clients: a body without settings whose answers a model writes is a type error.
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

/** "Only valid fields should be sent": fields that cannot be changed are refused. */
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
      description: "`stopped`: nothing is answered until it is `active` again; waiting answers are cancelled.",
    }),
  })
  .refine((body) => Object.keys(body).length > 0, {
    error: "must not be empty: send at least one field to change.",
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
      .openapi({ description: "Order of creation; `desc`: newest first." }),
  })
  .superRefine(refuseBoth);
