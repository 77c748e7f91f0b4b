import { and, eq, gt } from "drizzle-orm";
import type { PersonId, ProjectId } from "../core/ids.ts";
import { HOUR } from "../core/time.ts";
import { randomBase62, sha256Hex } from "../core/tokens.ts";
import type { Db } from "../db/client.ts";
import { peopleTable, signInLinksTable } from "./table.ts";

/** Links that sign in once, for an hour. Only the operator creates them (operator-routes.ts). */
const LINK_LIFE_MS = HOUR;
const SECRET_LENGTH = 43;

export interface LinkRequest {
  readonly personId: PersonId;
  readonly projectId: ProjectId | null;
}

/** The secret of the link, which is not stored. */
export async function createLink(db: Db, request: LinkRequest, now: number): Promise<string> {
  const secret = randomBase62(SECRET_LENGTH);
  await db
    .insert(signInLinksTable)
    .values({ ...request, hash: await sha256Hex(secret), expiresAt: now + LINK_LIFE_MS });
  return secret;
}

/** The address of the person whom a link signs in; null if it was used or has expired. */
export async function findLink(db: Db, secret: string, now: number): Promise<{ readonly email: string } | null> {
  const [link] = await db
    .select({ email: peopleTable.email })
    .from(signInLinksTable)
    .innerJoin(peopleTable, eq(peopleTable.id, signInLinksTable.personId))
    .where(and(eq(signInLinksTable.hash, await sha256Hex(secret)), gt(signInLinksTable.expiresAt, now)));
  return link ?? null;
}

/** Uses the link. Of two concurrent calls one gets null. */
export async function redeemLink(db: Db, secret: string, now: number): Promise<LinkRequest | null> {
  const [link] = await db
    .delete(signInLinksTable)
    .where(and(eq(signInLinksTable.hash, await sha256Hex(secret)), gt(signInLinksTable.expiresAt, now)))
    .returning({ personId: signInLinksTable.personId, projectId: signInLinksTable.projectId });
  return link ?? null;
}
