// Publish, repost and delete, and the use of the daily quotas.

import { Hono } from "hono";
import { z } from "zod";
import { badParameter, missingObject } from "../meta/errors";
import { type GraphContext, type GraphEnv, parse, text } from "../meta/params";
import { operation } from "../operation";
import type { Sandbox } from "../sandbox";
import { statusOf } from "./container-status";
import { lost, notReady, quotaReached } from "./errors";
import {
  type ContainerRow,
  countQuota,
  filesOf,
  findAccount,
  findContainer,
  findMedia,
  insertMedia,
  type QuotaKind,
  quotaOf,
  usedQuota,
} from "./store";
import { authenticate, misbehaviour, ownAccount, requireScope } from "./tokens";
import { announceReply } from "./webhooks";

const NOTHING = z.object({});

export function publishRoutes(sandbox: Sandbox) {
  const app = new Hono<GraphEnv>();
  const on = (which: "delete" | "publish" | ((c: GraphContext) => "publish" | "reply")) =>
    operation<GraphEnv>(sandbox, "threads", which, misbehaviour(sandbox));

  app.post(
    "/:user/threads_publish",
    on((c) => operationOf(sandbox, c)),
    async (c) => {
      const token = await authenticate(sandbox, c);
      requireScope(token, "threads_content_publish");
      const account = ownAccount(token, c.req.param("user"));
      const { creation_id } = parse(c, z.object({ creation_id: text }));
      const container = findContainer(sandbox, creation_id);
      if (!container || container.account_id !== account) throw lost();
      return c.json({ id: publishOnce(sandbox, container) });
    },
  );

  app.post("/:media/repost", on("publish"), async (c) => {
    const token = await authenticate(sandbox, c);
    requireScope(token, "threads_content_publish");
    parse(c, NOTHING);
    const original = findMedia(sandbox, c.req.param("media"));
    if (!original) throw missingObject(c.req.param("media"), "post");
    const account = findAccount(sandbox, token.accountId);
    const row = insertMedia(sandbox, {
      account_id: token.accountId,
      username: account?.username ?? "",
      media_type: "REPOST_FACADE",
      text: "",
      files: [],
      reply_to: null,
      quoted: null,
      reposted: original.id,
      link: null,
      topic_tag: null,
      is_comment: 0,
      approval: null,
      live_at: sandbox.now(),
    });
    return c.json({ id: row.id });
  });

  app.delete("/:media", on("delete"), async (c) => {
    const token = await authenticate(sandbox, c);
    requireScope(token, "threads_delete");
    parse(c, NOTHING);
    const id = c.req.param("media");
    const media = findMedia(sandbox, id);
    if (!media || media.account_id !== token.accountId) throw missingObject(id, "delete");
    spend(sandbox, token.accountId, "delete");
    sandbox.db.run("DELETE FROM threads_media WHERE id = ?", id);
    return c.json({ success: true, deleted_id: id });
  });

  return app;
}

/** A reply to another user is `reply`; a post or the next part of the account's own thread is `publish`. */
function operationOf(sandbox: Sandbox, c: GraphContext): "publish" | "reply" {
  const container = findContainer(sandbox, String(c.var.params.creation_id ?? ""));
  const parent = container?.reply_to ? findMedia(sandbox, container.reply_to) : null;
  return parent?.is_comment ? "reply" : "publish";
}

function publishOnce(sandbox: Sandbox, container: ContainerRow): string {
  const settings = sandbox.settings.all;
  const isUsed = container.media_id !== null;
  if (isUsed && settings.threads_second_publish === "same") return container.media_id ?? "";
  if (isUsed && settings.threads_second_publish === "lost") throw lost();
  if (!isUsed) checkReady(sandbox, container);
  if (container.is_carousel_item) throw badParameter("Param creation_id is a carousel item");
  sandbox.db.run("UPDATE threads_containers SET publish_calls = publish_calls + 1 WHERE id = ?", container.id);
  if (container.publish_calls < settings.threads_publish_race) throw lost();
  spend(sandbox, container.account_id, container.reply_to === null ? "post" : "reply");
  return publishContainer(sandbox, container);
}

function checkReady(sandbox: Sandbox, container: ContainerRow): void {
  switch (statusOf(sandbox, container)) {
    case "FINISHED":
    case "PUBLISHED":
      return;
    case "IN_PROGRESS":
      throw notReady();
    case "ERROR":
    case "EXPIRED":
      throw lost();
  }
}

/** Creates the post, possibly visible only after a delay; returns its id. */
export function publishContainer(sandbox: Sandbox, container: ContainerRow): string {
  const account = findAccount(sandbox, container.account_id);
  const parent = container.reply_to === null ? null : findMedia(sandbox, container.reply_to);
  const live_at = sandbox.now() + sandbox.settings.all.threads_late_publish_ms;
  const kinds = { TEXT: "TEXT_POST", IMAGE: "IMAGE", VIDEO: "VIDEO", CAROUSEL: "CAROUSEL_ALBUM" } as const;
  const media = insertMedia(sandbox, {
    account_id: container.account_id,
    username: account?.username ?? "",
    media_type: kinds[container.media_type],
    text: container.text,
    files: filesOf(container),
    reply_to: container.reply_to,
    quoted: container.quoted,
    reposted: null,
    link: container.link,
    topic_tag: container.topic_tag,
    is_comment: parent?.is_comment ?? 0,
    approval: null,
    live_at,
  });
  announceReply(sandbox, media);
  sandbox.db.run(
    "UPDATE threads_containers SET media_id = ?, live_at = ? WHERE id = ?",
    media.id,
    live_at,
    container.id,
  );
  return media.id;
}

function spend(sandbox: Sandbox, account: string, kind: QuotaKind): void {
  const most = quotaOf(sandbox, kind);
  if (usedQuota(sandbox, account, kind) >= most) throw quotaReached(most);
  countQuota(sandbox, account, kind);
}
