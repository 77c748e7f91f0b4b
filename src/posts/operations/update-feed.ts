import { operation } from "../../http/operation.ts";
import { EXAMPLE_FEED, FeedParam, toFeedView, UpdateFeedBody } from "../feeds/feed-schema.ts";
import { updateFeed } from "../feeds/feeds.ts";
import { Answered, COMMON, idIn } from "./feed-common.ts";

export const UpdateFeed = operation({
  ...COMMON,
  id: "updateFeed",
  audited: true,
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
  run: async ({ deps, caller }, { body, params }) => {
    const { publish_mode: publishMode, include_existing: includeExisting, ...same } = body;
    const id = idIn(params.feed_id);
    const feed = await updateFeed(deps, caller, id, { ...same, publishMode, includeExisting });
    return { feed: toFeedView(feed), status: true } as const;
  },
});
