// YouTube's Analytics API: reports on a channel and its videos. Written from Google's documentation.

import { Hono } from "hono";
import { accountDay, daysBetween, openBooks, shownCounts, startOfDay } from "../books";
import type { Sandbox } from "../sandbox";
import { endpoint, READ, type YoutubeEnv } from "./api";
import { ApiError, forbidden } from "./errors";
import { findVideo } from "./store";

const ANALYTICS = "https://www.googleapis.com/auth/yt-analytics.readonly";
const OF_VIDEO: Readonly<Record<string, (counts: Partial<Record<string, number>>) => number | undefined>> = {
  views: ({ views = 0, paid_views = 0 }) => views + paid_views,
  likes: ({ likes }) => likes,
  comments: ({ comments }) => comments,
  shares: ({ shares }) => shares,
  estimatedMinutesWatched: ({ watch_ms = 0 }) => Math.floor(watch_ms / 60_000),
  averageViewDuration: ({ watch_ms = 0, views = 0 }) => (views === 0 ? 0 : Math.round(watch_ms / views / 1000)),
  subscribersGained: ({ follows }) => follows,
};
const OF_DAY = {
  views: "views",
  likes: "interactions",
  subscribersGained: "follows",
  subscribersLost: "unfollows",
} as const;

const unsupported = () => new ApiError(400, "badRequest", "The query is not supported. Check the documentation.");

export function analyticsApp(sandbox: Sandbox) {
  const app = new Hono<YoutubeEnv>();
  const reports = endpoint(sandbox, {
    operation: "insights",
    scopes: [ANALYTICS, ...READ],
    cost: 0,
    params: ["ids", "startDate", "endDate", "metrics", "dimensions", "filters", "sort", "maxResults"],
  });
  app.get("/v2/reports", ...reports, (c) => {
    if (sandbox.settings.all.youtube_analytics_api === "disabled") throw notEnabled();
    const { ids, startDate = "", endDate = "", metrics = "", dimensions, filters = "" } = c.req.query();
    const { channelId } = c.var.caller;
    if (ids !== "channel==MINE" && ids !== `channel==${channelId}`) throw forbidden("Forbidden");
    if (!isDate(startDate) || !isDate(endDate) || startDate > endDate) throw unsupported();
    const names = metrics.split(",");
    const rows =
      dimensions === "video"
        ? videoRows(sandbox, { channelId, names, filters })
        : dimensions === "day"
          ? dayRows(sandbox, { channelId, names, since: Date.parse(startDate), until: Date.parse(endDate) })
          : null;
    if (rows === null) throw unsupported();
    const columns = [dimensions ?? "", ...names];
    return c.json({
      kind: "youtubeAnalytics#resultTable",
      columnHeaders: columns.map((name, index) => ({
        name,
        columnType: index === 0 ? "DIMENSION" : "METRIC",
        dataType: index === 0 ? "STRING" : "INTEGER",
      })),
      // Without data there is no list.
      ...(rows.length > 0 ? { rows } : {}),
    });
  });
  app.notFound((c) => c.html("<html><title>Error 404 (Not Found)!!1</title></html>", 404));
  app.onError((error) =>
    (error instanceof ApiError ? error : new ApiError(500, "internalError", error.message)).toResponse(),
  );
  return app;
}

const SERVICE = "youtubeanalytics.googleapis.com";
const notEnabled = () =>
  new ApiError(
    403,
    "accessNotConfigured",
    "YouTube Analytics API has not been used in project 1 before or it is disabled.",
    {
      domain: "usageLimits",
      details: [
        {
          "@type": "type.googleapis.com/google.rpc.ErrorInfo",
          reason: "SERVICE_DISABLED",
          domain: "googleapis.com",
          metadata: { service: SERVICE },
        },
      ],
    },
  );

const isDate = (text: string) => /^\d{4}-\d\d-\d\d$/.test(text);

interface Report {
  readonly channelId: string;
  readonly names: readonly string[];
}

/** Videos that are newer than the lag have no row. */
function videoRows(sandbox: Sandbox, { channelId, names, filters }: Report & { readonly filters: string }) {
  const wanted = /^video==([\w,-]+)$/.exec(filters)?.[1]?.split(",") ?? [];
  if (wanted.length === 0 || wanted.length > 500 || names.some((name) => !(name in OF_VIDEO))) throw unsupported();
  const countsOf = openBooks(sandbox, "youtube");
  const newest = sandbox.now() - sandbox.settings.all.youtube_analytics_lag_ms;
  return wanted.flatMap((id) => {
    const video = findVideo(sandbox, id);
    const counts = countsOf(id);
    if (!counts || video?.channel_id !== channelId || video.created_at > newest) return [];
    const shown = shownCounts(counts);
    return [[id, ...names.map((name) => OF_VIDEO[name]?.(shown) ?? 0)]];
  });
}

function dayRows(
  sandbox: Sandbox,
  { channelId, names, since, until }: Report & { readonly since: number; readonly until: number },
) {
  if (names.some((name) => !(name in OF_DAY))) throw unsupported();
  const newest = sandbox.now() - sandbox.settings.all.youtube_analytics_lag_ms;
  return daysBetween(since, Math.min(until, newest)).map((day) => {
    const of = accountDay(channelId, day, sandbox.now());
    return [
      new Date(startOfDay(day)).toISOString().slice(0, 10),
      ...names.map((name) => of[OF_DAY[name as keyof typeof OF_DAY]]),
    ];
  });
}
