import { and, eq } from "drizzle-orm";
import { runBatch, writeTogether } from "../db/client.ts";
import { isAmong } from "../db/in-list.ts";
import type { PlatformName } from "../platforms/names.ts";
import type { Deps } from "../service/deps.ts";
import { channelsTable, accountDatabasesTable as table } from "./table.ts";

/**
 * Which databases have an account, of a service with several (docs/decisions/0064). A row of the directory is
 * written before the first channel of the account, and stays: the list may have a database too many, never
 * one too few. Each channel has the length of the list, because acts share the paces of an account.
 */

/** Before channels of these accounts are stored in this database. */
export async function noteDatabase(deps: Deps, platform: PlatformName, accountIds: readonly string[]): Promise<void> {
  const { directory, database } = deps;
  await runBatch(
    directory,
    accountIds.map((accountId) =>
      directory.insert(table).values({ platform, accountId, database }).onConflictDoNothing(),
    ),
  );
}

/** After that: every channel of these accounts gets the number of databases. Repeatable. */
export async function shareAccounts(deps: Deps, platform: PlatformName, accountIds: readonly string[]): Promise<void> {
  const rows = await selectDatabases(deps, platform, accountIds);
  const shared = [...Map.groupBy(rows, ({ accountId }) => accountId).values()].filter(
    (ofAccount) => ofAccount.length > 1,
  );
  const changes = shared.flatMap((ofAccount) =>
    ofAccount.map(({ accountId, database }) => ({ accountId, database, databases: ofAccount.length })),
  );
  for (const [database, ofDatabase] of Map.groupBy(changes, (change) => change.database)) {
    const { db } = deps.in(database);
    await writeTogether(db, {
      channels: ofDatabase.map(({ accountId, databases }) =>
        db
          .update(channelsTable)
          .set({ databases })
          .where(and(eq(channelsTable.platform, platform), eq(channelsTable.accountId, accountId))),
      ),
    });
  }
}

/** The numbers of the databases that have one of the accounts. One D1 call, in the directory. */
export async function listDatabasesOf(
  deps: Deps,
  platform: PlatformName,
  accountIds: readonly string[],
): Promise<readonly number[]> {
  const rows = await selectDatabases(deps, platform, accountIds);
  return [...new Set(rows.map(({ database }) => database))];
}

function selectDatabases({ directory }: Deps, platform: PlatformName, accountIds: readonly string[]) {
  return directory
    .select({ accountId: table.accountId, database: table.database })
    .from(table)
    .where(and(eq(table.platform, platform), isAmong(table.accountId, accountIds)));
}
