// Webhook registration on X: each webhook of the app is verified by a challenge-response check (CRC).

import { Hono } from "hono";
import { z } from "zod";
import { base64, hmac } from "../digest";
import { parseJson } from "../json";
import { randomText } from "../random";
import type { Sandbox } from "../sandbox";
import { fetchText, isCallable } from "../webhooks";
import { invalid, missing, readJson, readQuery, type TwitterEnv } from "./api";
import { appEndpoint, CONSUMER_SECRET } from "./app-api";
import { snowflake } from "./store";
import { findWebhook, listWebhooks, type WebhookRow } from "./webhooks";

const MOST_WEBHOOKS = 5;
const FIELDS = /^(created_at|id|url|valid)(,(created_at|id|url|valid))*$/;

export function webhookRoutes(sandbox: Sandbox) {
  const app = new Hono<TwitterEnv>();
  const enter = (name: string) => appEndpoint(sandbox, { name, limit: 450 });
  const meant = (id: string): WebhookRow => {
    const row = findWebhook(sandbox, id);
    if (!row) throw missing("webhook", id);
    return row;
  };

  app.post("/2/webhooks", enter("POST /2/webhooks"), async (c) => {
    const { url } = await readJson(c, z.strictObject({ url: z.string() }));
    const webhooks = listWebhooks(sandbox);
    if (!isTaken(url)) throw refused("UrlValidationFailed", "The webhook url is not valid", url);
    if (webhooks.some((one) => one.url === url)) {
      throw refused("DuplicateUrlFailed", "The url is registered as a webhook already", url);
    }
    if (webhooks.length >= MOST_WEBHOOKS) {
      throw refused("WebhookLimitExceeded", "The app has as many webhooks as it may", url);
    }
    if (!(await passesCrc(sandbox, url))) {
      throw refused("CrcValidationFailed", "The url did not answer the CRC check rightly", url);
    }
    const row = { id: snowflake(sandbox), url, valid: 1, created_at: sandbox.now() };
    sandbox.db.insert("twitter_webhooks", { id: row.id, url: row.url, valid: row.valid, created_at: row.created_at });
    return c.json({ data: view(sandbox, row) });
  });

  app.get("/2/webhooks", enter("GET /2/webhooks"), (c) => {
    readQuery(c, z.object({ "webhook_config.fields": z.string().regex(FIELDS).optional() }));
    const data = listWebhooks(sandbox).map((row) => view(sandbox, row));
    // As in X's other lists, an empty result has no `data` field.
    return c.json({ ...(data.length > 0 ? { data } : {}), meta: { result_count: data.length } });
  });

  app.put("/2/webhooks/:id", enter("PUT /2/webhooks/:id"), async (c) => {
    const { id, url } = meant(c.req.param("id"));
    const isValid = await passesCrc(sandbox, url);
    sandbox.db.run("UPDATE twitter_webhooks SET valid = ? WHERE id = ?", isValid ? 1 : 0, id);
    if (!isValid) throw refused("CrcValidationFailed", "The url did not answer the CRC check rightly", url);
    return c.json({ data: { valid: true } });
  });

  app.delete("/2/webhooks/:id", enter("DELETE /2/webhooks/:id"), (c) => {
    const { id } = meant(c.req.param("id"));
    sandbox.db.run("DELETE FROM twitter_webhooks WHERE id = ?", id);
    return c.json({ data: { deleted: true } });
  });

  return app;
}

const refused = (name: string, why: string, url: string) => invalid(`${name}: ${why}.`, "url", url);

const view = (sandbox: Sandbox, { id, url, valid, created_at }: WebhookRow) => ({
  id,
  url,
  valid: valid === 1,
  created_at: sandbox.iso(created_at),
});

/** An address on this machine may have a port, as in development. */
function isTaken(url: string): boolean {
  const address = URL.parse(url);
  const isOutside = address?.protocol === "https:";
  return address !== null && url.length <= 200 && isCallable(url) && !(isOutside && address.port !== "");
}

/** X repeats the check on every PUT; its hourly check is not simulated. */
async function passesCrc(sandbox: Sandbox, callback: string): Promise<boolean> {
  if (sandbox.webhooks.isHeld) return true;
  const token = randomText(40);
  const url = new URL(callback);
  url.searchParams.set("crc_token", token);
  const answer = await fetchText(url);
  if (answer?.status !== 200) return false;
  const expected = `sha256=${base64(await hmac(CONSUMER_SECRET, token))}`;
  return z.object({ response_token: z.literal(expected) }).safeParse(parseJson(answer.text)).success;
}
