import type { Insights, OwnNumbers } from "../insights.ts";
import { dayOf } from "../insights.ts";
import { addTo, daysOf, readMetrics, toSeconds, totalsOf } from "../meta/insights.ts";
import { graphOf } from "./api.ts";

/** What posts of a profile achieved. Nested replies are not counted; reposts of others have no numbers. */
const OF_POST = {
  views: "views",
  likes: "likes",
  comments: "replies",
  reposts: "reposts",
  quotes: "quotes",
  shares: "shares",
} as const;
const OF_ACCOUNT = { followers: "followers_count", views: "views" } as const;

export const insights: Insights = {
  most: 10,
  callsFor: (items) => items,
  scope: "organic",
  names: () => OF_POST,
  definitions: {},
  finalAfterDays: null,
  async read(context, items, dead) {
    const posts: OwnNumbers[] = [];
    const refused: string[] = [];
    for (const { post } of items) {
      const asked = { path: `${post.id}/insights`, names: Object.values(OF_POST) };
      const read = await readMetrics(graphOf(context), asked, new Set([...dead, ...refused]));
      if (read.kind === "failed") return read;
      if (read.kind === "gone") posts.push({ values: {}, rest: "gone" });
      else {
        refused.push(...read.dead);
        posts.push({ values: totalsOf(read.metrics) });
      }
    }
    return { kind: "numbers", posts, dead: refused };
  },
  accountNames: OF_ACCOUNT,
  mostDays: 90,
  async readAccount(context, range, dead) {
    const asked = { path: "me/threads_insights", names: Object.values(OF_ACCOUNT), query: toSeconds(range) };
    const read = await readMetrics(graphOf(context), asked, dead);
    if (read.kind === "failed") return read;
    if (read.kind === "gone") return { kind: "days", days: {} };
    const { followers_count } = totalsOf(read.metrics);
    const series = read.metrics.filter(({ name }) => name === "views");
    return {
      kind: "days",
      days: addTo(daysOf(series, range), dayOf(context.now), { followers_count }),
      dead: read.dead,
    };
  },
};
