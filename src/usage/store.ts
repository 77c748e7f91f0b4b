import { and, asc, eq, type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import type { PostId, ProjectId } from "../core/ids.ts";
import type { Db, Statement } from "../db/client.ts";
import type { Expired } from "../db/expired.ts";
import { isAmong } from "../db/in-list.ts";
import { insertWhere } from "../db/insert-where.ts";
import type { PlatformName } from "../platforms/names.ts";
import { addedUp, type Charge } from "../platforms/pricing.ts";
import { monthOf } from "./month.ts";
import { costNoticesTable, postCostsTable, USAGE_NUMBERS, type UsedService, usageTable } from "./table.ts";

/**
 * SQL of usage. Every statement adds to a row, in the transaction of what it counts.
 *
 * A charge is reserved before its call: the most that the call can cost. Its answer settles it: the
 * difference is subtracted, once, by the delivery that made the call. If that dies in between, the reserved
 * amount stays.
 */

/** What is added to the line of an operation. */
export interface Use extends Partial<Record<(typeof USAGE_NUMBERS)[number], number>> {
  readonly operation: string;
}

/** The moment whose month counts, and a condition of the statement. */
export interface When {
  readonly at: number;
  readonly condition?: SQL;
}
const ALWAYS = sql`1`;

/** Whose usage it is, and of what. */
export interface Used {
  readonly projectId: ProjectId;
  readonly service: UsedService;
}

/** Adds to the month of `at`, while `condition` holds. One written row for all operations. */
export function countUses(
  db: Db,
  { projectId, service }: Used,
  uses: readonly Use[],
  { at, condition = ALWAYS }: When,
): Statement {
  const lines = linesOf(uses, USAGE_NUMBERS);
  const micros = uses.reduce((sum, use) => sum + (use.micros ?? 0), 0);
  const values = { projectId, month: monthOf(at), service, micros, lines };
  return insertWhere(db, usageTable, values, condition).onConflictDoUpdate({
    target: [usageTable.projectId, usageTable.month, usageTable.service],
    set: { micros: sql`usage.micros + excluded.micros`, lines: bothLines(usageTable, USAGE_NUMBERS.length) },
  });
}

/** Lines as they are stored: the numbers of each operation, in this order. */
function linesOf(uses: readonly Use[], numbers: readonly (typeof USAGE_NUMBERS)[number][]): string {
  const byOperation = Map.groupBy(uses, ({ operation }) => operation);
  const lines = [...byOperation].map(([operation, own]) => [
    operation,
    numbers.map((name) => own.reduce((sum, use) => sum + (use[name] ?? 0), 0)),
  ]);
  return JSON.stringify(Object.fromEntries(lines));
}

/** The lines of the stored and of the inserted row, added up. */
function bothLines(table: typeof usageTable | typeof postCostsTable, count: number): SQL<string> {
  const places = Array.from({ length: count }, (_, at) => sql`sum(value ->> ${sql.raw(String(at))})`);
  const all = sql`SELECT key, value FROM json_each(${table.lines}) UNION ALL SELECT key, value FROM json_each(excluded.lines)`;
  const summed = sql`SELECT key, json_array(${sql.join(places, sql`, `)}) AS numbers FROM (${all}) GROUP BY key`;
  return sql`(SELECT json_group_object(key, json(numbers)) FROM (${summed}))`;
}

/** Who pays for the calls of a delivery or request. */
export interface Payer {
  readonly projectId: ProjectId;
  readonly platform: PlatformName;
  /** The post that the calls are for; null for none. */
  readonly postId: PostId | null;
}

/** What calls take from the payer: a charge for each call, and the bytes of its files. */
export type Bill = readonly (Charge & { readonly bytes?: number })[];

/** Charges that were reserved at this moment. */
export interface Reserved {
  readonly charges: Bill;
  readonly at: number;
}

/** Before the calls. One row, and one more if they are for a post and cost something. */
export function reserve(db: Db, payer: Payer, bill: Bill, when: When): Statement[] {
  return add(
    db,
    payer,
    bill.map((charge) => ({ ...charge, calls: 1 })),
    when,
  );
}

/** Subtracts what was reserved for calls that are not made. */
export function release(db: Db, payer: Payer, { charges, at }: Reserved, condition?: SQL): Statement[] {
  const back = charges.map(({ operation, units, micros, bytes = 0 }) => {
    return { operation, calls: -1, units: -units, micros: -micros, bytes: -bytes };
  });
  return charges.length === 0 ? [] : add(db, payer, back, condition ? { at, condition } : { at });
}

/** After the answer: subtracts what was reserved at `at` and not charged. */
export function settle(db: Db, payer: Payer, { charges, at }: Reserved, charged: readonly Charge[]): Statement[] {
  const back = charges.map(({ operation, units, micros }) => ({ operation, units: -units, micros: -micros }));
  const changes = addedUp([...back, ...charged]);
  return changes.length === 0 ? [] : add(db, payer, changes, { at });
}

/** The row of the post first: the condition may read the usage. */
function add(db: Db, { projectId, platform, postId }: Payer, uses: readonly Use[], when: When): Statement[] {
  const costly = uses.filter(({ micros = 0 }) => micros !== 0);
  return [
    ...(postId === null || costly.length === 0 ? [] : [addToPost(db, postId, costly, when.condition)]),
    countUses(db, { projectId, service: platform }, uses, when),
  ];
}

const COST_NUMBERS = ["units", "micros"] as const;

function addToPost(db: Db, postId: PostId, uses: readonly Use[], condition = ALWAYS): Statement {
  const values = { postId, lines: linesOf(uses, COST_NUMBERS) };
  return insertWhere(db, postCostsTable, values, condition).onConflictDoUpdate({
    target: postCostsTable.postId,
    set: { lines: bothLines(postCostsTable, COST_NUMBERS.length) },
  });
}

export function selectPostCosts(db: Db, postId: PostId) {
  return db.select({ lines: postCostsTable.lines }).from(postCostsTable).where(eq(postCostsTable.postId, postId));
}

const Lines = z.record(z.string(), z.array(z.number()));

/** What a post has cost, in a stable order, from the row of `selectPostCosts`. */
export function toPostCosts([row]: readonly { readonly lines: string }[]): readonly Charge[] {
  if (!row) return [];
  const charges = Object.entries(Lines.parse(JSON.parse(row.lines))).map(([operation, [units = 0, micros = 0]]) => {
    return { operation, units, micros };
  });
  return charges.filter(({ units }) => units !== 0).toSorted((a, b) => (a.operation < b.operation ? -1 : 1));
}

export function forgetPostCosts(db: Db, ids: readonly PostId[]): Statement {
  return db.delete(postCostsTable).where(isAmong(postCostsTable.postId, ids));
}

/** One operation of a service. */
export interface UsageLine extends Readonly<Record<(typeof USAGE_NUMBERS)[number], number>> {
  readonly service: UsedService;
  readonly operation: string;
}

/** What a project used in a month, by service. */
export function selectUsage(db: Db, projectId: ProjectId, month: string) {
  return db
    .select({ service: usageTable.service, lines: usageTable.lines })
    .from(usageTable)
    .where(and(eq(usageTable.projectId, projectId), eq(usageTable.month, month)))
    .orderBy(asc(usageTable.service));
}

/** The rows of `selectUsage`, in a stable order. */
export function toUsageLines(
  rows: readonly { readonly service: UsedService; readonly lines: string }[],
): readonly UsageLine[] {
  return rows.flatMap(({ service, lines }) => {
    const ofService = Object.entries(Lines.parse(JSON.parse(lines))).map(([operation, numbers]) => {
      const [calls = 0, units = 0, bytes = 0, inputTokens = 0, outputTokens = 0, micros = 0] = numbers;
      return { service, operation, calls, units, bytes, inputTokens, outputTokens, micros };
    });
    return ofService.toSorted((a, b) => (a.operation < b.operation ? -1 : 1));
  });
}

const KEPT_MONTHS = 24;

/** Deletes the months before the last 24, at most `limit` rows of each table. */
export function expiredUsage(now: number, limit: number): Expired[] {
  const last = new Date(now);
  const oldest = monthOf(Date.UTC(last.getUTCFullYear(), last.getUTCMonth() - KEPT_MONTHS));
  const keys = sql`SELECT project_id, month, service FROM usage WHERE month < ${oldest} LIMIT ${limit}`;
  const notices = sql`SELECT project_id, month, percent FROM cost_notices WHERE month < ${oldest} LIMIT ${limit}`;
  return [
    { table: usageTable, where: sql`(project_id, month, service) IN (${keys})` },
    { table: costNoticesTable, where: sql`(project_id, month, percent) IN (${notices})` },
  ];
}
