import { sql } from "drizzle-orm";
import { MESSAGE_STEP, type OtherMessages } from "../acting/send-message.ts";
import type { ChannelId, ConversationId } from "../core/ids.ts";
import { type Db, readTogether, type Statement } from "../db/client.ts";
import { isAmong } from "../db/in-list.ts";
import { insertWhere } from "../db/insert-where.ts";
import { keyFor } from "../jobs/key-for.ts";
import { hasResultWith, hasUnconfirmedStep, unconfirmedMessages } from "../jobs/store.ts";
import { MESSAGE } from "./jobs.ts";
import { refreshConversations } from "./store.ts";
import { type Message, messagesTable } from "./table.ts";

/**
 * Messages that could be taken for one another when a lost one is looked up: those of requests and of bots in
 * one conversation.
 *
 * Messages that were sent elsewhere are never among them. One may be the echo of the lost message.
 */
const SENT_HERE = ["request", "bot"];

/** For a look-up of a message of a request: the others, and whether a bot's with this text is in doubt. */
export async function findOthers(
  db: Db,
  { id, conversationId, projectId, text }: Message,
  key: string,
): Promise<OtherMessages> {
  const doubt = sql`doubt.key`;
  const isSame = sql`EXISTS (SELECT 1 FROM direct_messages AS other WHERE ${keyFor(MESSAGE, sql`other.id`)} = ${doubt}
    AND other.conversation_id = ${conversationId} AND other.text = ${text})`;
  const { sent, doubts } = await readTogether(db, {
    sent: selectSent(db, sql`conversation_id = ${conversationId} AND id <> ${id}`),
    doubts: db
      .select({ is: sql<number>`count(*)` })
      .from(sql`(${unconfirmedMessages(projectId, "replies")}) AS doubt`)
      // The texts of a bot are in its journal.
      .where(sql`${doubt} <> ${key} AND (${isSame} OR ${hasResultWith(doubt, text)})`),
  });
  return { ids: idsOf(sent), isContested: (doubts[0]?.is ?? 0) > 0 };
}

/** For a look-up of a bot's message: the messages of requests to this person. */
export async function findRequested(db: Db, channelId: ChannelId, personId: string): Promise<OtherMessages> {
  const ofPerson = sql`conversation_id IN (SELECT id FROM conversations
    WHERE channel_id = ${channelId} AND person_id = ${personId})`;
  const { sent, doubts } = await readTogether(db, {
    sent: selectSent(db, ofPerson),
    doubts: db
      .select({ is: sql<number>`count(*)` })
      .from(messagesTable)
      .where(
        sql`${ofPerson} AND state = 'sending' AND ${hasUnconfirmedStep(keyFor(MESSAGE, messagesTable.id), MESSAGE_STEP)}`,
      ),
  });
  return { ids: idsOf(sent), isContested: (doubts[0]?.is ?? 0) > 0 };
}

const selectSent = (db: Db, where: ReturnType<typeof sql>) =>
  db
    .select({ platformId: messagesTable.platformId })
    .from(messagesTable)
    .where(sql`${where} AND platform_id IS NOT NULL AND ${isAmong(messagesTable.origin, SENT_HERE)}`);

const idsOf = (rows: readonly { readonly platformId: string | null }[]) =>
  new Set(rows.flatMap(({ platformId }) => (platformId === null ? [] : [platformId])));

export interface BotMessage {
  readonly channelId: ChannelId;
  readonly personId: string;
  readonly platformId: string | null;
  readonly text: string;
  readonly at: number;
}

/**
 * Stores a bot's message in the person's conversation, if there is one: for the batch that records it as
 * sent. Its echo, which may have come first, becomes this message.
 */
export function recordBotMessage(
  db: Db,
  { channelId, personId, platformId, text, at }: BotMessage,
  hasLease: ReturnType<typeof sql>,
): readonly Statement[] {
  if (platformId === null) return [];
  const isMeant = sql`channel_id = ${channelId} AND person_id = ${personId} AND ${hasLease}`;
  const given = {
    projectId: sql<number>`conversations.project_id`,
    conversationId: sql<ConversationId>`conversations.id`,
    ...({ platformId, origin: "bot", state: "sent", text } as const),
    attachments: [],
    isTyped: false,
    isAnnounced: true,
    sentAt: at,
    createdAt: at,
  };
  return [
    insertWhere(db, messagesTable, given, { from: sql`conversations`, when: isMeant }).onConflictDoUpdate({
      target: [messagesTable.conversationId, messagesTable.platformId],
      targetWhere: sql`platform_id IS NOT NULL`,
      set: { origin: "bot" },
    }),
    refreshConversations(db, isMeant, at),
  ];
}
