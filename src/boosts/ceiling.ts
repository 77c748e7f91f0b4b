import { and, eq, type SQL, sql } from "drizzle-orm";
import { type Act, recordDone } from "../audit/store.ts";
import { AppError } from "../core/errors.ts";
import type { ProjectId } from "../core/ids.ts";
import { asMinor, decimalsOf, spoken } from "../core/money.ts";
import { HOUR, SECOND } from "../core/time.ts";
import { type Db, readTogether, runBatch, type Statement } from "../db/client.ts";
import type { AdAccount, Advertising, BoostTerms } from "../platforms/advertising.ts";
import type { Deps } from "../service/deps.ts";
import { campaignTotalsTable, spendCeilingsTable } from "./table.ts";

/** The spend ceiling of a project's campaigns per currency, and the committed spend of all its campaigns. */

type Money = Pick<AdAccount, "currency" | "decimals">;

/** The default ceiling, in minor units, for a project whose operator has set none. */
export function standardCeiling({ config }: Pick<Deps, "config">, { currency, decimals }: Money): number {
  const { spend } = config.quotas;
  return asMinor(spend[currency] ?? spend["*"] ?? 0, decimals);
}

/**
 * True while all campaigns of the project together stay within its ceiling; checked at the end of a
 * transaction.
 */
export function isUnderCeiling(deps: Pick<Deps, "config">, projectId: ProjectId, money: Money): SQL {
  const own = sql`project_id = ${projectId} AND currency = ${money.currency}`;
  const most = sql`coalesce((SELECT most_minor FROM spend_ceilings WHERE ${own}), ${standardCeiling(deps, money)})`;
  return sql`coalesce((SELECT committed_minor FROM campaign_totals WHERE ${own}), 0) <= ${most}`;
}

/** The project's own ceiling, if set, and the committed spend of its campaigns, in minor units. */
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

/** Sets the ceiling, in whole units, with its entry in the audit log. */
export async function setSpendCeiling(
  db: Db,
  { currency, most }: { readonly currency: string; readonly most: number },
  act: Act,
): Promise<void> {
  const ceiling = { projectId: act.projectId, currency, mostMinor: asMinor(most, decimalsOf(currency)) };
  await runBatch(db, [putCeiling(db, ceiling), recordDone(db, act)]);
}

function putCeiling(db: Db, ceiling: typeof spendCeilingsTable.$inferInsert): Statement {
  const { mostMinor } = ceiling;
  return db
    .insert(spendCeilingsTable)
    .values(ceiling)
    .onConflictDoUpdate({
      target: [spendCeilingsTable.projectId, spendCeilingsTable.currency],
      set: { mostMinor },
    });
}

/** The error for a request that would exceed the ceiling. */
export async function overCeiling(deps: Deps, projectId: ProjectId, account: Money): Promise<AppError> {
  const { currency, decimals } = account;
  const { mostMinor, committedMinor } = await readCeiling(deps.db, projectId, currency);
  const [most, used] = [mostMinor ?? standardCeiling(deps, account), committedMinor].map((minor) =>
    spoken(minor, currency, decimals),
  );
  return new AppError(
    "quota_exceeded",
    `The campaigns of this project may cost ${most} together and already commit ${used}; this request would exceed it. Delete other campaigns, or ask the operator of this service for a higher ceiling.`,
    { retryAfterSeconds: HOUR / SECOND },
  );
}

/** The maximum cost of a campaign: the value that committed.ts computes before the campaign starts. */
export function mostSpent(
  ads: Pick<Advertising, "mostMinor">,
  terms: Pick<BoostTerms, "budgetType" | "budgetMinor" | "days">,
): number {
  const { budgetType, budgetMinor, days } = terms;
  // A campaign touches one more calendar day than its duration.
  const daily = { budgetType, budgetMinor, days: days + 1 };
  return budgetType === "lifetime" ? budgetMinor : (ads.mostMinor?.(daily) ?? budgetMinor * daily.days);
}
