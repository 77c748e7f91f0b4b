import { and, eq } from "drizzle-orm";
import { runBatch, type Statement, writeTogether } from "../db/client.ts";
import { isAmong } from "../db/in-list.ts";
import type { PlatformName } from "../platforms/names.ts";
import type { Deps } from "../service/deps.ts";
import { channelsTable, accountDatabasesTable as table } from "./table.ts";

/**
 * Which databases have an account, of a service with several (docs/decisions/0064). A row of the directory
 * is written before the first channel of the account, and stays until a move takes the last one away: the
 * list may have a database too many, never one too few. Each channel has the length of the list, because
 * acts share the paces of an account.
 */

/** Before channels of these accounts are stored in this database. */
export async function noteDatabase(deps: Deps, platform: PlatformName, accountIds: readonly string[]): Promise<void> {
  await runBatch(deps.directory, notes(deps, platform, accountIds));
}

function notes({ directory, database }: Deps, platform: PlatformName, accountIds: readonly string[]): Statement[] {
  return accountIds.map((accountId) =>
    directory.insert(table).values({ platform, accountId, database }).onConflictDoNothing(),
  );
}

/** After that: every channel of these accounts gets the number of databases. Repeatable. */
export async function shareAccounts(deps: Deps, platform: PlatformName, accountIds: readonly string[]): Promise<void> {
  const { rows } = await writeTogether(deps.directory, {
    // Again: the row may have gone with the last channel that was here (leaveDatabase).
    noted: notes(deps, platform, accountIds),
    rows: selectDatabases(deps, platform, accountIds),
  });
  const shared = [...Map.groupBy(rows, ({ accountId }) => accountId).values()];
  await storeShares(
    deps,
    platform,
    shared.filter((ofAccount) => ofAccount.length > 1),
  );
}

type Homes = readonly { readonly accountId: string; readonly database: number }[];

async function storeShares(deps: Deps, platform: PlatformName, accounts: readonly Homes[]): Promise<void> {
  const changes = accounts.flatMap((ofAccount) =>
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

/**
 * After channels have moved away from this database: it no longer shares the accounts that have no channel
 * here. Repeatable.
 */
export async function leaveDatabase(deps: Deps, platform: PlatformName, accountIds: readonly string[]): Promise<void> {
  const here = await deps.db
    .selectDistinct({ accountId: channelsTable.accountId })
    .from(channelsTable)
    .where(and(eq(channelsTable.platform, platform), isAmong(channelsTable.accountId, accountIds)));
  const left = accountIds.filter((id) => !here.some(({ accountId }) => accountId === id));
  if (left.length === 0) return;
  const { directory, database } = deps;
  const { rows } = await writeTogether(directory, {
    left: directory
      .delete(table)
      .where(and(eq(table.platform, platform), eq(table.database, database), isAmong(table.accountId, left))),
    rows: selectDatabases(deps, platform, left),
  });
  await storeShares(deps, platform, [...Map.groupBy(rows, ({ accountId }) => accountId).values()]);
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
