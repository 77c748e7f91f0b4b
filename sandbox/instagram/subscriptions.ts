// Webhook subscriptions of the app, a Page and an account. Their notifications are in webhooks.ts.

import { Hono } from "hono";
import { z } from "zod";
import { missingObject } from "../meta/errors";
import { type GraphContext, type GraphEnv, parse, text } from "../meta/params";
import { requireScopes } from "../meta/tokens";
import { NewSubscription, verifyCallback } from "../meta/webhooks";
import type { Callback } from "../platform";
import type { Sandbox } from "../sandbox";
import { listAccounts } from "./store";
import { APP_ID, authenticate, opens } from "./tokens";

export function subscriptionRoutes(sandbox: Sandbox) {
  const app = new Hono<GraphEnv>();
  app.get("/:app/subscriptions", async (c) => {
    parse(c, z.object({}));
    await requireOwnApp(sandbox, c);
    const rows = sandbox.db.all<{ subject: string; callback_url: string; fields: string }>(
      "SELECT * FROM instagram_subscriptions WHERE callback_url IS NOT NULL",
    );
    const named = (fields: string) => fields.split(",").map((name) => ({ name, version: "v27.0" }));
    const data = rows.map(({ subject, callback_url, fields }) => {
      return { object: subject, callback_url, active: true, fields: named(fields) };
    });
    return c.json({ data });
  });
  app.post("/:app/subscriptions", async (c) => {
    const { object, callback_url, fields, verify_token } = parse(c, NewSubscription);
    await requireOwnApp(sandbox, c);
    await verifyCallback(sandbox, callback_url, verify_token);
    remember(sandbox, object, callback_url, fields);
    return c.json({ success: true });
  });
  app.on(["GET", "POST", "DELETE"], "/:node/subscribed_apps", async (c) => {
    const input = parse(c, c.req.method === "POST" ? z.object({ subscribed_fields: text }) : z.object({}));
    const subject = await subscriber(sandbox, c);
    if ("subscribed_fields" in input) remember(sandbox, subject, null, input.subscribed_fields);
    else if (c.req.method === "DELETE")
      sandbox.db.run("DELETE FROM instagram_subscriptions WHERE subject = ?", subject);
    else return c.json({ data: fieldsOf(sandbox, subject) });
    return c.json({ success: true });
  });
  return app;
}

/** The app-level subscription of Instagram Login, which is set in the dashboard. */
export async function configureCallback(sandbox: Sandbox, { url, verifyToken, fields }: Callback): Promise<void> {
  await verifyCallback(sandbox, url, verifyToken);
  remember(sandbox, "instagram", url, fields ?? "comments");
}

/** The subscriber: the Page with Facebook Login, the account with Instagram Login. */
async function subscriber(sandbox: Sandbox, c: GraphContext): Promise<string> {
  const token = await authenticate(sandbox, c);
  const node = c.req.param("node") ?? "";
  const idOf = (one: { id: string; page_id: string }) => (token.login === "facebook" ? one.page_id : one.id);
  const isMeant = (id: string) => id === node || (node === "me" && token.login === "instagram");
  const account = listAccounts(sandbox).find((one) => isMeant(idOf(one)) && opens(token, one));
  if (!account) throw missingObject(node, c.req.method.toLowerCase());
  if (token.login === "facebook") requireScopes(token, "pages_manage_metadata");
  return idOf(account);
}

function fieldsOf(sandbox: Sandbox, subject: string) {
  const query = "SELECT fields FROM instagram_subscriptions WHERE subject = ?";
  const row = sandbox.db.first<{ fields: string }>(query, subject);
  return row ? [{ id: APP_ID, subscribed_fields: row.fields.split(",") }] : [];
}

function remember(sandbox: Sandbox, subject: string, callback: string | null, fields: string): void {
  sandbox.db.run(
    "INSERT OR REPLACE INTO instagram_subscriptions (subject, callback_url, fields) VALUES (?, ?, ?)",
    subject,
    callback,
    fields,
  );
}

/** The app token is valid only for its own app. */
async function requireOwnApp(sandbox: Sandbox, c: GraphContext): Promise<void> {
  await authenticate(sandbox, c, ["app"]);
  const app = c.req.param("app") ?? "";
  if (app !== APP_ID) throw missingObject(app, c.req.method.toLowerCase());
}
