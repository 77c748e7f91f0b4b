import { requireAnswer } from "../acting/request-answer.ts";
import { toAmount } from "../core/money.ts";
import type { AdAccount, Advertising, BoostTerms, Country, Interest, Reach } from "../platforms/advertising.ts";
import { ACCOUNT, type AdAccess } from "./ad-account.ts";
import { budgetTypeOf, checkTerms } from "./budget.ts";
import { mostSpent } from "./ceiling.ts";
import type { TermsBody, ValidateBudgetBody } from "./schema.ts";

/** What a person chooses from for a boost, and what it would reach and cost. Creates nothing. */

/** The ad accounts that the account owner may spend from. */
export async function listAdAccounts({ ads, context }: AdAccess): Promise<readonly AdAccount[]> {
  return requireAnswer(await ads.accounts(context), "channel_id").accounts;
}

/** Where the account can advertise. */
export async function listCountries({ ads, context }: AdAccess, adAccountId: string): Promise<readonly Country[]> {
  return requireAnswer(await ads.countries(context, adAccountId), ACCOUNT, ACCOUNT).countries;
}

/** The platform's interests that match the words. */
export async function searchInterests(
  { ads, context }: AdAccess,
  { adAccountId, words }: { readonly adAccountId: string; readonly words: string },
): Promise<readonly Interest[]> {
  return requireAnswer(await ads.interests(context, adAccountId, words), "q", ACCOUNT).interests;
}

/** The platform's estimate of how many people such a boost could reach. */
export async function estimateReach({ ads, context }: AdAccess, body: TermsBody): Promise<Reach> {
  return requireAnswer(await ads.reach(context, anyTerms(body, ads.objectives)), "countries", ACCOUNT);
}

export interface CostEstimate {
  readonly currency: string;
  readonly decimals: number;
  /** In whole units: the minimum budget of this kind and duration, and the maximum cost of the campaign. */
  readonly minimum: number;
  readonly most: number;
}

/** Checks whether the account may spend and the budget is enough. Errors: as `checkTerms`. */
export async function estimateCost(advertiser: AdAccess, body: ValidateBudgetBody): Promise<CostEstimate> {
  const { ads } = advertiser;
  const { budgetMinor: _, currency: __, ...rest } = anyTerms(body, ads.objectives);
  const { duration_type, budget, duration: days } = body;
  const wanted = { ...rest, budgetType: budgetTypeOf(duration_type), budget, days };
  const { terms, account, leastMinor } = await checkTerms(advertiser, wanted);
  const { currency, decimals } = account;
  const [minimum, most] = [toAmount(leastMinor, decimals), toAmount(mostSpent(ads, terms), decimals)];
  return { currency, decimals, minimum, most };
}

/** The objective of a boost whose request names none. */
export function standardObjective({ objectives }: Pick<Advertising, "objectives">): BoostTerms["objective"] {
  return objectives.includes("engagement") ? "engagement" : (objectives[0] ?? "engagement");
}

/** Terms for calls in which the budget does not matter. */
function anyTerms(body: TermsBody, objectives: readonly BoostTerms["objective"][]): BoostTerms {
  const { ad_account_id, campaign_objective, countries, interests = [], audience = [] } = body;
  return {
    adAccountId: ad_account_id,
    objective: campaign_objective ?? standardObjective({ objectives }),
    budgetType: "lifetime",
    budgetMinor: 0,
    currency: "",
    days: 7,
    countries,
    interests,
    audiences: audience,
  };
}
