import { z } from "zod";
import { minutes } from "./automations.ts";
import { sandbox } from "./sandbox.ts";
import type { ChannelRef, Project } from "./world.ts";

/** Conversations as callers see them, and what people write to accounts of the sandbox. */
export const Conversation = z.looseObject({
  conversation_id: z.number(),
  channel_id: z.number(),
  channel_type: z.string(),
  person: z.object({ id: z.string(), name: z.string().nullable() }),
  state: z.enum(["unanswered", "answered", "done"]),
  last_message: z.object({ text: z.string().nullable(), at: z.string() }),
  can_send: z.boolean(),
  can_send_until: z.string().nullable(),
  can_send_typed_until: z.string().nullable(),
  assigned_to: z.string().nullable(),
  done: z.boolean(),
  note: z.string().nullable(),
});
export type Conversation = z.output<typeof Conversation>;
const List = z.object({
  conversations: z.looseObject({ data: z.array(Conversation), next_cursor: z.string().nullable() }),
});

const Message = z.looseObject({
  message_id: z.number(),
  platform_id: z.string().nullable(),
  direction: z.enum(["in", "out"]),
  origin: z.enum(["person", "request", "bot", "elsewhere"]),
  state: z.enum(["received", "sending", "sent", "failed"]),
  text: z.string(),
  error_code: z.string().nullable(),
  reason: z.string().nullable(),
});
export type DirectMessage = z.output<typeof Message>;

export async function collect(project: Project, channel: ChannelRef, isOn = true): Promise<void> {
  const body = { collect_messages: isOn };
  const answer = await project.call("PUT", `/social/update-channel/${channel.channel_id}`, { body });
  if (answer.status !== 200) throw new Error(`collect: ${answer.status} ${JSON.stringify(answer.body)}`);
  await minutes(2);
}

/** A page of the list; `query` such as `?limit=1`. */
export async function conversationsOf(project: Project, query = "?limit=100") {
  const answer = await project.call("GET", `/social/get-conversations${query}`);
  if (answer.status !== 200) throw new Error(`list: ${answer.status} ${JSON.stringify(answer.body)}`);
  return List.parse(answer.body).conversations;
}

export async function conversationWith(project: Project, name: string): Promise<Conversation> {
  const { data } = await conversationsOf(project);
  const found = data.find(({ person }) => person.name === name);
  if (!found) throw new Error(`No conversation with ${name} among ${JSON.stringify(data.map(({ person }) => person))}`);
  return found;
}

/** The oldest first. */
export async function messagesIn(project: Project, id: number): Promise<readonly DirectMessage[]> {
  const answer = await project.call("GET", `/social/get-messages/${id}?limit=100`);
  const { messages } = z.object({ messages: z.looseObject({ data: z.array(Message) }) }).parse(answer.body);
  return messages.data.toReversed();
}

interface Sending {
  readonly typed?: boolean;
  /** The `Idempotency-Key`. */
  readonly key?: string;
}

export function sendIn(project: Project, id: number, text: string, { typed, key }: Sending = {}) {
  return project.call("POST", `/social/send-message/${id}`, {
    body: { text, ...(typed === undefined ? {} : { typed_by_person: typed }) },
    ...(key === undefined ? {} : { headers: { "Idempotency-Key": key } }),
  });
}

/** A person writes to an account. */
export async function writeTo(platform: string, accountId: string, text: string, author: string): Promise<string> {
  const sent = { platform, account_id: accountId, author, text };
  return z.looseObject({ id: z.string() }).parse(await sandbox.control("POST", "messages", sent)).id;
}
