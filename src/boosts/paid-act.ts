import type { CampaignId } from "../core/ids.ts";
import { spokenUnits } from "../core/money.ts";
import type { PaidAct } from "../spending/confirm.ts";
import { CreateCampaignBody, UpdateCampaignBody } from "./schema.ts";

/** What a person confirms before an agent's campaign costs money (spending/confirm.ts). */

interface Account {
  readonly currency: string;
  readonly decimals: number;
}

export function paidCreation(body: CreateCampaignBody, { currency, decimals }: Account): PaidAct {
  const { social_post_id: post, duration_type: type, budget, duration: days } = body;
  const most = type === "daily_budget" ? budget * days : budget;
  const money = spokenUnits(most, currency, decimals);
  return {
    operation: "createCampaign",
    question: `Boosting post ${post} spends up to ${money} within ${days} days.`,
    terms: { body },
    isSame: (terms) => isEqual(CreateCampaignBody.safeParse(filled(terms.body)).data, body),
  };
}

export function paidChange(id: CampaignId, body: UpdateCampaignBody): PaidAct {
  return {
    operation: "updateCampaign",
    question: `Changing campaign ${id} can spend money with these terms.`,
    terms: { path: { campaign_id: id }, body },
    isSame: ({ path, body: given }) =>
      idIn(path) === String(id) && isEqual(UpdateCampaignBody.safeParse(filled(given)).data, body),
  };
}

const idIn = (path: unknown): string =>
  typeof path === "object" && path !== null && "campaign_id" in path ? String(path.campaign_id) : "";

/** As the API reads it: null for an optional field means that it is absent. */
function filled(body: unknown): unknown {
  if (typeof body !== "object" || body === null) return body;
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null && value !== undefined));
}

/** Both are outputs of one schema, so their keys have one order. */
const isEqual = (one: object | undefined, other: object): boolean =>
  one !== undefined && JSON.stringify(filled(one)) === JSON.stringify(filled(other));
