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
): Statement {
  const { projectId, subjectId } = job;
  return insertEvent(deps.db, { projectId, subject: "post", subjectId, type, message, detail, at: Date.now() }, held);
}
