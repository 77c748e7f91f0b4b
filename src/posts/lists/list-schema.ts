import { z } from "@hono/zod-openapi";
import { type ChannelId, idOf } from "../../core/ids.ts";
import { listWords } from "../../core/text.ts";
import { parseInstant } from "../../core/time.ts";
import { ChannelIdQuery, LimitQuery } from "../../http/page.ts";
import { wordList } from "../../http/word-list.ts";
import { PLATFORM_NAMES, type PlatformName } from "../../platforms/names.ts";
import type { PostFilter } from "./filter.ts";

/** The query parameters of get-posts. */

/** The `channels` parameter does not include threads (spec 2.2). */
const LISTED_CHANNELS = ["facebook", "instagram", "twitter", "linkedin", "youtube", "tiktok"] as const;
const LISTED_STATUS = ["scheduled", "draft", "queued", "failed", "published"] as const;

/** `include` of the operations that show posts. */
export const IncludeQuery = wordList(["content"]).optional().openapi({
  type: "string",
  example: "content",
  description:
    "`content` adds to each post its content: caption, hashtags, media, type, mode, schedule, times, channel and user, your own `external_id` and `metadata`, `error_code` and `sandbox_url`.",
});

const CHANNEL_ID = "must be a whole number greater than 0 (the id of a channel)";

export const PostFilters = z.object({
  channels: wordList(LISTED_CHANNELS)
    .optional()
    .openapi({
      type: "string",
      example: "facebook,twitter",
      description: `Comma-separated: ${LISTED_CHANNELS.join(", ")}. Required, unless \`channel_id\` or \`channel_type\` is given.`,
    }),
  channel_type: wordList(PLATFORM_NAMES)
    .optional()
    .openapi({
      type: "string",
      example: "threads",
      description: `In place of \`channels\`, with Threads: comma-separated of ${PLATFORM_NAMES.join(", ")}.`,
    }),
  status: wordList(LISTED_STATUS)
    .optional()
    .openapi({
      type: "string",
      example: "published,failed",
      description: `Comma-separated: ${LISTED_STATUS.join(", ")}.`,
    }),
  channel_id: z
    .string()
    .regex(/^[1-9]\d{0,14}$/, CHANNEL_ID)
    .transform((text) => idOf<ChannelId>(Number(text)))
    .optional()
    .openapi({
      type: "integer",
      minimum: 1,
      example: 12,
      description: "Posts on this channel only, also on a Threads channel.",
    }),
  user_id: z.string().min(1).max(255).optional().openapi({
    example: "user-1",
    description: "Posts on the channels of this user only: `userId` of connect-channel.",
  }),
  external_id: z
    .string()
    .min(1)
    .max(255)
    .optional()
    .openapi({ example: "order-1842", description: "Only posts with this `external_id`." }),
  created_from: instant("Created at this time or later"),
  created_to: instant("Created before this time"),
  published_from: instant("Published at this time or later; sorts by time of publication"),
  published_to: instant("Published before this time; sorts by time of publication"),
});
export type PostFilters = z.output<typeof PostFilters>;

export function toFilter(query: PostFilters): PostFilter {
  return {
    channels: typesOf(query),
    states: query.status ?? null,
    channelId: query.channel_id ?? null,
    userRef: query.user_id ?? null,
    externalId: query.external_id ?? null,
    created: { from: query.created_from ?? null, to: query.created_to ?? null },
    published: { from: query.published_from ?? null, to: query.published_to ?? null },
  };
}

/** `channels` cannot name Threads, so it does not hide posts of a channel that is selected by its id. */
function typesOf({ channels, channel_type, channel_id }: PostFilters): readonly PlatformName[] {
  if (channel_type) return channel_type;
  if (!channels) return PLATFORM_NAMES;
  return channel_id === undefined ? channels : [...channels, "threads"];
}

/** Spec 4.3; `channel_id` or `channel_type` can replace it. */
export const CHANNELS_REQUIRED = `is required: one or more of ${listWords(LISTED_CHANNELS)}, separated by commas.`;

export function lacksChannels({ channels, channel_type, channel_id }: PostFilters): boolean {
  return channels === undefined && channel_type === undefined && channel_id === undefined;
}

/** Problems of time ranges whose start is after their end. */
export function reversedSpans(query: PostFilters): string[] {
  return (["created", "published"] as const).filter((name) => {
    const [from, to] = [query[`${name}_from`], query[`${name}_to`]];
    return from !== undefined && to !== undefined && from > to;
  });
}

function instant(meaning: string) {
  return z
    .string()
    .transform((text, context) => {
      const at = parseInstant(text);
      if (at !== null) return at;
      context.addIssue({
        code: "custom",
        message:
          "must be an ISO 8601 time with seconds and offset (e.g. 2030-03-05T10:00:00Z; a plus sign is written %2B) or a date",
      });
      return z.NEVER;
    })
    .optional()
    .openapi({
      type: "string",
      example: "2030-03-05T10:00:00Z",
      description: `${meaning}: ISO 8601 with offset, or a date, which means its start in UTC.`,
    });
}

/** Of upcoming-posts. */
export const WaitingQuery = z
  .object({
    limit: LimitQuery,
    from: instant("Due at this time or later"),
    to: instant("Due at this time or earlier"),
    channel_id: ChannelIdQuery.optional().openapi({ description: "Posts on this channel only." }),
  })
  .refine(({ from, to }) => from === undefined || to === undefined || from <= to, {
    path: ["from"],
    error: "must not be after to.",
    when: ({ issues }) => issues.length === 0,
  });
