import { and, eq, type SQL, sql } from "drizzle-orm";
import { AppError } from "../core/errors.ts";
import type { ProjectId } from "../core/ids.ts";
import { spoken } from "../core/money.ts";
import { HOUR, SECOND } from "../core/time.ts";
import { type Db, readTogether, type Statement } from "../db/client.ts";
import type { AdAccount, Advertising, BoostTerms } from "../platforms/advertising.ts";
import type { Deps } from "../service/deps.ts";
import { campaignTotalsTable, spendCeilingsTable } from "./table.ts";

/**
 * What the campaigns of a project may cost together, currency by currency, and what they may come to as they
 * are.
 */

type Money = Pick<AdAccount, "currency" | "decimals">;

/** Of a project that its operator has not set a ceiling for, in minor units. */
export function standardCeiling({ config }: Pick<Deps, "config">, { currency, decimals }: Money): number {
  const { spend } = config.quotas;
  return (spend[currency] ?? spend["*"] ?? 0) * 10 ** decimals;
}

/**
 * True while the project's campaigns may cost no more than its ceiling, all together: asked at the end of a
 * transaction.
 */
export function isUnderCeiling(deps: Pick<Deps, "config">, projectId: ProjectId, money: Money): SQL {
  const own = sql`project_id = ${projectId} AND currency = ${money.currency}`;
  const most = sql`coalesce((SELECT most_minor FROM spend_ceilings WHERE ${own}), ${standardCeiling(deps, money)})`;
  return sql`coalesce((SELECT committed_minor FROM campaign_totals WHERE ${own}), 0) <= ${most}`;
}

/** The project's ceiling, where it has one of its own, and what its campaigns come to: minor units. */
export async function readCeiling(db: Db, projectId: ProjectId, currency: string) {
  const { ceilings, totals } = await readTogether(db, {
    ceilings: db
      .select({ mostMinor: spendCeilingsTable.mostMinor })
      .from(spendCeilingsTable)
      .where(and(eq(spendCeilingsTable.projectId, projectId), eq(spendCeilingsTable.currency, currency))),
    totals: db
      .select({ committedMinor: campaignTotalsTable.committedMinor })
      .from(campaignTotalsTable)
      .where(and(eq(campaignTotalsTable.projectId, projectId), eq(campaignTotalsTable.currency, currency))),
  });
  return { mostMinor: ceilings[0]?.mostMinor ?? null, committedMinor: totals[0]?.committedMinor ?? 0 };
}

export function putCeiling(db: Db, ceiling: typeof spendCeilingsTable.$inferInsert): Statement {
  const { mostMinor } = ceiling;
  return db
    .insert(spendCeilingsTable)
    .values(ceiling)
    .onConflictDoUpdate({
      target: [spendCeilingsTable.projectId, spendCeilingsTable.currency],
      set: { mostMinor },
    });
}

/** The refusal of what would pass it. */
export async function overCeiling(deps: Deps, projectId: ProjectId, account: Money): Promise<AppError> {
  const { currency, decimals } = account;
  const { mostMinor, committedMinor } = await readCeiling(deps.db, projectId, currency);
  const [most, used] = [mostMinor ?? standardCeiling(deps, account), committedMinor].map((minor) =>
    spoken(minor, currency, decimals),
  );
  return new AppError(
    "quota_exceeded",
    `The campaigns of this project may cost ${most} together, and come to ${used} already, with what they may still spend; this would pass it. End others, or ask the operator of this service for more.`,
    { retryAfterSeconds: HOUR / SECOND },
  );
}

/** The most that a campaign can cost: what committed.ts says of one that has not begun. */
export function mostSpent(
  ads: Pick<Advertising, "mostMinor">,
  terms: Pick<BoostTerms, "budgetType" | "budgetMinor" | "days">,
): number {
  const { budgetType, budgetMinor, days } = terms;
  // It touches one more calendar day than it has days.
  const daily = { budgetType, budgetMinor, days: days + 1 };
  return budgetType === "lifetime" ? budgetMinor : (ads.mostMinor?.(daily) ?? budgetMinor * daily.days);
}
