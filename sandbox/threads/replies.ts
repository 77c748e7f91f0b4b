// Reply management by the owner of a thread.

import { Hono } from "hono";
import { z } from "zod";
import { badParameter, missingObject } from "../meta/errors";
import { flag, type GraphEnv, parse } from "../meta/params";
import { operation } from "../operation";
import type { Sandbox } from "../sandbox";
import { findMedia, type MediaRow } from "./store";
import { authenticate, misbehaviour, requireScope, type Token } from "./tokens";

export function replyRoutes(sandbox: Sandbox) {
  const app = new Hono<GraphEnv>();
  const on = operation<GraphEnv>(sandbox, "threads", "reply", misbehaviour(sandbox));

  app.post("/:reply/manage_reply", on, async (c) => {
    const token = await authenticate(sandbox, c);
    requireScope(token, "threads_manage_replies");
    const { hide } = parse(c, z.object({ hide: flag }));
    const reply = replyUnderOwn(sandbox, token, c.req.param("reply"));
    // Hiding a top-level reply also hides the replies below it.
    if (reply.reply_to !== reply.root) throw badParameter("Only top-level replies can be hidden");
    sandbox.db.run("UPDATE threads_media SET hide_status = ? WHERE id = ?", hide ? "HIDDEN" : "UNHUSHED", reply.id);
    return c.json({ success: true });
  });

  app.post("/:reply/manage_pending_reply", on, async (c) => {
    const token = await authenticate(sandbox, c);
    requireScope(token, "threads_manage_replies");
    const { approve } = parse(c, z.object({ approve: flag }));
    const reply = replyUnderOwn(sandbox, token, c.req.param("reply"));
    if (reply.approval === null) throw badParameter("This reply does not wait for approval");
    sandbox.db.run("UPDATE threads_media SET approval = ? WHERE id = ?", approve ? "approved" : "ignored", reply.id);
    return c.json({ success: true });
  });
  return app;
}

/** A reply in a thread of the account. */
function replyUnderOwn(sandbox: Sandbox, token: Token, id: string): MediaRow {
  const reply = findMedia(sandbox, id);
  const root = reply?.root ? findMedia(sandbox, reply.root) : null;
  if (!reply || root?.account_id !== token.accountId) throw missingObject(id, "post");
  return reply;
}
