import { requireAnswer } from "../../acting/request-answer.ts";
import { ACCOUNT, type AdAccess } from "../../boosts/ad-account.ts";
import { type CostEstimate, estimateCost, estimateReach } from "../../boosts/estimate.ts";
import type { ValidateBudgetBody } from "../../boosts/schema.ts";
import { AppError, invalid } from "../../core/errors.ts";
import { spokenUnits } from "../../core/money.ts";
import type { Reach } from "../../platforms/advertising.ts";
import type { PlatformPost } from "../../platforms/publishing.ts";
import { type Fields, NO_FORM, type ProjectVisit } from "../definition.ts";
import { formKeyOf } from "../form-key.ts";
import { Facts } from "../lists.tsx";
import { Form } from "../parts.tsx";

/** What a campaign would reach and cost, and the form in which a person agrees to that amount. */

export interface Estimated {
  readonly cost: CostEstimate;
  /** Null if the platform has none. */
  readonly reach: Reach | null;
  readonly days: number;
}

/**
 * `live`: the post of a new campaign, which the platform must agree to boost. Errors: those of
 * create-campaign.
 */
export async function estimate(
  advertiser: AdAccess,
  terms: ValidateBudgetBody,
  live: PlatformPost | null,
): Promise<Estimated> {
  const { ads, context } = advertiser;
  const [cost, reach, eligibility] = await Promise.all([
    estimateCost(advertiser, terms),
    estimateReach(advertiser, terms).catch(withoutReach),
    live && ads.eligibility(context, live, terms.ad_account_id),
  ]);
  if (eligibility) {
    const { isEligible, reason } = requireAnswer(eligibility, "social_post_id", ACCOUNT);
    const sentence = `social_post_id: ${reason ?? "The platform does not boost this post."}`;
    if (!isEligible) throw invalid({ social_post_id: [sentence] }, "unsupported_by_platform");
  }
  return { cost, reach, days: terms.duration };
}

/** The estimate of the reach is a help: a campaign starts without it. */
function withoutReach(error: unknown): null {
  if (error instanceof AppError) return null;
  throw error;
}

/** What a person agrees to: the amount, its currency and the days. */
export const agreementOf = ({ cost: { most, currency }, days }: Estimated): string => `${most} ${currency} ${days}`;

const amountOf = ({ decimals, currency }: CostEstimate, amount: number): string =>
  spokenUnits(amount, currency, decimals);

interface Agreement {
  readonly visit: ProjectVisit;
  readonly estimated: Estimated;
  readonly fields: Fields;
  readonly action: string;
  /** Whether the campaign exists. */
  readonly isChange: boolean;
}

/** The same fields again, with the amount that they cost. */
export function Agreement({ visit, estimated, fields, action, isChange }: Agreement) {
  const { estimate: texts, fields: names } = visit.texts.campaigns;
  const { cost, reach, days } = estimated;
  const most = amountOf(cost, cost.most);
  return (
    <section class="card" aria-label={texts.title} id="estimate" aria-live="polite">
      <h2>{texts.title}</h2>
      <Facts
        items={[
          [texts.most, <b class="figure">{most}</b>],
          [texts.reach, reachText(visit, reach)],
          [names.duration, texts.dayCount({ count: days })],
          [texts.minimum, amountOf(cost, cost.minimum)],
        ]}
      />
      <Form visit={visit} action={action} formKey={formKeyOf({ form: { ...NO_FORM, fields } })}>
        {Object.entries(fields)
          .filter(([name]) => !NOT_KEPT.includes(name))
          .flatMap(([name, values]) => values.map((value) => <input type="hidden" name={name} value={value} />))}
        <label class="choice small">
          <input type="checkbox" name="agreed" value={agreementOf(estimated)} required />
          <span>{texts.agree({ amount: most, days })}</span>
        </label>
        <div class="buttons">
          <button class="button first" type="submit">
            {isChange ? texts.save({ amount: most }) : texts.start({ amount: most })}
          </button>
          <a class="button" href="#terms">
            {texts.adjust}
          </a>
        </div>
      </Form>
    </section>
  );
}

/** `form` is the proof and `key` the key, which each form has. */
const NOT_KEPT = ["form", "key", "act", "agreed", "found", "interest_words"];

function reachText({ texts, language }: ProjectVisit, reach: Reach | null): string {
  const { estimate: words } = texts.campaigns;
  if (reach && !reach.isReady) return words.counting;
  const { lower = null, upper = null } = reach ?? {};
  const number = new Intl.NumberFormat(language);
  if (lower === null && upper === null) return words.hidden;
  return words.range({ lower: number.format(lower ?? 0), upper: upper === null ? "?" : number.format(upper) });
}
