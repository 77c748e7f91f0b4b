import { eq, sql } from "drizzle-orm";
import type { PersonId } from "../core/ids.ts";
import { MINUTE } from "../core/time.ts";
import type { Db } from "../db/client.ts";
import { peopleTable } from "./table.ts";

const MAX_ATTEMPTS = 10;
const WINDOW_MS = 10 * MINUTE;

/**
 * Counts that the person enters a code of a terminal, before it is compared. False after ten in ten minutes:
 * codes of other people cannot be guessed.
 */
export async function countCodeAttempt(db: Db, personId: PersonId, now: number): Promise<boolean> {
  const isNew = sql`coalesce(${peopleTable.codeAttemptsSince}, 0) <= ${now - WINDOW_MS}`;
  const [row] = await db
    .update(peopleTable)
    .set({
      codeAttempts: sql`CASE WHEN ${isNew} THEN 1 ELSE ${peopleTable.codeAttempts} + 1 END`,
      codeAttemptsSince: sql`CASE WHEN ${isNew} THEN ${now} ELSE ${peopleTable.codeAttemptsSince} END`,
    })
    .where(eq(peopleTable.id, personId))
    .returning({ attempts: peopleTable.codeAttempts });
  return row !== undefined && row.attempts <= MAX_ATTEMPTS;
}
