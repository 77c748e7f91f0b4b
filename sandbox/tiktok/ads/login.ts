// The login of advertisers: single-use codes (one hour), tokens that are valid until revoked, and user info.

import { Hono } from "hono";
import { z } from "zod";
import { randomText } from "../../random";
import type { Sandbox } from "../../sandbox";
import { ADS_APP } from "../apps";
import { jsonList, read, readJson } from "../business-api";
import { BusinessError, ok } from "../business-errors";
import { type Advertiser, findAdvertiser, readBook } from "./advertisers";
import { type AdsEnv, adsEndpoint, adsFaults, chosenOf, sharedAdvertiser } from "./api";
import { settle } from "./delivery";
import { fromMinor } from "./money";

const CODE_MS = 3_600_000;
/** The app's permissions, as TikTok's numbers; the user cannot select among them. */
const PERMISSIONS = [1, 2, 4, 690, 691, 693];

/** Stores what the user allowed on the consent page; returns the code for the redirect. */
export function grantAdsLogin(sandbox: Sandbox, advertiserIds: readonly string[]): string {
  const login = sandbox.db.insert<{ id: number }>("tiktok_ads_logins", { advertiser_ids: advertiserIds.join(",") });
  const code = randomText(40);
  sandbox.db.insert("tiktok_ads_codes", { code, login_id: login.id, expires_at: sandbox.now() + CODE_MS });
  return code;
}

const Client = { app_id: z.string(), secret: z.string() };
const Exchange = z.object({ ...Client, auth_code: z.string(), return_advertiser_ids: z.boolean().optional() });
const Revocation = z.object({ ...Client, access_token: z.string() });

export function adsTokenRoutes(sandbox: Sandbox) {
  const app = new Hono<AdsEnv>();
  const faults = adsFaults(sandbox, "token");

  app.post("/access_token/", faults, async (c) => {
    const sent = read(sandbox, Exchange, await readJson(c));
    authenticate(sent);
    // No await from here on: if two calls use one code, one of them finds it used.
    const found = sandbox.db.first<{ login_id: number; expires_at: number }>(
      "DELETE FROM tiktok_ads_codes WHERE code = ? RETURNING *",
      sent.auth_code,
    );
    const isOver = !found || found.expires_at <= sandbox.now() || c.env.call.fault?.kind === "expire_token";
    if (isOver) throw new BusinessError("badCode", "Auth_code is invalid, used or expired.");
    const access_token = randomText(40).toLowerCase();
    sandbox.db.insert("tiktok_ads_tokens", { token: access_token, login_id: found.login_id });
    return ok({ access_token, advertiser_ids: advertiserIdsOf(sandbox, found.login_id), scope: PERMISSIONS });
  });

  app.post("/revoke_token/", faults, async (c) => {
    const sent = read(sandbox, Revocation, await readJson(c));
    authenticate(sent);
    const token = sandbox.db.first<{ login_id: number }>(
      "DELETE FROM tiktok_ads_tokens WHERE token = ? RETURNING login_id",
      sent.access_token,
    );
    if (!token) throw new BusinessError("badToken", "Access token is incorrect or has been revoked.");
    return ok({ app_id: sent.app_id, advertiser_ids: advertiserIdsOf(sandbox, token.login_id) });
  });

  app.get("/advertiser/get/", ...adsEndpoint(sandbox, "ads_read"), (c) => {
    authenticate(read(sandbox, z.object(Client), c.req.query()));
    const list = c.var.caller.advertiserIds.flatMap((id) => findAdvertiser(id) ?? []);
    return ok({ list: list.map(({ id, name }) => ({ advertiser_id: id, advertiser_name: name })) });
  });
  return app;
}

function authenticate({ app_id, secret }: { app_id: string; secret: string }): void {
  if (app_id === ADS_APP.id && secret === ADS_APP.secret) return;
  throw new BusinessError("client", "The app id or secret is incorrect.");
}

function advertiserIdsOf(sandbox: Sandbox, loginId: number): string[] {
  const login = sandbox.db.first<{ advertiser_ids: string }>(
    "SELECT advertiser_ids FROM tiktok_ads_logins WHERE id = ?",
    loginId,
  );
  return login?.advertiser_ids.split(",") ?? [];
}

const Info = z.object({
  advertiser_ids: jsonList.pipe(z.array(z.string()).min(1).max(100)),
  fields: jsonList.optional(),
});

export function advertiserRoutes(sandbox: Sandbox) {
  const app = new Hono<AdsEnv>();
  app.get("/info/", ...adsEndpoint(sandbox, "ads_read"), (c) => {
    const { advertiser_ids, fields } = read(sandbox, Info, c.req.query());
    const shared = advertiser_ids.map((id) => sharedAdvertiser(c, id));
    return ok({ list: shared.map((advertiser) => chosenOf(advertiserView(sandbox, advertiser), fields)) });
  });
  return app;
}

function advertiserView(sandbox: Sandbox, advertiser: Advertiser): Record<string, unknown> {
  const { id, name, currency, timezone, country, isEnabled } = advertiser;
  settle(sandbox, advertiser);
  return {
    advertiser_id: id,
    name,
    company: name,
    currency,
    timezone,
    display_timezone: timezone,
    country,
    language: "en",
    role: "ROLE_ADVERTISER",
    status: isEnabled ? "STATUS_ENABLE" : "STATUS_DISABLE",
    balance: fromMinor(Math.floor(readBook(sandbox, advertiser).balance + 1e-6), currency),
  };
}
