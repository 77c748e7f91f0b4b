import { eq, sql } from "drizzle-orm";
import type { ProjectId } from "../core/ids.ts";
import { writeTogether } from "../db/client.ts";
import type { PlatformName } from "../platforms/names.ts";
import type { Deps } from "../service/deps.ts";
import { leaveDatabase, noteDatabase, shareAccounts } from "./account-databases.ts";
import { channelsTable, rateLimitsTable } from "./table.ts";

/**
 * The accounts of a project that moves to another database (projects/moving/), and what they share over
 * projects. Everything is repeatable.
 */
export interface MovedAccount {
  readonly platform: PlatformName;
  readonly accountId: string;
}

export async function listAccounts({ db }: Deps, id: ProjectId): Promise<readonly MovedAccount[]> {
  const { platform, accountId } = channelsTable;
  return db.selectDistinct({ platform, accountId }).from(channelsTable).where(eq(channelsTable.projectId, id));
}

/** Before they are there: a platform's webhook looks for their projects in this database too. */
export async function announceAccounts(to: Deps, accounts: readonly MovedAccount[]): Promise<void> {
  for (const [platform, ids] of byPlatform(accounts)) await noteDatabase(to, platform, ids);
}

/** Limits that are reached go along, and the new database counts as one that has the accounts. */
export async function takeAlong(from: Deps, to: Deps, id: ProjectId, accounts: readonly MovedAccount[]): Promise<void> {
  const own = sql`SELECT platform, account_id FROM channels WHERE project_id = ${id}`;
  const limits = await from.db.select().from(rateLimitsTable).where(sql`(platform, account_id) IN (${own})`);
  await writeTogether(to.db, {
    limits: limits.map((limit) => to.db.insert(rateLimitsTable).values(limit).onConflictDoNothing()),
  });
  for (const [platform, ids] of byPlatform(accounts)) {
    await noteDatabase(to, platform, ids);
    await shareAccounts(to, platform, ids);
  }
}

/** Once its rows are gone there: the database shares no account any more that has no channel in it. */
export async function leaveBehind(from: Deps, accounts: readonly MovedAccount[]): Promise<void> {
  for (const [platform, ids] of byPlatform(accounts)) await leaveDatabase(from, platform, ids);
}

function byPlatform(accounts: readonly MovedAccount[]): ReadonlyMap<PlatformName, readonly string[]> {
  const grouped = Map.groupBy(accounts, ({ platform }) => platform);
  return new Map([...grouped].map(([platform, some]) => [platform, some.map(({ accountId }) => accountId)]));
}
