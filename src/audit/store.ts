import { and, desc, eq, lt, type SQL, sql } from "drizzle-orm";
import type { ProjectId } from "../core/ids.ts";
import type { Log } from "../core/log.ts";
import { DAY, HOUR } from "../core/time.ts";
import { countUse, usedOf } from "../db/allowances.ts";
import { type Db, runBatch, type Statement, writeTogether } from "../db/client.ts";
import type { Expired } from "../db/expired.ts";
import { type AuditEntry, auditTable } from "./table.ts";

const LIFE_MS = 365 * DAY;

export type Act = Omit<AuditEntry, "id" | "state" | "times" | "folded">;

/**
 * So many acts of a project in an hour have entries of their own. Beyond, the same act of the same actor in
 * the same hour is one entry with a number: the log stays true, and a program that repeats an act cannot fill
 * it.
 */
const ENTRIES_AN_HOUR = 1_000;

/** Writes the entry of an act. If this fails, the act must not begin. Returns the entry's id. */
export async function beginAct(db: Db, act: Act): Promise<number> {
  const { projectId, source, actor, action, at } = act;
  const allowance = { key: `audit:${projectId}`, most: ENTRIES_AN_HOUR, windowMs: HOUR };
  const isOwn = sql`${usedOf(allowance, at)} <= ${ENTRIES_AN_HOUR}`;
  const common = `${projectId} ${Math.floor(at / HOUR)} ${source} ${actor} ${action}`;
  const { entries } = await writeTogether(db, {
    counted: countUse(db, allowance, at),
    entries: db
      .insert(auditTable)
      .values({ ...act, folded: sql`CASE WHEN ${isOwn} THEN NULL ELSE ${common} END` })
      .onConflictDoUpdate({
        target: auditTable.folded,
        set: { times: sql`${auditTable.times} + 1`, at, path: act.path },
      })
      .returning({ id: auditTable.id }),
  });
  const [entry] = entries;
  if (!entry) throw new Error("The entry of the audit log was not written.");
  return entry.id;
}

/**
 * Notes that the act is done, or takes it out of its entry because nothing was done: it was refused, or only
 * showed something. Never fails: an entry without an outcome stays.
 */
export async function endAct({ db, log }: Recorder, id: number, outcome: "done" | "nothing"): Promise<void> {
  const own = eq(auditTable.id, id);
  try {
    if (outcome === "done") await db.update(auditTable).set({ state: "done" }).where(own);
    else await runBatch(db, leaveEntry(db, own));
  } catch (error) {
    log.error("audit_outcome_lost", error);
  }
}

const leaveEntry = (db: Db, own: SQL): Statement[] => [
  db.delete(auditTable).where(and(own, eq(auditTable.times, 1))),
  db
    .update(auditTable)
    .set({ times: sql`${auditTable.times} - 1` })
    .where(own),
];

interface Recorder {
  readonly db: Db;
  readonly log: Pick<Log, "error">;
}

/** The entry of an act, for the transaction that carries it out. */
export function recordDone(db: Db, act: Act): Statement {
  return db.insert(auditTable).values({ ...act, state: "done" });
}

/** An operator's command about a project, in the words of the log. */
export function commandOf(projectId: ProjectId, command: string, action: string): Act {
  const actor = `npm run ${command}`;
  return { projectId, at: Date.now(), source: "operator", actor, action, path: "/internal" };
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
