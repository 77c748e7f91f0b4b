// TikTok's OAuth: short-lived codes, access tokens (one day), refresh tokens (one year) that are rotated on
// use. Errors are flat objects, some of them with status 200.

import { Hono } from "hono";
import { sha256 } from "../digest";
import { formOf, OAuthError } from "../oauth";
import { randomText } from "../random";
import type { Sandbox } from "../sandbox";
import { faults, type TiktokContext, type TiktokEnv } from "./api";
import { findApp, openIdOf } from "./apps";
import { issueTokens, killGrants } from "./store";

export interface AllowedLogin {
  readonly clientKey: string;
  readonly accountId: string;
  readonly scopes: readonly string[];
  readonly redirectUri: string;
  /** Hex SHA-256 of the verifier, which desktop and mobile apps send; null for web apps. */
  readonly challenge: string | null;
}

/** Stores what the user allowed on the consent page; returns the code for the redirect. */
export function grantLogin(sandbox: Sandbox, login: AllowedLogin): string {
  const now = sandbox.now();
  const grant = sandbox.db.insert<{ id: number }>("tiktok_grants", {
    client_key: login.clientKey,
    account_id: login.accountId,
    scopes: login.scopes.join(","),
    created_at: now,
  });
  const code = `${randomText(48)}*3!6${randomText(8)}`;
  sandbox.db.insert("tiktok_codes", {
    code,
    grant_id: grant.id,
    redirect_uri: login.redirectUri,
    challenge: login.challenge,
    expires_at: now + sandbox.settings.all.tiktok_code_seconds * 1000,
  });
  return code;
}

/** Status 200, as observed on the real platform. */
const invalidGrant = (description: string) => new OAuthError("invalid_grant", description, 200);

export function oauthRoutes(sandbox: Sandbox) {
  const app = new Hono<TiktokEnv>({ strict: false });
  app.use(faults(sandbox, "token"));

  app.post("/token", async (c) => {
    const form = await formOf(c);
    const clientKey = authenticateClient(form);
    switch (required(form, "grant_type")) {
      case "authorization_code":
        return c.json(await redeem(sandbox, c, clientKey, form));
      case "refresh_token":
        return c.json(refresh(sandbox, c, clientKey, required(form, "refresh_token")));
      case "client_credentials":
        return c.json({ access_token: `clt.${randomText(40)}`, expires_in: 7200, token_type: "Bearer" });
      default:
        throw new OAuthError("unsupported_grant_type", "The grant type is not supported.");
    }
  });

  app.post("/revoke", async (c) => {
    const form = await formOf(c);
    const clientKey = authenticateClient(form);
    const found = findToken(sandbox, required(form, "token"));
    if (!found || found.is_dead || found.client_key !== clientKey) {
      throw new OAuthError("invalid_grant", "The token is invalid or was revoked.");
    }
    killGrants(sandbox, found.grant_id);
    return c.body(null, 200);
  });

  app.onError((error, c) => {
    const known = error instanceof OAuthError ? error : new OAuthError("server_error", error.message, 500);
    const log_id = `20261120${randomText(18).toUpperCase()}`;
    return c.json({ error: known.error, error_description: known.message, log_id }, known.status);
  });
  return app;
}

type Form = Record<string, string>;

function required(form: Form, name: string): string {
  const value = form[name];
  if (!value) throw new OAuthError("invalid_request", `The request parameters are malformed: ${name} is missing.`);
  return value;
}

function authenticateClient(form: Form): string {
  const app = findApp(required(form, "client_key"));
  if (app?.secret !== required(form, "client_secret")) {
    throw new OAuthError("invalid_client", "Client key or secret is incorrect.", 401);
  }
  return app.key;
}

async function redeem(sandbox: Sandbox, c: TiktokContext, clientKey: string, form: Form) {
  const code = required(form, "code");
  const redirectUri = required(form, "redirect_uri");
  const proofs = await proofsOf(sandbox, form.code_verifier ?? "");
  // No await from here on: if two calls use one code, one of them finds it used.
  type Code = { grant_id: number; redirect_uri: string; challenge: string | null; expires_at: number };
  const found = sandbox.db.first<Code>(
    "UPDATE tiktok_codes SET is_used = 1 WHERE code = ? AND is_used = 0 RETURNING *",
    code,
  );
  if (!found || found.expires_at <= sandbox.now() || c.env.call.fault?.kind === "expire_token") {
    throw invalidGrant("Authorization code is expired.");
  }
  const grant = findGrant(sandbox, found.grant_id);
  if (grant?.client_key !== clientKey) throw invalidGrant("Authorization code is invalid.");
  if (found.redirect_uri !== redirectUri) {
    throw new OAuthError("invalid_request", "Redirect_uri is not matched with the uri when requesting code.");
  }
  // Without a challenge, the verifier is ignored (web apps).
  if (found.challenge !== null && !proofs.includes(found.challenge))
    throw invalidGrant("Code verifier or challenge is invalid.");
  return issue(sandbox, grant, null);
}

/** The accepted challenges of a verifier. */
async function proofsOf(sandbox: Sandbox, verifier: string): Promise<string[]> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier)));
  const hex = Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return sandbox.settings.all.tiktok_challenges === "either" ? [hex, await sha256(verifier)] : [hex];
}

function refresh(sandbox: Sandbox, c: TiktokContext, clientKey: string, token: string) {
  const found = findToken(sandbox, token);
  const isOver = !found || found.expires_at <= sandbox.now() || c.env.call.fault?.kind === "expire_token";
  if (isOver || found.kind !== "refresh" || found.is_dead || found.client_key !== clientKey) {
    throw invalidGrant("Refresh token is invalid or expired.");
  }
  const grant = findGrant(sandbox, found.grant_id);
  if (!grant) throw invalidGrant("Refresh token is invalid or expired.");
  const rotation = sandbox.settings.all.tiktok_refresh_rotation;
  if (rotation === "old_dies") sandbox.db.run("DELETE FROM tiktok_tokens WHERE token = ?", token);
  return issue(sandbox, grant, rotation === "same" ? found : null);
}

type GrantRow = { id: number; client_key: string; account_id: string; scopes: string };
type TokenRow = {
  token: string;
  grant_id: number;
  kind: string;
  expires_at: number;
  is_dead: number;
  client_key: string;
};

const findGrant = (sandbox: Sandbox, id: number) =>
  sandbox.db.first<GrantRow>("SELECT * FROM tiktok_grants WHERE id = ? AND is_dead = 0", id);
const findToken = (sandbox: Sandbox, token: string) =>
  sandbox.db.first<TokenRow>(
    `SELECT t.*, g.is_dead, g.client_key FROM tiktok_tokens t JOIN tiktok_grants g ON g.id = t.grant_id WHERE t.token = ?`,
    token,
  );

function issue(sandbox: Sandbox, grant: GrantRow, kept: Pick<TokenRow, "token" | "expires_at"> | null) {
  const rest = () => `${randomText(60)}!4001`;
  const issued = issueTokens(sandbox, "tiktok_tokens", { grantId: grant.id, kept, rest });
  return {
    open_id: openIdOf(grant.client_key, grant.account_id),
    scope: grant.scopes,
    access_token: issued.access,
    expires_in: issued.seconds,
    refresh_token: issued.refresh,
    refresh_expires_in: issued.lastingSeconds,
    token_type: "Bearer",
  };
}
