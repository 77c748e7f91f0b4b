import { z } from "zod";
import { dayOf, type Insights, numbersIn } from "../insights.ts";
import { lenient, readable } from "../lists.ts";
import { read, serverOf } from "./api.ts";

/**
 * What posts achieved, as the network's index counts it. It leaves out posts that it does not know, and there
 * are no views, reach or clicks.
 */
const OF_POST = {
  likes: "likeCount",
  comments: "replyCount",
  reposts: "repostCount",
  quotes: "quoteCount",
  saves: "bookmarkCount",
} as const;

const count = lenient(z.number());
const Viewed = z.object({
  uri: z.string(),
  likeCount: count,
  replyCount: count,
  repostCount: count,
  quoteCount: count,
  bookmarkCount: count,
});
const Listed = z.object({ posts: readable(Viewed) });
const Profile = z.object({ followersCount: count });

export const insights: Insights = {
  most: 25,
  scope: "organic",
  names: () => OF_POST,
  definitions: {},
  async read(context, items) {
    const server = await serverOf(context, { isFresh: false });
    if (server.kind === "failed") return server;
    const uris = items.map(({ post }) => `uris=${encodeURIComponent(post.id)}`).join("&");
    const call = { method: "GET", name: `app.bsky.feed.getPosts?${uris}` } as const;
    const listed = await read(context, server.origin, call, Listed);
    if (listed.kind === "failed") return listed;
    return {
      kind: "numbers",
      posts: items.map(({ post }) => {
        const found = listed.value.posts.find(({ uri }) => uri === post.id);
        // The index may not have read it yet: nothing proves that it is gone.
        if (!found) return { values: {}, rest: "not_ready" };
        const { uri: _, ...counts } = found;
        return { values: numbersIn(counts) };
      }),
    };
  },
  accountNames: { followers: "followersCount" },
  mostDays: 1,
  async *readAccount(context) {
    const server = await serverOf(context, { isFresh: false });
    if (server.kind === "failed") return yield server;
    const call = { method: "GET", name: "app.bsky.actor.getProfile", query: { actor: context.account.id } } as const;
    const profile = await read(context, server.origin, call, Profile);
    if (profile.kind === "failed") return yield profile;
    yield { kind: "days", days: { [dayOf(context.now)]: { values: numbersIn(profile.value) } } };
  },
};
