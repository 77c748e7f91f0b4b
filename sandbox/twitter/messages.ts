// Direct messages of X.

import { Hono } from "hono";
import { z } from "zod";
import type { Sandbox } from "../sandbox";
import {
  count,
  forbidden,
  id,
  invalid,
  missing,
  readJson,
  readQuery,
  type TwitterContext,
  type TwitterEnv,
} from "./api";
import { endpoint } from "./endpoint";
import { attachable } from "./media-states";
import { byIdDescending, findMedia, findUser, type MessageRow, snowflake, strings } from "./store";

const MONTH_MS = 30 * 86_400_000;
const NOT_PERMITTED_HERE = "This operation is not permitted.";
const NO_PERMISSION = "You do not have permission to DM one or more participants.";

const Message = z
  .strictObject({
    text: z.string().min(1).max(10_000).optional(),
    attachments: z
      .array(z.strictObject({ media_id: id }))
      .min(1)
      .max(1)
      .optional(),
  })
  .refine(
    (message) => message.text !== undefined || message.attachments !== undefined,
    "text or attachments is required",
  );
const NewGroup = z.strictObject({
  conversation_type: z.literal("Group"),
  participant_ids: z.array(id).min(1).max(49),
  message: Message,
});
const FIELDS = /^(id|text|event_type|created_at|dm_conversation_id|attachments|entities)$/;
/** Fields before OpenAPI 2.167; since then they come by expansions. */
const FORMER_FIELDS = /^(sender_id|referenced_tweets|participant_ids)$/;
const Events = z.object({
  max_results: count(1, 100).optional(),
  pagination_token: z.string().optional(),
  event_types: z
    .string()
    .regex(/^(MessageCreate|ParticipantsJoin|ParticipantsLeave)(,(MessageCreate|ParticipantsJoin|ParticipantsLeave))*$/)
    .optional(),
  "dm_event.fields": z.string().optional(),
  expansions: z.string().optional(),
  "user.fields": z.string().optional(),
  "media.fields": z.string().optional(),
  "tweet.fields": z.string().optional(),
  "post.fields": z.string().optional(),
});

export function messageRoutes(sandbox: Sandbox) {
  const app = new Hono<TwitterEnv>();
  const send = endpoint(sandbox, {
    name: "send a direct message",
    limit: 15,
    operation: "message",
    scopes: ["dm.write", "tweet.read", "users.read"],
  });
  const read = (name: string) =>
    endpoint(sandbox, { name, limit: 15, operation: "message", scopes: ["dm.read", "tweet.read", "users.read"] });

  app.post("/2/dm_conversations/with/:participant/messages", ...send, async (c) => {
    const message = await readJson(c, Message);
    const participant = c.req.param("participant");
    if (participant === c.var.caller.userId) throw forbidden(NOT_PERMITTED_HERE);
    requireReceivers(sandbox, [participant]);
    const conversation = pairId(c.var.caller.userId, participant);
    return c.json({ data: insert(sandbox, c, { conversation, recipients: [participant] }, message) }, 201);
  });

  app.post("/2/dm_conversations", ...send, async (c) => {
    const { participant_ids, message } = await readJson(c, NewGroup);
    requireReceivers(sandbox, participant_ids);
    return c.json(
      { data: insert(sandbox, c, { conversation: snowflake(sandbox), recipients: participant_ids }, message) },
      201,
    );
  });

  app.post("/2/dm_conversations/:id/messages", ...send, async (c) => {
    const message = await readJson(c, Message);
    const conversation = c.req.param("id");
    const earlier = sandbox.db.first<MessageRow>(
      "SELECT * FROM twitter_messages WHERE conversation_id = ? ORDER BY id LIMIT 1",
      conversation,
    );
    const members = earlier ? [earlier.sender_id, ...strings(earlier.recipients)] : conversation.split("-");
    if (!members.includes(c.var.caller.userId)) throw forbidden(NO_PERMISSION);
    const others = members.filter((member) => member !== c.var.caller.userId);
    requireReceivers(sandbox, others);
    return c.json({ data: insert(sandbox, c, { conversation, recipients: others }, message) }, 201);
  });

  app.get("/2/dm_events", ...read("GET /2/dm_events"), (c) => c.json(events(sandbox, c, null)));
  app.get("/2/dm_conversations/with/:participant/dm_events", ...read("GET /2/dm_conversations/with/:id"), (c) =>
    c.json(events(sandbox, c, pairId(c.var.caller.userId, c.req.param("participant")))),
  );
  app.get("/2/dm_conversations/:id/dm_events", ...read("GET /2/dm_conversations/:id"), (c) =>
    c.json(events(sandbox, c, c.req.param("id"))),
  );

  const remove = endpoint(sandbox, {
    name: "DELETE /2/dm_events/:id",
    limit: 300,
    operation: "delete",
    scopes: ["dm.write", "dm.read"],
  });
  app.delete("/2/dm_events/:id", ...remove, (c) => {
    const event = sandbox.db.first<MessageRow>("SELECT * FROM twitter_messages WHERE id = ?", c.req.param("id"));
    if (event?.sender_id !== c.var.caller.userId) throw missing("dm_event", c.req.param("id"));
    sandbox.db.run("DELETE FROM twitter_messages WHERE id = ?", event.id);
    return c.json({ data: { deleted: true } });
  });

  return app;
}

function requireReceivers(sandbox: Sandbox, ids: string[]): void {
  const receives = (one: string) => {
    const user = findUser(sandbox, one);
    return user?.receives_dm === 1 && (user.is_account === 1 || sandbox.settings.all.twitter_receives_dm);
  };
  if (ids.length === 0 || !ids.every(receives)) throw forbidden(NO_PERMISSION);
}

/** The id of a one-to-one conversation, the same for both participants. */
const pairId = (a: string, b: string) =>
  [a, b].sort((x, y) => (BigInt(asNumber(x)) < BigInt(asNumber(y)) ? -1 : 1)).join("-");
const asNumber = (value: string) => (/^\d+$/.test(value) ? value : "0");

function insert(
  sandbox: Sandbox,
  c: TwitterContext,
  { conversation, recipients }: { conversation: string; recipients: string[] },
  message: z.infer<typeof Message>,
) {
  const mediaIds = (message.attachments ?? []).map((one) => one.media_id);
  attachable(sandbox, c, mediaIds, "dm");
  const eventId = snowflake(sandbox);
  sandbox.db.insert("twitter_messages", {
    id: eventId,
    conversation_id: conversation,
    sender_id: c.var.caller.userId,
    recipients: JSON.stringify(recipients),
    text: message.text ?? "",
    media_ids: JSON.stringify(mediaIds),
    created_at: sandbox.now(),
  });
  return { dm_conversation_id: conversation, dm_event_id: eventId };
}

/** A person's message to an account. */
export function writeTo(sandbox: Sandbox, account: string, sender: string, text: string): MessageRow {
  return sandbox.db.insert<MessageRow>("twitter_messages", {
    id: snowflake(sandbox),
    conversation_id: pairId(account, sender),
    sender_id: sender,
    recipients: JSON.stringify([account]),
    text,
    media_ids: "[]",
    created_at: sandbox.now(),
  });
}

function events(sandbox: Sandbox, c: TwitterContext, conversation: string | null) {
  const query = readQuery(c, Events);
  const fields = (query["dm_event.fields"] ?? "").split(",").filter(Boolean);
  const isFormer = (field: string) => sandbox.settings.all.twitter_dialect !== "new" && FORMER_FIELDS.test(field);
  const unknown = fields.find((field) => !FIELDS.test(field) && !isFormer(field));
  if (unknown !== undefined) throw invalid(`The field ${unknown} is not known`, "dm_event.fields", unknown);
  const me = c.var.caller.userId;
  const before = query.pagination_token;
  const found = sandbox.db
    .all<MessageRow>("SELECT * FROM twitter_messages WHERE created_at > ?", sandbox.now() - MONTH_MS)
    .filter((row) => row.sender_id === me || strings(row.recipients).includes(me))
    .filter((row) => conversation === null || row.conversation_id === conversation)
    .filter((row) => row.created_at <= sandbox.now() - sandbox.settings.all.twitter_message_lag_ms)
    .sort(byIdDescending)
    .filter((row) => before === undefined || row.id < before);
  const page = found.slice(0, query.max_results ?? 100);
  const last = page.at(-1);
  if (!last) return { meta: { result_count: 0 } };
  const expansions = (query.expansions ?? "").split(",");
  // An expansion includes its field.
  const wanted = new Set(["id", "text", "event_type", ...fields, ...expansions]);
  const view = (row: MessageRow) => {
    const keys = strings(row.media_ids).flatMap((one) => findMedia(sandbox, one)?.media_key ?? []);
    const whole = {
      id: row.id,
      text: row.text,
      event_type: "MessageCreate",
      created_at: sandbox.iso(row.created_at),
      dm_conversation_id: row.conversation_id,
      sender_id: row.sender_id,
      attachments: keys.length > 0 ? { media_keys: keys } : undefined,
    };
    return Object.fromEntries(Object.entries(whole).filter(([name, value]) => wanted.has(name) && value !== undefined));
  };
  const senders = [...new Set(page.map(({ sender_id }) => sender_id))].flatMap((one) => findUser(sandbox, one) ?? []);
  const users = senders.map(({ id: userId, name, username }) => ({ id: userId, name, username }));
  return {
    data: page.map(view),
    ...(expansions.includes("sender_id") ? { includes: { users } } : {}),
    meta: { result_count: page.length, ...(found.length > page.length ? { next_token: last.id } : {}) },
  };
}
