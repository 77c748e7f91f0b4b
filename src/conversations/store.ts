import { and, desc, eq, getTableColumns, type SQL, sql } from "drizzle-orm";
import { collectsMessages } from "../channels/store.ts";
import { absent } from "../core/errors.ts";
import type { ChannelId, ConversationId, MessageId, ProjectId } from "../core/ids.ts";
import type { Db, Statement } from "../db/client.ts";
import { type Expired, someOf } from "../db/expired.ts";
import { insertWhere } from "../db/insert-where.ts";
import { newestIdOf } from "../db/newest-id.ts";
import { MESSAGE_LIFE_MS } from "./jobs.ts";
import { CONVERSATION_STATES, type ConversationState } from "./stored.ts";
import { type Conversation, conversationsTable, type Message, messagesTable } from "./table.ts";

/** SQL of conversations and their messages. */

/** Brings times and states of conversations up to date with their messages; `where`: a condition on them. */
export function refreshConversations(db: Db, where: SQL, now: number): Statement {
  const own = (what: SQL, condition: SQL) =>
    sql`(SELECT ${what} FROM direct_messages WHERE conversation_id = conversations.id AND ${condition})`;
  const newest = own(sql`max(sent_at)`, sql`state <> 'failed'`);
  const newestInbound = own(sql`max(sent_at)`, sql`state = 'received'`);
  const newestOwn = own(sql`max(sent_at)`, sql`state = 'sent'`);
  return db
    .update(conversationsTable)
    .set({
      lastMessageAt: sql`coalesce(${newest}, last_message_at)`,
      lastInboundAt: sql`nullif(max(coalesce(${newestInbound}, 0), coalesce(last_inbound_at, 0)), 0)`,
      doneAt: sql`CASE WHEN ${newestInbound} > done_at THEN NULL ELSE done_at END`,
      priority: priorityOf({ newestInbound, newestOwn }),
      updatedAt: now,
    })
    .where(where);
}

function priorityOf({
  newestInbound,
  newestOwn,
}: {
  readonly newestInbound: SQL;
  readonly newestOwn: SQL;
}): SQL<number> {
  const isDone = sql`done_at IS NOT NULL AND coalesce(${newestInbound}, 0) <= done_at`;
  const isAnswered = sql`coalesce(${newestInbound}, 0) <= coalesce(${newestOwn}, 0)`;
  const index = (state: ConversationState) => sql.raw(`${CONVERSATION_STATES.indexOf(state)}`);
  return sql`CASE WHEN ${isDone} THEN ${index("done")} WHEN ${isAnswered} THEN ${index("answered")} ELSE ${index("unanswered")} END`;
}

/** Those of other channels are being deleted. */
const isShown = collectsMessages(sql`conversations.channel_id`);

export interface ListPosition {
  readonly priority: number;
  readonly at: number;
  readonly id: number;
}

export interface ConversationFilter {
  readonly projectId: ProjectId;
  readonly channelId: ChannelId | null;
  readonly state: ConversationState | null;
}

/** The text of its last message is null if it has none that was sent. */
export interface ListedConversation extends Conversation {
  readonly lastText: string | null;
}

const lastText = sql<string | null>`(SELECT text FROM direct_messages WHERE conversation_id = conversations.id
  AND state <> 'failed' ORDER BY sent_at DESC, id DESC LIMIT 1)`.as("last_text");

/** A range of the index. The priority is a part of it, unless the list has only one. */
const isAfter = ({ priority, at, id }: ListPosition, isOfOne: boolean): SQL =>
  isOfOne
    ? sql`(last_message_at, id) < (${at}, ${id})`
    : sql`(priority, last_message_at, id) < (${priority}, ${at}, ${id})`;

/** Unanswered ones first, then by the last message, newest first. */
export function listConversations(
  db: Db,
  { projectId, channelId, state }: ConversationFilter,
  after: ListPosition | null,
  limit: number,
): PromiseLike<ListedConversation[]> {
  const { priority, lastMessageAt, id } = conversationsTable;
  return db
    .select({ ...getTableColumns(conversationsTable), lastText })
    .from(conversationsTable)
    .where(
      and(
        channelId === null ? eq(conversationsTable.projectId, projectId) : eq(conversationsTable.channelId, channelId),
        eq(conversationsTable.projectId, projectId),
        state === null ? undefined : eq(priority, CONVERSATION_STATES.indexOf(state)),
        after === null ? undefined : isAfter(after, state !== null),
        isShown,
      ),
    )
    .orderBy(desc(priority), desc(lastMessageAt), desc(id))
    .limit(limit);
}

/** For a batch; empty for another project's. */
export function selectConversation(db: Db, projectId: ProjectId, id: ConversationId) {
  return db
    .select({ ...getTableColumns(conversationsTable), lastText })
    .from(conversationsTable)
    .where(and(eq(conversationsTable.id, id), eq(conversationsTable.projectId, projectId), isShown));
}

/** Newest first, from before a place on; for a batch. */
export function selectMessages(
  db: Db,
  id: ConversationId,
  before: Pick<ListPosition, "at" | "id"> | null,
  limit: number,
) {
  return db
    .select()
    .from(messagesTable)
    .where(
      and(
        eq(messagesTable.conversationId, id),
        before === null ? undefined : sql`(sent_at, id) < (${before.at}, ${before.id})`,
      ),
    )
    .orderBy(desc(messagesTable.sentAt), desc(messagesTable.id))
    .limit(limit);
}

/** A message that is to be sent, while `condition` holds. */
export function insertRequested(
  db: Db,
  message: Pick<Message, "projectId" | "conversationId" | "text" | "isTyped">,
  now: number,
  condition: SQL,
) {
  const given = { ...message, platformId: null, origin: "request", state: "sending" } as const;
  const rest = { attachments: [], isAnnounced: true, sentAt: now, createdAt: now };
  return insertWhere(db, messagesTable, { ...given, ...rest }, condition).returning();
}

/** Throws `not_found`: it was deleted meanwhile. */
export async function findRequestedMessage(db: Db, projectId: ProjectId, id: MessageId): Promise<Message> {
  const where = and(eq(messagesTable.id, id), eq(messagesTable.projectId, projectId));
  const [message] = await db.select().from(messagesTable).where(where);
  if (!message) throw absent("message", id);
  return message;
}

/** The id of the message that the same transaction has just inserted. */
export const newestMessageId = newestIdOf<MessageId>("direct_messages");

export const conversationOf = (id: MessageId): SQL =>
  sql`(SELECT conversation_id FROM direct_messages WHERE direct_messages.id = ${id})`;

/** For the batch of a job. */
export function selectMessage(db: Db, id: MessageId) {
  return {
    messages: db.select().from(messagesTable).where(eq(messagesTable.id, id)),
    conversations: db
      .select()
      .from(conversationsTable)
      .where(sql`id = ${conversationOf(id)}`),
  };
}

/** A condition: the message is not to be sent any more. */
export const isOver = (id: MessageId): SQL =>
  sql`NOT EXISTS (SELECT 1 FROM direct_messages WHERE id = ${id} AND state = 'sending')`;

/**
 * The message was sent, with this id of the platform: it takes the place of its echo, which may have come
 * first.
 */
export function recordSent(
  db: Db,
  { id, conversationId }: Pick<Message, "id" | "conversationId">,
  platformId: string | null,
  hasLease: SQL,
): readonly Statement[] {
  const now = Date.now();
  const isEcho = and(
    eq(messagesTable.conversationId, conversationId),
    sql`platform_id = ${platformId} AND id <> ${id}`,
    hasLease,
  );
  return [
    db.delete(messagesTable).where(isEcho),
    db
      .update(messagesTable)
      .set({ state: "sent", platformId, sentAt: now, reason: null })
      .where(and(eq(messagesTable.id, id), hasLease)),
    refreshConversations(db, sql`id = ${conversationId} AND ${hasLease}`, now),
  ];
}

export function recordFailed(
  db: Db,
  id: MessageId,
  { code, message }: { readonly code: string; readonly message: string },
  hasLease: SQL,
): Statement {
  return db
    .update(messagesTable)
    .set({ state: "failed", errorCode: code, reason: message })
    .where(and(eq(messagesTable.id, id), sql`state = 'sending'`, hasLease));
}

export function noteWait(db: Db, id: MessageId, reason: string, hasLease: SQL): Statement {
  return db
    .update(messagesTable)
    .set({ reason })
    .where(and(eq(messagesTable.id, id), sql`state = 'sending'`, hasLease));
}

export type ConversationChange = Partial<Pick<Conversation, "assignedTo" | "note" | "doneAt">>;

/** For a batch. */
export function changeConversation(
  db: Db,
  { id, projectId }: Pick<Conversation, "id" | "projectId">,
  change: ConversationChange,
): Statement {
  return db
    .update(conversationsTable)
    .set(change)
    .where(and(eq(conversationsTable.id, id), eq(conversationsTable.projectId, projectId)));
}

/** Deletes a message that its sender has withdrawn. */
export function deleteWithdrawn(db: Db, channelId: ChannelId, platformId: string): Statement {
  return db
    .delete(messagesTable)
    .where(
      sql`platform_id = ${platformId} AND conversation_id IN (SELECT id FROM conversations WHERE channel_id = ${channelId})`,
    );
}

/** Deletes some conversations of a channel with their messages; for a batch. */
export function deleteSome(db: Db, channelId: ChannelId, limit: number) {
  const some = sql`(SELECT id FROM conversations WHERE channel_id = ${channelId} ORDER BY person_id LIMIT ${limit})`;
  return {
    messages: db.delete(messagesTable).where(sql`conversation_id IN ${some}`),
    conversations: db.delete(conversationsTable).where(sql`id IN ${some}`).returning({ id: conversationsTable.id }),
  };
}

/** Messages past their lifetime, and conversations whose last one is. */
export function expiredMessages(now: number, limit: number): readonly Expired[] {
  const isOld = (column: string) => sql`${sql.raw(column)} < ${now - MESSAGE_LIFE_MS}`;
  return [
    { table: messagesTable, where: someOf(messagesTable, isOld("sent_at"), limit) },
    { table: conversationsTable, where: someOf(conversationsTable, isOld("last_message_at"), limit) },
  ];
}
