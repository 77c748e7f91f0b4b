// Direct messages of a Page: the one private reply that a comment allows, and conversations with people who
// wrote to the Page.

import { Hono } from "hono";
import { z } from "zod";
import type { Operation } from "../faults";
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
import { GraphError, missingObject } from "../meta/errors";
import { graphTime, type JsonObject, project } from "../meta/fields";
import { type GraphContext, type GraphEnv, nested, Paged, parse, text } from "../meta/params";
import { requireScopes } from "../meta/tokens";
import { notify } from "../meta/webhooks";
import { operation } from "../operation";
import type { Sandbox } from "../sandbox";
import { pageOfToken, requireTask } from "./access";
import { pageOf } from "./paging";
import { findComment, findPage } from "./store";
import { APP_SECRET, authenticate, misbehaviour, type Token } from "./tokens";
import { callbackFor } from "./webhooks";

const WEEK_MS = 7 * 86_400_000;

const Sent = z.object({
  ...NewMessage,
  message: nested(z.strictObject({ text: z.string().min(1).max(2000) })),
});
const Listing = Paged.extend({ platform: z.literal("messenger").optional(), user_id: text.optional() });

export function messageRoutes(sandbox: Sandbox) {
  const app = new Hono<GraphEnv>();
  const on = (which: Operation) => operation<GraphEnv>(sandbox, "facebook", which, misbehaviour(sandbox));

  app.post("/:page/messages", on("message"), async (c) => {
    const token = await messenger(sandbox, c);
    const { recipient, message, ...type } = parse(c, Sent);
    if ("comment_id" in recipient) return c.json(replyPrivately(sandbox, token, recipient.comment_id, message.text));
    if ("post_id" in recipient) throw outsideWindow();
    const account_id = pageOfToken(token);
    const last = lastIncomingOf(mailOf(sandbox, "facebook", account_id), recipient.id);
    const lastIncoming = last?.created_at ?? null;
    requireWindow({ ...type, lastIncoming, now: sandbox.now() }, { window: 2018278, stranger: 2018001 });
    const person = { recipient_id: recipient.id, recipient_name: last?.recipient_name ?? "" };
    const { id } = writeMail(sandbox, { account_id, ...person, comment_id: null, text: message.text, is_incoming: 0 });
    return c.json({ recipient_id: recipient.id, message_id: id });
  });

  app.get("/:page/conversations", on("comments"), async (c) => {
    const token = await messenger(sandbox, c);
    const { user_id, fields, platform: _platform, ...paging } = parse(c, Listing);
    const pageId = pageOfToken(token);
    const own = { id: pageId, name: findPage(sandbox, pageId)?.name ?? "", email: `${pageId}@facebook.com` };
    const items = threadsOf(mailOf(sandbox, "facebook", pageId)).filter(
      ({ person }) => user_id === undefined || person.id === user_id,
    );
    const view = (thread: (typeof items)[number]) => {
      const { id, name } = thread.person;
      const other = { id, name, email: `${id}@facebook.com` };
      return project(threadView(thread, own, other, graphTime), ConversationShape, fields);
    };
    return c.json(pageOf(sandbox, c, { items, keyOf: ({ person }) => person.id, view }, paging));
  });

  return app;
}

async function messenger(sandbox: Sandbox, c: GraphContext): Promise<Token> {
  const token = await authenticate(sandbox, c, ["page"]);
  const pageId = c.req.param("page") ?? "";
  if (pageId !== "me" && pageId !== token.pageId) throw missingObject(pageId, c.req.method.toLowerCase());
  requireScopes(token, "pages_messaging");
  requireTask(sandbox, token, "MESSAGING");
  return token;
}

const outsideWindow = () =>
  new GraphError(10, "(#10) This message is sent outside of allowed window.", { subcode: 2018278, status: 400 });

/** Stores a message, and notifies the app of it; its own are echoed. */
export function writeMail(sandbox: Sandbox, mail: NewMail): MailRow {
  const row = storeMail(sandbox, "facebook", mail);
  const { account_id: pageId } = row;
  const url = callbackFor(sandbox, pageId, mail.is_incoming ? "messages" : "message_echoes");
  if (url === null) return row;
  if (sandbox.settings.all.facebook_app_mode === "development" && mail.is_incoming) return row;
  const payload = { object: "page", entry: [messagingEntry(pageId, row)] };
  notify(sandbox, { platform: "facebook", url, secret: APP_SECRET, payload });
  return row;
}

function replyPrivately(sandbox: Sandbox, token: Token, commentId: string, message: string): JsonObject {
  const comment = findComment(sandbox, commentId);
  if (!comment || comment.page_id !== token.pageId) throw missingObject(commentId, "post");
  if (comment.author_id === token.pageId)
    throw new GraphError(10902, "(#10902) This comment cannot be replied to privately.");
  if (comment.answered_privately) throw new GraphError(10900, "(#10900) Activity already replied to");
  if (comment.created_at < sandbox.now() - WEEK_MS) throw outsideWindow();
  sandbox.db.run("UPDATE facebook_comments SET answered_privately = 1 WHERE id = ?", comment.id);
  const { id } = writeMail(sandbox, {
    account_id: pageOfToken(token),
    recipient_id: comment.author_id,
    recipient_name: comment.author_name,
    comment_id: comment.id,
    text: message,
    is_incoming: 0,
  });
  return { recipient_id: comment.author_id, message_id: id };
}
