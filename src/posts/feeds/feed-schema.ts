import { z } from "@hono/zod-openapi";
import { optionalText } from "../../core/text-field.ts";
import { isoUtc, isoUtcOrNull } from "../../core/time.ts";
import { timelineView } from "../../events/view-schema.ts";
import { pathId } from "../../http/page.ts";
import { UncheckedFields } from "../many/many-schema.ts";
import { FEED_EVENTS } from "./events.ts";
import { problemSentence, stopSentence } from "./feed-problems.ts";
import type { Feed } from "./store.ts";
import { FEED_MODES, FEED_STATES } from "./table.ts";

/** Shapes of the operations for feeds. */

export const FeedParam = z.object({ feed_id: pathId("feed_id") });

const EXAMPLE_POSTS = [
  {
    channel_type: "facebook",
    channel_id: 12,
    post_type: "post",
    caption_text: "{title}\n\n{summary}\n\n{link}",
    media_urls: [],
  },
];

const Name = optionalText(100).openapi({ example: "Our blog" });
const PublishMode = z.enum(FEED_MODES).openapi({
  description: "What becomes of an entry: a draft, a post in the channel's queue, or one that is published at once.",
  example: "queued",
});
const Posts = z.array(UncheckedFields).min(1).max(20).openapi({
  description:
    "The posts of an entry, at most 20: bodies of create-post without a time, with the placeholders `{title}`, `{link}`, `{summary}`, `{author}` and `{image}` in any text. A text of placeholders alone that are all empty is left out. A `caption_text` that is too long for its channel is shortened at a word: first the summary, then the title.",
  example: EXAMPLE_POSTS,
});

const Url = z.string().min(1).max(2_048).openapi({
  description: "The address of an RSS or Atom feed: https, on a public host.",
  example: "https://www.example.com/blog/feed.xml",
});
const IncludeExisting = z.int().min(0).max(20).optional();

export const CreateFeedBody = z
  .object({
    name: Name.optional(),
    url: Url,
    publish_mode: PublishMode,
    posts: Posts,
    include_existing: IncludeExisting.openapi({
      description:
        "How many of the entries that the feed has at its first reading become posts, the newest ones. Default: 0.",
      example: 0,
    }),
  })
  .openapi("CreateFeed", {
    example: {
      name: "Our blog",
      url: "https://www.example.com/blog/feed.xml",
      publish_mode: "queued",
      posts: EXAMPLE_POSTS,
    },
  });

export const UpdateFeedBody = z
  .strictObject({
    name: Name.optional(),
    state: z.enum(["active", "paused"]).optional().openapi({
      description: "`active` also continues a stopped feed.",
      example: "paused",
    }),
    publish_mode: PublishMode.optional(),
    posts: Posts.optional(),
    url: Url.optional(),
    include_existing: IncludeExisting.openapi({
      description:
        "With another `url`: how many of the entries that it has at its first reading become posts, the newest ones. Entries with posts are left out. Default: 0.",
      example: 5,
    }),
  })
  .refine((body) => Object.keys(body).length > 0, {
    error: "must not be empty: send at least one field to change.",
    when: ({ issues }) => issues.length === 0,
  })
  .openapi("UpdateFeed", { example: { state: "paused" } });

export const FeedView = z
  .object({
    feed_id: z.int(),
    name: z.string(),
    url: z.string(),
    state: z.enum(FEED_STATES).openapi({ description: "`stopped`: by this service; `stop_reason` says why." }),
    publish_mode: z.enum(FEED_MODES),
    posts: z.array(z.record(z.string(), z.unknown())),
    posted: z.int().openapi({ description: "Entries that became posts." }),
    refused: z.int().openapi({ description: "Entries of which create-post refused every post." }),
    read_at: z.string().nullable().openapi({ description: "The last reading. Null: none so far." }),
    problem: z.string().nullable().openapi({ description: "Why the last reading failed." }),
    stop_reason: z.string().nullable(),
    created_at: z.string(),
  })
  .openapi("Feed");

/** The timeline (events.ts). */
export const FeedEventView = timelineView(FEED_EVENTS, "FeedEvent");

export const EXAMPLE_FEED = {
  feed_id: 5,
  name: "Our blog",
  url: "https://www.example.com/blog/feed.xml",
  state: "active",
  publish_mode: "queued",
  posts: EXAMPLE_POSTS,
  posted: 2,
  refused: 0,
  read_at: "2030-03-05T09:00:00.000+00:00",
  problem: null,
  stop_reason: null,
  created_at: "2030-03-01T09:00:00.000+00:00",
} as const satisfies z.input<typeof FeedView>;

export function toFeedView(feed: Feed): z.output<typeof FeedView> {
  const { id: feed_id, name, url, state, posts, posted, refused, readAt, problem } = feed;
  return {
    feed_id,
    name,
    url,
    state,
    publish_mode: feed.publishMode,
    posts: [...posts],
    posted,
    refused,
    read_at: isoUtcOrNull(readAt),
    problem: problem && problemSentence(problem),
    stop_reason: feed.stopReason && stopSentence(feed.stopReason),
    created_at: isoUtc(feed.createdAt),
  };
}
