import type { Context } from "hono";
import { getCookie, setCookie } from "hono/cookie";
import { HOUR, SECOND } from "../core/time.ts";
import { randomBase62, sha256Hex } from "../core/tokens.ts";
import type { AppEnv } from "../http/environment.ts";
import { apiOrigin } from "../http/origin.ts";
import { formProof, isFormProof, type ProofSubject } from "../pages/form-proof.ts";

/**
 * The person's browser, known by a random cookie. A login returns only to the browser that started it, and a
 * form is accepted only with the token of the cookie and the session. A second cookie keeps the session that
 * was opened last, so a used callback (reload, "back") can lead back to it.
 */
const BROWSER_COOKIE = "belfry_connect_browser";
const SESSION_COOKIE = "belfry_connect_session";
const BROWSER_ID_LENGTH = 32;

export interface Browser {
  readonly id: string;
  readonly hash: string;
}

/** The browser of the request; a new one gets its cookie. */
export async function meetBrowser(c: Context<AppEnv>): Promise<Browser> {
  const id = cookieId(c) ?? randomBase62(BROWSER_ID_LENGTH);
  setCookie(c, BROWSER_COOKIE, id, cookieOptions(c));
  return { id, hash: await sha256Hex(id) };
}

/** Null for a browser without the cookie. */
export async function knownBrowser(c: Context<AppEnv>): Promise<Browser | null> {
  const id = cookieId(c);
  return id === null ? null : { id, hash: await sha256Hex(id) };
}

export function rememberSession(c: Context<AppEnv>, connectToken: string): void {
  setCookie(c, SESSION_COOKIE, connectToken, cookieOptions(c));
}

/** The token of the cookie: it must be checked like any other. */
export function rememberedSession(c: Context<AppEnv>): string | null {
  return getCookie(c, SESSION_COOKIE) ?? null;
}

export async function formToken(c: Context<AppEnv>, browser: Browser, tokenHash: string): Promise<string> {
  return formProof(c.var.deps.config.signingKey, subjectOf(browser.id, tokenHash));
}

export async function isOwnForm(c: Context<AppEnv>, given: string, tokenHash: string): Promise<boolean> {
  const id = cookieId(c);
  return id !== null && isFormProof(c.var.deps.config.signingKey, subjectOf(id, tokenHash), given);
}

const subjectOf = (...secrets: string[]): ProofSubject => ({ purpose: "connect-form", secrets });

function cookieId(c: Context<AppEnv>): string | null {
  const id = getCookie(c, BROWSER_COOKIE);
  return id !== undefined && /^[0-9A-Za-z]{32}$/.test(id) ? id : null;
}

/** Lax, because the return from a platform is a navigation from another site. */
function cookieOptions(c: Context<AppEnv>) {
  const secure = apiOrigin(c).startsWith("https:");
  return { path: "/connect", httpOnly: true, sameSite: "Lax", secure, maxAge: HOUR / SECOND } as const;
}
