import type { Context } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import { z } from "zod";
import { DAY, SECOND } from "../core/time.ts";
import { randomBase62, sha256Hex } from "../core/tokens.ts";
import type { AppEnv } from "../http/environment.ts";
import { apiOrigin } from "../http/origin.ts";
import type { ProofSubject } from "../pages/form-proof.ts";
import { SESSION_LIFE_MS } from "../people/sessions.ts";
import type { Flash, NewSession } from "./definition.ts";

/**
 * Five cookies: the session; the browser, to which codes and forms are bound before and after sign-in; the
 * proof that it has signed in before; and, sealed, what the last action reports for the next page, and a
 * sign-in that began at the provider.
 *
 * Over https their names begin with `__Host-`: a browser accepts such a cookie only from this very host,
 * over https. Browsers refuse that prefix over plain http, which only development uses, so the names there
 * lack it.
 */
const NAMES = ["session", "browser", "known", "begun", "flash"] as const;
type Name = (typeof NAMES)[number];

const FLASH_SECONDS = 300;
const BROWSER_ID = /^[0-9A-Za-z]{32}$/;
const SESSION = /^[\w-]{43}$/;
/** Longer than a session: its end is when the proof counts. Browsers cap lifetimes at 400 days. */
const BROWSER_SECONDS = (400 * DAY) / SECOND;

export interface Cookies {
  /** Of a session, which may have ended; null without one. */
  readonly session: string | null;
  readonly browser: string;
  readonly browserHash: string;
  /** That the browser has signed in to an account before (people/known-browser.ts). */
  readonly proof: string | null;
  /** A sign-in that began at the provider, sealed. */
  readonly begun: string | null;
}

/** The cookies of the request; a new browser gets its own. */
export async function readCookies(c: Context<AppEnv>): Promise<Cookies> {
  const known = read(c, "browser");
  const browser = known !== null && BROWSER_ID.test(known) ? known : randomBase62(32);
  if (browser !== known) write(c, "browser", browser, BROWSER_SECONDS);
  const session = read(c, "session");
  return {
    session: session !== null && SESSION.test(session) ? session : null,
    browser,
    browserHash: await sha256Hex(browser),
    proof: read(c, "known"),
    begun: read(c, "begun"),
  };
}

/** Forms are bound to both cookies: a proof from before the sign-in is not valid after it. */
export function proofSubject({ session, browser }: Cookies): ProofSubject {
  return { purpose: "console-form", secrets: [browser, session ?? "-"] };
}

export function keepSession(c: Context<AppEnv>, { cookie, proof }: NewSession): void {
  write(c, "session", cookie, SESSION_LIFE_MS / SECOND);
  write(c, "known", proof, BROWSER_SECONDS);
}

const BEGUN_SECONDS = 600;

export function keepBegun(c: Context<AppEnv>, begun: string | null): void {
  if (begun === null) drop(c, "begun");
  else write(c, "begun", begun, BEGUN_SECONDS);
}

/**
 * Signs the browser out: every cookie of the console but `known`, which names no one and opens nothing. With
 * it, the next sign-in in this browser is no news to the account's owner.
 */
export function dropSession(c: Context<AppEnv>): void {
  for (const name of ["session", "begun", "flash"] as const) drop(c, name);
}

const StoredFlash = z.object({ notice: z.string(), secret: z.string().optional() });

export async function keepFlash(c: Context<AppEnv>, { browserHash }: Cookies, flash: Flash): Promise<void> {
  const sealed = await c.var.deps.sealer.seal(JSON.stringify(flash), flashContext(browserHash));
  write(c, "flash", sealed, FLASH_SECONDS);
}

export async function readFlash(c: Context<AppEnv>, { browserHash }: Cookies): Promise<Flash | null> {
  const sealed = read(c, "flash");
  const text = sealed === null ? null : await c.var.deps.sealer.open(sealed, flashContext(browserHash));
  return text === null ? null : (StoredFlash.safeParse(JSON.parse(text)).data ?? null);
}

export function dropFlash(c: Context<AppEnv>): void {
  if (read(c, "flash") !== null) drop(c, "flash");
}

const flashContext = (browserHash: string): string => `console-flash:${browserHash}`;

function read(c: Context<AppEnv>, name: Name): string | null {
  return getCookie(c, nameOf(c, name)) ?? null;
}

function write(c: Context<AppEnv>, name: Name, value: string, maxAge: number): void {
  setCookie(c, nameOf(c, name), value, { ...options(c), maxAge });
}

function drop(c: Context<AppEnv>, name: Name): void {
  deleteCookie(c, nameOf(c, name), options(c));
}

const isSecure = (c: Context<AppEnv>): boolean => apiOrigin(c).startsWith("https:");
const nameOf = (c: Context<AppEnv>, name: Name): string => `${isSecure(c) ? "__Host-" : ""}belfry_${name}`;

/** Lax: a link in a message opens the console signed in; forms of other sites are refused (routes.tsx). */
function options(c: Context<AppEnv>) {
  return { path: "/", httpOnly: true, sameSite: "Lax", secure: isSecure(c) } as const;
}
