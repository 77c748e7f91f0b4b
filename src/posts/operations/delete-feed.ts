import { z } from "@hono/zod-openapi";
import { operation } from "../../http/operation.ts";
import { FeedParam } from "../feeds/feed-schema.ts";
import { removeFeed } from "../feeds/feeds.ts";
import { COMMON, idIn } from "./feed-common.ts";

export const DeleteFeed = operation({
  ...COMMON,
  id: "deleteFeed",
  audited: true,
  method: "delete",
  path: "/social/delete-feed/{feed_id}",
  permission: "social-delete-post",
  summary: "Delete a feed",
  description: "No further entry becomes a post. Posts that exist stay.",
  params: FeedParam,
  answer: z.object({ message: z.string(), status: z.literal(true) }),
  answerDescription: "The feed is deleted.",
  example: { message: "Feed 5 is deleted. Its posts stay.", status: true },
  run: async ({ deps, caller }, { params }) => {
    const id = idIn(params.feed_id);
    await removeFeed(deps, caller, id);
    return { message: `Feed ${id} is deleted. Its posts stay.`, status: true } as const;
  },
});
