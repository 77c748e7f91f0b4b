import { z } from "zod";
import { toMinor } from "../../../core/money.ts";
import type { Boost, Made, Standing } from "../../advertising.ts";
import type { AccountContext, Failure } from "../../context.ts";
import { maskQuote } from "../../masking.ts";
import { type GraphClient, get } from "../graph.ts";
import { graphTime } from "../times.ts";
import { Amount, adsGraph } from "./api.ts";
import { POST_GONE } from "./errors.ts";
import { metaDecimals } from "./money.ts";

/**
 * The status and the figures of a boost.
 *
 * - The ad's `effective_status` includes its parents, the review and payment. It has no end: an ad set that
 *   has ended stays ACTIVE.
 * - Insights: numbers as strings, the spend in major units with decimals; an empty list before the first
 *   impression. They change for up to 28 days.
 */
const Issue = z.object({
  error_code: z.int().nullish(),
  error_summary: z.string().nullish(),
  error_message: z.string().nullish(),
});

const Ad = z.object({
  effective_status: z.string(),
  ad_review_feedback: z.unknown().optional(),
  issues_info: z.array(Issue).nullish().catch(null),
  adset: z
    .object({
      end_time: z.string().nullish(),
      daily_budget: Amount.nullish(),
      lifetime_budget: Amount.nullish(),
      budget_remaining: Amount.nullish().catch(null),
    })
    .nullish(),
});
type Ad = z.output<typeof Ad>;
const FIELDS =
  "id,effective_status,ad_review_feedback,issues_info,adset{id,end_time,daily_budget,lifetime_budget,budget_remaining}";

const Count = z.union([z.int().nonnegative(), z.string().regex(/^\d{1,15}$/)]).transform(Number);
const Decimal = z
  .union([z.number().nonnegative(), z.string()])
  .transform(String)
  .pipe(z.string().regex(/^\d{1,12}(?:\.\d+)?$/));
const Insights = z.object({
  reach: Count.default(0),
  impressions: Count.default(0),
  spend: Decimal.default("0"),
  account_currency: z.string().nullish(),
});

export async function read(context: AccountContext, boost: Boost, { campaign, ad }: Made): Promise<Standing | Failure> {
  if (campaign === undefined || ad === undefined) return { ...NOTHING, ...PAUSED, kind: "standing", budgetMinor: null };
  const graph = adsGraph(context);
  const known = await graph.read(get(ad, { fields: FIELDS }), Ad);
  if (known.kind === "failed") return known;
  const insights = await readInsights(graph, campaign);
  if (insights.kind === "failed") return insights;
  const [row] = insights.items;
  const results = row
    ? {
        reach: row.reach,
        impressions: row.impressions,
        spendMinor: toMinor(row.spend, metaDecimals(row.account_currency ?? boost.currency)),
      }
    : NOTHING;
  return {
    kind: "standing",
    ...stateOf(known.value, boost, context.now),
    budgetMinor: budgetOf(known.value),
    ...results,
  };
}

const MAX_PAGES = 5;

/** The first page may be empty although the row follows. */
function readInsights(graph: GraphClient, campaign: string) {
  const query = { fields: "reach,impressions,spend,account_currency", date_preset: "maximum" };
  const readPage = (after: string | undefined) => graph.request(get(`${campaign}/insights`, { ...query, after }));
  return graph.listStrictly(readPage, Insights, MAX_PAGES);
}

const NOTHING = { reach: 0, impressions: 0, spendMinor: 0 };
const PAUSED = { state: "paused", reason: null } as const;

/** The budget that is not 0: an ad set has one of the two. */
function budgetOf({ adset }: Ad): number | null {
  return adset?.daily_budget || adset?.lifetime_budget || null;
}

type State = Pick<Standing, "state" | "reason">;

function stateOf(ad: Ad, { endAt }: Pick<Boost, "endAt">, now: number): State {
  const { effective_status: status, adset } = ad;
  if (status === "DELETED") return { state: "deleted", reason: null };
  if (status === "ARCHIVED") return { state: "deleted", reason: "The boost was archived at Meta." };
  if (status === "DISAPPROVED") return { state: "rejected", reason: feedbackOf(ad) };
  if (isPostGone(ad))
    return { state: "rejected", reason: "Meta can no longer show the post. It was deleted or hidden." };
  const end = graphTime(adset?.end_time) || endAt;
  if (end <= now || isSpent(adset)) return { state: "completed", reason: null };
  return stateNow(ad);
}

function stateNow(ad: Ad): State {
  const { effective_status: status } = ad;
  switch (status) {
    case "ACTIVE":
      return { state: "active", reason: issueOf(ad) };
    case "PENDING_REVIEW":
    case "IN_PROCESS":
    case "PREAPPROVED":
      return { state: "in_review", reason: null };
    case "PAUSED":
    case "CAMPAIGN_PAUSED":
    case "ADSET_PAUSED":
      return PAUSED;
    case "PENDING_BILLING_INFO":
      return { state: "paused", reason: "The ad account has no payment method. Add one in Meta Ads Manager." };
    default:
      // It is stopped, but may continue once the problem is fixed.
      return { state: "paused", reason: issueOf(ad) ?? `Meta reports this ad as ${status}.` };
  }
}

/** Only for a lifetime budget: a daily budget returns. */
function isSpent(adset: Ad["adset"]): boolean {
  return Boolean(adset?.lifetime_budget) && adset?.budget_remaining === 0;
}

function isPostGone({ effective_status, issues_info: issues }: Ad): boolean {
  return effective_status === "WITH_ISSUES" && (issues ?? []).some(({ error_code: code }) => POST_GONE.has(code ?? 0));
}

function issueOf({ issues_info: issues }: Ad): string | null {
  const [issue] = issues ?? [];
  const words = issue?.error_message || issue?.error_summary;
  return words ? `Meta's words: “${maskQuote(words)}”` : null;
}

const LONGEST_WORDS = 500;

const Feedback = z.object({ global: z.record(z.string(), z.string()).catch({}) });

/** Policies by name with their texts; entries for single placements repeat them. */
function feedbackOf({ ad_review_feedback: feedback }: Ad): string {
  const policies = Object.entries(Feedback.safeParse(feedback).data?.global ?? {});
  const words = policies.map(([policy, said]) => `${policy.toLowerCase().replaceAll("_", " ")}: ${said}`).join(" ");
  return words
    ? `Meta has rejected the ad. ${words.slice(0, LONGEST_WORDS)}`
    : "Meta has rejected the ad, and gives no reason.";
}
