// Webhook subscriptions of the app and of a Page. Their notifications are in webhooks.ts.

import { Hono } from "hono";
import { z } from "zod";
import { missingObject } from "../meta/errors";
import { type GraphContext, type GraphEnv, parse, text } from "../meta/params";
import { requireScopes } from "../meta/tokens";
import { NewSubscription, verifyCallback } from "../meta/webhooks";
import type { Sandbox } from "../sandbox";
import { APP_ID, authenticate } from "./tokens";

export function subscriptionRoutes(sandbox: Sandbox) {
  const app = new Hono<GraphEnv>();
  app.on(["GET", "POST", "DELETE"], "/:page/subscribed_apps", async (c) => {
    const token = await authenticate(sandbox, c, ["page"]);
    requireScopes(token, "pages_manage_metadata");
    const page = token.pageId ?? "";
    if (c.req.method === "POST") {
      const { subscribed_fields } = parse(c, z.object({ subscribed_fields: text }));
      sandbox.db.run(
        "INSERT OR REPLACE INTO facebook_subscriptions (page_id, fields) VALUES (?, ?)",
        page,
        subscribed_fields,
      );
      return c.json({ success: true });
    }
    parse(c, z.object({}));
    if (c.req.method === "DELETE") {
      sandbox.db.run("DELETE FROM facebook_subscriptions WHERE page_id = ?", page);
      return c.json({ success: true });
    }
    const row = sandbox.db.first<{ fields: string }>(
      "SELECT fields FROM facebook_subscriptions WHERE page_id = ?",
      page,
    );
    return c.json({ data: row ? [{ subscribed_fields: row.fields.split(",") }] : [] });
  });
  app.get("/:app/subscriptions", async (c) => {
    parse(c, z.object({}));
    await requireOwnApp(sandbox, c);
    return c.json({ data: listOfApp(sandbox) });
  });
  app.post("/:app/subscriptions", async (c) => {
    const { object, callback_url, fields, verify_token } = parse(c, NewSubscription);
    await requireOwnApp(sandbox, c);
    await verifyCallback(sandbox, callback_url, verify_token);
    sandbox.db.run(
      "INSERT OR REPLACE INTO facebook_app_subscriptions (object, callback_url, fields) VALUES (?, ?, ?)",
      object,
      callback_url,
      fields,
    );
    return c.json({ success: true });
  });
  return app;
}

/** The app token is valid only for its own app. */
async function requireOwnApp(sandbox: Sandbox, c: GraphContext): Promise<void> {
  await authenticate(sandbox, c, ["app"]);
  const app = c.req.param("app") ?? "";
  if (app !== APP_ID) throw missingObject(app, c.req.method.toLowerCase());
}

function listOfApp(sandbox: Sandbox) {
  return sandbox.db
    .all<{ object: string; callback_url: string; fields: string }>("SELECT * FROM facebook_app_subscriptions")
    .map(({ fields, ...row }) => ({
      ...row,
      active: true,
      fields: fields.split(",").map((name) => ({ name, version: VERSION })),
    }));
}

const VERSION = "v27.0";
