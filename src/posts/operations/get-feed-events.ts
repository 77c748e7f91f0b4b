import { z } from "@hono/zod-openapi";
import { absent } from "../../core/errors.ts";
import { isoUtc } from "../../core/time.ts";
import { operation } from "../../http/operation.ts";
import { FeedEventView, FeedParam } from "../feeds/feed-schema.ts";
import { readFeedTimeline } from "../feeds/store.ts";
import { COMMON, idIn, READING } from "./feed-common.ts";

const EXAMPLE_EVENT = {
  id: 7,
  type: "feed.stopped",
  message: "The feed's server says that the feed is gone.",
  detail: { name: "Our blog", url: "https://www.example.com/blog/feed.xml", reason: "gone" },
  created_at: "2030-03-05T09:00:01.000+00:00",
} as const;

export const GetFeedEvents = operation({
  ...COMMON,
  ...READING,
  id: "getFeedEvents",
  method: "get",
  path: "/social/get-feed-events/{feed_id}",
  summary: "Timeline of a feed",
  description: "When and why it stopped, and which entries were refused, oldest first.",
  params: FeedParam,
  answer: z.object({ events: z.array(FeedEventView), status: z.literal(true) }),
  answerDescription: "The timeline.",
  example: { events: [EXAMPLE_EVENT], status: true },
  run: async ({ deps, caller }, { params }) => {
    const id = idIn(params.feed_id);
    const found = await readFeedTimeline(deps.db, caller.projectId, id);
    if (!found) throw absent("feed", id);
    const events = found.map(({ at, ...event }) => ({ ...event, created_at: isoUtc(at) }));
    return { events, status: true } as const;
  },
});
