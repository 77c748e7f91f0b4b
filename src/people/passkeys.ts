import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from "@simplewebauthn/server";
import { and, asc, eq, lt, or, sql } from "drizzle-orm";
import type { PasskeyId, PersonId } from "../core/ids.ts";
import { base64Url, fromBase64Url, sha256Hex } from "../core/tokens.ts";
import { type Db, isUniqueViolation, writeTogether } from "../db/client.ts";
import { insertWhere } from "../db/insert-where.ts";
import type { Deps } from "../service/deps.ts";
import { type ChallengeSubject, endOfChallenge, newChallenge } from "./passkey-challenge.ts";
import type { Person } from "./sessions.ts";
import { passkeysTable, usedChallengesTable } from "./table.ts";

/**
 * Passkeys: a person adds one to the account, and signs in with it without naming the account. The
 * authenticator verifies the person (fingerprint, face, PIN), so a passkey alone is enough.
 *
 * `@simplewebauthn/server` verifies what authenticators sign. It loads on first use (docs/decisions/0057).
 */
const MAX_PASSKEYS = 20;
const TIMEOUT_MS = 300_000;
/** Ed25519, ES256 and RS256, in this order. */
const ALGORITHMS = [-8, -7, -257];

/** Where a request comes from: the browser to which challenges are bound, and the address of the page. */
export interface PasskeyPlace {
  readonly browserHash: string;
  /** Such as `https://belfry.example.com`. */
  readonly origin: string;
}

export async function signInOptions(
  { config }: Deps,
  { origin, browserHash }: PasskeyPlace,
  now: number,
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const challenge = await newChallenge(config.signingKey, { purpose: "sign-in", browserHash }, now);
  return { challenge, rpId: hostOf(origin), timeout: TIMEOUT_MS, userVerification: "required" };
}

export interface KnownPasskey {
  readonly id: PasskeyId;
  readonly credentialId: string;
  readonly name: string;
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
}

export async function newPasskeyOptions(
  { config }: Deps,
  { origin, browserHash }: PasskeyPlace,
  person: Person,
  known: readonly KnownPasskey[],
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const subject = { purpose: `add:${person.id}`, browserHash } as const;
  return {
    challenge: await newChallenge(config.signingKey, subject, Date.now()),
    rp: { id: hostOf(origin), name: "Belfry" },
    user: { id: userHandle(person.id), name: person.email, displayName: person.email },
    pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: "public-key", alg })),
    timeout: TIMEOUT_MS,
    excludeCredentials: known.map(({ credentialId }) => ({ type: "public-key", id: credentialId })),
    authenticatorSelection: { residentKey: "required", requireResidentKey: true, userVerification: "required" },
    attestation: "none",
  };
}

/** The person's passkeys, the oldest first. */
export function selectPasskeys(db: Db, personId: PersonId) {
  return db
    .select({
      id: passkeysTable.id,
      credentialId: passkeysTable.credentialId,
      name: passkeysTable.name,
      createdAt: passkeysTable.createdAt,
      lastUsedAt: passkeysTable.lastUsedAt,
    })
    .from(passkeysTable)
    .where(eq(passkeysTable.personId, personId))
    .orderBy(asc(passkeysTable.id))
    .limit(MAX_PASSKEYS);
}

/** `refused`: not signed for this challenge, page and browser, or the challenge was used. */
export type AddedPasskey = "added" | "refused" | "known" | "full";

export interface NewPasskey {
  readonly person: Person;
  readonly answer: RegistrationResponseJSON;
  readonly name: string;
}

export async function addPasskey(
  deps: Deps,
  place: PasskeyPlace,
  { person, answer, name }: NewPasskey,
  now: number,
): Promise<AddedPasskey> {
  const { verifyRegistrationResponse } = await import("@simplewebauthn/server");
  const expected = expectationOf(deps, place, `add:${person.id}`, now);
  const verified = await verifyRegistrationResponse({
    ...expected.options,
    response: answer,
    supportedAlgorithmIDs: ALGORITHMS,
  }).catch(() => null);
  if (!verified?.verified) return "refused";
  const { id, publicKey, counter } = verified.registrationInfo.credential;
  const row = {
    id: sql`NULL`,
    personId: person.id,
    credentialId: id,
    publicKey: base64Url(publicKey),
    counter,
    name,
    createdAt: now,
  };
  const hasRoom = sql`(SELECT count(*) FROM passkeys WHERE person_id = ${person.id}) < ${MAX_PASSKEYS}`;
  try {
    const { added } = await writeTogether(deps.directory, {
      challenge: deps.directory.insert(usedChallengesTable).values(await expected.challenge()),
      added: insertWhere(deps.directory, passkeysTable, row, hasRoom).returning({ id: passkeysTable.id }),
    });
    return added.length > 0 ? "added" : "full";
  } catch (error) {
    if (isUniqueViolation(error, "used_challenges")) return "refused";
    if (isUniqueViolation(error, "passkeys")) return "known";
    throw error;
  }
}

/** The person whom a passkey signs in; null if we do not know it, or it did not sign this challenge. */
export async function redeemPasskey(
  deps: Deps,
  place: PasskeyPlace,
  answer: AuthenticationResponseJSON,
  now: number,
): Promise<PersonId | null> {
  const { directory: db } = deps;
  const [passkey] = await db.select().from(passkeysTable).where(eq(passkeysTable.credentialId, answer.id));
  const publicKey = passkey && fromBase64Url(passkey.publicKey);
  // The authenticator stores for whom it made the key; a row of another account does not count.
  if (!passkey || !publicKey || answer.response.userHandle !== userHandle(passkey.personId)) return null;
  const { verifyAuthenticationResponse } = await import("@simplewebauthn/server");
  const expected = expectationOf(deps, place, "sign-in", now);
  const verified = await verifyAuthenticationResponse({
    ...expected.options,
    response: answer,
    credential: { id: passkey.credentialId, publicKey, counter: passkey.counter },
  }).catch(() => null);
  if (!verified?.verified) return null;
  const { newCounter } = verified.authenticationInfo;
  try {
    const { used } = await writeTogether(db, {
      challenge: db.insert(usedChallengesTable).values(await expected.challenge()),
      // A copy of the authenticator, at the same moment: one of the two is refused.
      used: db
        .update(passkeysTable)
        .set({ counter: newCounter, lastUsedAt: now })
        .where(
          and(
            eq(passkeysTable.id, passkey.id),
            or(lt(passkeysTable.counter, newCounter), sql`${passkeysTable.counter} = 0 AND ${newCounter} = 0`),
          ),
        )
        .returning({ personId: passkeysTable.personId }),
    });
    return used[0]?.personId ?? null;
  } catch (error) {
    if (isUniqueViolation(error, "used_challenges")) return null;
    throw error;
  }
}

/** What an authenticator must have signed, and the challenge that it signed. */
function expectationOf({ config }: Deps, place: PasskeyPlace, purpose: ChallengeSubject["purpose"], now: number) {
  let used: { readonly challenge: string; readonly end: number } | null = null;
  return {
    options: {
      expectedOrigin: place.origin,
      expectedRPID: hostOf(place.origin),
      requireUserVerification: true,
      expectedChallenge: async (challenge: string): Promise<boolean> => {
        const subject = { purpose, browserHash: place.browserHash };
        const end = await endOfChallenge(config.signingKey, subject, challenge, now);
        used = end === null ? null : { challenge, end };
        return end !== null;
      },
    },
    /** The row that uses up the challenge: a second one fails its batch. */
    challenge: async () => {
      if (used === null) throw new Error("No challenge was verified.");
      return { hash: await sha256Hex(used.challenge), expiresAt: used.end };
    },
  };
}

/** Renames a passkey of this person; false if there is none with this id. */
export async function renamePasskey(db: Db, personId: PersonId, id: PasskeyId, name: string): Promise<boolean> {
  const renamed = await db
    .update(passkeysTable)
    .set({ name })
    .where(isOwn(personId, id))
    .returning({ id: passkeysTable.id });
  return renamed.length > 0;
}

/** Removes a passkey of this person; false if there is none with this id. */
export async function removePasskey(db: Db, personId: PersonId, id: PasskeyId): Promise<boolean> {
  const removed = await db.delete(passkeysTable).where(isOwn(personId, id)).returning({ id: passkeysTable.id });
  return removed.length > 0;
}

const isOwn = (personId: PersonId, id: PasskeyId) =>
  and(eq(passkeysTable.id, id), eq(passkeysTable.personId, personId));

/** The relying party: a passkey belongs to a host, whatever its port. */
const hostOf = (origin: string): string => new URL(origin).hostname;

/** The account as authenticators store it. The number of a person says nothing about them. */
const userHandle = (id: PersonId): string => base64Url(new TextEncoder().encode(`person-${id}`));
