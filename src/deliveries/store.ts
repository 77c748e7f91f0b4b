import { and, asc, eq, type SQL, sql } from "drizzle-orm";
import type { DeliveryId, ProjectId } from "../core/ids.ts";
import { type Db, type Statement, writeTogether } from "../db/client.ts";
import { insertWhere } from "../db/insert-where.ts";
import { nextAttemptAt } from "./retry-schedule.ts";
import type { NewSecret, SealedSecrets } from "./secrets.ts";
import { type Try, withTry } from "./stored.ts";
import { type Delivery, deliveriesTable, webhookKeysTable } from "./table.ts";

/** SQL of deliveries, whatever they tell, and of the keys of projects. That of webhooks is in webhooks/. */

/** A message with a body of its own. Its row's id is the answer. */
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

/** Single messages about a thing, the oldest first: for its timeline. */
export function selectMessagesAbout(db: Db, about: string | SQL) {
  return db
    .select()
    .from(deliveriesTable)
    .where(sql`${deliveriesTable.about} = ${about}`)
    .orderBy(asc(deliveriesTable.id))
    .limit(10);
}

/**
 * Ends what has not arrived of the single messages about a thing: for the batch after which nothing is to be
 * told of it.
 */
export function withdrawMessages(db: Db, about: string, now: number): Statement {
  return db
    .update(deliveriesTable)
    .set({ state: "failed", nextAt: null, updatedAt: now })
    .where(and(sql`${deliveriesTable.about} = ${about}`, eq(deliveriesTable.state, "waiting")));
}

export type DeliveryEnd = Pick<Delivery, "state" | "attempts" | "nextAt" | "tries">;

/** What an attempt came to: written only while the delivery waits as it was taken. */
export function settleDelivery(
  db: Db,
  { id, nextAt }: Pick<Delivery, "id" | "nextAt">,
  end: DeliveryEnd,
  now: number,
  condition: SQL = sql`1`,
): Statement {
  const asTaken = sql`${deliveriesTable.nextAt} IS ${nextAt}`;
  return db
    .update(deliveriesTable)
    .set({ ...end, updatedAt: now })
    .where(and(eq(deliveriesTable.id, id), eq(deliveriesTable.state, "waiting"), asTaken, condition));
}

/** What becomes of a delivery by an attempt; null: there is nothing to send any more. */
export function endOf({ attempts: before, tries }: Delivery, last: Try | null, now: number): DeliveryEnd {
  const attempts = before + 1;
  if (last === null) return { state: "failed", attempts: before, nextAt: null, tries };
  const nextAt = last.error === null ? null : nextAttemptAt(attempts, now);
  const state = last.error === null ? "delivered" : nextAt === null ? "failed" : "waiting";
  return { state, attempts, nextAt, tries: withTry(tries, last) };
}

/** A new key of the project beside the one that was; made where there is none yet. */
export async function rotateKey(db: Db, projectId: ProjectId, sealed: NewSecret, oldUntil: number): Promise<void> {
  const set = { ...sealed, oldSecret: sql`${webhookKeysTable.secret}`, oldUntil };
  await db
    .insert(webhookKeysTable)
    .values({ projectId, ...sealed })
    .onConflictDoUpdate({ target: webhookKeysTable.projectId, set });
}

/** What signs a project's single messages; `fresh` is stored where there is none yet. */
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
