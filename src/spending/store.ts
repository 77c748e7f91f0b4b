import { and, eq, gt, lt, type SQL, sql } from "drizzle-orm";
import type { ProjectId, SpendingId } from "../core/ids.ts";
import { HOUR } from "../core/time.ts";
import type { Db, Statement } from "../db/client.ts";
import { type Expired, someOf } from "../db/expired.ts";
import { insertWhere } from "../db/insert-where.ts";
import { spendingRequestsTable as table } from "./table.ts";

/**
 * Confirmations of spending. `pending` for an hour; a member confirms or denies it in the console, which no
 * token can do. A confirmed request holds for an hour; the same terms later are a new request.
 */
const LIFE_MS = HOUR;
/** Of a project, at a time. */
const MAX_OPEN = 100;

export type Spending = typeof table.$inferSelect;
export type NewSpending = Pick<Spending, "projectId" | "tokenId" | "termsHash" | "question" | "terms">;

/** The request for these terms, which is opened if there is none; null if the project has too many. */
export async function openSpending(db: Db, request: NewSpending, now: number): Promise<Spending | null> {
  const row = { ...request, id: sql`NULL`, state: "pending", createdAt: now, expiresAt: now + LIFE_MS } as const;
  const hasRoom = sql`(SELECT count(*) FROM spending_requests
    WHERE project_id = ${request.projectId} AND expires_at > ${now}) < ${MAX_OPEN}`;
  const isOver = sql`${table.expiresAt} <= ${now}`;
  const [opened] = await insertWhere(db, table, row, hasRoom)
    .onConflictDoUpdate({
      target: [table.projectId, table.termsHash],
      set: {
        state: sql`CASE WHEN ${isOver} THEN 'pending' ELSE ${table.state} END`,
        answeredBy: sql`CASE WHEN ${isOver} THEN NULL ELSE ${table.answeredBy} END`,
        createdAt: sql`CASE WHEN ${isOver} THEN ${now} ELSE ${table.createdAt} END`,
        expiresAt: sql`CASE WHEN ${isOver} THEN ${now + LIFE_MS} ELSE ${table.expiresAt} END`,
      },
    })
    .returning();
  return opened ?? null;
}

/** Null if the project has none with this id, or it has expired. */
export async function findSpending(
  db: Db,
  projectId: ProjectId,
  id: SpendingId,
  now: number,
): Promise<Spending | null> {
  const [found] = await db
    .select()
    .from(table)
    .where(isOpen(projectId, id, now));
  return found ?? null;
}

/** What waits for an answer, the first to expire first; at most `limit`. */
export function selectUnanswered(db: Db, projectId: ProjectId, now: number, limit: number) {
  return db
    .select({ id: table.id, question: table.question, expiresAt: table.expiresAt })
    .from(table)
    .where(and(eq(table.projectId, projectId), gt(table.expiresAt, now), eq(table.state, "pending")))
    .orderBy(table.expiresAt)
    .limit(limit);
}

const isOpen = (projectId: ProjectId, id: SpendingId, now: number) =>
  and(eq(table.id, id), eq(table.projectId, projectId), gt(table.expiresAt, now));

export interface SpendingAnswer {
  readonly id: SpendingId;
  readonly state: "confirmed" | "denied";
  readonly answeredBy: string;
}

/** Once; false if it was answered or has expired. */
export async function answerSpending(
  db: Db,
  projectId: ProjectId,
  { id, ...answer }: SpendingAnswer,
  now: number,
): Promise<boolean> {
  const answered = await db
    .update(table)
    .set({ ...answer, expiresAt: now + LIFE_MS })
    .where(and(isOpen(projectId, id, now), eq(table.state, "pending")))
    .returning({ id: table.id });
  return answered.length > 0;
}

/** A condition: a person has confirmed it, and it is not used yet. */
export const isConfirmed = (id: SpendingId, now: number): SQL =>
  sql`EXISTS (SELECT 1 FROM spending_requests
    WHERE spending_requests.id = ${id} AND spending_requests.state = 'confirmed' AND spending_requests.expires_at > ${now})`;

/** For the batch that spends, beside a statement that requires `isConfirmed`. */
export const markUsed = (db: Db, id: SpendingId, now: number): Statement =>
  db
    .update(table)
    .set({ state: "used" })
    .where(and(eq(table.id, id), eq(table.state, "confirmed"), gt(table.expiresAt, now)));

/** Notes that what was confirmed is done. What makes it happen once is the key of its change. */
export async function useSpending(db: Db, id: SpendingId): Promise<void> {
  await db
    .update(table)
    .set({ state: "used" })
    .where(and(eq(table.id, id), eq(table.state, "confirmed")));
}

export const expiredSpending = (now: number, limit: number): Expired => ({
  table,
  where: someOf(table, lt(table.expiresAt, now), limit),
});
