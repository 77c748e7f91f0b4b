import { and, eq, gt, isNull, lt, type SQL, sql } from "drizzle-orm";
import { hmac } from "../core/hmac.ts";
import { networksOf } from "../core/networks.ts";
import { DAY, HOUR, MINUTE } from "../core/time.ts";
import { hex, sha256Hex } from "../core/tokens.ts";
import { type Allowance, countUse, hasRoom, uncountUse, usedOf } from "../db/allowances.ts";
import { writeTogether } from "../db/client.ts";
import { insertWhere } from "../db/insert-where.ts";
import type { Deps } from "../service/deps.ts";
import { isKnownBrowser } from "./known-browser.ts";
import { type Entered, enter, findAdmitted } from "./sign-up.ts";
import { signInCodesTable } from "./table.ts";

/**
 * Codes by e-mail: for ten minutes, five attempts, once, and only in the browser that requested them. An
 * address that may not sign in gets a row without a code, so that the page shows no difference.
 *
 * Whoever guesses requests many codes that are never used. After ten of an address in a day, browsers that
 * have not signed in to the account get one an hour, with eight digits instead of six: at most a hundred
 * guesses of a hundred million. Unused codes are counted over all addresses as well.
 */
const CODE_LIFE_MS = 10 * MINUTE;
const MAX_ATTEMPTS = 5;
const MAX_OF_EMAIL = 10;
const MAX_OF_EMAIL_A_DAY = 20;
/** In a day without success; beyond, codes are longer and one an hour. */
const FAILURES = 10;
/** In an hour: of an IPv4 address or an IPv6 /64, and of a /48. */
const MAX_OF_NETWORK = 30;
const MAX_OF_SITE = 60;
/** For a browser that has signed in to the account before, in an hour and a day, whatever others request. */
const MAX_OF_KNOWN = 10;
const MAX_OF_KNOWN_A_DAY = 40;
/** Over all addresses in an hour without success: from then on every code is a long one. */
const UNUSUAL = 100;
const SHORT = 6;
const LONG = 8;
/** What a form takes for a code. */
export const CODE_SHAPE = new RegExp(`^(?:\\d{${SHORT}}|\\d{${LONG}})$`);

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
  const { own, site } = networksOf(request.address);
  const [network, siteHash] = await Promise.all([hashed(own), hashed(site)]);
  const codes = [newCode(SHORT), newCode(LONG)] as const;
  const [short, long] = await Promise.all(codes.map((code) => codeHash(config.signingKey, browser.hash, code)));
  const all = codesOfAll(config.signInCodesAnHour);
  const isLong = sql`(${failuresOf(email, now)} >= ${FAILURES} OR ${usedOf(all, now)} >= ${UNUSUAL})`;
  const row = {
    id: sql`NULL`,
    browserHash: browser.hash,
    email,
    network,
    site: siteHash,
    isKnown,
    codeHash: person.isAdmitted ? sql`CASE WHEN ${isLong} THEN ${long} ELSE ${short} END` : null,
    invitationHash,
    attempts: 0,
    usedAt: null,
    createdAt: now,
    expiresAt: now + CODE_LIFE_MS,
  };
  const mayRequest = isKnown
    ? roomOfKnown(email, browser.hash, now)
    : sql`${roomOfStranger({ email, network, site: siteHash }, now)} AND ${hasRoom(all, now)}`;
  const { inserted, counted } = await writeTogether(db, {
    inserted: insertWhere(db, signInCodesTable, row, mayRequest).returning({ codeHash: signInCodesTable.codeHash }),
    counted: isKnown ? null : countUse(db, all, now, sql`changes() > 0`),
  });
  const failures = counted?.[0]?.used ?? 0;
  if (failures === UNUSUAL) deps.log.audit("sign_in_codes_unusual", { failures, hours: 1 });
  const [made] = inserted;
  if (!made) {
    await noteIfFull(deps, all, now);
    return { kind: "too_many" };
  }
  return person.isAdmitted
    ? { kind: "issued", code: made.codeHash === long ? codes[1] : codes[0] }
    : { kind: "not_admitted" };
}

/** Codes without success over all addresses, from browsers that are new to the account. */
const codesOfAll = (most: number): Allowance => ({ key: "sign-in-codes", most, windowMs: HOUR });

/** The operator learns once an hour that strangers get no codes any more. */
async function noteIfFull({ db, log }: Deps, all: Allowance, now: number): Promise<void> {
  const [first] = await countUse(db, all, now, sql`NOT (${hasRoom(all, now)})`);
  if (first && first.used > all.most) log.audit("sign_in_codes_limited", { failures: all.most, hours: 1 });
}

const hashed = async (network: string): Promise<string> => (network === "" ? "" : sha256Hex(network));

/** How many codes of this kind were requested since a time, without those that signed someone in. */
const codesSince = (which: SQL, since: number): SQL<number> =>
  sql`(SELECT count(*) FROM sign_in_codes WHERE ${which} AND created_at > ${since} AND used_at IS NULL)`;

const ofStrangers = (email: string): SQL => sql`email = ${email} AND is_known = 0`;

/** The codes of an address since one of them was used, within a day. */
function failuresOf(email: string, now: number): SQL<number> {
  const success = sql`(SELECT max(id) FROM sign_in_codes
    WHERE email = ${email} AND created_at > ${now - DAY} AND used_at IS NOT NULL)`;
  return codesSince(sql`${ofStrangers(email)} AND id > coalesce(${success}, 0)`, now - DAY);
}

function roomOfStranger(
  { email, network, site }: { readonly email: string; readonly network: string; readonly site: string },
  now: number,
): SQL {
  const [hour, day] = [now - HOUR, now - DAY];
  const isKnownNetwork = sql`${codesSince(sql`network = ${network}`, hour)} < ${MAX_OF_NETWORK}
    AND ${codesSince(sql`site = ${site}`, hour)} < ${MAX_OF_SITE}`;
  const ofHour = codesSince(ofStrangers(email), hour);
  return sql`${ofHour} < ${MAX_OF_EMAIL}
    AND ${codesSince(ofStrangers(email), day)} < ${MAX_OF_EMAIL_A_DAY}
    AND (${failuresOf(email, now)} < ${FAILURES} OR ${ofHour} = 0)
    AND (${network} = '' OR (${isKnownNetwork}))`;
}

function roomOfKnown(email: string, browserHash: string, now: number): SQL {
  const own = sql`email = ${email} AND browser_hash = ${browserHash}`;
  return sql`${codesSince(own, now - HOUR)} < ${MAX_OF_KNOWN} AND ${codesSince(own, now - DAY)} < ${MAX_OF_KNOWN_A_DAY}`;
}

export type RedeemedCode =
  | { readonly kind: "signed_in"; readonly entered: Entered }
  | { readonly kind: "wrong"; readonly attemptsLeft: number }
  /**
   * Used, expired, without attempts left, or of another browser; or what admitted the person is over
   * meanwhile.
   */
  | { readonly kind: "over" };

/** An attempt is counted before the code is compared, and the one that is right uses the code up. */
export async function redeemCode(deps: Deps, browserHash: string, code: string, now: number): Promise<RedeemedCode> {
  const { directory: db, config } = deps;
  const [row] = await db
    .update(signInCodesTable)
    .set({ attempts: sql`${signInCodesTable.attempts} + 1` })
    .where(
      and(
        sql`${signInCodesTable.id} = (SELECT max(id) FROM sign_in_codes WHERE browser_hash = ${browserHash})`,
        lt(signInCodesTable.attempts, MAX_ATTEMPTS),
        isNull(signInCodesTable.usedAt),
        gt(signInCodesTable.expiresAt, now),
      ),
    )
    .returning();
  if (!row) return { kind: "over" };
  // Equal digests of a keyed hash: the time of the comparison shows nothing about the code.
  if (row.codeHash !== (await codeHash(config.signingKey, browserHash, code))) {
    return { kind: "wrong", attemptsLeft: MAX_ATTEMPTS - row.attempts };
  }
  const { used } = await writeTogether(db, {
    used: db
      .update(signInCodesTable)
      .set({ usedAt: now, codeHash: null })
      .where(and(eq(signInCodesTable.id, row.id), isNull(signInCodesTable.usedAt)))
      .returning({ id: signInCodesTable.id }),
    uncounted: row.isKnown ? null : uncountUse(db, codesOfAll(config.signInCodesAnHour), now),
  });
  const entered = used.length > 0 ? await enter(db, config.signUp, row, now) : null;
  return entered ? { kind: "signed_in", entered } : { kind: "over" };
}

async function codeHash(signingKey: string, browserHash: string, code: string): Promise<string> {
  return hex(await hmac(signingKey, `sign-in-code ${browserHash} ${code}`));
}

/** Every code is equally likely. */
function newCode(digits: number): string {
  const codes = 10 ** digits;
  for (;;) {
    const [value = 0] = crypto.getRandomValues(new Uint32Array(1));
    if (value < 2 ** 32 - (2 ** 32 % codes)) return String(value % codes).padStart(digits, "0");
  }
}
