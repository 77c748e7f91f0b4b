/** Which members of a project receive its digest by e-mail, and the last day for which each was sent one. */

import { and, eq, isNotNull, isNull, lt, ne, or, sql } from "drizzle-orm";
import type { ProjectId } from "../core/ids.ts";
import type { Db } from "../db/client.ts";
import type { Digest } from "./digest-choices.ts";
import { isMember, type Member } from "./members.ts";
import { membershipsTable, peopleTable } from "./table.ts";

/**
 * False if the person is not a member any more. `lastDay`: the day of the last digest before now; a member
 * who begins to receive it gets the next one.
 */
export async function chooseDigest(
  db: Db,
  member: Member,
  digest: Digest,
  lastDay: string | null = null,
): Promise<boolean> {
  const { digestSentOn: sentOn, digestSince: since } = membershipsTable;
  const isNew = sql`${membershipsTable.digest} = 'off'`;
  const chosen = await db
    .update(membershipsTable)
    .set({
      digest,
      digestSentOn: sql`CASE WHEN ${isNew} THEN coalesce(${lastDay}, ${sentOn}) ELSE ${sentOn} END`,
      digestSince: sql`CASE WHEN ${isNew} THEN NULL ELSE ${since} END`,
      digestRefusedAt: null,
    })
    .where(isMember(member))
    .returning({ digest: membershipsTable.digest });
  return chosen.length > 0;
}

export type DigestReader = Awaited<ReturnType<typeof listDigestReaders>>[number];

/** The members who receive it; at most as many as a project has. */
export function listDigestReaders(db: Db, projectId: ProjectId) {
  return db
    .select({
      personId: membershipsTable.personId,
      email: peopleTable.email,
      language: peopleTable.language,
      digest: membershipsTable.digest,
      sentOn: membershipsTable.digestSentOn,
      since: membershipsTable.digestSince,
    })
    .from(membershipsTable)
    .innerJoin(peopleTable, eq(peopleTable.id, membershipsTable.personId))
    .where(and(eq(membershipsTable.projectId, projectId), ne(membershipsTable.digest, "off")));
}

/** A day (`YYYY-MM-DD`) of a reader's digest, and until when it reports. */
export interface DigestDay {
  readonly day: string;
  readonly until: number;
}

/** Marks the day before the mail is sent: true for one of several runs. */
export async function claimDigest(db: Db, member: Member, { day, until }: DigestDay): Promise<boolean> {
  const isUnsent = or(isNull(membershipsTable.digestSentOn), lt(membershipsTable.digestSentOn, day));
  const claimed = await db
    .update(membershipsTable)
    .set({ digestSentOn: day, digestSince: until })
    .where(and(isMember(member), ne(membershipsTable.digest, "off"), isUnsent))
    .returning({ day: membershipsTable.digestSentOn });
  return claimed.length > 0;
}

/**
 * After the mail server refused the mail for certain: the next digest has what this one had. `refusedAt`: it
 * refused the mail for good, so that it is not sent again today; otherwise the next run sends it.
 */
export async function releaseDigest(
  db: Db,
  { personId, projectId, sentOn, since }: Member & Pick<DigestReader, "sentOn" | "since">,
  day: string,
  refusedAt: number | null,
): Promise<void> {
  const again = refusedAt === null ? { digestSentOn: sentOn } : { digestRefusedAt: refusedAt };
  await db
    .update(membershipsTable)
    .set({ ...again, digestSince: since })
    .where(and(isMember({ personId, projectId }), eq(membershipsTable.digestSentOn, day)));
}

/** The mail server accepts mail to the reader again. */
export async function noteAccepted(db: Db, member: Member): Promise<void> {
  await db
    .update(membershipsTable)
    .set({ digestRefusedAt: null })
    .where(and(isMember(member), isNotNull(membershipsTable.digestRefusedAt)));
}
