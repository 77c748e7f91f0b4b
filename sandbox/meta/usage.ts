// Meta's rate limits: calls per rolling hour and subject, and the usage headers.

import type { Sandbox } from "../sandbox";
import type { GraphError } from "./errors";

export const USAGE_TABLE = `
  CREATE TABLE IF NOT EXISTS meta_usage (
    subject TEXT NOT NULL, at INTEGER NOT NULL, calls INTEGER NOT NULL, PRIMARY KEY (subject, at));
`;

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

/** Counts a call of the subject; returns the used percentage of the hourly limit. */
export function countCall(sandbox: Sandbox, subject: string, callsPerHour: number): number {
  const now = sandbox.now();
  sandbox.db.run("DELETE FROM meta_usage WHERE at < ?", now - HOUR_MS);
  sandbox.db.run(
    `INSERT INTO meta_usage (subject, at, calls) VALUES (?, ?, 1)
     ON CONFLICT (subject, at) DO UPDATE SET calls = calls + 1`,
    subject,
    Math.floor(now / MINUTE_MS) * MINUTE_MS,
  );
  const used = sandbox.db.first<{ calls: number }>(
    "SELECT sum(calls) AS calls FROM meta_usage WHERE subject = ?",
    subject,
  );
  return Math.floor((100 * (used?.calls ?? 0)) / callsPerHour);
}

/** The usage headers of a response: for the app, and for the Page or account of the call. */
export function usageHeaders(
  subject: { type: string; id: string } | null,
  percent: number,
  minutesToWait: number,
): Record<string, string> {
  const use = { call_count: percent, total_cputime: Math.ceil(percent / 3), total_time: Math.ceil(percent / 2) };
  const app = { "x-app-usage": JSON.stringify(use) };
  if (!subject) return app;
  const own = { [subject.id]: [{ type: subject.type, ...use, estimated_time_to_regain_access: minutesToWait }] };
  return { ...app, "x-business-use-case-usage": JSON.stringify(own) };
}

/** A rate limit error with the wait time in the headers. */
export function limited(sandbox: Sandbox, refusal: GraphError, subject: { type: string; id: string } | null): Response {
  const answer = refusal.toResponse();
  // The header is in minutes; a reset within seconds is a fraction of a minute.
  const minutes = Math.ceil((sandbox.settings.all.rate_limit_reset_ms / 60_000) * 100) / 100;
  for (const [name, value] of Object.entries(usageHeaders(subject, 100, minutes))) answer.headers.set(name, value);
  return answer;
}
