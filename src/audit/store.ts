import { and, desc, eq, lt, sql } from "drizzle-orm";
import type { ProjectId } from "../core/ids.ts";
import type { Log } from "../core/log.ts";
import { DAY } from "../core/time.ts";
import type { Db } from "../db/client.ts";
import type { Expired } from "../db/expired.ts";
import { type AuditEntry, auditTable } from "./table.ts";

const LIFE_MS = 365 * DAY;

/**
 * Operations of the API that are recorded: deletions, and what changes access, channels, bots, spending,
 * webhooks and approvals. Posts have their own timelines.
 */
export const AUDITED: ReadonlySet<string> = new Set([
  "deleteChannel",
  "updateTimetable",
  "deletePost",
  "approvePost",
  "sendBackPost",
  "createApprovalLink",
  "revokeApprovalLink",
  "createCommentAutomation",
  "updateCommentAutomation",
  "deleteCommentAutomation",
  "deletePostGeneration",
  "createCampaign",
  "updateCampaign",
  "deleteCampaign",
  "createWebhook",
  "updateWebhook",
  "deleteWebhook",
  "rotateWebhookSecret",
  "rotateProjectSecret",
]);

/** Never fails: the action is done. A failure to record it is logged. */
export async function recordAudit({ db, log }: Recorder, entry: Omit<AuditEntry, "id">): Promise<void> {
  try {
    await db.insert(auditTable).values(entry);
  } catch (error) {
    log.error("audit_not_recorded", error);
  }
}

interface Recorder {
  readonly db: Db;
  readonly log: Pick<Log, "error">;
}

/** The entries before an id (null: the newest), newest first. */
export function listAudit(db: Db, projectId: ProjectId, before: number | null, limit: number): Promise<AuditEntry[]> {
  const older = before === null ? undefined : lt(auditTable.id, before);
  return db
    .select()
    .from(auditTable)
    .where(and(eq(auditTable.projectId, projectId), older))
    .orderBy(desc(auditTable.id))
    .limit(limit);
}

/** Entries that are older than a year, at most `limit` at a time. */
export function expiredAudit(now: number, limit: number): Expired {
  const old = sql`SELECT id FROM audit_entries WHERE at < ${now - LIFE_MS} LIMIT ${limit}`;
  return { table: auditTable, where: sql`id IN (${old})` };
}
