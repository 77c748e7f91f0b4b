// Logins of Meta's products: the grant (what a user allowed an app), its code, and its tokens. Revoking a
// grant revokes all of its tokens.

import { z } from "zod";
import { callbackOf } from "../oauth";
import { randomText } from "../random";
import type { Sandbox } from "../sandbox";
import type { GraphToken } from "./tokens";

export const LOGIN_TABLES = `
  CREATE TABLE IF NOT EXISTS meta_grants (
    id INTEGER PRIMARY KEY AUTOINCREMENT, app_id TEXT NOT NULL, scopes TEXT NOT NULL, declined TEXT NOT NULL,
    subjects TEXT NOT NULL, dead_subcode INTEGER, created_at INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS meta_codes (
    code TEXT PRIMARY KEY, grant_id INTEGER NOT NULL, redirect_uri TEXT NOT NULL, expires_at INTEGER NOT NULL,
    used INTEGER NOT NULL DEFAULT 0, challenge TEXT, method TEXT);
  CREATE TABLE IF NOT EXISTS meta_tokens (
    token TEXT PRIMARY KEY, grant_id INTEGER NOT NULL, kind TEXT NOT NULL, page_id TEXT, parent TEXT,
    issued_at INTEGER NOT NULL, expires_at INTEGER NOT NULL, dead_subcode INTEGER);
`;

const Strings = z.array(z.string());
export const strings = (json: string): string[] => Strings.parse(JSON.parse(json));

/** A PKCE challenge (RFC 7636). */
export interface Challenge {
  text: string;
  method: "S256" | "plain";
}

interface AllowedLogin {
  appId: string;
  scopes: readonly string[];
  declined?: readonly string[];
  /** The Pages or accounts that the user selected. */
  subjects: readonly string[];
  redirectUri: string;
  challenge?: Challenge | null;
  codeSeconds: number;
  /** Prefix of the code. */
  codePrefix?: string;
}

/** Stores what the user allowed; returns the code for the redirect. */
export function grantLogin(sandbox: Sandbox, login: AllowedLogin): string {
  const now = sandbox.now();
  const grant = sandbox.db.first<{ id: number }>(
    "INSERT INTO meta_grants (app_id, scopes, declined, subjects, created_at) VALUES (?, ?, ?, ?, ?) RETURNING id",
    login.appId,
    JSON.stringify(login.scopes),
    JSON.stringify(login.declined ?? []),
    JSON.stringify(login.subjects),
    now,
  );
  const code = `${login.codePrefix ?? "AQD"}${randomText(120)}`;
  sandbox.db.run(
    "INSERT INTO meta_codes (code, grant_id, redirect_uri, expires_at, challenge, method) VALUES (?, ?, ?, ?, ?, ?)",
    code,
    grant?.id ?? 0,
    login.redirectUri,
    now + login.codeSeconds * 1000,
    login.challenge?.text ?? null,
    login.challenge?.method ?? null,
  );
  return code;
}

export type CodeRow = {
  code: string;
  grant_id: number;
  redirect_uri: string;
  expires_at: number;
  used: number;
  challenge: string | null;
  method: Challenge["method"] | null;
};

/** Finds a code of this app. */
export const findCode = (sandbox: Sandbox, appId: string, code: string) =>
  sandbox.db.first<CodeRow>(
    "SELECT c.* FROM meta_codes c JOIN meta_grants g ON g.id = c.grant_id WHERE c.code = ? AND g.app_id = ?",
    code,
    appId,
  );

export const useCode = (sandbox: Sandbox, { code }: CodeRow) =>
  sandbox.db.run("UPDATE meta_codes SET used = 1 WHERE code = ?", code);

/** The registered redirect addresses are the connect callbacks of all our installations. */
export function isRegisteredRedirect(platform: string, uri: string): boolean {
  return callbackOf(platform, uri)?.hash === "";
}

export type TokenKind = "app" | "short" | "long" | "page";

export interface LoginToken extends GraphToken {
  appId: string;
  kind: TokenKind;
  grantId: number;
  /** The selected Pages or accounts. */
  subjects: string[];
  declined: string[];
  pageId: string | null;
  issuedAt: number;
  /** 0 means that the token never expires. */
  expiresAt: number;
  consentAt: number;
}

/** The app access token. */
export const appToken = (token: string, appId: string): LoginToken => ({
  token,
  appId,
  kind: "app",
  grantId: 0,
  subjects: [],
  scopes: [],
  declined: [],
  pageId: null,
  issuedAt: 0,
  expiresAt: 0,
  consentAt: 0,
  trouble: null,
});

const ENDED = "Error validating access token: ";
const DEAD: Readonly<Record<number, (appId: string) => string>> = {
  458: (appId) => `${ENDED}The user has not authorized application ${appId}.`,
  460: () => `${ENDED}The session has been invalidated because the user changed their password.`,
  463: () => `${ENDED}Session has expired.`,
  467: () => `${ENDED}The session is invalid because the user logged out.`,
  492: () => `${ENDED}The user no longer has a role on this Page.`,
};

type TokenRow = {
  kind: TokenKind;
  grant_id: number;
  page_id: string | null;
  issued_at: number;
  expires_at: number;
  dead_subcode: number | null;
  app_id: string;
  scopes: string;
  declined: string;
  subjects: string;
  grant_dead: number | null;
  consent_at: number;
};

/** Any token that was issued to one of these apps, valid or not; null for any other text. */
export function findIssued(sandbox: Sandbox, token: string, appIds: readonly string[]): LoginToken | null {
  const row = sandbox.db.first<TokenRow>(
    `SELECT t.*, g.app_id, g.scopes, g.declined, g.subjects, g.dead_subcode AS grant_dead, g.created_at AS consent_at
     FROM meta_tokens t JOIN meta_grants g ON g.id = t.grant_id WHERE t.token = ?`,
    token,
  );
  if (!row || !appIds.includes(row.app_id)) return null;
  const isExpired = row.expires_at > 0 && row.expires_at <= sandbox.now();
  const subcode = row.grant_dead ?? row.dead_subcode ?? (isExpired ? 463 : null);
  const message = (code: number) => DEAD[code]?.(row.app_id) ?? `${ENDED}It is no longer valid.`;
  return {
    token,
    appId: row.app_id,
    kind: row.kind,
    grantId: row.grant_id,
    subjects: strings(row.subjects),
    scopes: strings(row.scopes),
    declined: strings(row.declined),
    pageId: row.page_id,
    issuedAt: row.issued_at,
    expiresAt: row.expires_at,
    consentAt: row.consent_at,
    trouble: subcode === null ? null : { subcode, message: message(subcode) },
  };
}

interface NewToken {
  grantId: number;
  kind: TokenKind;
  /** Prefix of the token. */
  prefix: string;
  pageId?: string;
  /** The token that it was exchanged for or derived from. */
  parent?: string;
  /** Null for a token that never expires. */
  lastsMs: number | null;
}

export function issueToken(sandbox: Sandbox, { grantId, kind, prefix, pageId, parent, lastsMs }: NewToken): string {
  const token = `${prefix}${randomText(160)}`;
  const now = sandbox.now();
  sandbox.db.run(
    `INSERT INTO meta_tokens (token, grant_id, kind, page_id, parent, issued_at, expires_at)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
    token,
    grantId,
    kind,
    pageId ?? null,
    parent ?? null,
    now,
    lastsMs === null ? 0 : now + lastsMs,
  );
  return token;
}

export const revokeGrant = (sandbox: Sandbox, { grantId }: LoginToken) =>
  sandbox.db.run("UPDATE meta_grants SET dead_subcode = 458 WHERE id = ?", grantId);

/** Whether an account has a working login of its own at this app. */
export const hasLogin = (sandbox: Sandbox, appId: string, accountId: string): boolean =>
  sandbox.db.first(
    "SELECT 1 FROM meta_grants WHERE app_id = ? AND subjects = ? AND dead_subcode IS NULL LIMIT 1",
    appId,
    JSON.stringify([accountId]),
  ) !== null;

/** Ends what people have allowed an app: of all, or for this account alone. */
export function revokeLogins(sandbox: Sandbox, appId: string, accountId?: string): void {
  sandbox.db.run(
    "UPDATE meta_grants SET dead_subcode = 458 WHERE app_id = ? AND (? IS NULL OR subjects = ?)",
    appId,
    accountId ?? null,
    accountId === undefined ? null : JSON.stringify([accountId]),
  );
}

export const MALFORMED_TOKEN = "Invalid OAuth access token - Cannot parse access token";

/** `debug_token`: the properties of a token. */
export function describeToken(token: LoginToken | null, application: string, userId: string) {
  if (!token) return { is_valid: false, scopes: [], error: { code: 190, message: MALFORMED_TOKEN } };
  const base = { app_id: token.appId, application };
  if (token.kind === "app") return { ...base, type: "APP", is_valid: true, scopes: [] };
  const { trouble, pageId, scopes } = token;
  return {
    ...base,
    type: token.kind === "page" ? "PAGE" : "USER",
    is_valid: trouble === null,
    issued_at: Math.floor(token.issuedAt / 1000),
    expires_at: Math.floor(token.expiresAt / 1000),
    user_id: userId,
    ...(pageId ? { profile_id: pageId } : {}),
    scopes,
    ...(trouble ? { error: { code: 190, message: trouble.message, subcode: trouble.subcode } } : {}),
  };
}
