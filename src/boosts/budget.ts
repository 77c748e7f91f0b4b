import { requireAnswer } from "../acting/request-answer.ts";
import { invalid } from "../core/errors.ts";
import { exactMinor, spoken, toAmount } from "../core/money.ts";
import type { AdAccount, BoostTerms, Objective } from "../platforms/advertising.ts";
import { ACCOUNT, type AdAccess } from "./ad-account.ts";
import type { UpdateCampaignBody } from "./schema.ts";
import type { Campaign } from "./table.ts";

/** The requested budget and audience of a boost, to be checked against the platform. */
export interface WantedTerms {
  readonly adAccountId: string;
  readonly objective: Objective;
  readonly budgetType: "daily" | "lifetime";
  /** In whole units, as the request has it. */
  readonly budget: number;
  readonly days: number;
  readonly countries: readonly string[];
  readonly interests: readonly { readonly id: string; readonly name: string }[];
  readonly audiences: readonly string[];
}

export interface CheckedTerms {
  readonly terms: BoostTerms;
  readonly account: AdAccount;
  readonly leastMinor: number;
}

/** A budget placeholder while the currency is unknown; the call only requests the minimum budget. */
const UNKNOWN_MINOR = 1;

/**
 * Requests the account and its minimum budget from the platform, in one call. Errors, each a 422 on the
 * field: an unknown account, or one that may not spend; a budget that is too small, or impossible in its
 * currency; an objective that the platform lacks.
 */
export async function checkTerms({ ads, context, channel }: AdAccess, wanted: WantedTerms): Promise<CheckedTerms> {
  const { budget, ...rest } = wanted;
  if (!ads.objectives.includes(wanted.objective)) {
    const sentence = `campaign_objective must be one of ${ads.objectives.join(", ")} on ${channel.platform}, not ${JSON.stringify(wanted.objective)}.`;
    throw invalid({ campaign_objective: [sentence] }, "unsupported_by_platform");
  }
  const requested = { ...rest, budgetMinor: UNKNOWN_MINOR, currency: "" };
  const { account, leastMinor } = requireAnswer(await ads.floor(context, requested), ACCOUNT, ACCOUNT);
  if (account.problem !== null) {
    const code = account.isViewOnly ? "permission_missing" : "reference_invalid";
    throw invalid({ [ACCOUNT]: [`${ACCOUNT}: ${account.problem}`] }, code);
  }
  const { currency, decimals } = account;
  const budgetMinor = exactMinor(budget, decimals);
  if (budgetMinor === null) {
    const words = decimals === 0 ? "be a whole number" : `have at most ${decimals} decimals`;
    throw invalid({ budget: [`budget must ${words} in ${currency}, not ${budget}.`] });
  }
  requireLeast(budgetMinor, leastMinor, (least) => {
    const per = wanted.budgetType === "daily" ? "a day" : `for ${wanted.days} days`;
    return `budget must be at least ${spoken(least, currency, decimals)} ${per} there, not ${budget}.`;
  });
  return { terms: { ...rest, budgetMinor, currency }, account, leastMinor };
}

export function requireLeast(budgetMinor: number, leastMinor: number, sentence: (leastMinor: number) => string): void {
  if (budgetMinor < leastMinor) throw invalid({ budget: [sentence(leastMinor)] });
}

/** The terms of a campaign after the requested change. */
export function changedTerms({ wantedTerms, decimals }: Campaign, body: UpdateCampaignBody): WantedTerms {
  const { budgetMinor, currency: _, ...rest } = wantedTerms;
  return {
    ...rest,
    budget: body.budget ?? toAmount(budgetMinor, decimals),
    budgetType: body.duration_type ? budgetTypeOf(body.duration_type) : rest.budgetType,
    days: body.duration ?? rest.days,
    countries: body.countries ?? rest.countries,
    // Null clears these fields.
    interests: body.interests === undefined ? rest.interests : (body.interests ?? []),
    audiences: body.audience === undefined ? rest.audiences : (body.audience ?? []),
    objective: body.campaign_objective ?? rest.objective,
  };
}

export const budgetTypeOf = (type: "daily_budget" | "lifetime_budget") =>
  type === "daily_budget" ? ("daily" as const) : ("lifetime" as const);
