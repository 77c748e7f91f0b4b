import { and, desc, eq, isNotNull, isNull, ne, type SQL, sql } from "drizzle-orm";
import type { ProjectId, WebhookId } from "../core/ids.ts";
import { type Db, readTogether, type Statement, writeTogether } from "../db/client.ts";
import type { Expired } from "../db/expired.ts";
import { insertWhere } from "../db/insert-where.ts";
import { newestIdOf } from "../db/newest-id.ts";
import { disableReasonAfter } from "../deliveries/retry-schedule.ts";
import type { NewSecret, SealedSecrets } from "../deliveries/secrets.ts";
import type { Try } from "../deliveries/stored.ts";
import {
  type DisabledReason,
  deliveriesTable,
  type Webhook,
  webhookKeysTable,
  webhooksTable,
} from "../deliveries/table.ts";
import { newestEventId } from "../events/outbox.ts";
import { webhookEvents } from "./events.ts";

/** SQL of webhooks and their secrets. The SQL of messages is in delivery-store.ts. */

/** The id of the webhook that the batch has just created. */
export const newestWebhookId = newestIdOf<WebhookId>("webhooks");

/** The event id after which a webhook receives events: neither past nor existing events. */
const startsAfter = (projectId: ProjectId, now: number) =>
  sql<number>`max(${now * 1000 - 1}, ${newestEventId(projectId)})`;

export type NewWebhook = Pick<
  Webhook,
  "projectId" | "url" | "description" | "types" | "eventsPerRequest" | "secret" | "secretKey"
>;

/** A condition: the project has fewer than `limit` webhooks. */
export function hasRoom(projectId: ProjectId, limit: number): SQL {
  return sql`(SELECT count(*) FROM webhooks WHERE project_id = ${projectId}) < ${limit}`;
}

export function insertWebhook(db: Db, webhook: NewWebhook, now: number) {
  const values = {
    ...webhook,
    state: "enabled" as const,
    startsAfter: startsAfter(webhook.projectId, now),
    createdAt: now,
    updatedAt: now,
  };
  return insertWhere(db, webhooksTable, values, sql`1`).returning();
}

const own = (projectId: ProjectId, id: WebhookId) =>
  and(eq(webhooksTable.id, id), eq(webhooksTable.projectId, projectId));

/** A webhook of the project; null for another project's webhook. */
export async function findWebhook(db: Db, projectId: ProjectId, id: WebhookId): Promise<Webhook | null> {
  const [found] = await db.select().from(webhooksTable).where(own(projectId, id));
  return found ?? null;
}

/** All webhooks of a project, the newest first; their number is limited. */
export async function listWebhooks(db: Db, projectId: ProjectId): Promise<Webhook[]> {
  return db.select().from(webhooksTable).where(eq(webhooksTable.projectId, projectId)).orderBy(desc(webhooksTable.id));
}

/** Webhooks that the service has disabled, for a batch. */
export function selectDisabled(db: Db, projectId: ProjectId) {
  const { id, url, disabledReason, disabledAt } = webhooksTable;
  return db
    .select({ id, url, disabledReason, disabledAt })
    .from(webhooksTable)
    .where(
      and(
        eq(webhooksTable.projectId, projectId),
        eq(webhooksTable.state, "disabled"),
        ne(disabledReason, "on_request"),
      ),
    )
    .orderBy(desc(id));
}

export type WebhookChange = Partial<Pick<Webhook, "url" | "description" | "types" | "eventsPerRequest">>;

/**
 * Changes the given fields. Enabled again, a webhook receives the events after the newest one; missed events
 * can be replayed. Null if the project has no such webhook.
 */
export async function storeChange(
  db: Db,
  projectId: ProjectId,
  id: WebhookId,
  { isEnabled, ...change }: WebhookChange & { readonly isEnabled?: boolean | undefined },
): Promise<Webhook | null> {
  const now = Date.now();
  const wasDisabled = sql`${webhooksTable.state} = 'disabled'`;
  const { changed } = await writeTogether(db, {
    changed: db
      .update(webhooksTable)
      .set({
        ...change,
        updatedAt: now,
        ...(isEnabled === true
          ? {
              state: "enabled" as const,
              startsAfter: sql`CASE WHEN ${wasDisabled} THEN ${startsAfter(projectId, now)} ELSE ${webhooksTable.startsAfter} END`,
              failingSince: sql`CASE WHEN ${wasDisabled} THEN NULL ELSE ${webhooksTable.failingSince} END`,
              disabledReason: null,
              disabledAt: null,
            }
          : {}),
        ...(isEnabled === false
          ? {
              state: "disabled" as const,
              disabledReason: sql`coalesce(${webhooksTable.disabledReason}, 'on_request')`,
              disabledAt: sql`coalesce(${webhooksTable.disabledAt}, ${now})`,
            }
          : {}),
      })
      .where(own(projectId, id))
      .returning(),
    waiting: endWaiting(
      db,
      id,
      now,
      isEnabled === false ? sql`EXISTS (SELECT 1 FROM webhooks WHERE ${own(projectId, id)})` : sql`0`,
    ),
  });
  return changed[0] ?? null;
}

/** Cancels the waiting deliveries of a disabled webhook. */
function endWaiting(db: Db, id: WebhookId, now: number, condition: SQL): Statement {
  return db
    .update(deliveriesTable)
    .set({ state: "failed", nextAt: null, updatedAt: now })
    .where(and(eq(deliveriesTable.webhookId, id), eq(deliveriesTable.state, "waiting"), condition));
}

/** Disables a webhook whose address fails, and writes the event for the project's other webhooks. */
function disable(
  db: Db,
  { id, projectId, url }: Pick<Webhook, "id" | "projectId" | "url">,
  { reason, at: now }: { readonly reason: Exclude<DisabledReason, "on_request">; readonly at: number },
  condition: SQL,
): Statement[] {
  const isEnabled = sql`(EXISTS (SELECT 1 FROM webhooks WHERE id = ${id} AND state = 'enabled') AND ${condition})`;
  const why =
    reason === "gone" ? "its address reports that it is permanently gone (410)" : "no delivery succeeded for five days";
  const message = `The webhook ${id} is disabled: ${why}.`;
  const event = { type: "webhook.disabled", message, detail: { url, reason } } as const;
  return [
    endWaiting(db, id, now, isEnabled),
    webhookEvents.insert(db, { ...event, projectId, subjectId: id, at: now }, isEnabled),
    db
      .update(webhooksTable)
      .set({ state: "disabled", disabledReason: reason, disabledAt: now, updatedAt: now })
      .where(and(eq(webhooksTable.id, id), eq(webhooksTable.state, "enabled"), condition)),
  ];
}

/**
 * Deletes a webhook. Its messages are erased on schedule, and cannot be read meanwhile. False if the project
 * has no such webhook.
 */
export async function deleteWebhook(db: Db, projectId: ProjectId, id: WebhookId, now: number): Promise<boolean> {
  const is = sql`EXISTS (SELECT 1 FROM webhooks WHERE ${own(projectId, id)})`;
  const { deleted } = await writeTogether(db, {
    waiting: endWaiting(db, id, now, is),
    deleted: db.delete(webhooksTable).where(own(projectId, id)).returning({ id: webhooksTable.id }),
  });
  return deleted.length > 0;
}

/** Adds a new secret beside the previous one. A second rotation before `oldUntil` drops the oldest secret. */
export function rotateSecret(
  db: Db,
  projectId: ProjectId,
  id: WebhookId,
  { secret, secretKey, oldUntil }: NewSecret & { readonly oldUntil: number },
) {
  return db
    .update(webhooksTable)
    .set({ secret, secretKey, oldSecret: sql`${webhooksTable.secret}`, oldUntil, updatedAt: Date.now() })
    .where(own(projectId, id))
    .returning();
}

/**
 * Webhooks and keys of projects whose newest secret is encrypted with this key: the limit of one sweep for
 * each.
 */
export function listSealedWith(db: Db, keyId: string, limit: number) {
  return readTogether(db, {
    webhooks: db.select().from(webhooksTable).where(eq(webhooksTable.secretKey, keyId)).limit(limit),
    keys: db.select().from(webhookKeysTable).where(eq(webhookKeysTable.secretKey, keyId)).limit(limit),
  });
}

/** Stores re-encrypted secrets, unless they were rotated meanwhile. */
export function storeResealed(
  db: Db,
  of: { id: WebhookId } | { projectId: ProjectId },
  was: string,
  sealed: SealedSecrets,
) {
  return "id" in of
    ? db
        .update(webhooksTable)
        .set(sealed)
        .where(and(eq(webhooksTable.id, of.id), eq(webhooksTable.secret, was)))
    : db
        .update(webhookKeysTable)
        .set(sealed)
        .where(and(eq(webhookKeysTable.projectId, of.projectId), eq(webhookKeysTable.secret, was)));
}

/** Whether the project, or any (null), has an enabled webhook: one index entry. */
export async function hasEnabledWebhook(db: Db, projectId: ProjectId | null): Promise<boolean> {
  const isOwn = projectId === null ? sql`1` : sql`project_id = ${projectId}`;
  const [row] = await db.all<{ is: number }>(
    sql`SELECT EXISTS (SELECT 1 FROM webhooks WHERE state = 'enabled' AND ${isOwn}) AS "is"`,
  );
  return row?.is === 1;
}

/** Updates the health of the webhook's address after an attempt, while `condition` holds. */
export function healthStatements(db: Db, webhook: Webhook, last: Try, condition: SQL): readonly Statement[] {
  if (last.problem === null) return [noteHealth(db, webhook.id, null, condition)];
  const reason = disableReasonAfter(last, webhook.failingSince);
  const ends = reason ? disable(db, webhook, { reason, at: last.at }, condition) : [];
  return [noteHealth(db, webhook.id, last.at, condition), ...ends];
}

/** Records whether the last attempt succeeded (`failedAt` null), while `condition` holds. */
function noteHealth(db: Db, id: WebhookId, failedAt: number | null, condition: SQL): Statement {
  const isNews = failedAt === null ? isNotNull(webhooksTable.failingSince) : isNull(webhooksTable.failingSince);
  return db
    .update(webhooksTable)
    .set({ failingSince: failedAt })
    .where(and(eq(webhooksTable.id, id), isNews, condition));
}

/** Erases at most `limit` messages created before `before`. */
export function expiredDeliveries(before: number, limit: number): Expired {
  const old = sql`SELECT id FROM webhook_deliveries WHERE created_at < ${before} LIMIT ${limit}`;
  return { table: deliveriesTable, where: sql`id IN (${old})` };
}
