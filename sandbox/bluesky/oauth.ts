// A server where accounts sign in: metadata, pushed requests, tokens that are bound to a key, revocation.

import { type Context, Hono } from "hono";
import { sha256 } from "../digest";
import { callbackOf, formOf, OAuthError } from "../oauth";
import { operation } from "../operation";
import type { Sandbox } from "../sandbox";
import { type BlueskyContext, type BlueskyEnv, misbehaviour } from "./errors";
import { CLIENT_ID, identified, NotProven, nonceOf, proven, randomName } from "./proofs";
import { findAccount, isServer, issuerOf, killSession, listAccounts, SERVERS, type SessionRow } from "./store";

const SCOPES = ["atproto", "transition:email", "transition:generic", "transition:chat.bsky"];
/** Of proofs and assertions; the simulated servers verify ES256 only. */
export const ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES256K", "ES384", "ES512"];
const SESSION_MS = 730 * 86_400_000;
const IDLE_MS = 90 * 86_400_000;

type Form = Record<string, string>;

/** Routes of one host. */
export function oauthRoutes(sandbox: Sandbox, host: string) {
  const issuer = `https://${host}`;
  const app = new Hono<BlueskyEnv>();
  app.use(async (c, next) => {
    await next();
    c.res.headers.set("dpop-nonce", await nonceOf(host, sandbox.now()));
  });
  if (isServer(host)) {
    app.get("/.well-known/oauth-protected-resource", (c) =>
      c.json({
        resource: issuer,
        authorization_servers: [issuerOf(host)],
        scopes_supported: [],
        bearer_methods_supported: ["header"],
        resource_documentation: "https://atproto.com",
      }),
    );
  }
  if (issuerOf(host) !== issuer) return app;
  app.get("/.well-known/oauth-authorization-server", (c) => c.json(metadata(issuer)));
  app.post("/oauth/par", async (c) => {
    const form = await formOf(c);
    // A sign-in may begin without a proof; its code then belongs to the first key that uses it.
    const jkt = c.req.header("dpop") === undefined ? "" : (await proven(sandbox, c.req.raw, null)).jkt;
    const kid = await identified(sandbox, issuer, form);
    return c.json(push(sandbox, issuer, form, { jkt, kid }), 201);
  });
  app.post("/oauth/token", operation<BlueskyEnv>(sandbox, "bluesky", "token", misbehaviour(sandbox)), async (c) => {
    const { form, jkt, kid } = await enter(sandbox, issuer, c);
    switch (form.grant_type) {
      case "authorization_code":
        return c.json(await redeem(sandbox, form, { jkt, kid }));
      case "refresh_token":
        return c.json(refresh(sandbox, c, form, { jkt, kid }));
      default:
        throw new OAuthError("unsupported_grant_type", "Grant type not supported");
    }
  });
  app.post("/oauth/revoke", async (c) => {
    const form = await formOf(c);
    await identified(sandbox, issuer, form);
    // Without a proof the answer is the same, and nothing ends.
    const isProven = await proven(sandbox, c.req.raw, null).then(
      () => true,
      () => false,
    );
    const token = sandbox.db.first<{ session_id: number }>(
      "SELECT session_id FROM bluesky_tokens WHERE id = ?",
      form.token ?? "",
    );
    if (token && isProven) killSession(sandbox, token.session_id);
    return c.json({});
  });
  app.onError((error, c) => refused(error, c));
  return app;
}

function refused(error: Error, c: Context): Response {
  if (error instanceof OAuthError)
    return c.json({ error: error.error, error_description: error.message }, error.status);
  if (error instanceof NotProven) return c.json({ error: error.error, error_description: error.message }, 400);
  return c.json({ error: "server_error", error_description: error.message }, 500);
}

const metadata = (issuer: string) => ({
  issuer,
  scopes_supported: SCOPES,
  subject_types_supported: ["public"],
  response_types_supported: ["code"],
  response_modes_supported: ["query", "fragment", "form_post"],
  grant_types_supported: ["authorization_code", "refresh_token"],
  code_challenge_methods_supported: ["S256"],
  authorization_response_iss_parameter_supported: true,
  request_parameter_supported: true,
  request_uri_parameter_supported: true,
  require_request_uri_registration: true,
  jwks_uri: `${issuer}/oauth/jwks`,
  authorization_endpoint: `${issuer}/oauth/authorize`,
  token_endpoint: `${issuer}/oauth/token`,
  token_endpoint_auth_methods_supported: ["none", "private_key_jwt"],
  token_endpoint_auth_signing_alg_values_supported: ALGORITHMS,
  revocation_endpoint: `${issuer}/oauth/revoke`,
  pushed_authorization_request_endpoint: `${issuer}/oauth/par`,
  require_pushed_authorization_requests: true,
  dpop_signing_alg_values_supported: ALGORITHMS,
  protected_resources: SERVERS.map((server) => `https://${server}`).filter(
    (server) => issuerOf(new URL(server).host) === issuer,
  ),
  client_id_metadata_document_supported: true,
  ui_locales_supported: ["en-US"],
  display_values_supported: ["page", "popup", "touch"],
  prompt_values_supported: ["none", "login", "consent", "select_account", "create"],
  request_object_signing_alg_values_supported: [...ALGORITHMS, "none"],
  request_object_encryption_alg_values_supported: [],
  request_object_encryption_enc_values_supported: [],
});

interface Keys {
  readonly jkt: string;
  readonly kid: string;
}

async function enter(sandbox: Sandbox, issuer: string, c: BlueskyContext): Promise<Keys & { readonly form: Form }> {
  const form = await formOf(c);
  const { jkt } = await proven(sandbox, c.req.raw, null);
  return { form, jkt, kid: await identified(sandbox, issuer, form) };
}

function push(sandbox: Sandbox, issuer: string, form: Form, { jkt, kid }: Keys) {
  const badRequest = (description: string) => new OAuthError("invalid_request", description);
  const redirectUri = form.redirect_uri ?? "";
  if (callbackOf("bluesky", redirectUri) === null) throw badRequest(`Invalid redirect_uri ${redirectUri}`);
  if (form.response_type !== "code") throw badRequest("response_type must be code");
  if (form.code_challenge_method !== "S256" || !form.code_challenge)
    throw badRequest("code_challenge is required when code_challenge_method is provided");
  const scopes = (form.scope ?? "").split(" ").filter(Boolean);
  const unknown = scopes.find((scope) => !SCOPES.includes(scope));
  if (unknown) throw new OAuthError("invalid_scope", `Scope "${unknown}" is not declared in the client metadata`);
  if (!scopes.includes("atproto")) throw new OAuthError("invalid_scope", 'The "atproto" scope is required');
  const id = `urn:ietf:params:oauth:request_uri:req-${randomName()}`;
  const lives = sandbox.settings.all.bluesky_request_seconds;
  sandbox.db.insert("bluesky_requests", {
    id,
    issuer,
    redirect_uri: redirectUri,
    state: form.state ?? "",
    scopes: scopes.join(" "),
    challenge: form.code_challenge,
    jkt,
    kid,
    hint: form.login_hint ?? null,
    expires_at: sandbox.now() + lives * 1000,
  });
  return { request_uri: id, expires_in: lives - 1 };
}

export type PushedRow = {
  id: string;
  issuer: string;
  redirect_uri: string;
  state: string;
  scopes: string;
  challenge: string;
  jkt: string;
  kid: string;
  hint: string | null;
  expires_at: number;
};

export function findPushed(sandbox: Sandbox, query: Form): PushedRow | null {
  if (query.client_id !== CLIENT_ID) return null;
  const row = sandbox.db.first<PushedRow>("SELECT * FROM bluesky_requests WHERE id = ?", query.request_uri ?? "");
  return row && row.expires_at > sandbox.now() ? row : null;
}

/** Stores what the account owner allowed; returns the query of the redirect. */
export function allow(sandbox: Sandbox, pushed: PushedRow, did: string): Record<string, string> {
  const { bluesky_lie: lie, bluesky_request_seconds: lives } = sandbox.settings.all;
  const session = sandbox.db.insert<{ id: number }>("bluesky_sessions", {
    did,
    issuer: pushed.issuer,
    scopes: lie === "scope" ? "atproto" : pushed.scopes,
    jkt: pushed.jkt,
    kid: pushed.kid,
    created_at: sandbox.now(),
  });
  sandbox.db.run("DELETE FROM bluesky_requests WHERE id = ?", pushed.id);
  const code = `cod-${randomName()}`;
  sandbox.db.insert("bluesky_codes", {
    id: code,
    session_id: session.id,
    redirect_uri: pushed.redirect_uri,
    challenge: pushed.challenge,
    expires_at: sandbox.now() + lives * 1000,
  });
  return { iss: lie === "issuer" ? "https://evil.social" : pushed.issuer, code };
}

const badGrant = (description: string) => new OAuthError("invalid_grant", description);
const findSession = (sandbox: Sandbox, id: number) =>
  sandbox.db.first<SessionRow>("SELECT * FROM bluesky_sessions WHERE id = ? AND is_dead = 0", id);

async function redeem(sandbox: Sandbox, form: Form, keys: Keys) {
  const challenge = await sha256(form.code_verifier ?? "");
  type Code = { session_id: number; redirect_uri: string; challenge: string; expires_at: number; is_used: number };
  const code = sandbox.db.first<Code>("SELECT * FROM bluesky_codes WHERE id = ?", form.code ?? "");
  if (!code) throw badGrant("Invalid code");
  if (code.is_used || code.expires_at <= sandbox.now()) {
    // A second use ends what the first one began.
    killSession(sandbox, code.session_id);
    throw badGrant("Invalid code");
  }
  sandbox.db.run("UPDATE bluesky_codes SET is_used = 1 WHERE id = ?", form.code ?? "");
  if (code.redirect_uri !== form.redirect_uri) throw badGrant("The redirect_uri does not match");
  if (code.challenge !== challenge) throw badGrant("Invalid code_verifier");
  const used = "SELECT id FROM bluesky_codes WHERE challenge = ? AND is_used = 1 AND id != ?";
  if (sandbox.db.first(used, challenge, form.code ?? "")) throw badGrant("Code challenge already used");
  sandbox.db.run("UPDATE bluesky_sessions SET jkt = ? WHERE id = ? AND jkt = ''", keys.jkt, code.session_id);
  return issue(sandbox, ofKeys(sandbox, findSession(sandbox, code.session_id), keys));
}

/** The session, if it began with these keys; another key ends it. */
function ofKeys(sandbox: Sandbox, session: SessionRow | null, { jkt, kid }: Keys): SessionRow {
  if (!session) throw badGrant("Invalid refresh token");
  if (session.jkt === jkt && session.kid === kid) return session;
  killSession(sandbox, session.id);
  const isProof = session.jkt !== jkt;
  throw badGrant(
    isProof ? "DPoP proof does not match the expected JKT" : "The session was initiated with a different key",
  );
}

function refresh(sandbox: Sandbox, c: BlueskyContext, form: Form, keys: Keys) {
  type Token = { session_id: number; expires_at: number; is_used: number };
  const token = sandbox.db.first<Token>(
    "SELECT session_id, expires_at, is_used FROM bluesky_tokens WHERE id = ? AND kind = 'refresh'",
    form.refresh_token ?? "",
  );
  if (!token || token.expires_at <= sandbox.now() || c.env.call.fault?.kind === "expire_token")
    throw badGrant("Invalid refresh token");
  if (token.is_used) {
    killSession(sandbox, token.session_id);
    throw badGrant("Refresh token replayed");
  }
  const session = ofKeys(sandbox, findSession(sandbox, token.session_id), keys);
  const isOver = session.created_at + SESSION_MS <= sandbox.now();
  if (isOver) throw badGrant("Session expired");
  const spent = sandbox.settings.all.bluesky_old_access_lives ? "refresh" : "%";
  sandbox.db.run("UPDATE bluesky_tokens SET is_used = 1 WHERE session_id = ? AND kind LIKE ?", session.id, spent);
  return issue(sandbox, session);
}

function issue(sandbox: Sandbox, session: SessionRow) {
  const seconds = sandbox.settings.all.bluesky_access_token_seconds;
  const give = (kind: "access" | "refresh", lifeMs: number) => {
    const id = `${kind === "refresh" ? "ref" : "tok"}-${randomName()}`;
    sandbox.db.insert("bluesky_tokens", { id, session_id: session.id, kind, expires_at: sandbox.now() + lifeMs });
    return id;
  };
  const other = listAccounts(sandbox).find(({ id }) => id !== session.did)?.id;
  const sub = sandbox.settings.all.bluesky_lie === "subject" ? other : findAccount(sandbox, session.did)?.id;
  return {
    access_token: give("access", seconds * 1000),
    token_type: "DPoP",
    refresh_token: give("refresh", IDLE_MS),
    scope: session.scopes,
    expires_in: seconds - 1,
    sub,
  };
}
