import { and, eq, gt, lt, sql } from "drizzle-orm";
import { hmac } from "../core/hmac.ts";
import { HOUR, MINUTE } from "../core/time.ts";
import { hex, sha256Hex } from "../core/tokens.ts";
import { insertWhere } from "../db/insert-where.ts";
import type { Deps } from "../service/deps.ts";
import { isKnownBrowser } from "./known-browser.ts";
import { type Entered, enter, findAdmitted } from "./sign-up.ts";
import { signInCodesTable } from "./table.ts";

/**
 * Codes by e-mail: six digits, for ten minutes, five attempts, once, and only in the browser that requested
 * them. An address that may not sign in gets a row without a code, so that the page shows no difference.
 */
const CODE_LIFE_MS = 10 * MINUTE;
const MAX_ATTEMPTS = 5;
/** In an hour: guesses are limited to fifty, and an address to so many messages. */
const MAX_OF_EMAIL = 10;
const MAX_OF_NETWORK = 30;
/** The same for a browser that has signed in to the account before, whatever others request. */
const MAX_OF_KNOWN = 10;

export interface CodeRequest {
  readonly browser: { readonly hash: string; readonly proof: string | null };
  readonly email: string;
  /** The address of the caller; empty if unknown. */
  readonly address: string;
  /** The secret of the invitation link from which the browser continues. */
  readonly invitation: string | null;
}

export type RequestedCode =
  | { readonly kind: "issued"; readonly code: string }
  /** This address has no account, and may not create one. */
  | { readonly kind: "not_admitted" }
  | { readonly kind: "too_many" };

export async function requestCode(deps: Deps, request: CodeRequest, now: number): Promise<RequestedCode> {
  const { directory: db, config } = deps;
  const { email, browser } = request;
  const invitationHash = request.invitation === null ? null : await sha256Hex(request.invitation);
  const person = await findAdmitted(db, config.signUp, { email, invitationHash }, now);
  const isKnown = person.id !== null && (await isKnownBrowser(config.signingKey, person.id, browser));
  const code = newCode();
  const network = request.address === "" ? "" : await sha256Hex(networkOf(request.address));
  const row = {
    id: sql`NULL`,
    browserHash: browser.hash,
    email,
    network,
    codeHash: person.isAdmitted ? await codeHash(config.signingKey, browser.hash, code) : null,
    invitationHash,
    attempts: 0,
    createdAt: now,
    expiresAt: now + CODE_LIFE_MS,
  };
  const since = now - HOUR;
  const hasRoom = isKnown
    ? sql`(SELECT count(*) FROM sign_in_codes
        WHERE email = ${email} AND created_at > ${since} AND browser_hash = ${browser.hash}) < ${MAX_OF_KNOWN}`
    : sql`(SELECT count(*) FROM sign_in_codes WHERE email = ${email} AND created_at > ${since}) < ${MAX_OF_EMAIL}
        AND (${network} = '' OR
          (SELECT count(*) FROM sign_in_codes WHERE network = ${network} AND created_at > ${since}) < ${MAX_OF_NETWORK})`;
  const [inserted] = await insertWhere(db, signInCodesTable, row, hasRoom).returning({ id: signInCodesTable.id });
  if (!inserted) return { kind: "too_many" };
  return person.isAdmitted ? { kind: "issued", code } : { kind: "not_admitted" };
}

export type RedeemedCode =
  | { readonly kind: "signed_in"; readonly entered: Entered }
  | { readonly kind: "wrong"; readonly attemptsLeft: number }
  /**
   * Used, expired, without attempts left, or of another browser; or what admitted the person is over
   * meanwhile.
   */
  | { readonly kind: "over" };

/** An attempt is counted before the code is compared, and the row is deleted by the one that is right. */
export async function redeemCode(deps: Deps, browserHash: string, code: string, now: number): Promise<RedeemedCode> {
  const { directory: db, config } = deps;
  const [row] = await db
    .update(signInCodesTable)
    .set({ attempts: sql`${signInCodesTable.attempts} + 1` })
    .where(
      and(
        sql`${signInCodesTable.id} = (SELECT max(id) FROM sign_in_codes WHERE browser_hash = ${browserHash})`,
        lt(signInCodesTable.attempts, MAX_ATTEMPTS),
        gt(signInCodesTable.expiresAt, now),
      ),
    )
    .returning();
  if (!row) return { kind: "over" };
  // Equal digests of a keyed hash: the time of the comparison shows nothing about the code.
  if (row.codeHash !== (await codeHash(config.signingKey, browserHash, code))) {
    return { kind: "wrong", attemptsLeft: MAX_ATTEMPTS - row.attempts };
  }
  const used = await db.delete(signInCodesTable).where(eq(signInCodesTable.id, row.id)).returning();
  const entered = used.length > 0 ? await enter(db, config.signUp, row, now) : null;
  return entered ? { kind: "signed_in", entered } : { kind: "over" };
}

async function codeHash(signingKey: string, browserHash: string, code: string): Promise<string> {
  return hex(await hmac(signingKey, `sign-in-code ${browserHash} ${code}`));
}

/** Every code is equally likely. */
function newCode(): string {
  for (;;) {
    const [value = 0] = crypto.getRandomValues(new Uint32Array(1));
    if (value < 4_294_000_000) return String(value % 1_000_000).padStart(6, "0");
  }
}

/** The network of an address: an IPv6 customer has a whole /64. */
export function networkOf(address: string): string {
  return address.includes(":") ? address.split(":").slice(0, 4).join(":") : address;
}
