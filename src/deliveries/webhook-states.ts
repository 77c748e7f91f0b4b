import { type Placeholder, type SQL, sql } from "drizzle-orm";
import type { ProjectId } from "../core/ids.ts";

/** Whether any webhook of the project is enabled: 1 or 0; null if it has none. */
export function hasEnabledWebhook(projectId: ProjectId | Placeholder | SQL): SQL<number | null> {
  return sql`(SELECT max(webhooks.state = 'enabled') FROM webhooks WHERE webhooks.project_id = ${projectId})`;
}
