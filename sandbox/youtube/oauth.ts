// Google's OAuth 2.0 for a web client of YouTube: codes, access tokens (one hour), permanent refresh tokens.

import { Hono } from "hono";
import { callbackOf, formOf, OAuthError } from "../oauth";
import { randomText } from "../random";
import type { Sandbox } from "../sandbox";
import { faults, type YoutubeContext, type YoutubeEnv } from "./api";
import { CLIENT_ID, killAccount } from "./store";
import { tokenInfo } from "./token-info";

const CLIENT_SECRET = "sandbox-google-secret";
const WEEK_MS = 7 * 86_400_000;
/** Above this number, a new refresh token of an account revokes the oldest. */
const MOST_REFRESH_TOKENS = 100;

export interface AllowedLogin {
  accountId: string;
  channelId: string | null;
  scopes: readonly string[];
  redirectUri: string;
  challenge: string | null;
  method: string | null;
  isOffline: boolean;
  /** Whether the consent page was shown although access was granted before. */
  isAskedAgain: boolean;
  /** Whether earlier scopes are included (`include_granted_scopes`). */
  isAddition: boolean;
}

/** Stores what the account owner allowed; returns the code. */
export function grantLogin(sandbox: Sandbox, login: AllowedLogin): string {
  const { youtube_code_seconds, youtube_grant_seconds } = sandbox.settings.all;
  const now = sandbox.now();
  const before = sandbox.db.all<{ scopes: string }>(
    "SELECT scopes FROM youtube_grants WHERE account_id = ? AND is_dead = 0",
    login.accountId,
  );
  const isFirst = before.length === 0;
  const earlier = login.isAddition ? before.flatMap(({ scopes }) => scopes.split(" ")) : [];
  const grant = sandbox.db.first<{ id: number }>(
    `INSERT INTO youtube_grants (account_id, channel_id, scopes, ends_at, created_at)
     VALUES (?, ?, ?, ?, ?) RETURNING id`,
    login.accountId,
    login.channelId,
    [...new Set([...login.scopes, ...earlier])].join(" "),
    youtube_grant_seconds === 0 ? null : now + youtube_grant_seconds * 1000,
    now,
  );
  const code = `4/0${randomText(70)}`;
  sandbox.db.run(
    `INSERT INTO youtube_codes (code, grant_id, redirect_uri, challenge, method, is_lasting, expires_at)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
    code,
    grant?.id ?? 0,
    login.redirectUri,
    login.challenge,
    login.method,
    login.isOffline && (isFirst || login.isAskedAgain) ? 1 : 0,
    now + youtube_code_seconds * 1000,
  );
  return code;
}

/** The registered redirect addresses: the connect callback of any installation. */
export function isRegisteredRedirect(uri: string): boolean {
  const url = callbackOf("youtube", uri);
  return url !== null && (url.protocol === "https:" || /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(url.hostname));
}

const DEAD = "Token has been expired or revoked.";
const invalidGrant = (description: string) => new OAuthError("invalid_grant", description);

/** `oauth2.googleapis.com`. */
export function oauthApp(sandbox: Sandbox) {
  const app = new Hono<YoutubeEnv>();
  app.route("/", tokenInfo(sandbox));
  app.use(faults(sandbox, "token"));

  app.post("/token", async (c) => {
    const form = await formOf(c);
    authenticateClient(c, form);
    switch (form.grant_type) {
      case "authorization_code":
        return c.json(await redeem(sandbox, c, form));
      case "refresh_token":
        return c.json(refresh(sandbox, c, required(form, "refresh_token")));
      case undefined:
        throw new OAuthError("invalid_request", "Missing required parameter: grant_type");
      default:
        throw new OAuthError("unsupported_grant_type", `Invalid grant_type: ${form.grant_type}`);
    }
  });

  app.post("/revoke", async (c) => {
    const token = (await formOf(c)).token ?? c.req.query("token") ?? "";
    const owner = sandbox.db.first<{ account_id: string }>(
      `SELECT g.account_id FROM youtube_tokens t JOIN youtube_grants g ON g.id = t.grant_id
       WHERE t.token = ? AND g.is_dead = 0`,
      token,
    );
    if (!owner) throw new OAuthError("invalid_token", "Token expired or revoked");
    killAccount(sandbox, owner.account_id);
    return c.json({});
  });

  app.onError((error, c) => {
    const known = error instanceof OAuthError ? error : new OAuthError("internal_failure", error.message, 500);
    return c.json({ error: known.error, error_description: known.message }, known.status);
  });
  return app;
}

/** Client credentials in form fields, or in the header as some clients send them. */
function authenticateClient(c: YoutubeContext, form: Record<string, string>): void {
  const [, basic] = /^Basic (\S+)$/i.exec(c.req.header("authorization") ?? "") ?? [];
  const [id, secret] = basic === undefined ? [form.client_id, form.client_secret] : atob(basic).split(":");
  if (id !== CLIENT_ID) throw new OAuthError("invalid_client", "The OAuth client was not found.", 401);
  if (secret !== CLIENT_SECRET) throw new OAuthError("invalid_client", "Unauthorized", 401);
}

function required(form: Record<string, string>, name: string): string {
  const value = form[name];
  if (!value) throw new OAuthError("invalid_request", `Missing required parameter: ${name}`);
  return value;
}

async function redeem(sandbox: Sandbox, c: YoutubeContext, form: Record<string, string>) {
  const code = required(form, "code");
  const redirectUri = required(form, "redirect_uri");
  const verifier = form.code_verifier ?? "";
  const challenges: Record<string, string> = { plain: verifier, S256: await sha256(verifier) };
  // No await from here on: if two calls use one code, the second fails.
  type Code = {
    grant_id: number;
    redirect_uri: string;
    challenge: string | null;
    method: string | null;
    is_lasting: number;
    expires_at: number;
  };
  const found = sandbox.db.first<Code>(
    "UPDATE youtube_codes SET is_used = 1 WHERE code = ? AND is_used = 0 RETURNING *",
    code,
  );
  if (!found || found.expires_at <= sandbox.now() || c.env.call.fault?.kind === "expire_token") {
    throw invalidGrant("Bad Request");
  }
  if (found.redirect_uri !== redirectUri) throw new OAuthError("redirect_uri_mismatch", "Bad Request");
  if (found.challenge === null ? verifier !== "" : verifier === "") {
    throw invalidGrant(found.challenge === null ? "code_verifier is not needed." : "Missing code verifier.");
  }
  if (found.challenge !== null && challenges[found.method ?? "plain"] !== found.challenge) {
    throw invalidGrant("Invalid code verifier.");
  }
  const lasting = found.is_lasting === 1 ? lastingToken(sandbox, found.grant_id) : {};
  return { ...access(sandbox, found.grant_id), ...lasting, ...identity(sandbox, found.grant_id) };
}

/** The id token, if `openid` was requested. It is not signed. */
function identity(sandbox: Sandbox, grantId: number): { id_token?: string } {
  const grant = sandbox.db.first<{ account_id: string; scopes: string }>(
    "SELECT account_id, scopes FROM youtube_grants WHERE id = ?",
    grantId,
  );
  if (!grant?.scopes.split(" ").includes("openid")) return {};
  const now = Math.floor(sandbox.now() / 1000);
  const claims = {
    iss: "https://accounts.google.com",
    aud: CLIENT_ID,
    azp: CLIENT_ID,
    iat: now,
    exp: now + 3600,
    sub: numberOf(grant.account_id),
  };
  const part = (value: object) =>
    btoa(JSON.stringify(value)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  return { id_token: `${part({ alg: "RS256", typ: "JWT", kid: "sandbox" })}.${part(claims)}.c2FuZGJveA` };
}

/** The 21-digit number of an account, derived from its id. */
function numberOf(accountId: string): string {
  let hash = 0xcbf29ce484222325n;
  for (const char of accountId) hash = BigInt.asUintN(64, (hash ^ BigInt(char.charCodeAt(0))) * 0x100000001b3n);
  return `1${hash.toString().padStart(20, "0")}`;
}

async function sha256(text: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
  return btoa(String.fromCharCode(...digest))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}

function refresh(sandbox: Sandbox, c: YoutubeContext, token: string) {
  type Found = { grant_id: number; expires_at: number | null; is_dead: number; ends_at: number | null };
  const found = sandbox.db.first<Found>(
    `SELECT t.grant_id, t.expires_at, g.is_dead, g.ends_at FROM youtube_tokens t JOIN youtube_grants g ON g.id = t.grant_id
     WHERE t.token = ? AND t.kind = 'refresh'`,
    token,
  );
  const ends = Math.min(found?.expires_at ?? Number.POSITIVE_INFINITY, found?.ends_at ?? Number.POSITIVE_INFINITY);
  const isExpired = ends <= sandbox.now() || c.env.call.fault?.kind === "expire_token";
  if (!found || found.is_dead || isExpired) throw invalidGrant(DEAD);
  return access(sandbox, found.grant_id);
}

function access(sandbox: Sandbox, grantId: number) {
  const grant = sandbox.db.first<{ scopes: string; is_dead: number }>(
    "SELECT scopes, is_dead FROM youtube_grants WHERE id = ?",
    grantId,
  );
  if (!grant || grant.is_dead) throw invalidGrant(DEAD);
  const seconds = sandbox.settings.all.youtube_access_token_seconds;
  const token = `ya29.${randomText(120)}`;
  keep(sandbox, grantId, token, { kind: "access", expiresAt: sandbox.now() + seconds * 1000 });
  return { access_token: token, expires_in: seconds - 1, scope: grant.scopes, token_type: "Bearer" };
}

function lastingToken(sandbox: Sandbox, grantId: number) {
  const { youtube_testing, youtube_grant_seconds } = sandbox.settings.all;
  const token = `1//0g${randomText(90)}`;
  keep(sandbox, grantId, token, { kind: "refresh", expiresAt: youtube_testing ? sandbox.now() + WEEK_MS : null });
  sandbox.db.run(
    `DELETE FROM youtube_tokens WHERE kind = 'refresh' AND token IN (
       SELECT t.token FROM youtube_tokens t JOIN youtube_grants g ON g.id = t.grant_id
       WHERE t.kind = 'refresh' AND g.account_id = (SELECT account_id FROM youtube_grants WHERE id = ?)
       ORDER BY t.created_at DESC, t.rowid DESC LIMIT -1 OFFSET ?)`,
    grantId,
    MOST_REFRESH_TOKENS,
  );
  const limited = youtube_grant_seconds === 0 ? {} : { refresh_token_expires_in: youtube_grant_seconds };
  return { refresh_token: token, ...limited };
}

function keep(
  sandbox: Sandbox,
  grantId: number,
  token: string,
  { kind, expiresAt }: { kind: "access" | "refresh"; expiresAt: number | null },
): void {
  sandbox.db.run(
    "INSERT INTO youtube_tokens (token, grant_id, kind, expires_at, created_at) VALUES (?, ?, ?, ?, ?)",
    token,
    grantId,
    kind,
    expiresAt,
    sandbox.now(),
  );
}
