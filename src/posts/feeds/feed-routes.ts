import { z } from "@hono/zod-openapi";
import { absent } from "../../core/errors.ts";
import type { FeedId } from "../../core/ids.ts";
import { isoUtc } from "../../core/time.ts";
import type { IdempotencyRecord } from "../../db/client.ts";
import type { Api } from "../../http/api.ts";
import { idempotently } from "../../http/idempotency.ts";
import { operation } from "../../http/operation.ts";
import { readPathId } from "../../http/page.ts";
import { UpcomingQuery } from "../schema.ts";
import {
  CreateFeedBody,
  EXAMPLE_FEED,
  FeedEventView,
  FeedParam,
  FeedView,
  toFeedView,
  UpdateFeedBody,
} from "./feed-schema.ts";
import { createFeed, getFeed, recallFeed, removeFeed, updateFeed } from "./feeds.ts";
import { listFeeds, readFeedTimeline } from "./store.ts";

const COMMON = { tag: "Posts", extension: true } as const;
const READING = { permission: "social-read-posts", permits: "to read posts" } as const;
const Answered = z.object({ feed: FeedView, status: z.literal(true) });
const EXAMPLE = { feed: EXAMPLE_FEED, status: true } as const;

/** The extension for posts from RSS and Atom feeds. */
export function feedRoutes(app: Api): void {
  app.openapi(
    operation({
      ...COMMON,
      id: "createFeed",
      method: "post",
      path: "/social/create-feed",
      permission: "social-create-post",
      summary: "Post the entries of a feed",
      description:
        "Reads an RSS or Atom feed every 15 minutes to two hours, and makes ordinary posts of each new entry, once: also if the entry is edited later. Entries that the feed already has become posts only with `include_existing`. Of one reading, at most the 20 newest entries become posts. A feed stops when its server says that it is gone, when ten readings failed in a row, or when ten entries were refused in a row; `stop_reason` says why.",
      idempotent: true,
      quotas: "feeds",
      body: CreateFeedBody,
      answer: Answered,
      answerDescription: "The feed.",
      example: { feed: { ...EXAMPLE_FEED, posted: 0, read_at: null }, status: true },
    }),
    async (c) => {
      const body = c.req.valid("json");
      const { deps, caller } = c.var;
      const { name = "", url, publish_mode: publishMode, posts, include_existing: includeExisting = 0 } = body;
      const wanted = { name, url, publishMode, posts, includeExisting };
      const create = (record: IdempotencyRecord | null) => createFeed(deps, caller, wanted, record);
      const id = await idempotently(c, body, create, recallFeed);
      return c.json({ feed: toFeedView(await getFeed(deps, caller, id)), status: true } as const, 200);
    },
  );

  app.openapi(
    operation({
      ...COMMON,
      id: "updateFeed",
      method: "put",
      path: "/social/update-feed/{feed_id}",
      permission: "social-create-post",
      summary: "Change, pause or continue a feed",
      description:
        "A continued feed is read within a minute; its newest entries without posts, at most 20, become posts. Another `url` is read within a minute like that of a new feed, and no entry that has posts gets them again. Posts that exist stay.",
      params: FeedParam,
      body: UpdateFeedBody,
      answer: Answered,
      answerDescription: "The feed.",
      example: { feed: { ...EXAMPLE_FEED, state: "paused" }, status: true },
    }),
    async (c) => {
      const { publish_mode: publishMode, include_existing: includeExisting, ...same } = c.req.valid("json");
      const id = idIn(c.req.valid("param").feed_id);
      const feed = await updateFeed(c.var.deps, c.var.caller, id, { ...same, publishMode, includeExisting });
      return c.json({ feed: toFeedView(feed), status: true } as const, 200);
    },
  );

  app.openapi(
    operation({
      ...COMMON,
      ...READING,
      id: "getFeed",
      method: "get",
      path: "/social/feed/{feed_id}",
      summary: "Get a feed",
      description: "Its state, its last reading, and how many entries became posts.",
      params: FeedParam,
      answer: Answered,
      answerDescription: "The feed.",
      example: EXAMPLE,
    }),
    async (c) => {
      const feed = await getFeed(c.var.deps, c.var.caller, idIn(c.req.valid("param").feed_id));
      return c.json({ feed: toFeedView(feed), status: true } as const, 200);
    },
  );

  app.openapi(
    operation({
      ...COMMON,
      ...READING,
      id: "getFeeds",
      method: "get",
      path: "/social/get-feeds",
      summary: "List feeds",
      description: "The newest first.",
      query: UpcomingQuery,
      answer: z.object({ feeds: z.array(FeedView), status: z.literal(true) }),
      answerDescription: "The feeds.",
      example: { feeds: [EXAMPLE_FEED], status: true },
    }),
    async (c) => {
      const { deps, caller } = c.var;
      const rows = await listFeeds(deps.db, caller.projectId, c.req.valid("query").limit);
      return c.json({ feeds: rows.map(toFeedView), status: true } as const, 200);
    },
  );

  app.openapi(
    operation({
      ...COMMON,
      ...READING,
      id: "feedEvents",
      method: "get",
      path: "/social/feed/{feed_id}/events",
      summary: "Timeline of a feed",
      description: "When and why it stopped, and which entries were refused, oldest first.",
      params: FeedParam,
      answer: z.object({ events: z.array(FeedEventView), status: z.literal(true) }),
      answerDescription: "The timeline.",
      example: { events: [EXAMPLE_EVENT], status: true },
    }),
    async (c) => {
      const id = idIn(c.req.valid("param").feed_id);
      const found = await readFeedTimeline(c.var.deps.db, c.var.caller.projectId, id);
      if (!found) throw absent("feed", id);
      const events = found.map(({ at, ...event }) => ({ ...event, created_at: isoUtc(at) }));
      return c.json({ events, status: true } as const, 200);
    },
  );

  app.openapi(
    operation({
      ...COMMON,
      id: "deleteFeed",
      method: "delete",
      path: "/social/delete-feed/{feed_id}",
      permission: "social-delete-post",
      summary: "Delete a feed",
      description: "No further entry becomes a post. Posts that exist stay.",
      params: FeedParam,
      answer: z.object({ message: z.string(), status: z.literal(true) }),
      answerDescription: "The feed is deleted.",
      example: { message: "Feed 5 is deleted. Its posts stay.", status: true },
    }),
    async (c) => {
      const id = idIn(c.req.valid("param").feed_id);
      await removeFeed(c.var.deps, c.var.caller, id);
      return c.json({ message: `Feed ${id} is deleted. Its posts stay.`, status: true } as const, 200);
    },
  );
}

const EXAMPLE_EVENT = {
  id: 7,
  type: "feed.stopped",
  message: "The feed's server says that the feed is gone.",
  detail: { name: "Our blog", url: "https://www.example.com/blog/feed.xml", reason: "gone" },
  created_at: "2030-03-05T09:00:01.000+00:00",
} as const;

const idIn = (text: string): FeedId => readPathId("feed", text);
