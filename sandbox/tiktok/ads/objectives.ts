// The goals of each objective, the billing event of each goal, and the allowed destinations.

import { BusinessError, badParam } from "../business-errors";

export const OBJECTIVES = [
  "REACH",
  "TRAFFIC",
  "VIDEO_VIEWS",
  "ENGAGEMENT",
  "LEAD_GENERATION",
  "APP_PROMOTION",
  "WEB_CONVERSIONS",
  "PRODUCT_SALES",
  "RF_REACH",
] as const;

/** Objectives that can boost a post. */
const GOALS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  REACH: { REACH: "CPM" },
  TRAFFIC: { CLICK: "CPC", TRAFFIC_LANDING_PAGE_VIEW: "OCPM" },
  VIDEO_VIEWS: { ENGAGED_VIEW: "CPV", ENGAGED_VIEW_FIFTEEN: "CPV" },
  ENGAGEMENT: { FOLLOWERS: "OCPM", PAGE_VISIT: "OCPM" },
};
const PROMOTIONS: Readonly<Record<string, readonly (string | undefined)[]>> = {
  REACH: [undefined, "WEBSITE_OR_DISPLAY"],
  TRAFFIC: ["WEBSITE"],
  VIDEO_VIEWS: [undefined, "WEBSITE_OR_DISPLAY"],
  ENGAGEMENT: [undefined, "WEBSITE_OR_DISPLAY", "EXTERNAL_OR_DISPLAY"],
};
const ALLOW_LISTED = "ENGAGED_VIEW_FIFTEEN";

/** Goals whose ads link to an external page. */
export const WEBSITE_GOALS: readonly string[] = ["CLICK", "TRAFFIC_LANDING_PAGE_VIEW"];

interface Chosen {
  readonly optimization_goal: string;
  readonly billing_event: string;
  readonly promotion_type?: string | undefined;
}

export function checkGoal(objective: string, { optimization_goal: goal, billing_event, promotion_type }: Chosen): void {
  const goals = GOALS[objective];
  if (!goals) throw badParam(`The sandbox has no ad groups for the objective ${objective}.`);
  if (!Object.hasOwn(goals, goal)) throw badParam(`optimization_goal: ${goal} does not go with ${objective}.`);
  if (goal === ALLOW_LISTED) throw new BusinessError("notListed", `optimization_goal: ${goal} is allow-listed.`);
  if (goals[goal] !== billing_event) throw badParam(`billing_event: ${goal} is billed by ${goals[goal]}.`);
  if (PROMOTIONS[objective]?.includes(promotion_type)) return;
  throw badParam(`promotion_type: ${promotion_type ?? "none"} does not go with ${objective}.`);
}
