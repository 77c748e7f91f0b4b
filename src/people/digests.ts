/** Which members of a project receive its digest by e-mail, and the last day for which each was sent one. */

import { and, eq, isNull, lt, ne, or } from "drizzle-orm";
import type { ProjectId } from "../core/ids.ts";
import type { Db } from "../db/client.ts";
import type { Digest } from "./digest-choices.ts";
import { isMember, type Member } from "./members.ts";
import { membershipsTable, peopleTable } from "./table.ts";

/** False if the person is not a member any more. */
export async function chooseDigest(db: Db, member: Member, digest: Digest): Promise<boolean> {
  const chosen = await db
    .update(membershipsTable)
    .set({ digest })
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
    })
    .from(membershipsTable)
    .innerJoin(peopleTable, eq(peopleTable.id, membershipsTable.personId))
    .where(and(eq(membershipsTable.projectId, projectId), ne(membershipsTable.digest, "off")));
}

/** Marks the day (`YYYY-MM-DD`) before the mail is sent: true for one of several runs. */
export async function claimDigest(db: Db, member: Member, day: string): Promise<boolean> {
  const isUnsent = or(isNull(membershipsTable.digestSentOn), lt(membershipsTable.digestSentOn, day));
  const claimed = await db
    .update(membershipsTable)
    .set({ digestSentOn: day })
    .where(and(isMember(member), ne(membershipsTable.digest, "off"), isUnsent))
    .returning({ day: membershipsTable.digestSentOn });
  return claimed.length > 0;
}

/** After the mail server refused the mail: the next run sends it. */
export async function releaseDigest(db: Db, member: Member, day: string, sentOn: string | null): Promise<void> {
  await db
    .update(membershipsTable)
    .set({ digestSentOn: sentOn })
    .where(and(isMember(member), eq(membershipsTable.digestSentOn, day)));
}
