import { DAY } from "../../../core/time.ts";
import type { Boost, BoostTerms, Objective } from "../../advertising.ts";
import type { Failure } from "../../context.ts";
import { rejected } from "../../outcomes.ts";
import { PLACEMENTS } from "./api.ts";
import { toUnits } from "./money.ts";

/**
 * The terms of a boost in TikTok's campaign and ad group. A lifetime budget limits the total cost, and a
 * daily budget does so with its number of days. Both stop by themselves.
 */
export interface Goal {
  readonly kind: "goal";
  readonly objective_type: string;
  readonly optimization_goal: string;
  readonly billing_event: string;
  /** Set if the ad leads to a page, whose address the ad then contains. */
  readonly promotion_type?: "WEBSITE";
}

/** Missing objectives require what a boost does not have: an app, a shop, a form. */
const GOALS: Readonly<Partial<Record<Objective, Goal>>> = {
  awareness: { kind: "goal", objective_type: "REACH", optimization_goal: "REACH", billing_event: "CPM" },
  traffic: {
    kind: "goal",
    objective_type: "TRAFFIC",
    optimization_goal: "CLICK",
    billing_event: "CPC",
    promotion_type: "WEBSITE",
  },
  engagement: { kind: "goal", objective_type: "ENGAGEMENT", optimization_goal: "FOLLOWERS", billing_event: "OCPM" },
  video_views: { kind: "goal", objective_type: "VIDEO_VIEWS", optimization_goal: "ENGAGED_VIEW", billing_event: "CPV" },
};

export const GOAL_OBJECTIVES: readonly Objective[] = ["awareness", "traffic", "engagement", "video_views"];

export function goalOf(objective: Objective): Goal | Failure {
  const named = GOAL_OBJECTIVES.join(", ");
  return (
    GOALS[objective] ??
    rejected(`TikTok cannot boost a post for ${objective}. Choose one of ${named}.`, "unsupported_by_platform")
  );
}

/** `YYYY-MM-DD HH:MM:SS` in UTC. */
export function utcTime(at: number): string {
  return new Date(at).toISOString().slice(0, 19).replace("T", " ");
}

const BUDGET_MODES = { daily: "BUDGET_MODE_DAY", lifetime: "BUDGET_MODE_TOTAL" } as const;

/** TikTok's location ids, by country. */
export type Locations = Readonly<Record<string, string>>;

/** How the budget is spent: fixed once the ad group exists. */
export function budgetModeOf({ budgetType }: Pick<BoostTerms, "budgetType">): string {
  return BUDGET_MODES[budgetType];
}

/** The terms of an ad group that can be changed, beside its budget. */
export function changeableTerms(
  { endAt, days }: Pick<Boost, "endAt" | "days">,
  terms: BoostTerms,
  locations: Locations,
) {
  return {
    location_ids: terms.countries.flatMap((code) => locations[code] ?? []),
    interest_category_ids: terms.interests.map(({ id }) => id),
    audience_ids: [...terms.audiences],
    schedule_end_time: utcTime(endAt + (terms.days - days) * DAY),
  };
}

export function adGroupTerms(boost: Boost, goal: Goal, locations: Locations) {
  const { location_ids, interest_category_ids, audience_ids, schedule_end_time } = changeableTerms(
    boost,
    boost,
    locations,
  );
  return {
    ...(goal.promotion_type ? { promotion_type: goal.promotion_type } : {}),
    placement_type: "PLACEMENT_TYPE_NORMAL",
    placements: PLACEMENTS,
    location_ids,
    // Without age groups TikTok shows it to adults only.
    gender: "GENDER_UNLIMITED",
    ...(interest_category_ids.length === 0 ? {} : { interest_category_ids }),
    ...(audience_ids.length === 0 ? {} : { audience_ids }),
    budget_mode: budgetModeOf(boost),
    budget: toUnits(boost.budgetMinor, boost.currency),
    schedule_type: "SCHEDULE_START_END",
    schedule_start_time: utcTime(boost.startAt),
    schedule_end_time,
    optimization_goal: goal.optimization_goal,
    billing_event: goal.billing_event,
    bid_type: "BID_TYPE_NO_BID",
    pacing: "PACING_MODE_SMOOTH",
  };
}
