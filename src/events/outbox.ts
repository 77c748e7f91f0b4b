import { type Placeholder, type SQL, sql } from "drizzle-orm";
import type { ProjectId } from "../core/ids.ts";
import { hasEnabledWebhook } from "../deliveries/webhook-states.ts";

/** The newest event of a project that webhooks can receive; 0 if there is none. */
export function newestEventId(projectId: ProjectId | Placeholder | SQL): SQL<number> {
  return sql`coalesce((SELECT max(id) FROM events WHERE project_id = ${projectId} AND outbox IS NOT NULL), 0)`;
}

export const OUTBOX_STATES = ["pending", "dispatched"] as const;

/**
 * The outbox state of a new event. `pending`: the project has an enabled webhook. `dispatched`: all its
 * webhooks are disabled, but a replay can still send the event. Null: the project has no webhook. Reads an
 * index entry and up to twenty rows.
 */
export function outboxOf(projectId: ProjectId | Placeholder | SQL): SQL<(typeof OUTBOX_STATES)[number] | null> {
  return sql`CASE ${hasEnabledWebhook(projectId)} WHEN 1 THEN 'pending' WHEN 0 THEN 'dispatched' END`;
}
