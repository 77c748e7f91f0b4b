// X's OAuth 2.0: short-lived codes with PKCE, access tokens (two hours), single-use refresh tokens.

import { Hono } from "hono";
import { sha256 } from "../digest";
import { OAuthError } from "../oauth";
import { operation } from "../operation";
import { randomText } from "../random";
import type { Sandbox } from "../sandbox";
import { misbehaviour, type TwitterContext, type TwitterEnv, tokenForm } from "./api";
import { type GrantRow, killGrant } from "./store";

export const CLIENT_ID = "sandbox-x-client";
const CLIENT_SECRET = "sandbox-x-secret";
const HALF_YEAR_MS = 182 * 86_400_000;

interface AllowedLogin {
  userId: string;
  scopes: readonly string[];
  redirectUri: string;
  challenge: string;
  method: string;
}

/** Stores what the user allowed on the consent page; returns the code for the redirect. */
export function grantLogin(sandbox: Sandbox, login: AllowedLogin): string {
  const now = sandbox.now();
  const grant = sandbox.db.insert<{ id: number }>("twitter_grants", {
    user_id: login.userId,
    scopes: login.scopes.join(" "),
    created_at: now,
  });
  const code = randomText(90);
  sandbox.db.insert("twitter_codes", {
    code,
    grant_id: grant.id,
    redirect_uri: login.redirectUri,
    challenge: login.challenge,
    method: login.method,
    expires_at: now + sandbox.settings.all.twitter_code_seconds * 1000,
  });
  return code;
}

const badRequest = (description: string) => new OAuthError("invalid_request", description);
const BAD_CODE = "Value passed for the authorization code was invalid.";
const BAD_TOKEN = "Value passed for the token was invalid.";

export function oauthRoutes(sandbox: Sandbox) {
  const app = new Hono<TwitterEnv>();
  app.use(operation<TwitterEnv>(sandbox, "twitter", "token", misbehaviour(sandbox)));

  app.post("/token", async (c) => {
    const form = await readForm(c);
    authenticateClient(c, form);
    switch (form.grant_type) {
      case "authorization_code":
        onlyKnown(form, ["grant_type", "code", "redirect_uri", "code_verifier"]);
        return c.json(await redeem(sandbox, c, form));
      case "refresh_token":
        onlyKnown(form, ["grant_type", "refresh_token"]);
        return c.json(refresh(sandbox, c, required(form, "refresh_token")));
      default:
        throw new OAuthError("unsupported_grant_type", "Value passed for the grant type was invalid.");
    }
  });

  app.post("/revoke", async (c) => {
    const form = await readForm(c);
    authenticateClient(c, form);
    onlyKnown(form, ["token", "token_type_hint"]);
    const token = sandbox.db.first<{ grant_id: number; kind: string }>(
      "SELECT grant_id, kind FROM twitter_tokens WHERE token = ?",
      required(form, "token"),
    );
    if (token?.kind === "refresh") killGrant(sandbox, token.grant_id);
    else if (token) sandbox.db.run("UPDATE twitter_tokens SET is_used = 1 WHERE token = ?", form.token ?? "");
    return c.json({ revoked: true });
  });

  app.onError((error, c) => {
    const known = error instanceof OAuthError ? error : badRequest(error.message);
    return c.json({ error: known.error, error_description: known.message }, known.status);
  });
  return app;
}

type Form = Record<string, string>;

/** The documentation requires a form; the most used client sends JSON. */
async function readForm(c: TwitterContext): Promise<Form> {
  const form = await tokenForm(c);
  if (!form) throw badRequest("The request body must be application/x-www-form-urlencoded.");
  return form;
}

/**
 * Our app is a confidential client and authenticates in the header. A client id in the body must match it.
 */
function authenticateClient(c: TwitterContext, form: Form): void {
  const sent = /^Basic (\S+)$/i.exec(c.req.header("authorization") ?? "")?.[1];
  const [id, secret] = sent === undefined ? [] : readBasic(sent);
  if (id !== CLIENT_ID || secret !== CLIENT_SECRET) {
    throw new OAuthError("unauthorized_client", "Missing valid authorization header", 401);
  }
  if ((form.client_id ?? CLIENT_ID) !== CLIENT_ID || (form.client_secret ?? CLIENT_SECRET) !== CLIENT_SECRET) {
    throw badRequest("The client credentials of the body are not those of the authorization header.");
  }
}

function readBasic(encoded: string): string[] {
  try {
    const text = atob(encoded);
    const at = text.indexOf(":");
    return [text.slice(0, at), text.slice(at + 1)].map((part) => decodeURIComponent(part.replaceAll("+", " ")));
  } catch {
    return [];
  }
}

function onlyKnown(form: Form, names: string[]): void {
  const known = [...names, "client_id", "client_secret"];
  const unknown = Object.keys(form).find((name) => !known.includes(name));
  if (unknown !== undefined) throw badRequest(`Unknown parameter [${unknown}].`);
}

function required(form: Form, name: string): string {
  const value = form[name];
  if (!value) throw badRequest(`Missing required parameter [${name}].`);
  return value;
}

async function redeem(sandbox: Sandbox, c: TwitterContext, form: Form) {
  const code = required(form, "code");
  const redirectUri = required(form, "redirect_uri");
  const verifier = required(form, "code_verifier");
  const challenges: Record<string, string> = { plain: verifier, S256: await sha256(verifier) };
  // No await from here on: if two calls use one code, one of them finds it used.
  type Code = { grant_id: number; redirect_uri: string; challenge: string; method: string; expires_at: number };
  const found = sandbox.db.first<Code>(
    "UPDATE twitter_codes SET is_used = 1 WHERE code = ? AND is_used = 0 RETURNING *",
    code,
  );
  const isExpired = !found || found.expires_at <= sandbox.now() || c.env.call.fault?.kind === "expire_token";
  if (isExpired || found.redirect_uri !== redirectUri || challenges[found.method] !== found.challenge) {
    throw badRequest(BAD_CODE);
  }
  return issue(sandbox, found.grant_id);
}

function refresh(sandbox: Sandbox, c: TwitterContext, token: string) {
  type Found = { grant_id: number; is_used: number; expires_at: number; is_dead: number };
  const found = sandbox.db.first<Found>(
    `SELECT t.grant_id, t.is_used, t.expires_at, g.is_dead FROM twitter_tokens t JOIN twitter_grants g ON g.id = t.grant_id
     WHERE t.token = ? AND t.kind = 'refresh'`,
    token,
  );
  if (!found || found.is_dead || found.expires_at <= sandbox.now() || c.env.call.fault?.kind === "expire_token") {
    throw badRequest(BAD_TOKEN);
  }
  if (found.is_used) {
    if (sandbox.settings.all.twitter_replay_kills_family) killGrant(sandbox, found.grant_id);
    throw badRequest(BAD_TOKEN);
  }
  sandbox.db.run("UPDATE twitter_tokens SET is_used = 1 WHERE token = ?", token);
  return issue(sandbox, found.grant_id);
}

function issue(sandbox: Sandbox, grantId: number) {
  const grant = sandbox.db.first<GrantRow>("SELECT * FROM twitter_grants WHERE id = ?", grantId);
  if (!grant || grant.is_dead) throw badRequest(BAD_CODE);
  const seconds = sandbox.settings.all.twitter_access_token_seconds;
  const give = (kind: "access" | "refresh", lifeMs: number) => {
    const token = randomText(90);
    sandbox.db.insert("twitter_tokens", { token, grant_id: grantId, kind, expires_at: sandbox.now() + lifeMs });
    return token;
  };
  const isLasting = grant.scopes.split(" ").includes("offline.access");
  return {
    token_type: "bearer",
    expires_in: seconds,
    access_token: give("access", seconds * 1000),
    scope: grant.scopes,
    ...(isLasting ? { refresh_token: give("refresh", HALF_YEAR_MS) } : {}),
  };
}
