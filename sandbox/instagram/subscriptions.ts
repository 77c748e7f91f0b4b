// Webhook subscriptions, of the app, of a Page and of an account: remembered, though nothing is delivered.

import { Hono } from "hono";
import { z } from "zod";
import { badParameter, missingObject } from "../meta/errors";
import { type GraphContext, type GraphEnv, parse, text } from "../meta/params";
import { requireScopes } from "../meta/tokens";
import type { Sandbox } from "../sandbox";
import { listAccounts } from "./store";
import { APP_ID, authenticate, opens } from "./tokens";

const NewSubscription = z.object({ object: text, callback_url: text, fields: text, verify_token: text });

export function subscriptionRoutes(sandbox: Sandbox) {
  const app = new Hono<GraphEnv>();
  app.get("/:app/subscriptions", async (c) => {
    parse(c, z.object({}));
    await requireOwnApp(sandbox, c);
    const rows = sandbox.db.all<{ subject: string; callback_url: string; fields: string }>(
      "SELECT * FROM instagram_subscriptions WHERE callback_url IS NOT NULL",
    );
    const named = (fields: string) => fields.split(",").map((name) => ({ name, version: "v26.0" }));
    const data = rows.map(({ subject, callback_url, fields }) => {
      return { object: subject, callback_url, active: true, fields: named(fields) };
    });
    return c.json({ data });
  });
  app.post("/:app/subscriptions", async (c) => {
    const { object, callback_url, fields } = parse(c, NewSubscription);
    await requireOwnApp(sandbox, c);
    if (URL.parse(callback_url)?.protocol !== "https:") throw badParameter("Callback verification failed");
    remember(sandbox, object, callback_url, fields);
    return c.json({ success: true });
  });
  // With Facebook Login the Page is subscribed, with Instagram Login the account.
  app.post("/:node/subscribed_apps", async (c) => {
    const { subscribed_fields } = parse(c, z.object({ subscribed_fields: text }));
    const token = await authenticate(sandbox, c);
    const node = c.req.param("node");
    const isMeant = (one: { id: string; page_id: string }) =>
      (token.login === "facebook" ? one.page_id : one.id) === node || (node === "me" && token.login === "instagram");
    const account = listAccounts(sandbox).find((one) => isMeant(one) && opens(token, one));
    if (!account) throw missingObject(node, "post");
    if (token.login === "facebook") requireScopes(token, "pages_manage_metadata");
    remember(sandbox, node, null, subscribed_fields);
    return c.json({ success: true });
  });
  return app;
}

function remember(sandbox: Sandbox, subject: string, callback: string | null, fields: string): void {
  sandbox.db.run(
    "INSERT OR REPLACE INTO instagram_subscriptions (subject, callback_url, fields) VALUES (?, ?, ?)",
    subject,
    callback,
    fields,
  );
}

/** The app's token opens the app itself, and no other. */
async function requireOwnApp(sandbox: Sandbox, c: GraphContext): Promise<void> {
  await authenticate(sandbox, c, ["app"]);
  const app = c.req.param("app") ?? "";
  if (app !== APP_ID) throw missingObject(app, c.req.method.toLowerCase());
}
