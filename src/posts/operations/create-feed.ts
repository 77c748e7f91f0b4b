import type { IdempotencyRecord } from "../../db/client.ts";
import { operation } from "../../http/operation.ts";
import { CreateFeedBody, EXAMPLE_FEED, toFeedView } from "../feeds/feed-schema.ts";
import { createFeed, getFeed, recallFeed } from "../feeds/feeds.ts";
import { Answered, COMMON } from "./feed-common.ts";

export const CreateFeed = operation({
  ...COMMON,
  id: "createFeed",
  audited: true,
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
  run: async ({ deps, caller, once }, { body }) => {
    const { name = "", url, publish_mode: publishMode, posts, include_existing: includeExisting = 0 } = body;
    const wanted = { name, url, publishMode, posts, includeExisting };
    const create = (record: IdempotencyRecord | null) => createFeed(deps, caller, wanted, record);
    const id = await once(body, create, recallFeed);
    return { feed: toFeedView(await getFeed(deps, caller, id)), status: true } as const;
  },
});
