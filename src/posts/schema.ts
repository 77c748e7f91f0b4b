import { z } from "@hono/zod-openapi";
import { grouped } from "../core/sentences.ts";
import { isBlank, listWords } from "../core/text.ts";
import { filledText, text } from "../core/text-field.ts";
import { isTimeZone, zoneName } from "../core/time.ts";
import { LimitQuery, PageBesideCursor, postPathId, refuseBoth } from "../http/page.ts";
import { PLATFORM_FACTS } from "../platforms/facts.ts";
import { PLATFORM_NAMES, POST_TYPES } from "../platforms/names.ts";
import { DeclaredBody, NewDeclared } from "./content/declared.ts";
import { ExternalId, Metadata } from "./content/labels.ts";
import { NewOptions, OptionsBody } from "./content/options.ts";
import { AltTexts, FirstComment, MAX_FILES, MAX_THREAD_TEXT, threadOf } from "./content/text-fields.ts";
import { POST_KINDS, POST_TIMES } from "./create/post-kinds.ts";
import { CHANNELS_REQUIRED, IncludeQuery, lacksChannels, PostFilters, reversedSpans } from "./lists/list-schema.ts";
import { PUBLISH_MODES } from "./table.ts";

/** Shapes of spec 4.3 to 4.7 and of the extensions. */

/** YouTube's category ids (spec 4.4). */
const YOUTUBE_CATEGORIES = [1, 2, 10, 15, ...Array.from({ length: 28 }, (_, index) => 17 + index)];

/**
 * Texts are limited before anything processes them. A caption may be longer than any platform accepts, so
 * that the sentence can name the platform's limit. So may an item of a thread: X accepts 25,000 characters,
 * and counts a link of any length as 23.
 */
const MediaUrl = z.string().min(1).max(2048);
const Caption = text(100_000);
const Message = text(40_000);
const ScheduleTime = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}$/, "must read YYYY-MM-DD HH:mm (e.g. 2030-03-05 10:00)")
  .openapi({ example: "2030-03-05 10:00", description: "Wall-clock time in `time_zone`, `YYYY-MM-DD HH:mm`." });
const TimeZone = z
  .string()
  .max(64, { abort: true })
  .refine(isTimeZone, "must be an IANA time zone name (e.g. Europe/Berlin)")
  .overwrite(zoneName)
  .openapi({ example: "Europe/Berlin", description: "Any IANA zone name." });
const HashTags = z
  .preprocess((tags) => (isListOfTexts(tags) ? tags.join(" ") : tags), text(5_000))
  .openapi({
    type: ["string", "array"],
    items: { type: "string" },
    example: "launch, bikes",
    description: "Comma- or space-separated; or a list, as it is read.",
  });
const isListOfTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((one) => typeof one === "string");

const ThreadItem = z
  .object({
    message: Message.refine((text) => !isBlank(text), "must not be blank.").openapi({
      pattern: "\\S",
      example: "First: the frames.",
    }),
    media_urls: z.array(MediaUrl).max(MAX_FILES).optional(),
    alt_texts: AltTexts.optional(),
  })
  .openapi("ThreadItem");

export const PostExtra = z
  .object({
    title: filledText(100).optional(),
    category: z
      .int()
      .refine((id) => YOUTUBE_CATEGORIES.includes(id), "must be a YouTube category id (1, 2, 10, 15, 17 to 44)")
      .openapi({ enum: YOUTUBE_CATEGORIES })
      .default(22),
    privacyStatus: z.enum(["public", "private", "unlisted"]).default("public"),
  })
  .openapi("PostExtra", { description: "Required when channel_type is youtube, with its title." });

/** In the document: one of the kinds, and one of the times (documented-post.ts). */
const KIND_AND_TIME = {
  type: "object",
  allOf: [POST_KINDS, POST_TIMES].map((branches) => ({
    oneOf: branches.map(({ name }) => ({ $ref: `#/components/schemas/${name}` })),
  })),
} as const;

export const CreatePostBody = z
  .object({
    channel_type: z.enum(PLATFORM_NAMES),
    channel_id: z.int().positive().openapi({ example: 12, description: "A connected channel of that type." }),
    post_type: z.enum(POST_TYPES),
    caption_text: Caption.optional().openapi({ description: "Required unless post_type is thread." }),
    media_urls: z
      .array(MediaUrl)
      .max(MAX_FILES)
      .optional()
      .openapi({ description: "Required, possibly empty, unless post_type is thread." }),
    alt_texts: AltTexts.optional(),
    publish_mode: z.enum(PUBLISH_MODES).openapi({
      description: "`draft` stores the post until update-post gives it another mode.",
    }),
    schedule_time: ScheduleTime.optional(),
    time_zone: TimeZone.optional(),
    hash_tags: HashTags.optional(),
    twitter_threads: threadOf(ThreadItem)
      .optional()
      .openapi({
        description: `Required when post_type is thread. At most ${grouped(MAX_THREAD_TEXT)} characters altogether.`,
      }),
    post_extra: PostExtra.optional(),
    declared: DeclaredBody.optional(),
    options: OptionsBody.optional(),
    first_comment: FirstComment.optional(),
    external_id: ExternalId.optional(),
    metadata: Metadata.optional(),
  })
  .superRefine((body, context) => {
    const problem = (path: string, message: string) => context.addIssue({ code: "custom", path: [path], message });
    const types = PLATFORM_FACTS[body.channel_type].postTypes;
    if (!types.includes(body.post_type)) {
      problem("post_type", `must be ${listWords(types, "or")} on ${body.channel_type}, not "${body.post_type}".`);
    }
    if (body.post_type === "thread") {
      if (!body.twitter_threads?.length)
        problem("twitter_threads", "is required when post_type is thread: an array of one item or more.");
      if (body.alt_texts?.length)
        problem(
          "alt_texts",
          "must not be sent when post_type is thread: only each item of twitter_threads has its own.",
        );
    } else {
      if (body.caption_text === undefined) problem("caption_text", "is required: a string.");
      else if (isBlank(body.caption_text)) problem("caption_text", "must not be blank.");
      if (body.media_urls === undefined) problem("media_urls", "is required: an array of URLs, which may be empty.");
    }
    if (body.publish_mode === "scheduled") {
      if (body.schedule_time === undefined)
        problem("schedule_time", "is required when publish_mode is scheduled: a time as YYYY-MM-DD HH:mm.");
      if (body.time_zone === undefined)
        problem("time_zone", "is required when publish_mode is scheduled: an IANA time zone name.");
    }
    if (POST_KINDS.some(({ channel, requires }) => channel === body.channel_type && requires.includes("post_extra"))) {
      if (body.post_extra === undefined)
        problem("post_extra", `is required when channel_type is ${body.channel_type}: an object with a title.`);
      else if (body.post_extra.title === undefined) {
        context.addIssue({
          code: "custom",
          path: ["post_extra", "title"],
          message: `is required when channel_type is ${body.channel_type}: a string.`,
        });
      }
    }
  })
  .openapi("CreatePost", {
    ...KIND_AND_TIME,
    example: {
      channel_type: "facebook",
      channel_id: 12,
      post_type: "post",
      caption_text: "The new frames are in.",
      media_urls: [],
      publish_mode: "now",
      hash_tags: "bikes, launch",
    },
  });
export type CreatePostBody = z.output<typeof CreatePostBody>;

/** "Only valid fields should be sent": fields that cannot be changed are refused. */
export const UpdatePostBody = z
  .strictObject({
    caption_text: Caption.refine((text) => !isBlank(text), "must not be blank.").optional(),
    media_urls: z.array(MediaUrl).max(MAX_FILES).optional(),
    alt_texts: AltTexts.nullable().optional().openapi({ description: "Null: none." }),
    hash_tags: HashTags.nullable().optional().openapi({ description: "Null: none." }),
    twitter_threads: threadOf(ThreadItem)
      .refine((items) => items.length > 0, "must have at least 1 entry, not 0.")
      .optional()
      .openapi({ minItems: 1 }),
    publish_mode: z.enum(PUBLISH_MODES).optional().openapi({
      description:
        "Publishes a draft as create-post would, or changes how a waiting post is published. `draft` makes it a draft again.",
    }),
    schedule_time: ScheduleTime.optional(),
    time_zone: TimeZone.optional(),
    post_extra: PostExtra.refine(({ title }) => title !== undefined, {
      path: ["title"],
      error: "is required: a string.",
    })
      .optional()
      .openapi({ description: "YouTube: replaces all earlier values." }),
    declared: NewDeclared.optional(),
    options: NewOptions.optional(),
    first_comment: FirstComment.nullable().optional().openapi({ description: "Null: none." }),
    external_id: ExternalId.nullable().optional(),
    metadata: Metadata.nullable()
      .optional()
      .openapi({ type: ["object", "null"], description: "Replaces all earlier values; null clears them." }),
  })
  .refine((body) => Object.keys(body).length > 0, {
    error: "must not be empty: send at least one field to change.",
    when: ({ issues }) => issues.length === 0,
  })
  .openapi("UpdatePost", { example: { caption_text: "The new frames are in. Come and see." } });
export type UpdatePostBody = z.output<typeof UpdatePostBody>;

export const PostIdParam = z.object({ post_id: postPathId("post_id") });
export const DeletePostParam = z.object({ postId: postPathId("postId") });

export const FindPostQuery = z.object({ include: IncludeQuery });

export const ListPostsQuery = PostFilters.extend({
  limit: LimitQuery,
  page: PageBesideCursor,
  cursor: z.string().max(200).optional().openapi({
    example: "",
    description:
      "Instead of `page`: empty to start, then `next_cursor` of the previous page. Fast at any depth; never skips or repeats posts while new ones are created.",
  }),
  include: IncludeQuery,
}).superRefine((query, context) => {
  const problem = (path: string, message: string) => context.addIssue({ code: "custom", path: [path], message });
  refuseBoth(query, context);
  if (lacksChannels(query)) problem("channels", CHANNELS_REQUIRED);
  for (const name of reversedSpans(query)) problem(`${name}_from`, `must not be after ${name}_to.`);
});

export const UpcomingQuery = z.object({ limit: LimitQuery });
