import { z } from "zod";
import { databaseClaim, readClaims, signClaims } from "../core/signed.ts";
import { SECOND } from "../core/time.ts";
import { randomBase62 } from "../core/tokens.ts";
import type { LoginName } from "./logins.ts";
import type { ConnectToken } from "./token.ts";

/**
 * The `state` of an authorization request is signed with its login, browser and expiry, so a forged one, or
 * one from another browser, is refused before any look-up. Its row in D1 makes it work only once.
 */
const AUDIENCE = "oauth-state";
const RANDOM_LENGTH = 32;
/** Characters of the hash of the browser's cookie: enough to distinguish browsers. */
const BROWSER_LENGTH = 32;

const Claims = z.object({
  aud: z.literal(AUDIENCE),
  platform: z.string(),
  browser: z.string(),
  exp: z.number(),
  jti: z.string(),
});

export interface BegunLogin {
  readonly name: LoginName;
  /** Hash of the browser's cookie. */
  readonly browserHash: string;
}

export function mintState(
  signingKey: string,
  login: BegunLogin,
  { expiresAt, database }: Pick<ConnectToken, "expiresAt" | "database">,
): Promise<string> {
  return signClaims(signingKey, AUDIENCE, {
    ...databaseClaim(database),
    platform: login.name,
    browser: login.browserHash.slice(0, BROWSER_LENGTH),
    exp: expiresAt / SECOND,
    jti: randomBase62(RANDOM_LENGTH),
  });
}

/**
 * `own`: valid for this login and browser; `over` after its time. `unknown`: forged, or for another login.
 */
export async function judgeState(
  signingKey: string,
  text: string,
  login: BegunLogin,
  now: number,
): Promise<"own" | "over" | "foreign" | "unknown"> {
  const claims = await readClaims(signingKey, AUDIENCE, Claims, text);
  if (claims?.platform !== login.name) return "unknown";
  if (claims.browser !== login.browserHash.slice(0, BROWSER_LENGTH)) return "foreign";
  return claims.exp * SECOND <= now ? "over" : "own";
}
