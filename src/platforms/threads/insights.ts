import type { AccountContext, Failure } from "../context.ts";
import { addTo, dayOf, type Insights, type MeasuredPost } from "../insights.ts";
import {
  daysOf,
  eachPost,
  GONE,
  NOT_OFFERED,
  type OnePost,
  readAccountCalls,
  readMetrics,
  toSeconds,
  totalsOf,
} from "../meta/insights.ts";
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
  const asked = { path: `${post.id}/insights`, kind: "post", names: Object.values(OF_POST) };
  const read = await readMetrics(graphOf(context), asked, dead);
  if (read.kind === "gone") return GONE;
  if (read.kind === "refused") return NOT_OFFERED;
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
  readAccount(context, range, dead) {
    const asked = { path: "me/threads_insights", kind: "profile" };
    return readAccountCalls(
      graphOf(context),
      asked,
      [
        // Of today only: with a range, or beside another name, Threads refuses it.
        {
          names: ["followers_count"],
          query: {},
          daysIn: (metrics) => addTo({}, dayOf(context.now), totalsOf(metrics)),
        },
        {
          names: ["views"],
          query: { period: "day", ...toSeconds(range) },
          daysIn: (metrics) => daysOf(metrics, range),
        },
      ],
      dead,
    );
  },
};
