// LinkedIn's OAuth 2.0: codes (30 minutes), access tokens (60 days), and for partners a one-year refresh
// token that is never rotated.

import { Hono } from "hono";
import { OAuthError } from "../oauth";
import { operation } from "../operation";
import { randomText } from "../random";
import type { Sandbox } from "../sandbox";
import { killGrant, type LinkedinContext, type LinkedinEnv, misbehaviour } from "./api";
import { findApp } from "./apps";
import { findPerson, subOf } from "./store";

interface AllowedLogin {
  readonly clientId: string;
  readonly personId: string;
  readonly scopes: readonly string[];
  readonly redirectUri: string;
}
type GrantRow = {
  id: number;
  client_id: string;
  person_id: string;
  scopes: string;
  is_dead: number;
  created_at: number;
};

/** Stores what the user allowed; returns the code. */
export function grantLogin(sandbox: Sandbox, { clientId, personId, scopes, redirectUri }: AllowedLogin): string {
  const now = sandbox.now();
  const wanted = scopes.toSorted().join(" ");
  // A login with different scopes revokes all earlier tokens of this user and app.
  sandbox.db.run(
    "UPDATE linkedin_grants SET is_dead = 1 WHERE client_id = ? AND person_id = ? AND scopes <> ?",
    clientId,
    personId,
    wanted,
  );
  const grant = sandbox.db.first<{ id: number }>(
    "INSERT INTO linkedin_grants (client_id, person_id, scopes, created_at) VALUES (?, ?, ?, ?) RETURNING id",
    clientId,
    personId,
    wanted,
    now,
  );
  const code = `AQ${randomText(120)}`;
  sandbox.db.run(
    "INSERT INTO linkedin_codes (code, grant_id, redirect_uri, expires_at) VALUES (?, ?, ?, ?)",
    code,
    grant?.id ?? 0,
    redirectUri,
    now + sandbox.settings.all.linkedin_code_seconds * 1000,
  );
  return code;
}

const BAD_CODE =
  "Unable to retrieve access token: appid/redirect uri/code verifier does not match authorization code. Or authorization code expired. Or external member binding exists";

export function oauthRoutes(sandbox: Sandbox) {
  const app = new Hono<LinkedinEnv>();
  app.use(operation<LinkedinEnv>(sandbox, "linkedin", "token", misbehaviour(sandbox)));

  app.post("/accessToken", async (c) => {
    const form = await readForm(c);
    const clientId = authenticateClient(form);
    switch (required(form, "grant_type")) {
      case "authorization_code":
        return c.json(redeem(sandbox, c, clientId, form));
      case "refresh_token":
        return c.json(refresh(sandbox, c, clientId, required(form, "refresh_token")));
      default:
        throw new OAuthError("unsupported_grant_type", "The grant type is not supported");
    }
  });

  app.post("/introspectToken", async (c) => {
    const form = await readForm(c);
    const clientId = authenticateClient(form);
    return c.json(describe(sandbox, clientId, required(form, "token")));
  });

  app.post("/revoke", async (c) => {
    const form = await readForm(c);
    const clientId = authenticateClient(form);
    const token = findToken(sandbox, required(form, "token"));
    if (token?.client_id === clientId) {
      if (token.kind === "refresh") killGrant(sandbox, token.grant_id);
      else sandbox.db.run("UPDATE linkedin_tokens SET is_revoked = 1 WHERE token = ?", token.token);
    }
    return c.body(null, 200);
  });

  app.onError((error, c) => {
    const known = error instanceof OAuthError ? error : new OAuthError("server_error", error.message, 500);
    return c.json({ error: known.error, error_description: known.message }, known.status);
  });
  return app;
}

type Form = Record<string, string>;

/** Accepts only forms: no JSON, no Basic authentication. */
async function readForm(c: LinkedinContext): Promise<Form> {
  if (!(c.req.header("content-type") ?? "").includes("application/x-www-form-urlencoded")) {
    throw new OAuthError("invalid_request", "The request must be application/x-www-form-urlencoded");
  }
  const body = await c.req.parseBody();
  return Object.fromEntries(
    Object.entries(body).flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : [])),
  );
}

function required(form: Form, name: string): string {
  const value = form[name];
  if (!value) throw new OAuthError("invalid_request", `A required parameter "${name}" is missing`);
  return value;
}

function authenticateClient(form: Form): string {
  const id = required(form, "client_id");
  const secret = required(form, "client_secret");
  const app = findApp(id);
  if (app?.secret !== secret) throw new OAuthError("invalid_client", "Client authentication failed", 401);
  return app.id;
}

function redeem(sandbox: Sandbox, c: LinkedinContext, clientId: string, form: Form) {
  const code = required(form, "code");
  const redirectUri = required(form, "redirect_uri");
  type Code = { grant_id: number; redirect_uri: string; expires_at: number; is_used: number };
  const found = sandbox.db.first<Code>("SELECT * FROM linkedin_codes WHERE code = ?", code);
  if (!found || found.is_used) {
    throw new OAuthError("invalid_request", "Unable to retrieve access token: authorization code not found", 401);
  }
  const grant = grantOf(sandbox, found.grant_id);
  const isExpired = found.expires_at <= sandbox.now() || c.env.call.fault?.kind === "expire_token";
  if (isExpired || found.redirect_uri !== redirectUri || grant?.client_id !== clientId || grant.is_dead) {
    throw new OAuthError("invalid_redirect_uri", BAD_CODE);
  }
  sandbox.db.run("UPDATE linkedin_codes SET is_used = 1 WHERE code = ?", code);
  return issue(sandbox, grant, null);
}

function refresh(sandbox: Sandbox, c: LinkedinContext, clientId: string, token: string) {
  const found = findToken(sandbox, token);
  const isOver = !found || found.expires_at <= sandbox.now() || c.env.call.fault?.kind === "expire_token";
  if (isOver || found.kind !== "refresh" || found.is_dead || found.client_id !== clientId) {
    throw new OAuthError(
      "invalid_request",
      "The provided authorization grant or refresh token is invalid, expired or revoked",
    );
  }
  const grant = grantOf(sandbox, found.grant_id);
  if (!grant) throw new OAuthError("invalid_request", "The provided refresh token is revoked");
  return issue(sandbox, grant, found);
}

const grantOf = (sandbox: Sandbox, id: number) =>
  sandbox.db.first<GrantRow>("SELECT * FROM linkedin_grants WHERE id = ?", id);

type TokenRow = {
  token: string;
  kind: string;
  grant_id: number;
  issued_at: number;
  expires_at: number;
  is_revoked: number;
  client_id: string;
  scopes: string;
  is_dead: number;
};

const findToken = (sandbox: Sandbox, token: string) =>
  sandbox.db.first<TokenRow>(
    `SELECT t.*, g.client_id, g.scopes, g.is_dead FROM linkedin_tokens t JOIN linkedin_grants g ON g.id = t.grant_id
     WHERE t.token = ?`,
    token,
  );

/** `renewed`: the refresh token that is returned unchanged, with its remaining lifetime. */
function issue(sandbox: Sandbox, grant: GrantRow, renewed: Pick<TokenRow, "token" | "expires_at"> | null) {
  const settings = sandbox.settings.all;
  const now = sandbox.now();
  const give = (kind: "access" | "refresh", seconds: number) => {
    const token = `AQ${kind === "access" ? "V" : "X"}${randomText(480)}`;
    const expires_at = now + seconds * 1000;
    sandbox.db.run(
      "INSERT INTO linkedin_tokens (token, grant_id, kind, issued_at, expires_at) VALUES (?, ?, ?, ?, ?)",
      token,
      grant.id,
      kind,
      now,
      expires_at,
    );
    return { token, expires_at };
  };
  const scopes = grant.scopes.split(" ");
  const access = give("access", settings.linkedin_access_token_seconds);
  const isPartner = settings.linkedin_gives_refresh_tokens;
  const lasting = renewed ?? (isPartner ? give("refresh", settings.linkedin_refresh_token_seconds) : null);
  return {
    access_token: access.token,
    expires_in: settings.linkedin_access_token_seconds,
    ...(lasting
      ? { refresh_token: lasting.token, refresh_token_expires_in: Math.floor((lasting.expires_at - now) / 1000) }
      : {}),
    scope: scopes.join(","),
    token_type: "Bearer",
    ...(scopes.includes("openid") && renewed === null ? { id_token: idToken(sandbox, grant) } : {}),
  };
}

/** The unsigned id token. */
function idToken(sandbox: Sandbox, { client_id, person_id }: GrantRow): string {
  const person = findPerson(sandbox, person_id);
  const now = Math.floor(sandbox.now() / 1000);
  const claims = {
    iss: "https://www.linkedin.com/oauth",
    aud: client_id,
    iat: now,
    exp: now + 3600,
    sub: subOf(client_id, person_id),
    name: `${person?.given_name} ${person?.family_name}`,
  };
  const part = (value: object) =>
    btoa(JSON.stringify(value)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  return `${part({ alg: "RS256", typ: "JWT", kid: "sandbox" })}.${part(claims)}.c2FuZGJveA`;
}

function describe(sandbox: Sandbox, clientId: string, sent: string) {
  const token = findToken(sandbox, sent);
  if (!token || token.client_id !== clientId) return { active: false };
  const isRevoked = token.is_dead === 1 || token.is_revoked === 1;
  const status = isRevoked ? "revoked" : token.expires_at <= sandbox.now() ? "expired" : "active";
  const seconds = (ms: number) => Math.floor(ms / 1000);
  return {
    active: status === "active",
    status,
    scope: token.scopes.replaceAll(" ", ","),
    client_id: clientId,
    created_at: seconds(token.issued_at),
    authorized_at: seconds(token.issued_at),
    expires_at: seconds(token.expires_at),
    auth_type: "3L",
  };
}
