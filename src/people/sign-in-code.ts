import { and, eq, gt, lt, or, sql } from "drizzle-orm";
import { hmac } from "../core/hmac.ts";
import type { PersonId } from "../core/ids.ts";
import { HOUR, MINUTE } from "../core/time.ts";
import { hex, sha256Hex } from "../core/tokens.ts";
import { type Db, readTogether } from "../db/client.ts";
import { insertWhere } from "../db/insert-where.ts";
import type { Deps } from "../service/deps.ts";
import { invitationsTable, peopleTable, signInCodesTable } from "./table.ts";

/**
 * Codes by e-mail: six digits, for ten minutes, five attempts, once, and only in the browser that requested
 * them. An address that may not sign in gets a row without a code, so that the page shows no difference.
 */
const CODE_LIFE_MS = 10 * MINUTE;
const MAX_ATTEMPTS = 5;
/** In an hour: guesses are limited to fifty, and an address to so many messages. */
const MAX_OF_EMAIL = 10;
const MAX_OF_NETWORK = 30;

export interface CodeRequest {
  readonly browserHash: string;
  readonly email: string;
  /** The address of the caller; empty if unknown. */
  readonly address: string;
  /** The token of an invitation link that the browser opened. */
  readonly invitation: string | null;
}

export type RequestedCode =
  | { readonly kind: "issued"; readonly code: string }
  /** This address has no account, and may not create one. */
  | { readonly kind: "not_admitted" }
  | { readonly kind: "too_many" };

export async function requestCode(deps: Deps, request: CodeRequest, now: number): Promise<RequestedCode> {
  const { db, config } = deps;
  const { email, browserHash } = request;
  const isAdmitted = await mayEnter(deps, request, now);
  const code = newCode();
  const network = request.address === "" ? "" : await sha256Hex(networkOf(request.address));
  const row = {
    browserHash,
    email,
    network,
    codeHash: isAdmitted ? await codeHash(config.signingKey, browserHash, code) : null,
    attempts: 0,
    createdAt: now,
    expiresAt: now + CODE_LIFE_MS,
  };
  const since = now - HOUR;
  const hasRoom = sql`(SELECT count(*) FROM sign_in_codes WHERE email = ${email} AND created_at > ${since}) < ${MAX_OF_EMAIL}
    AND (${network} = '' OR
      (SELECT count(*) FROM sign_in_codes WHERE network = ${network} AND created_at > ${since}) < ${MAX_OF_NETWORK})`;
  const [inserted] = await insertWhere(db, signInCodesTable, { ...row, id: sql`NULL` }, hasRoom).returning({
    id: signInCodesTable.id,
  });
  if (!inserted) return { kind: "too_many" };
  return isAdmitted ? { kind: "issued", code } : { kind: "not_admitted" };
}

/** `SIGN_UP` decides whether an address without an account may create one. */
async function mayEnter({ db, config }: Deps, { email, invitation }: CodeRequest, now: number): Promise<boolean> {
  if (config.signUp === "open") return true;
  const hash = invitation === null ? "" : await sha256Hex(invitation);
  const isOpenTo = or(
    eq(invitationsTable.email, email),
    and(eq(invitationsTable.hash, hash), sql`${invitationsTable.email} IS NULL`),
  );
  const { people, invitations } = await readTogether(db, {
    people: db.select({ id: peopleTable.id }).from(peopleTable).where(eq(peopleTable.email, email)),
    invitations: db
      .select({ id: invitationsTable.id })
      .from(invitationsTable)
      .where(and(isOpenTo, gt(invitationsTable.expiresAt, now)))
      .limit(1),
  });
  return people.length > 0 || (config.signUp === "invited" && invitations.length > 0);
}

export type RedeemedCode =
  | { readonly kind: "signed_in"; readonly email: string }
  | { readonly kind: "wrong"; readonly attemptsLeft: number }
  /** Used, expired, without attempts left, or of another browser. */
  | { readonly kind: "over" };

/** An attempt is counted before the code is compared, and the row is deleted by the one that is right. */
export async function redeemCode(deps: Deps, browserHash: string, code: string, now: number): Promise<RedeemedCode> {
  const { db, config } = deps;
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
  return used.length > 0 ? { kind: "signed_in", email: row.email } : { kind: "over" };
}

/** The person with this address, created if there is none. */
export async function ensurePerson(db: Db, email: string, now: number): Promise<PersonId> {
  const [person] = await db
    .insert(peopleTable)
    .values({ email, createdAt: now })
    .onConflictDoUpdate({ target: peopleTable.email, set: { email } })
    .returning({ id: peopleTable.id });
  if (!person) throw new Error("D1 returned no id for a person.");
  return person.id;
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

/** An IPv6 customer has a whole /64. */
function networkOf(address: string): string {
  return address.includes(":") ? address.split(":").slice(0, 4).join(":") : address;
}
