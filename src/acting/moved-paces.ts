import { inArray, type SQL, sql } from "drizzle-orm";
import { type Db, type Statement, writeTogether } from "../db/client.ts";
import { rateBucketsTable, rateWaitsTable } from "./table.ts";

/** Paces of a project that moves to another database (projects/moving/). */

/** Its waiters leave their lines while `condition` holds: they join again when they act. */
export const leaveLines = (db: Db, waiters: SQL, condition: SQL): Statement =>
  db.delete(rateWaitsTable).where(sql`(${waiters}) AND ${condition}`);

/** An account of a platform. */
interface Account {
  readonly platform: string;
  readonly accountId: string;
}

/** What the accounts have used of their paces goes along. Repeatable. */
export async function copyPaces(from: Db, to: Db, accounts: readonly Account[]): Promise<void> {
  const prefixes = JSON.stringify(accounts.map(({ platform, accountId }) => `${platform}:${accountId}`));
  const keys = sql`(SELECT used.key FROM json_each(${prefixes}) AS account CROSS JOIN rate_buckets AS used
    ON used.key > account.value || ':' AND used.key < account.value || ';')`;
  const buckets = await from.select().from(rateBucketsTable).where(inArray(rateBucketsTable.key, keys));
  await writeTogether(to, {
    buckets: buckets.map((bucket) =>
      to
        .insert(rateBucketsTable)
        .values(bucket)
        .onConflictDoUpdate({
          target: rateBucketsTable.key,
          set: { fullAt: sql`max(${rateBucketsTable.fullAt}, ${bucket.fullAt})` },
        }),
    ),
  });
}
