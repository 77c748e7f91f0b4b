import { z } from "zod";
import { CreateCampaignBody, UpdateCampaignBody } from "../../boosts/schema.ts";
import type { Campaign } from "../../boosts/table.ts";
import { asUnits } from "../../core/money.ts";
import type { Interest } from "../../platforms/advertising.ts";
import { apiBody, numberIn, orNull } from "../api-body.ts";
import type { Fields } from "../definition.ts";
import { field, fields } from "../fields.ts";

/** The form of a campaign has the fields of the API; here it becomes the body of an operation. */

const text = field(z.string());

const Form = z.object({
  social_post_id: text,
  name: text,
  ad_account_id: text,
  duration_type: text,
  budget: text,
  duration: text,
  countries: fields(z.array(z.string())),
  campaign_objective: text,
  interests: fields(z.array(z.string())),
  audience: text,
  boost_type: text,
});

export function createBody(given: Fields): CreateCampaignBody {
  const { name, boost_type, campaign_objective, social_post_id, ad_account_id, ...form } = Form.parse(given);
  return apiBody(CreateCampaignBody, {
    social_post_id: numberIn(social_post_id),
    ad_account_id,
    ...(name === "" ? {} : { name }),
    ...(boost_type === "" ? {} : { boost_type }),
    ...(campaign_objective === "" ? {} : { campaign_objective }),
    ...termsOf(form),
  });
}

export function updateBody(given: Fields): UpdateCampaignBody {
  const { boost_type, campaign_objective, ...form } = Form.parse(given);
  return apiBody(UpdateCampaignBody, { boost_type: orNull(boost_type), campaign_objective, ...termsOf(form) });
}

type Terms = Pick<
  z.output<typeof Form>,
  "duration_type" | "budget" | "duration" | "countries" | "interests" | "audience"
>;

function termsOf({ duration_type, budget, duration, countries, interests, audience }: Terms) {
  return {
    duration_type,
    budget: numberIn(budget),
    duration: numberIn(duration),
    countries,
    interests: interests.flatMap((one) => interestIn(one) ?? []),
    audience: audience.split(/\s+/).filter((id) => id !== ""),
  };
}

/** An interest as the value of a checkbox: its id, a space and its name. */
export const interestValue = ({ id, name }: Interest): string => `${id} ${name}`;

export function interestIn(value: string): Interest | null {
  const [, id, name] = /^(\S+) (.+)$/s.exec(value) ?? [];
  return id === undefined || name === undefined ? null : { id, name };
}

/** The values with which the form of an existing campaign begins. */
export function valuesOf({ wantedTerms: terms, boostType, decimals }: Campaign): Readonly<Record<string, string[]>> {
  return {
    duration_type: [`${terms.budgetType}_budget`],
    budget: [asUnits(terms.budgetMinor, decimals).toFixed(decimals)],
    duration: [String(terms.days)],
    countries: [...terms.countries],
    campaign_objective: [terms.objective],
    interests: terms.interests.map(interestValue),
    audience: [terms.audiences.join("\n")],
    boost_type: [boostType ?? ""],
  };
}
