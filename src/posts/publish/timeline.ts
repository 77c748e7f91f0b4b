import { type SQL, sql } from "drizzle-orm";
import type { Db, Statement } from "../../db/client.ts";
import type { HeldJob, ShownWait } from "../../jobs/handler.ts";
import type { Deps } from "../../service/deps.ts";
import { type PostEvent, postEvents } from "../events.ts";

/** An event of the job's post, written only while the delivery has the job's lease. */
export function postEvent(deps: Deps, { job, hasLease }: HeldJob, event: PostEvent, when: SQL = sql`1`): Statement {
  const { projectId, subjectId } = job;
  return postEvents.insert(deps.db, { ...event, projectId, subjectId, at: Date.now() }, sql`${hasLease} AND ${when}`);
}

/** The event of a wait of the post's job. */
export function waitEvent(db: Db, { detail, platform, ...wait }: ShownWait, hasLease: SQL): readonly Statement[] {
  const event = { ...wait, type: "post.waiting", detail: { ...detail, ...platform } } as const;
  return [postEvents.insert(db, event, hasLease)];
}
