import { z } from "zod";
import type { Caller } from "../core/caller.ts";
import { idOf, type ProjectId } from "../core/ids.ts";
import { databaseClaim, readClaims, signClaims } from "../core/signed.ts";
import { SECOND } from "../core/time.ts";
import { randomBase62, sha256Hex } from "../core/tokens.ts";

/**
 * The token of a connection session is signed with its project, issue time and expiry. So an old one is
 * `expired`, and an invented one unknown, without a look-up.
 */
export const SESSION_SECONDS = 900;

const AUDIENCE = "connect";
const RANDOM_LENGTH = 22;

const Claims = z.object({
  aud: z.literal(AUDIENCE),
  project: z.int().positive(),
  /** The number of the project's database (http/named-database.ts). */
  db: z.int().nonnegative().default(0),
  // Seconds, as in a JWT, with milliseconds as a fraction.
  iat: z.number(),
  exp: z.number(),
  jti: z.string(),
});

export interface ConnectToken {
  readonly text: string;
  /** The name of the session in KV and D1; the token itself is not stored. */
  readonly hash: string;
  readonly projectId: ProjectId;
  readonly database: number;
  readonly issuedAt: number;
  readonly expiresAt: number;
}

export function mintConnectToken(
  signingKey: string,
  { projectId, database }: Pick<Caller, "projectId" | "database">,
  now: number,
): Promise<string> {
  return signClaims(signingKey, AUDIENCE, {
    project: projectId,
    ...databaseClaim(database),
    iat: now / SECOND,
    exp: (now + SESSION_SECONDS * SECOND) / SECOND,
    jti: randomBase62(RANDOM_LENGTH),
  });
}

/** Null for any token that was not issued here. An expired one is read like any other. */
export async function readConnectToken(signingKey: string, text: string): Promise<ConnectToken | null> {
  const claims = await readClaims(signingKey, AUDIENCE, Claims, text);
  if (!claims) return null;
  const { project, db: database, iat, exp } = claims;
  return {
    text,
    hash: await sha256Hex(text),
    projectId: idOf<ProjectId>(project),
    database,
    issuedAt: Math.round(iat * SECOND),
    expiresAt: Math.round(exp * SECOND),
  };
}
