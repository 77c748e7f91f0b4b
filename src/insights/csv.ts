import { isoUtc } from "../core/time.ts";
import { POST_METRICS } from "../platforms/insights.ts";
import type { PostInsights } from "./store.ts";

/** Numbers of posts by day as comma-separated values (RFC 4180). Pure. */

const COLUMNS = ["post_id", "channel_id", "channel_type", "post_type", "published_at", "permalink", "day"] as const;

/**
 * A line for each post and day, the newest post first; an empty cell is a number that the platform does not
 * say.
 */
export function toCsv(rows: readonly PostInsights[]): string {
  const lines = rows.flatMap((row) =>
    row.days.map(([day, metrics]) => [
      row.postId,
      row.channelId,
      row.platform,
      row.postType,
      isoUtc(row.publishedAt),
      row.items[0]?.permalink ?? "",
      day,
      ...POST_METRICS.map((metric) => metrics[metric] ?? ""),
    ]),
  );
  return [[...COLUMNS, ...POST_METRICS], ...lines].map((line) => `${line.map(cell).join(",")}\r\n`).join("");
}

/** A text that a spreadsheet would calculate is kept a text. */
function cell(value: string | number): string {
  if (typeof value === "number") return String(value);
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
