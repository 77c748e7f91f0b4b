// X's activity subscriptions: which events of which users are sent to which webhook.

import { Hono } from "hono";
import { z } from "zod";
import type { Sandbox } from "../sandbox";
import { count, forbidden, id, invalid, missing, readJson, readQuery, type TwitterEnv } from "./api";
import { appEndpoint } from "./app-api";
import { findUser, snowflake } from "./store";
import { filterOf, findWebhook, type SubscriptionRow } from "./webhooks";

const MOST_SUBSCRIPTIONS = 1500;
const EVENTS =
  /^(profile\.update\.\w+|news\.new|follow\.(un)?follow|spaces\.(start|end)|chat\.\w+|dm\.(sent|received|read|indicate_typing)|post\.(create|delete|(reply|mention|quote|repost)\.create)|like\.create|mute\.(un)?mute|block\.(un)?block)$/;
const PRIVATE = /^(dm|like|chat)\./;

const tag = z.string().max(200);
const New = z.strictObject({
  event_type: z.string().regex(EVENTS),
  filter: z.strictObject({
    user_id: id,
    keyword: z.string().min(1).optional(),
    direction: z.enum(["inbound", "outbound"]).optional(),
  }),
  tag: tag.optional(),
  webhook_id: id.optional(),
});
const Change = z.strictObject({ tag: tag.optional(), webhook_id: id.optional() });
const Listing = z.object({ max_results: count(1, 1000).optional(), pagination_token: z.string().optional() });

export function activityRoutes(sandbox: Sandbox) {
  const app = new Hono<TwitterEnv>();
  const enter = (name: string, takesPeople = false) => appEndpoint(sandbox, { name, limit: 500, takesPeople });
  const path = "/2/activity/subscriptions";
  const requireWebhook = (webhook: string | undefined) => {
    if (webhook !== undefined && !findWebhook(sandbox, webhook)) {
      throw invalid("webhook_id: there is no such webhook", "webhook_id", webhook);
    }
  };
  const meant = (subscription: string): SubscriptionRow => {
    const row = find(sandbox, subscription);
    if (!row) throw missing("subscription", subscription);
    return row;
  };

  app.post(path, enter(`POST ${path}`, true), async (c) => {
    const { event_type, filter, tag, webhook_id } = await readJson(c, New);
    const { userId } = c.var.caller;
    if (!findUser(sandbox, filter.user_id)) throw missing("user", filter.user_id);
    if (userId !== "" && userId !== filter.user_id) throw forbidden("The subscription is not the caller's own.");
    if (PRIVATE.test(event_type) && userId === "") {
      throw forbidden(`${event_type} needs the authorization of the user.`);
    }
    requireWebhook(webhook_id);
    if (all(sandbox).length >= MOST_SUBSCRIPTIONS) throw invalid("SubscriptionLimitExceeded", "event_type", event_type);
    const row = {
      id: snowflake(sandbox),
      event_type,
      user_id: filter.user_id,
      keyword: filter.keyword ?? null,
      direction: filter.direction ?? null,
      tag: tag ?? null,
      webhook_id: webhook_id ?? null,
      created_at: sandbox.now(),
      updated_at: sandbox.now(),
    };
    sandbox.db.insert("twitter_subscriptions", row);
    return c.json({ data: { subscription: view(sandbox, row) } });
  });

  app.get(path, enter(`GET ${path}`, true), (c) => {
    const { max_results, pagination_token } = readQuery(c, Listing);
    const { userId } = c.var.caller;
    const own = all(sandbox).filter((row) => userId === "" || row.user_id === userId);
    const from = pagination_token === undefined ? 0 : own.findIndex((row) => row.id === pagination_token) + 1;
    const page = own.slice(from, from + (max_results ?? 100));
    const last = page.at(-1);
    const next = last && own.length > from + page.length ? { next_token: last.id } : {};
    const meta = { result_count: page.length, ...next };
    return c.json({ ...(last ? { data: page.map((row) => view(sandbox, row)) } : {}), meta });
  });

  app.put(`${path}/:id`, enter(`PUT ${path}/:id`), async (c) => {
    const change = await readJson(c, Change);
    const row = meant(c.req.param("id"));
    requireWebhook(change.webhook_id);
    sandbox.db.update("twitter_subscriptions", row.id, {
      tag: change.tag ?? row.tag,
      webhook_id: change.webhook_id ?? row.webhook_id,
      updated_at: sandbox.now(),
    });
    return c.json({ data: { subscription: view(sandbox, meant(row.id)) } });
  });

  app.delete(`${path}/:id`, enter(`DELETE ${path}/:id`), (c) => {
    const row = meant(c.req.param("id"));
    sandbox.db.run("DELETE FROM twitter_subscriptions WHERE id = ?", row.id);
    return c.json({ data: { deleted: true } });
  });

  return app;
}

const all = (sandbox: Sandbox) =>
  sandbox.db.all<SubscriptionRow>("SELECT * FROM twitter_subscriptions ORDER BY created_at, id");
const find = (sandbox: Sandbox, subscription: string) =>
  sandbox.db.first<SubscriptionRow>("SELECT * FROM twitter_subscriptions WHERE id = ?", subscription);

const view = (sandbox: Sandbox, row: SubscriptionRow) => ({
  subscription_id: row.id,
  event_type: row.event_type,
  filter: filterOf(row),
  ...(row.tag === null ? {} : { tag: row.tag }),
  ...(row.webhook_id === null ? {} : { webhook_id: row.webhook_id }),
  created_at: sandbox.iso(row.created_at),
  updated_at: sandbox.iso(row.updated_at),
});
