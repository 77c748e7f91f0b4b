import { operation } from "../../http/operation.ts";
import { EXAMPLE_FEED, FeedParam, toFeedView } from "../feeds/feed-schema.ts";
import { getFeed } from "../feeds/feeds.ts";
import { Answered, COMMON, idIn, READING } from "./feed-common.ts";

const EXAMPLE = { feed: EXAMPLE_FEED, status: true } as const;

export const GetFeed = operation({
  ...COMMON,
  ...READING,
  id: "getFeed",
  method: "get",
  path: "/social/get-feed/{feed_id}",
  summary: "Get a feed",
  description: "Its state, its last reading, and how many entries became posts.",
  params: FeedParam,
  answer: Answered,
  answerDescription: "The feed.",
  example: EXAMPLE,
  run: async ({ deps, caller }, { params }) => {
    const feed = await getFeed(deps, caller, idIn(params.feed_id));
    return { feed: toFeedView(feed), status: true } as const;
  },
});
