import { type SQL, sql } from "drizzle-orm";
import type { Statement } from "../db/client.ts";
import type { Deps } from "../deps.ts";
import { insertEvent } from "../events/store.ts";
import type { Journal } from "../jobs/steps.ts";

/** An event of the post that the job is about, written only while the delivery holds the job. */
export function postEvent(
  deps: Deps,
  { job, held }: Journal,
  type: string,
  message: string,
  detail: Readonly<Record<string, string | null>> = {},
  when: SQL = sql`1`,
): Statement {
  const { projectId, subjectId } = job;
  const event = { projectId, subject: "post", subjectId, type, message, detail, at: Date.now() } as const;
  return insertEvent(deps.db, event, sql`${held} AND ${when}`);
}
