// The one private reply that a comment allows, and the conversations that start with it.

import { Hono } from "hono";
import { z } from "zod";
import { badParameter, GraphError, missingObject } from "../meta/errors";
import { type JsonObject, project } from "../meta/fields";
import { pageOf } from "../meta/paging";
import { type GraphContext, type GraphEnv, nested, parse, text, wholeNumber } from "../meta/params";
import { operation } from "../operation";
import { randomText } from "../random";
import type { Sandbox } from "../sandbox";
import { ConversationShape, GRAPH_OF } from "./shapes";
import { type AccountRow, findAccount, findComment, graphTime, listAccounts } from "./store";
import { authenticate, misbehaviour, opens, requireBasics, requireTask, type Token } from "./tokens";

const WEEK_MS = 7 * 86_400_000;
const SCOPES = ["instagram_manage_messages", "instagram_manage_comments"];

const PrivateReply = z.object({
  recipient: nested(z.union([z.strictObject({ comment_id: z.string() }), z.strictObject({ id: z.string() })])),
  message: nested(z.strictObject({ text: z.string().min(1) })),
  messaging_type: z.enum(["RESPONSE", "UPDATE"]).optional(),
});

const Listing = z.object({
  platform: z.literal("instagram"),
  user_id: text.optional(),
  fields: text.optional(),
  limit: wholeNumber.optional(),
  after: text.optional(),
  before: text.optional(),
});

export function messageRoutes(sandbox: Sandbox) {
  const app = new Hono<GraphEnv>();
  const on = (which: "message" | "comments") => operation<GraphEnv>(sandbox, "instagram", which, misbehaviour(sandbox));

  app.post("/:node/messages", on("message"), async (c) => {
    const { recipient, message } = parse(c, PrivateReply);
    const token = await authenticate(sandbox, c, ["page", "short", "long"]);
    const account = senderOf(sandbox, c, token, c.req.param("node"));
    requireBasics(token, ...SCOPES);
    requireTask(token, account, "MESSAGING");
    if (new TextEncoder().encode(message.text).length > 1000) throw badParameter("The text is too long", 2534015);
    if (!("comment_id" in recipient)) throw outsideWindow();
    return c.json(replyPrivately(sandbox, token, recipient.comment_id, message.text));
  });

  // Documented for Pages.
  app.get("/:page/conversations", on("comments"), async (c) => {
    const { user_id, fields, platform: _platform, ...paging } = parse(c, Listing);
    const token = await authenticate(sandbox, c, ["page"]);
    const account = senderOf(sandbox, c, token, c.req.param("page"));
    requireBasics(token, ...SCOPES);
    requireTask(token, account, "MESSAGING");
    const items = conversationsOf(sandbox, account).filter(({ person }) => user_id === undefined || person === user_id);
    const view = ({ messages }: Conversation) =>
      project(conversationView(account, messages), ConversationShape, fields);
    const isShort = sandbox.settings.all.instagram_short_pages;
    return c.json(
      pageOf(c, { items, keyOf: ({ person }) => person, view, origin: GRAPH_OF.facebook, isShort }, paging),
    );
  });
  return app;
}

/** Facebook Login sends as the Page, with its token; Instagram Login sends as the account itself. */
function senderOf(sandbox: Sandbox, c: GraphContext, token: Token, node: string) {
  const wrongNode = () =>
    new GraphError(3, "(#3) Application does not have the capability to make this API call.", { status: 400 });
  const account = listAccounts(sandbox).find((one) => (token.login === "facebook" ? one.page_id : one.id) === node);
  if (!account || !opens(token, account)) {
    if (findAccount(sandbox, node)) throw wrongNode();
    throw missingObject(node, c.req.method.toLowerCase());
  }
  if (token.login === "facebook" && token.kind !== "page") {
    throw new GraphError(190, "A Page access token is required.", { subcode: 2069032 });
  }
  return account;
}

const outsideWindow = () =>
  new GraphError(10, "This message is sent outside of allowed window.", { subcode: 2534022, status: 400 });

function spent(as: "10900" | "1545133" | "2534023"): GraphError {
  if (as === "10900") return new GraphError(10900, "(#10900) Activity already replied to", { status: 400 });
  return new GraphError(10, "The comment was already replied to privately.", { subcode: Number(as), status: 400 });
}

function replyPrivately(sandbox: Sandbox, token: Token, commentId: string, message: string): JsonObject {
  const comment = findComment(sandbox, commentId);
  const account = comment && findAccount(sandbox, comment.account_id);
  if (!comment || !account || !opens(token, account)) throw badParameter("Invalid comment id", 2018292);
  if (comment.author_id === account.id) throw badParameter("Invalid comment id", 2018292);
  if (comment.answered_privately) throw spent(sandbox.settings.all.instagram_spent_reply);
  if (comment.created_at < sandbox.now() - WEEK_MS) {
    throw new GraphError(10, "The comment is too old for a private reply.", { subcode: 2534040, status: 400 });
  }
  sandbox.db.run("UPDATE instagram_comments SET answered_privately = 1 WHERE id = ?", comment.id);
  const id = `aWdf${randomText(60)}`;
  sandbox.db.run(
    `INSERT INTO instagram_messages (id, account_id, recipient_id, recipient_name, comment_id, text, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
    id,
    account.id,
    comment.author_id,
    comment.author_name,
    comment.id,
    message,
    sandbox.now(),
  );
  return { recipient_id: comment.author_id, message_id: id };
}

type MessageRow = { id: string; recipient_id: string; text: string; created_at: number };

interface Conversation {
  readonly person: string;
  /** Newest first; never empty. */
  readonly messages: readonly [MessageRow, ...MessageRow[]];
}

/** The account's conversations, the one with the newest message first. */
function conversationsOf(sandbox: Sandbox, account: AccountRow): Conversation[] {
  const all = sandbox.db.all<MessageRow>(
    "SELECT * FROM instagram_messages WHERE account_id = ? ORDER BY created_at DESC, id DESC",
    account.id,
  );
  const people = [...new Set(all.map(({ recipient_id }) => recipient_id))];
  return people.flatMap((person) => {
    const [newest, ...older] = all.filter(({ recipient_id }) => recipient_id === person);
    return newest ? { person, messages: [newest, ...older] } : [];
  });
}

function conversationView(account: AccountRow, messages: Conversation["messages"]): JsonObject {
  const from = { id: account.id, username: account.username };
  const [{ id, created_at }] = messages;
  const data = messages.map((one) => ({
    ...{ id: one.id, message: one.text, from, created_time: graphTime(one.created_at) },
    to: { data: [{ id: one.recipient_id }] },
  }));
  return { id: `t_${id}`, updated_time: graphTime(created_at), messages: { data } };
}
