import { and, asc, eq, type SQL, sql } from "drizzle-orm";
import type { DeliveryId, ProjectId } from "../core/ids.ts";
import { type Db, type Statement, writeTogether } from "../db/client.ts";
import { insertWhere } from "../db/insert-where.ts";
import { nextAttemptAt } from "./retry-schedule.ts";
import type { NewSecret, SealedSecrets } from "./secrets.ts";
import { type Try, withTry } from "./stored.ts";
import { type Delivery, deliveriesTable, webhookKeysTable } from "./table.ts";

/** SQL of all deliveries, and of the keys of projects. The SQL of webhooks is in webhooks/. */

/** Inserts a message with its own body, and returns the id of its row. */
export function insertMessage(
  db: Db,
  message: Pick<Delivery, "projectId" | "webhookId" | "messageId" | "type" | "url" | "body" | "about" | "nextAt">,
  now: number,
  condition: SQL = sql`1`,
) {
  const values = { ...message, state: "waiting" as const, attempts: 0, tries: [], createdAt: now, updatedAt: now };
  return insertWhere(db, deliveriesTable, values, condition).returning({ id: deliveriesTable.id });
}

export async function findDelivery(db: Db, id: DeliveryId): Promise<Delivery | null> {
  const [found] = await db.select().from(deliveriesTable).where(eq(deliveriesTable.id, id));
  return found ?? null;
}

/** The single messages of a subject, the oldest first: for its timeline. */
export function selectMessagesAbout(db: Db, about: string | SQL) {
  return db
    .select()
    .from(deliveriesTable)
    .where(sql`${deliveriesTable.about} = ${about}`)
    .orderBy(asc(deliveriesTable.id))
    .limit(10);
}

/**
 * Cancels the undelivered single messages of a subject: for the batch after which nothing may be reported
 * about it.
 */
export function withdrawMessages(db: Db, about: string, now: number): Statement {
  return db
    .update(deliveriesTable)
    .set({ state: "failed", nextAt: null, updatedAt: now })
    .where(and(sql`${deliveriesTable.about} = ${about}`, eq(deliveriesTable.state, "waiting")));
}

export type DeliveryEnd = Pick<Delivery, "state" | "attempts" | "nextAt" | "tries">;

/** Stores the result of an attempt, only if the delivery is unchanged since it was read. */
export function settleDelivery(
  db: Db,
  { id, nextAt }: Pick<Delivery, "id" | "nextAt">,
  end: DeliveryEnd,
  condition: SQL,
): Statement {
  const asTaken = sql`${deliveriesTable.nextAt} IS ${nextAt}`;
  return db
    .update(deliveriesTable)
    .set({ ...end, updatedAt: Date.now() })
    .where(and(eq(deliveriesTable.id, id), eq(deliveriesTable.state, "waiting"), asTaken, condition));
}

/** The state of a delivery after an attempt; null: there is nothing left to send. */
export function endOf({ attempts: before, tries }: Delivery, last: Try | null, now: number): DeliveryEnd {
  const attempts = before + 1;
  if (last === null) return { state: "failed", attempts: before, nextAt: null, tries };
  const nextAt = last.problem === null ? null : nextAttemptAt(attempts, now);
  const state = last.problem === null ? "delivered" : nextAt === null ? "failed" : "waiting";
  return { state, attempts, nextAt, tries: withTry(tries, last) };
}

/** Adds a new key for the project beside the previous one; creates the first key if there is none. */
export async function rotateKey(db: Db, projectId: ProjectId, sealed: NewSecret, oldUntil: number): Promise<void> {
  const set = { ...sealed, oldSecret: sql`${webhookKeysTable.secret}`, oldUntil };
  await db
    .insert(webhookKeysTable)
    .values({ projectId, ...sealed })
    .onConflictDoUpdate({ target: webhookKeysTable.projectId, set });
}

/** The key that signs a project's single messages; stores `fresh` if there is none yet. */
export async function readKey(db: Db, projectId: ProjectId, fresh: () => Promise<NewSecret>): Promise<SealedSecrets> {
  const select = db.select().from(webhookKeysTable).where(eq(webhookKeysTable.projectId, projectId));
  const [known] = await select;
  if (known) return known;
  const insert = db.insert(webhookKeysTable).values({ projectId, ...(await fresh()) });
  const { stored } = await writeTogether(db, { made: insert.onConflictDoNothing(), stored: select });
  const [made] = stored;
  if (!made) throw new Error("The key of the project was not stored.");
  return made;
}
