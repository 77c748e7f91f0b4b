import { z } from "zod";
import { dayOf, type Insights, numbersIn } from "../insights.ts";
import { PlatformId } from "../json.ts";
import { lenient, readable } from "../lists.ts";
import { LIST_SCOPE, read, STATS_SCOPE } from "./api.ts";

/**
 * What posts achieved, by the Display API, which needs no login beyond that of publishing. Private posts are
 * left out of its answers, like deleted ones.
 */
const OF_POST = { views: "view_count", likes: "like_count", comments: "comment_count", shares: "share_count" } as const;

const count = lenient(z.number());
const Video = z.object({
  id: PlatformId,
  view_count: count,
  like_count: count,
  comment_count: count,
  share_count: count,
});
const Videos = z.object({ videos: readable(Video) });
const User = z.object({ user: z.object({ follower_count: count }) });

export const INSIGHTS_SCOPES = [LIST_SCOPE];

export const insights: Insights = {
  most: 20,
  scope: "organic",
  names: () => OF_POST,
  definitions: {},
  async read(context, items) {
    const query = { fields: ["id", ...Object.values(OF_POST)].join(",") };
    const json = { filters: { video_ids: items.map(({ post }) => post.id) } };
    const found = await read(context, "POST", { path: "video/query/", query, json }, Videos);
    if (found.kind === "failed") return found;
    return {
      kind: "numbers",
      posts: items.map(({ post }) => {
        const video = found.value.videos.find(({ id }) => id === post.id);
        if (!video) return { values: {}, rest: "gone" };
        const { id: _, ...counts } = video;
        return { values: numbersIn(counts) };
      }),
    };
  },
  accountNames: { followers: "follower_count" },
  mostDays: 1,
  async *readAccount(context) {
    const day = dayOf(context.now);
    if (!context.credentials.scopes.includes(STATS_SCOPE)) {
      return yield { kind: "days", days: { [day]: { values: {}, rest: "no_permission" } } };
    }
    const found = await read(context, "GET", { path: "user/info/", query: { fields: "follower_count" } }, User);
    if (found.kind === "failed") return yield found;
    yield { kind: "days", days: { [day]: { values: numbersIn(found.value.user) } } };
  },
};
