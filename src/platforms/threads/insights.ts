import type { AccountContext, Failure } from "../context.ts";
import { addTo, dayOf, type Insights, type MeasuredPost } from "../insights.ts";
import { daysOf, eachPost, GONE, type OnePost, readMetrics, toSeconds, totalsOf } from "../meta/insights.ts";
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

async function readOne(
  context: AccountContext,
  { post }: MeasuredPost,
  dead: ReadonlySet<string>,
): Promise<OnePost | Failure> {
  const asked = { path: `${post.id}/insights`, names: Object.values(OF_POST) };
  const read = await readMetrics(graphOf(context), asked, dead);
  if (read.kind === "gone") return GONE;
  return read.kind === "failed" ? read : { kind: "one", values: totalsOf(read.metrics), dead: read.dead };
}

export const insights: Insights = {
  most: 10,
  scope: "organic",
  names: () => OF_POST,
  definitions: {},
  read: eachPost(readOne),
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
