// Reads: profile, containers, posts, lists of posts and replies, and quota use.

import { Hono } from "hono";
import { z } from "zod";
import type { Operation } from "../faults";
import { badParameter, missingObject } from "../meta/errors";
import { type JsonObject, project } from "../meta/fields";
import { pageOf } from "../meta/paging";
import { flag, type GraphContext, type GraphEnv, Listing, parse, text } from "../meta/params";
import { operation } from "../operation";
import type { Sandbox } from "../sandbox";
import {
  type AccountRow,
  findAccount,
  findContainer,
  findMedia,
  type MediaRow,
  type QuotaKind,
  quotaOf,
  usedQuota,
} from "./store";
import { authenticate, misbehaviour, ownAccount, requireScope, type Token } from "./tokens";
import { AccountShape, accountView, ContainerShape, containerView, MediaShape, mediaView } from "./views";

export const ORIGIN = "https://graph.threads.net";
const Fields = z.object({ fields: text.optional() });
const Replies = Listing.extend({
  reverse: flag.optional(),
  approval_status: z.enum(["pending", "ignored"]).optional(),
});
type Paged = z.infer<typeof Replies>;

export function readRoutes(sandbox: Sandbox) {
  const app = new Hono<GraphEnv>();
  const on = (which: Operation | ((c: GraphContext) => Operation | null)) =>
    operation<GraphEnv>(sandbox, "threads", which, misbehaviour(sandbox));

  app.get("/:user/threads_publishing_limit", on("status"), async (c) => {
    const token = await authenticate(sandbox, c);
    const account = ownAccount(token, c.req.param("user"));
    const { fields } = parse(c, Fields);
    return c.json({ data: [limits(sandbox, token, account, fields ?? "quota_usage,config")] });
  });

  app.get("/:user/threads", on("status"), async (c) => {
    const token = await authenticate(sandbox, c);
    const account = ownAccount(token, c.req.param("user"));
    const input = parse(c, Listing);
    requireScope(token, "threads_basic");
    return c.json(page(sandbox, c, token, { all: listed(sandbox, account, "reply_to IS NULL"), input }));
  });

  // The account's own replies; on a post, the direct replies to it.
  app.get(
    "/:id/replies",
    on((c) => (isAccount(sandbox, c.req.param("id") ?? "") ? "status" : "comments")),
    async (c) => {
      const token = await authenticate(sandbox, c);
      const input = parse(c, Replies);
      const id = c.req.param("id");
      requireScope(token, "threads_read_replies");
      if (isAccount(sandbox, id)) {
        const account = ownAccount(token, id);
        return c.json(page(sandbox, c, token, { all: listed(sandbox, account, "reply_to IS NOT NULL"), input }));
      }
      const post = readable(sandbox, id);
      return c.json(page(sandbox, c, token, { all: answers(sandbox, { by: "reply_to", id: post.id }, input), input }));
    },
  );

  app.get("/:media/conversation", on("comments"), async (c) => {
    const token = await authenticate(sandbox, c);
    const input = parse(c, Replies);
    requireScope(token, "threads_read_replies");
    const root = readable(sandbox, c.req.param("media"));
    if (root.account_id !== token.accountId || root.reply_to !== null) {
      throw badParameter("Conversations can be read of own root posts only");
    }
    return c.json(page(sandbox, c, token, { all: answers(sandbox, { by: "root", id: root.id }, input), input }));
  });

  app.get("/:media/pending_replies", on("comments"), async (c) => {
    const token = await authenticate(sandbox, c);
    const input = parse(c, Replies);
    requireScope(token, "threads_read_replies");
    const post = readable(sandbox, c.req.param("media"));
    const wanted = input.approval_status ?? "pending";
    const all = answers(sandbox, { by: "reply_to", id: post.id }, input, wanted);
    return c.json(page(sandbox, c, token, { all: all, input }));
  });

  app.get(
    "/:id",
    on((c) => (isAccount(sandbox, c.req.param("id") ?? "") ? null : "status")),
    async (c) => {
      const token = await authenticate(sandbox, c);
      const { fields } = parse(c, Fields);
      requireScope(token, "threads_basic");
      return c.json(readNode(sandbox, c, token, { id: c.req.param("id"), fields }));
    },
  );
  return app;
}

const isAccount = (sandbox: Sandbox, id: string) => id === "me" || findAccount(sandbox, id) !== null;

interface Requested {
  id: string;
  fields: string | undefined;
}

function readNode(sandbox: Sandbox, c: GraphContext, token: Token, { id, fields }: Requested): JsonObject {
  const account: AccountRow | null = findAccount(sandbox, id === "me" ? token.accountId : id);
  if (account) return project(accountView(c, account), AccountShape, fields);
  const container = findContainer(sandbox, id);
  if (container?.account_id === token.accountId)
    return project(containerView(sandbox, container), ContainerShape, fields);
  return project(mediaView(sandbox, readable(sandbox, id), token.accountId), MediaShape, fields);
}

/** A post or reply that is live. */
function readable(sandbox: Sandbox, id: string): MediaRow {
  const media = findMedia(sandbox, id);
  if (!media) throw missingObject(id);
  return media;
}

/** The account's own posts that lists show by now, newest first. */
function listed(sandbox: Sandbox, account: string, condition: string): MediaRow[] {
  return sandbox.db.all<MediaRow>(
    `SELECT * FROM threads_media WHERE account_id = ? AND ${condition} AND live_at <= ? ORDER BY live_at DESC, id DESC`,
    account,
    sandbox.now() - sandbox.settings.all.threads_listing_lag_ms,
  );
}

/**
 * Replies by parent or root, newest first by default. Replies that wait for approval are included only on
 * request.
 */
function answers(
  sandbox: Sandbox,
  { by, id }: { by: "reply_to" | "root"; id: string },
  { reverse = true }: Paged,
  approval: string | null = null,
): MediaRow[] {
  const rows = sandbox.db
    .all<MediaRow>(
      `SELECT * FROM threads_media WHERE ${by} = ? AND live_at <= ? ORDER BY live_at DESC, id DESC`,
      id,
      sandbox.now() - sandbox.settings.all.threads_listing_lag_ms,
    )
    .filter((row) =>
      approval === null ? row.approval === null || row.approval === "approved" : row.approval === approval,
    );
  return reverse ? rows : rows.reverse();
}

/** One page: cursors only, without a link to the next page. */
function page(
  sandbox: Sandbox,
  c: GraphContext,
  token: Token,
  { all, input }: { all: readonly MediaRow[]; input: Paged },
): JsonObject {
  const { fields, since, until, ...paging } = input;
  if (paging.after !== undefined && paging.before !== undefined) {
    throw badParameter("Param before and after cannot be used together");
  }
  const items = all.filter(
    ({ live_at }) => (since === undefined || live_at >= since) && (until === undefined || live_at < until),
  );
  const view = (row: MediaRow) => project(mediaView(sandbox, row, token.accountId), MediaShape, fields);
  const edge = { items, keyOf: (row: MediaRow) => row.id, view, origin: ORIGIN, isShort: false };
  const { data = [], paging: links } = pageOf(c, edge, paging);
  const cursors = links && typeof links === "object" && !Array.isArray(links) ? links.cursors : undefined;
  return cursors === undefined ? { data } : { data, paging: { cursors } };
}

const LIMITS: Readonly<Record<string, { kind: QuotaKind; prefix: string; scope: string }>> = {
  quota_usage: { kind: "post", prefix: "", scope: "threads_content_publish" },
  config: { kind: "post", prefix: "", scope: "threads_content_publish" },
  reply_quota_usage: { kind: "reply", prefix: "reply_", scope: "threads_manage_replies" },
  reply_config: { kind: "reply", prefix: "reply_", scope: "threads_manage_replies" },
  delete_quota_usage: { kind: "delete", prefix: "delete_", scope: "threads_delete" },
  delete_config: { kind: "delete", prefix: "delete_", scope: "threads_delete" },
};

function limits(sandbox: Sandbox, token: Token, account: string, fields: string): JsonObject {
  const out: JsonObject = {};
  for (const field of fields.split(",").map((one) => one.trim())) {
    const limit = LIMITS[field];
    if (!limit) throw badParameter(`Tried accessing nonexisting field (${field})`);
    requireScope(token, limit.scope);
    out[field] = field.endsWith("config")
      ? { quota_total: quotaOf(sandbox, limit.kind), quota_duration: 86_400 }
      : usedQuota(sandbox, account, limit.kind);
  }
  return out;
}
