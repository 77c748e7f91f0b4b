// OAuth of TikTok's API for Business: single-use codes (10 minutes), access tokens (one day), refresh tokens
// (one year).

import { Hono } from "hono";
import { z } from "zod";
import { randomText } from "../random";
import type { Sandbox } from "../sandbox";
import { BUSINESS_APP, businessIdOf } from "./apps";
import {
  type BusinessContext,
  type BusinessEnv,
  businessFaults,
  killBusinessGrants,
  read,
  readJson,
} from "./business-api";
import { BusinessError, ok } from "./business-errors";
import { issueTokens } from "./store";

const CODE_MS = 600_000;

interface AllowedLogin {
  readonly accountId: string;
  readonly scopes: readonly string[];
  readonly redirectUri: string;
}

/** Stores what the user allowed on the consent page; returns the code for the redirect. */
export function grantBusinessLogin(sandbox: Sandbox, { accountId, scopes, redirectUri }: AllowedLogin): string {
  const grant = sandbox.db.insert<{ id: number }>("tiktok_business_grants", {
    account_id: accountId,
    scopes: scopes.join(","),
  });
  const code = `${randomText(40)}*${randomText(8)}!5`;
  sandbox.db.insert("tiktok_business_codes", {
    code,
    grant_id: grant.id,
    redirect_uri: redirectUri,
    expires_at: sandbox.now() + CODE_MS,
  });
  return code;
}

const Client = { client_id: z.string(), client_secret: z.string() };
const CodeGrant = z.object({ ...Client, grant_type: z.string(), auth_code: z.string(), redirect_uri: z.string() });
const RefreshGrant = z.object({ ...Client, grant_type: z.string(), refresh_token: z.string() });
const Revocation = z.object({ ...Client, access_token: z.string() });
const Question = z.object({ app_id: z.string(), access_token: z.string() });

type GrantRow = { id: number; account_id: string; scopes: string };
type TokenRow = { token: string; grant_id: number; kind: string; expires_at: number; is_dead: number };

export function businessLoginRoutes(sandbox: Sandbox) {
  const app = new Hono<BusinessEnv>();
  app.use(businessFaults(sandbox, "token"));

  app.post("/oauth2/token/", async (c) => {
    const sent = read(sandbox, CodeGrant, await readJson(c));
    authenticate(sent);
    demandGrantType(sent.grant_type, "authorization_code");
    // No await from here on: if two calls use one code, one of them finds it used.
    const code = sandbox.db.first<{ grant_id: number; redirect_uri: string; expires_at: number }>(
      "DELETE FROM tiktok_business_codes WHERE code = ? RETURNING *",
      sent.auth_code,
    );
    const grant = code && findGrant(sandbox, code.grant_id);
    const isOver = !code || code.expires_at <= sandbox.now() || c.env.call.fault?.kind === "expire_token";
    if (isOver || !grant || code.redirect_uri !== sent.redirect_uri) {
      throw new BusinessError("badCode", "Auth_code is used, expired or does not belong to the redirect_uri.");
    }
    return ok(issue(sandbox, grant, null));
  });

  app.post("/oauth2/refresh_token/", async (c) => {
    const sent = read(sandbox, RefreshGrant, await readJson(c));
    authenticate(sent);
    demandGrantType(sent.grant_type, "refresh_token");
    return ok(refresh(sandbox, c, sent.refresh_token));
  });

  app.post("/oauth2/revoke/", async (c) => {
    const sent = read(sandbox, Revocation, await readJson(c));
    authenticate(sent);
    killBusinessGrants(sandbox, livingToken(sandbox, sent.access_token).grant_id);
    return ok({});
  });

  app.post("/token_info/get/", async (c) => {
    const sent = read(sandbox, Question, await readJson(c));
    const grant = findGrant(sandbox, livingToken(sandbox, sent.access_token).grant_id);
    if (sent.app_id !== BUSINESS_APP.id || !grant) throw new BusinessError("client", "The app is not known.");
    return ok({ app_id: sent.app_id, scope: grant.scopes, creator_id: businessIdOf(grant.account_id) });
  });
  return app;
}

function authenticate({ client_id, client_secret }: { client_id: string; client_secret: string }): void {
  if (client_id === BUSINESS_APP.id && client_secret === BUSINESS_APP.secret) return;
  throw new BusinessError("client", "The app id or secret is incorrect.");
}

function demandGrantType(sent: string, wanted: string): void {
  if (sent !== wanted) throw new BusinessError("grantType", `grant_type must be ${wanted}.`);
}

const findGrant = (sandbox: Sandbox, id: number) =>
  sandbox.db.first<GrantRow>("SELECT * FROM tiktok_business_grants WHERE id = ? AND is_dead = 0", id);
const findToken = (sandbox: Sandbox, token: string) =>
  sandbox.db.first<TokenRow>(
    `SELECT t.*, g.is_dead FROM tiktok_business_tokens t JOIN tiktok_business_grants g ON g.id = t.grant_id
     WHERE t.token = ?`,
    token,
  );

function livingToken(sandbox: Sandbox, token: string): TokenRow {
  const found = findToken(sandbox, token);
  if (found?.kind !== "access" || found.is_dead) {
    throw new BusinessError("badToken", "Access token is incorrect or revoked.");
  }
  if (found.expires_at <= sandbox.now()) throw new BusinessError("expired", "Access token has expired.");
  return found;
}

function refresh(sandbox: Sandbox, c: BusinessContext, token: string) {
  const found = findToken(sandbox, token);
  const grant = found && found.kind === "refresh" ? findGrant(sandbox, found.grant_id) : null;
  if (!found || !grant) throw new BusinessError("badRefresh", "Refresh token is invalid.");
  if (found.expires_at <= sandbox.now() || c.env.call.fault?.kind === "expire_token") {
    throw new BusinessError("refreshExpired", "Refresh token has expired.");
  }
  const rotation = sandbox.settings.all.tiktok_refresh_rotation;
  if (rotation === "old_dies") sandbox.db.run("DELETE FROM tiktok_business_tokens WHERE token = ?", token);
  return issue(sandbox, grant, rotation === "same" ? found : null);
}

function issue(sandbox: Sandbox, grant: GrantRow, kept: Pick<TokenRow, "token" | "expires_at"> | null) {
  const rest = () => `bus.${randomText(60)}`;
  const issued = issueTokens(sandbox, "tiktok_business_tokens", { grantId: grant.id, kept, rest });
  return {
    access_token: issued.access,
    token_type: "Bearer",
    scope: grant.scopes,
    expires_in: issued.seconds,
    refresh_token: issued.refresh,
    refresh_token_expires_in: issued.lastingSeconds,
    open_id: businessIdOf(grant.account_id),
  };
}
