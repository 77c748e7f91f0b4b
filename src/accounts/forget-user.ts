import { eq, sql } from "drizzle-orm";
import { type Deps, inEach } from "../service/deps.ts";
import { usersTable } from "./table.ts";

/** Takes the name of a person out of the rows of projects that the person created. Repeatable. */
export async function forgetUser(deps: Deps, email: string): Promise<void> {
  const forgotten = { email: sql`'deleted-' || ${usersTable.id} || '@belfry.invalid'`, name: "Deleted account" };
  for (const { db } of inEach(deps)) await db.update(usersTable).set(forgotten).where(eq(usersTable.email, email));
}
