// Direct messages of an account: the one private reply that a comment allows, and conversations with people
// who wrote to it.

import { Hono } from "hono";
import { z } from "zod";
import {
  ConversationShape,
  lastIncomingOf,
  type MailRow,
  mailOf,
  messagingEntry,
  type NewMail,
  NewMessage,
  requireWindow,
  storeMail,
  threadsOf,
  threadView,
} from "../meta/conversations";
import { badParameter, GraphError, missingObject } from "../meta/errors";
import { graphTime, type JsonObject, project } from "../meta/fields";
import { pageOf } from "../meta/paging";
import { type GraphContext, type GraphEnv, nested, Paged, parse, text } from "../meta/params";
import { notify } from "../meta/webhooks";
import { operation } from "../operation";
import type { Sandbox } from "../sandbox";
import { GRAPH_OF } from "./shapes";
import { type AccountRow, findAccount, findComment, listAccounts } from "./store";
import { authenticate, misbehaviour, opens, requireBasics, requireTask, type Token } from "./tokens";
import { receiverFor } from "./webhooks";

const WEEK_MS = 7 * 86_400_000;
const SCOPES = ["instagram_manage_messages", "instagram_manage_comments"];

const Sent = z.object({ ...NewMessage, message: nested(z.strictObject({ text: z.string().min(1) })) });

const Listing = Paged.extend({ platform: z.literal("instagram"), user_id: text.optional() });

export function messageRoutes(sandbox: Sandbox) {
  const app = new Hono<GraphEnv>();
  const on = (which: "message" | "comments") => operation<GraphEnv>(sandbox, "instagram", which, misbehaviour(sandbox));

  app.post("/:node/messages", on("message"), async (c) => {
    const { recipient, message, ...type } = parse(c, Sent);
    const token = await authenticate(sandbox, c, ["page", "short", "long"]);
    const account = senderOf(sandbox, c, token, c.req.param("node"));
    requireBasics(token, ...SCOPES);
    requireTask(token, account, "MESSAGING");
    if (new TextEncoder().encode(message.text).length > 1000) throw badParameter("The text is too long", 2534015);
    if ("comment_id" in recipient) return c.json(replyPrivately(sandbox, token, recipient.comment_id, message.text));
    if ("post_id" in recipient) throw badParameter("Invalid recipient");
    const last = lastIncomingOf(mailOf(sandbox, "instagram", account.id), recipient.id);
    const lastIncoming = last?.created_at ?? null;
    requireWindow({ ...type, lastIncoming, now: sandbox.now() }, { window: 2534022, stranger: 2534014 });
    const person = { recipient_id: recipient.id, recipient_name: last?.recipient_name ?? "" };
    const { id } = writeMail(sandbox, account, { ...person, comment_id: null, text: message.text, is_incoming: 0 });
    return c.json({ recipient_id: recipient.id, message_id: id });
  });

  app.get("/:node/conversations", on("comments"), async (c) => {
    const { user_id, fields, platform: _platform, ...paging } = parse(c, Listing);
    const token = await authenticate(sandbox, c, ["page", "short", "long"]);
    const account = senderOf(sandbox, c, token, c.req.param("node"));
    requireBasics(token, ...SCOPES);
    requireTask(token, account, "MESSAGING");
    const items = threadsOf(mailOf(sandbox, "instagram", account.id)).filter(
      ({ person }) => user_id === undefined || person.id === user_id,
    );
    const own = { id: account.id, username: account.username };
    const view = (thread: (typeof items)[number]) => {
      const other = { id: thread.person.id, username: thread.person.name };
      return project(threadView(thread, own, other, graphTime), ConversationShape, fields);
    };
    const isShort = sandbox.settings.all.instagram_short_pages;
    return c.json(
      pageOf(c, { items, keyOf: ({ person }) => person.id, view, origin: GRAPH_OF[token.login], isShort }, paging),
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
  const { id } = writeMail(sandbox, account, {
    recipient_id: comment.author_id,
    recipient_name: comment.author_name,
    comment_id: comment.id,
    text: message,
    is_incoming: 0,
  });
  return { recipient_id: comment.author_id, message_id: id };
}

/** Stores a message, and notifies the app of it; its own are echoed. */
export function writeMail(sandbox: Sandbox, account: AccountRow, mail: Omit<NewMail, "account_id">): MailRow {
  const row = storeMail(sandbox, "instagram", { account_id: account.id, ...mail });
  const receiver = receiverFor(sandbox, account, "messages");
  if (!receiver) return row;
  if (sandbox.settings.all.instagram_app_mode === "development" && mail.is_incoming) return row;
  const payload = { object: "instagram", entry: [messagingEntry(account.id, row)] };
  notify(sandbox, { platform: "instagram", ...receiver, payload });
  return row;
}
