import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { ofProject, ofProjectUnchecked } from "../accounts/table.ts";
import { channelsTable } from "../channels/table.ts";
import type { ChannelId, ConversationId, MessageId } from "../core/ids.ts";
import { instant, parsedJson } from "../db/columns.ts";
import type { PlatformName } from "../platforms/names.ts";
import { Attachments, type MESSAGE_STATES, type ORIGINS } from "./stored.ts";

/** A conversation of a channel with one person by direct messages. */
export const conversationsTable = sqliteTable(
  "conversations",
  {
    id: integer("id").$type<ConversationId>().primaryKey({ autoIncrement: true }),
    projectId: ofProject(),
    channelId: integer("channel_id")
      .$type<ChannelId>()
      .notNull()
      .references(() => channelsTable.id),
    platform: text("platform").$type<PlatformName>().notNull(),
    /** The platform's id of the person. */
    personId: text("person_id").notNull(),
    /** Null until the platform shows it. */
    personName: text("person_name"),
    /** The index of its state in `CONVERSATION_STATES`: lists begin with the highest. */
    priority: integer("priority").notNull(),
    lastMessageAt: instant("last_message_at").notNull(),
    /** When the person wrote last: it opens the window for answers. */
    lastInboundAt: instant("last_inbound_at"),
    /** When it was marked as done; a later message of the person reopens it. */
    doneAt: instant("done_at"),
    /** The e-mail address of a member of the project. */
    assignedTo: text("assigned_to"),
    note: text("note"),
    createdAt: instant("created_at").notNull(),
    updatedAt: instant("updated_at").notNull(),
  },
  (table) => [
    uniqueIndex("conversations_by_person").on(table.channelId, table.personId),
    index("conversations_listed").on(table.projectId, table.priority, table.lastMessageAt, table.id),
    index("conversations_of_channel").on(table.channelId, table.priority, table.lastMessageAt, table.id),
    index("conversations_age").on(table.lastMessageAt),
  ],
);

/** The messages of conversations, of both sides, sent with any application. */
export const messagesTable = sqliteTable(
  "direct_messages",
  {
    id: integer("id").$type<MessageId>().primaryKey({ autoIncrement: true }),
    projectId: ofProjectUnchecked(),
    conversationId: integer("conversation_id").$type<ConversationId>().notNull(),
    /** The platform's id; null until it is known. */
    platformId: text("platform_id"),
    origin: text("origin").$type<(typeof ORIGINS)[number]>().notNull(),
    state: text("state").$type<(typeof MESSAGE_STATES)[number]>().notNull(),
    text: text("text").notNull(),
    attachments: parsedJson("attachments", Attachments).notNull(),
    /** Whether a person typed a message of this service: then it may be sent for longer. */
    isTyped: integer("is_typed", { mode: "boolean" }).notNull(),
    /** What a message waits for, or why it failed. */
    reason: text("reason"),
    errorCode: text("error_code"),
    /** Whether webhooks were notified of a person's message. */
    isAnnounced: integer("is_announced", { mode: "boolean" }).notNull(),
    /** By the platform's clock; of a message that is not sent yet, when it was requested. */
    sentAt: instant("sent_at").notNull(),
    createdAt: instant("created_at").notNull(),
  },
  (table) => [
    // A message that is reported by a webhook and read, or read twice, is one row.
    uniqueIndex("direct_messages_by_platform_id")
      .on(table.conversationId, table.platformId)
      .where(sql`platform_id IS NOT NULL`),
    index("direct_messages_listed").on(table.conversationId, table.sentAt, table.id),
    index("direct_messages_age").on(table.sentAt),
  ],
);

export type Conversation = typeof conversationsTable.$inferSelect;
export type Message = typeof messagesTable.$inferSelect;
