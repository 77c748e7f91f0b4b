// Conversations of a Page or an account by direct messages: the rules of sending, the lists, and the
// notifications. Only what an account and one person write to each other.

import { z } from "zod";
import type { LiveMessage } from "../platform";
import { randomText } from "../random";
import type { Sandbox } from "../sandbox";
import { badParameter, GraphError } from "./errors";
import { type JsonObject, shape } from "./fields";
import { nested } from "./params";

/** A message, to or from a person. */
export type MailRow = {
  id: string;
  /** The Page or account. */
  account_id: string;
  recipient_id: string;
  recipient_name: string;
  comment_id: string | null;
  text: string;
  is_incoming: number;
  created_at: number;
};

/** Columns of a table of messages; `recipient` is the person, in both directions. */
export const MAIL_COLUMNS = `id TEXT PRIMARY KEY, account_id TEXT NOT NULL, recipient_id TEXT NOT NULL, recipient_name TEXT NOT NULL, comment_id TEXT,
    text TEXT NOT NULL, is_incoming INTEGER NOT NULL DEFAULT 0, created_at INTEGER NOT NULL`;

const MAIL = {
  facebook: { table: "facebook_messages", prefix: "m_" },
  instagram: { table: "instagram_messages", prefix: "aWdf" },
} as const;
type Product = keyof typeof MAIL;

/** The messages of an account, newest first. */
export const mailOf = (sandbox: Sandbox, product: Product, accountId: string): MailRow[] =>
  sandbox.db.all<MailRow>(
    `SELECT * FROM ${MAIL[product].table} WHERE account_id = ? ORDER BY created_at DESC, rowid DESC`,
    accountId,
  );

/** The newest message of a person among these. */
export const lastIncomingOf = (mail: readonly MailRow[], personId: string) =>
  mail.find((one) => one.recipient_id === personId && one.is_incoming === 1);

export type NewMail = Omit<MailRow, "id" | "created_at">;

export function storeMail(sandbox: Sandbox, product: Product, mail: NewMail): MailRow {
  const { table, prefix } = MAIL[product];
  const row = { id: `${prefix}${randomText(60)}`, ...mail, created_at: sandbox.now() };
  sandbox.db.insert(table, row);
  return row;
}

export const sentMail = (sandbox: Sandbox, product: Product): LiveMessage[] =>
  sandbox.db
    .all<MailRow>(`SELECT * FROM ${MAIL[product].table} WHERE is_incoming = 0 ORDER BY created_at DESC, id DESC`)
    .map((row) => toLiveMessage(sandbox, product, row));

export function toLiveMessage(sandbox: Sandbox, product: Product, row: MailRow): LiveMessage {
  const { id, account_id, recipient_id, comment_id, text, recipient_name: recipient } = row;
  const created_at = sandbox.iso(row.created_at);
  return { platform: product, id, account_id, recipient_id, comment_id, text, recipient, created_at };
}

export const NewMessage = {
  recipient: nested(
    z.union([
      z.strictObject({ comment_id: z.string() }),
      z.strictObject({ post_id: z.string() }),
      z.strictObject({ id: z.string() }),
    ]),
  ),
  messaging_type: z.enum(["RESPONSE", "UPDATE", "MESSAGE_TAG"]).optional(),
  tag: z.enum(["HUMAN_AGENT", "ACCOUNT_UPDATE", "POST_PURCHASE_UPDATE", "CONFIRMED_EVENT_UPDATE"]).optional(),
};

const DAY_MS = 86_400_000;

interface Sending {
  messaging_type?: "RESPONSE" | "UPDATE" | "MESSAGE_TAG" | undefined;
  tag?: string | undefined;
  /** When the person wrote last; null: never. */
  lastIncoming: number | null;
  now: number;
}

/** Refuses a message outside of the window that the person's last message opened. */
export function requireWindow(
  { messaging_type, tag, lastIncoming, now }: Sending,
  subcodes: { window: number; stranger: number },
): void {
  if ((messaging_type === "MESSAGE_TAG") !== (tag !== undefined)) {
    throw badParameter("A message tag needs messaging_type MESSAGE_TAG, and the other way round");
  }
  if (lastIncoming === null) throw badParameter("No matching user found", subcodes.stranger);
  const days = tag === "HUMAN_AGENT" ? 7 : 1;
  if (now < lastIncoming + days * DAY_MS) return;
  throw new GraphError(10, "(#10) This message is sent outside of allowed window.", {
    subcode: subcodes.window,
    status: 400,
  });
}

const person = (node: string) => shape(node, "id name email username self_ig_scoped_id", {}, "id name email username");
const MESSAGE = shape(
  "Message",
  "id message created_time",
  {
    from: person("User"),
    to: person("User"),
    attachments: shape("MessageAttachment", "id mime_type file_url", {}, "id mime_type"),
  },
  "id created_time",
);
export const ConversationShape = shape(
  "UnifiedThread",
  "id updated_time",
  { messages: MESSAGE, participants: person("User") },
  "id updated_time",
);

export interface Thread {
  readonly person: { id: string; name: string };
  /** Newest first; never empty. */
  readonly messages: readonly [MailRow, ...MailRow[]];
}

/** The conversations of these messages, which are sorted newest first. */
export function threadsOf(rows: readonly MailRow[]): Thread[] {
  const byPerson = Map.groupBy(rows, ({ recipient_id }) => recipient_id);
  return [...byPerson].flatMap(([id, [newest, ...older]]) =>
    newest ? [{ person: { id, name: newest.recipient_name }, messages: [newest, ...older] }] : [],
  );
}

/** Graph returns details of the newest messages of a conversation only. */
const SHOWN = 20;

/** `own` and `other` are the two sides as the product shows them. */
export function threadView(
  { messages }: Thread,
  own: JsonObject,
  other: JsonObject,
  time: (at: number) => string,
): JsonObject {
  const [newest] = messages;
  const data = messages.slice(0, SHOWN).map((one) => ({
    id: one.id,
    message: one.text,
    from: one.is_incoming ? other : own,
    to: { data: [one.is_incoming ? own : other] },
    created_time: time(one.created_at),
  }));
  return {
    id: `t_${newest.recipient_id}`,
    updated_time: time(newest.created_at),
    participants: { data: [other, own] },
    messages: { data },
  };
}

/** An entry of a notification. */
export function messagingEntry(own: string, row: MailRow): JsonObject {
  const [sender, recipient] = row.is_incoming ? [row.recipient_id, own] : [own, row.recipient_id];
  const message = { mid: row.id, text: row.text, ...(row.is_incoming ? {} : { is_echo: true }) };
  const messaging = [{ sender: { id: sender }, recipient: { id: recipient }, timestamp: row.created_at, message }];
  return { id: own, time: row.created_at, messaging };
}
