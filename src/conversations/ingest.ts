import { sql } from "drizzle-orm";
import { type Channel, collectsMessages } from "../channels/store.ts";
import { type Db, type Statement, writeTogether } from "../db/client.ts";
import { isAmong } from "../db/in-list.ts";
import { insertWhere } from "../db/insert-where.ts";
import type { ReadMessage } from "../platforms/conversing.ts";
import { countIntake } from "../usage/intake.ts";
import { conversationEvents } from "./events.ts";
import { MESSAGE_LIFE_MS } from "./jobs.ts";
import { refreshConversations } from "./store.ts";
import { conversationsTable, messagesTable } from "./table.ts";

export type CollectingChannel = Pick<Channel, "id" | "projectId" | "platform" | "messagesSince">;

/** Characters of a message that are kept. */
const MAX_KEPT = 10_000;

/**
 * Stores messages that were read or reported, with their conversations and the events of new ones, in one
 * transaction. Repeats change nothing. Does nothing while the channel does not collect messages.
 */
export async function ingestMessages(
  db: Db,
  channel: CollectingChannel,
  messages: readonly ReadMessage[],
  now: number,
): Promise<{ readonly fresh: number; readonly isNameMissing: boolean }> {
  const kept = messages.filter(({ sentAt }) => sentAt > now - MESSAGE_LIFE_MS);
  if (kept.length === 0) return { fresh: 0, isNameMissing: false };
  const { people, fresh } = await writeTogether(db, {
    people: upsertPeople(db, channel, kept, now),
    fresh: insertMessages(db, channel, kept, now),
    counted: countIntake(db, "messages", channel.projectId, now),
    events: announce(db, channel, kept, now),
    announced: markAnnounced(db, channel, kept),
    refreshed: refreshConversations(db, ofPeople(channel, kept), now),
  });
  const isNameMissing = people.some(({ personName, createdAt }) => personName === null && createdAt === now);
  return { fresh: fresh.length, isNameMissing };
}

const ofPeople = ({ id }: CollectingChannel, messages: readonly ReadMessage[]) =>
  sql`channel_id = ${id} AND ${isAmong(sql`person_id`, [...new Set(messages.map(({ person }) => person.id))])}`;

function upsertPeople(db: Db, channel: CollectingChannel, messages: readonly ReadMessage[], now: number) {
  const people = new Map(messages.map(({ person }) => [person.id, person]));
  for (const { person } of messages) if (person.name !== null) people.set(person.id, person);
  const rows = JSON.stringify([...people.values()]);
  const { id: channelId, projectId, platform } = channel;
  const given = {
    projectId,
    channelId,
    platform,
    personId: sql<string>`person.value ->> 'id'`,
    personName: sql<string>`person.value ->> 'name'`,
    priority: 0,
    lastMessageAt: 0,
    lastInboundAt: null,
    createdAt: now,
    updatedAt: now,
  };
  return insertWhere(db, conversationsTable, given, {
    from: sql`json_each(${rows}) AS person`,
    when: collectsMessages(channel.id),
  })
    .onConflictDoUpdate({
      target: [conversationsTable.channelId, conversationsTable.personId],
      set: { personName: sql`coalesce(excluded.person_name, ${conversationsTable.personName})` },
    })
    .returning({ personName: conversationsTable.personName, createdAt: conversationsTable.createdAt });
}

function insertMessages(db: Db, channel: CollectingChannel, messages: readonly ReadMessage[], now: number) {
  const since = channel.messagesSince ?? now;
  const rows = JSON.stringify(
    messages.map(({ id, person, isOwn, text, attachments, sentAt }) => ({
      id,
      person: person.id,
      text: text.slice(0, MAX_KEPT),
      attachments,
      at: sentAt,
      origin: isOwn ? "elsewhere" : "person",
      state: isOwn ? "sent" : "received",
      // Webhooks are notified of what people wrote since the channel collects messages.
      announced: isOwn || sentAt < since ? 1 : 0,
    })),
  );
  const of = <T>(name: string) => sql<T>`message.value ->> ${name}`;
  const given = {
    projectId: channel.projectId,
    conversationId: sql<number>`conversation.id`,
    platformId: of<string>("id"),
    origin: of<string>("origin"),
    state: of<string>("state"),
    text: of<string>("text"),
    attachments: sql`json_extract(message.value, '$.attachments')`,
    isTyped: sql`0`,
    isAnnounced: sql`message.value ->> 'announced'`,
    sentAt: of<number>("at"),
    createdAt: now,
  };
  const from = sql`json_each(${rows}) AS message CROSS JOIN conversations AS conversation
    ON conversation.channel_id = ${channel.id} AND conversation.person_id = message.value ->> 'person'`;
  return insertWhere(db, messagesTable, given, { from, when: collectsMessages(channel.id) })
    .onConflictDoNothing()
    .returning({ id: messagesTable.id });
}

/** Messages of these people that webhooks were not notified of. */
const unannounced = (channel: CollectingChannel, messages: readonly ReadMessage[]) =>
  sql`conversation_id IN (SELECT id FROM conversations WHERE ${ofPeople(channel, messages)})
    AND ${isAmong(
      sql`platform_id`,
      messages.map(({ id }) => id),
    )} AND is_announced = 0`;

function announce(db: Db, channel: CollectingChannel, messages: readonly ReadMessage[], now: number): Statement {
  const { projectId, id, platform } = channel;
  const detail = sql`json_object('message_id', direct_messages.id, 'channel_id', ${id}, 'channel_type', ${platform})`;
  const event = { type: "message.received", message: "A direct message was received.", projectId, at: now } as const;
  return conversationEvents.insertMany(
    db,
    { ...event, subjectId: sql<number>`direct_messages.conversation_id`, detail },
    sql`direct_messages`,
    unannounced(channel, messages),
  );
}

function markAnnounced(db: Db, channel: CollectingChannel, messages: readonly ReadMessage[]): Statement {
  return db.update(messagesTable).set({ isAnnounced: true }).where(unannounced(channel, messages));
}
