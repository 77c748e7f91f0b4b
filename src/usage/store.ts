import { and, asc, eq, type SQL, sql } from "drizzle-orm";
import type { PostId, ProjectId } from "../core/ids.ts";
import type { Db, Statement } from "../db/client.ts";
import { isAmong } from "../db/in-list.ts";
import { insertWhere } from "../db/insert-where.ts";
import type { PlatformName } from "../platforms/names.ts";
import type { Charge } from "../platforms/pricing.ts";
import { monthOf } from "./month.ts";
import { costNoticesTable, postCostsTable, type UsedService, usageTable } from "./table.ts";

/**
 * SQL of usage. Every statement adds to a row, in the transaction of what it counts.
 *
 * A charge is reserved before its call: the most that the call can cost. Its answer settles it: the
 * difference is subtracted, once, by the delivery that made the call. If that dies in between, the reserved
 * amount stays.
 */

export interface Use {
  readonly service: UsedService;
  readonly operation: string;
  readonly calls?: number;
  readonly units?: number;
  readonly bytes?: number;
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly micros?: number;
}

const COLUMNS = ["calls", "units", "bytes", "inputTokens", "outputTokens", "micros"] as const;

/** The moment whose month counts, and a condition of the statement. */
export interface When {
  readonly at: number;
  readonly condition?: SQL;
}
const ALWAYS = sql`1`;

/** Adds to the month of `at`, while `condition` holds. */
export function countUse(
  db: Db,
  projectId: ProjectId,
  { service, operation, ...counts }: Use,
  { at, condition = ALWAYS }: When,
): Statement {
  const { calls = 0, units = 0, bytes = 0, inputTokens = 0, outputTokens = 0, micros = 0 } = counts;
  const added = { calls, units, bytes, inputTokens, outputTokens, micros };
  const grown = COLUMNS.map((name) => {
    const column = sql.identifier(usageTable[name].name);
    return [name, sql`usage.${column} + excluded.${column}`] as const;
  });
  return insertWhere(
    db,
    usageTable,
    { projectId, month: monthOf(at), service, operation, ...added },
    condition,
  ).onConflictDoUpdate({
    target: [usageTable.projectId, usageTable.month, usageTable.service, usageTable.operation],
    set: Object.fromEntries(grown),
  });
}

/** Who pays for the calls of a delivery or request. */
export interface Payer {
  readonly projectId: ProjectId;
  readonly platform: PlatformName;
  /** The post that the calls are for; null for none. */
  readonly postId: PostId | null;
}

/** What a call takes from the payer: charges, and the bytes of its files. */
export interface Bill {
  readonly charges: readonly Charge[];
  readonly bytes?: number;
}

/** Charges that were reserved at this moment. */
export interface Reserved {
  readonly charges: readonly Charge[];
  readonly at: number;
}

/** Before the call. One row for each charge, and one more if it is for a post. */
export function reserve(db: Db, payer: Payer, { charges, bytes = 0 }: Bill, when: When): Statement[] {
  return charges.flatMap(({ operation, units, micros }, index) => [
    countUse(
      db,
      payer.projectId,
      { service: payer.platform, operation, calls: 1, units, bytes: index === 0 ? bytes : 0, micros },
      when,
    ),
    ...addToPost(db, payer, { operation, units, micros }, when.condition),
  ]);
}

/** After the answer: subtracts what was reserved at `at` and not charged. */
export function settle(db: Db, payer: Payer, { charges, at }: Reserved, charged: readonly Charge[]): Statement[] {
  return charges.flatMap(({ operation, units, micros }) => {
    const paid = charged.find((one) => one.operation === operation);
    const change = { operation, units: (paid?.units ?? 0) - units, micros: (paid?.micros ?? 0) - micros };
    if (change.units === 0 && change.micros === 0) return [];
    return [
      countUse(db, payer.projectId, { service: payer.platform, ...change }, { at }),
      ...addToPost(db, payer, change),
    ];
  });
}

function addToPost(db: Db, { postId }: Payer, { operation, units, micros }: Charge, condition = ALWAYS): Statement[] {
  if (postId === null || micros === 0) return [];
  return [
    insertWhere(db, postCostsTable, { postId, operation, units, micros }, condition).onConflictDoUpdate({
      target: [postCostsTable.postId, postCostsTable.operation],
      set: { units: sql`post_costs.units + excluded.units`, micros: sql`post_costs.micros + excluded.micros` },
    }),
  ];
}

export function selectPostCosts(db: Db, postId: PostId) {
  return db
    .select({ operation: postCostsTable.operation, units: postCostsTable.units, micros: postCostsTable.micros })
    .from(postCostsTable)
    .where(eq(postCostsTable.postId, postId))
    .orderBy(asc(postCostsTable.operation));
}

export function forgetPostCosts(db: Db, ids: readonly PostId[]): Statement {
  return db.delete(postCostsTable).where(isAmong(postCostsTable.postId, ids));
}

export type UsageRow = typeof usageTable.$inferSelect;

/** What a project used in a month, in a stable order. */
export function selectUsage(db: Db, projectId: ProjectId, month: string) {
  return db
    .select()
    .from(usageTable)
    .where(and(eq(usageTable.projectId, projectId), eq(usageTable.month, month)))
    .orderBy(asc(usageTable.service), asc(usageTable.operation));
}

const KEPT_MONTHS = 24;

/** Deletes the months before the last 24, at most `limit` rows of each table. */
export function forgetOldUsage(db: Db, now: number, limit: number): Statement[] {
  const last = new Date(now);
  const oldest = monthOf(Date.UTC(last.getUTCFullYear(), last.getUTCMonth() - KEPT_MONTHS));
  const keys = sql`SELECT project_id, month, service, operation FROM usage WHERE month < ${oldest} LIMIT ${limit}`;
  const notices = sql`SELECT project_id, month, percent FROM cost_notices WHERE month < ${oldest} LIMIT ${limit}`;
  return [
    db.delete(usageTable).where(sql`(project_id, month, service, operation) IN (${keys})`),
    db.delete(costNoticesTable).where(sql`(project_id, month, percent) IN (${notices})`),
  ];
}
