import { invalid } from "../core/errors.ts";
import { exactMinor, spoken, toAmount } from "../core/money.ts";
import type { AdAccount, BoostTerms, Objective } from "../platforms/advertising.ts";
import { ACCOUNT, type AdAccess, requireAnswer } from "./ad-account.ts";
import type { UpdateCampaignBody } from "./schema.ts";
import type { Campaign } from "./table.ts";

/** What a boost is to cost and whom to reach, held against the platform's word. */
export interface WantedTerms {
  readonly adAccountId: string;
  readonly objective: Objective;
  readonly budgetType: "daily" | "lifetime";
  /** As the request has it. */
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

/** A budget before its currency is known; the platform is asked about the least that there may be. */
const UNKNOWN_MINOR = 1;

/**
 * Asks the platform about the account and its least budget: one look-up. Errors: a 422 on the field for an
 * account that is not there or may not spend, a budget that its currency does not have or that is too small,
 * an objective that the platform lacks.
 */
export async function checkTerms({ ads, context, channel }: AdAccess, wanted: WantedTerms): Promise<CheckedTerms> {
  const { budget, ...rest } = wanted;
  if (!ads.objectives.includes(wanted.objective)) {
    const sentence = `campaign_objective must be one of ${ads.objectives.join(", ")} on ${channel.platform}, not ${JSON.stringify(wanted.objective)}.`;
    throw invalid({ campaign_objective: [sentence] }, "unsupported_by_platform");
  }
  const asked = { ...rest, budgetMinor: UNKNOWN_MINOR, currency: "" };
  const { account, leastMinor } = requireAnswer(await ads.floor(context, asked), ACCOUNT, ACCOUNT);
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

/** The terms of a campaign after a change that a request wants. */
export function changedTerms({ wantedTerms, decimals }: Campaign, body: UpdateCampaignBody): WantedTerms {
  const { budgetMinor, currency: _, ...rest } = wantedTerms;
  return {
    ...rest,
    budget: body.budget ?? toAmount(budgetMinor, decimals),
    budgetType: body.duration_type ? budgetTypeOf(body.duration_type) : rest.budgetType,
    days: body.duration ?? rest.days,
    countries: body.countries ?? rest.countries,
    // Null clears these.
    interests: body.interests === undefined ? rest.interests : (body.interests ?? []),
    audiences: body.audience === undefined ? rest.audiences : (body.audience ?? []),
    objective: body.campaign_objective ?? rest.objective,
  };
}

export const budgetTypeOf = (type: "daily_budget" | "lifetime_budget") =>
  type === "daily_budget" ? ("daily" as const) : ("lifetime" as const);
