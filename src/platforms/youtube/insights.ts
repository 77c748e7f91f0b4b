import { z } from "zod";
import { interpretRead } from "../answers.ts";
import type { AccountContext, Failure } from "../context.ts";
import { addTo, type DayRange, dayOf, type Insights, type Missing, numbersIn, type OwnNumbers } from "../insights.ts";
import { lenient, readable } from "../lists.ts";
import { API_VERSIONS } from "../versions.ts";
import { authorized, read } from "./api.ts";
import { YOUTUBE } from "./errors.ts";

/**
 * What videos achieved.
 *
 * - Views, likes and comments are up to date, and absent where the owner hides them.
 * - Times, shares and subscribers come from another API, the YouTube Analytics API, two to three days late.
 *   What is newer has no row. The operator enables it apart from the Data API, and the account owner may
 *   refuse its scope: both APIs fail apart, and the statistics stay.
 */
const STATISTICS = { views: "viewCount", likes: "likeCount", comments: "commentCount" } as const;
const REPORTED = {
  shares: "shares",
  follows: "subscribersGained",
  watch_time_ms: { name: "estimatedMinutesWatched", times: 60_000 },
  avg_watch_ms: { name: "averageViewDuration", times: 1000 },
} as const;
const OF_CHANNEL = {
  followers: "subscriberCount",
  follows: "subscribersGained",
  unfollows: "subscribersLost",
  views: "views",
} as const;

const REPORTS = `https://youtubeanalytics.googleapis.com/${API_VERSIONS.youtube_analytics.version}/reports`;

const text = lenient(z.union([z.string(), z.number()]));
const Videos = z.object({
  items: readable(
    z.object({
      id: z.string(),
      statistics: lenient(z.object({ viewCount: text, likeCount: text, commentCount: text })),
    }),
  ),
});
const Channels = z.object({
  items: readable(
    z.object({ statistics: z.object({ subscriberCount: text, hiddenSubscriberCount: lenient(z.boolean()) }) }),
  ),
});
const Report = z.object({
  columnHeaders: z.array(z.object({ name: z.string() })),
  rows: lenient(z.array(z.array(z.union([z.string(), z.number(), z.null()])))),
});

type Rows = ReadonlyMap<string, Readonly<Record<string, number>>>;
const NO_ROWS: Rows = new Map();

/** Why the numbers of a report are missing. A refused report takes nothing from the channel's connection. */
function missingIn(failure: Failure): Record<string, Missing> {
  const why = isPassing(failure) ? "error" : "no_permission";
  return Object.fromEntries(Object.values(REPORTED).map((named) => [namedOf(named), why]));
}
const isPassing = ({ reason }: Failure): boolean => reason === "down" || reason === "throttled";
const namedOf = (named: (typeof REPORTED)[keyof typeof REPORTED]) => (typeof named === "string" ? named : named.name);

/** The rows of a report by their first column, each by the names of its columns. */
async function readReport(
  context: AccountContext,
  range: DayRange,
  query: Readonly<Record<string, string>>,
): Promise<{ readonly kind: "rows"; readonly rows: Rows } | Failure> {
  const days = { startDate: dayOf(range.since), endDate: dayOf(range.until) };
  const call = { method: "GET", url: REPORTS, query: { ids: "channel==MINE", ...days, ...query } } as const;
  const answer = await context.send({ ...call, headers: authorized(context) });
  const report = interpretRead(YOUTUBE, answer, Report, context.now);
  if (report.kind === "failed") return report;
  const names = report.value.columnHeaders.map(({ name }) => name);
  const rows = (report.value.rows ?? []).map((row) => {
    const cells = Object.fromEntries(names.map((name, at) => [name, row[at]]).slice(1));
    return [String(row[0]), numbersIn(cells)] as const;
  });
  return { kind: "rows", rows: new Map(rows) };
}

export const insights: Insights = {
  most: 50,
  scope: "total",
  names: () => ({ ...STATISTICS, ...REPORTED }),
  whenNotPermitted:
    "YouTube refuses its reports: shares, watch times and subscribers are missing. The operator of this service must enable the YouTube Analytics API in its Google Cloud project, apart from the Data API.",
  definitions: { views: "2026-08" },
  async read(context, items) {
    const ids = items.map(({ post }) => post.id).join(",");
    const listed = await read(context, "videos", { part: "statistics", id: ids }, Videos);
    if (listed.kind === "failed") return listed;
    const since = Math.min(...items.map(({ publishedAt }) => publishedAt));
    const metrics = "shares,subscribersGained,estimatedMinutesWatched,averageViewDuration";
    const asked = { metrics, dimensions: "video", filters: `video==${ids}` };
    const reported = await readReport(context, { since, until: context.now }, asked);
    const [rows, unreported, failed] =
      reported.kind === "failed" ? [NO_ROWS, missingIn(reported), { failed: reported }] : [reported.rows, {}, {}];
    return {
      kind: "numbers",
      ...failed,
      posts: items.map(({ post }): OwnNumbers => {
        const video = listed.value.items.find(({ id }) => id === post.id);
        if (!video) return { values: {}, rest: "gone" };
        const values = { ...numbersIn(video.statistics ?? {}), ...rows.get(post.id) };
        // The owner hides them, or has turned comments off.
        return { values, missing: { likeCount: "not_offered", commentCount: "not_offered", ...unreported } };
      }),
    };
  },
  accountNames: OF_CHANNEL,
  mostDays: 90,
  async *readAccount(context, range) {
    const listed = await read(context, "channels", { part: "statistics", mine: "true" }, Channels);
    if (listed.kind === "failed") return yield listed;
    const { subscriberCount, hiddenSubscriberCount } = listed.value.items[0]?.statistics ?? {};
    const followers = hiddenSubscriberCount ? {} : { subscriberCount };
    yield { kind: "days", days: addTo({}, dayOf(context.now), followers) };
    const metrics = "views,subscribersGained,subscribersLost";
    const reported = await readReport(context, range, { metrics, dimensions: "day", sort: "day" });
    if (reported.kind === "failed")
      return yield isPassing(reported) ? reported : { kind: "days", days: {}, failed: reported };
    yield { kind: "days", days: Object.fromEntries([...reported.rows].map(([day, values]) => [day, { values }])) };
  },
};
