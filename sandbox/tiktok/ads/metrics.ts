// Report metrics. All are derived from the spend, and every value is text.

import { badParam } from "../business-errors";
import { asText, type Currency, inDollars } from "./money";

interface Money {
  /** Minor units. */
  readonly spent: number;
  readonly currency: Currency;
}

/** Totals for the period and the ads of one report row. */
export interface Figures extends Money {
  /** Names of the row's object; empty if the row covers several. */
  readonly names: Readonly<Record<string, string>>;
}

const IMPRESSIONS_A_DOLLAR = 428;
/** People see ads repeatedly: twice as many impressions reach less than twice as many people. */
const REACH_EXPONENT = 0.985;

export const impressionsOf = ({ spent, currency }: Money): number =>
  Math.floor(inDollars(spent, currency) * IMPRESSIONS_A_DOLLAR);
export const reachOf = (money: Money): number => Math.floor(impressionsOf(money) ** REACH_EXPONENT);
const share = (part: number) => (figures: Figures) => Math.floor(impressionsOf(figures) * part);

const COUNTS: Readonly<Record<string, (figures: Figures) => number>> = {
  impressions: impressionsOf,
  reach: reachOf,
  clicks: share(0.0145),
  video_play_actions: share(0.92),
  video_watched_2s: share(0.41),
  video_watched_6s: share(0.18),
  engaged_view: share(0.18),
  engagements: share(0.034),
  likes: share(0.021),
  comments: share(0.0017),
  shares: share(0.0012),
  follows: share(0.0009),
  profile_visits: share(0.0058),
};
const clicks = share(0.0145);

const OTHERS: Readonly<Record<string, (figures: Figures) => string>> = {
  spend: ({ spent, currency }) => asText(spent, currency),
  cpc: (figures) => ratio(figures.spent, clicks(figures), figures.currency),
  cpm: (figures) => ratio(figures.spent * 1000, impressionsOf(figures), figures.currency),
  ctr: (figures) => quotient(clicks(figures) * 100, impressionsOf(figures)),
  frequency: (figures) => quotient(impressionsOf(figures), reachOf(figures)),
  currency: ({ currency }) => currency,
  campaign_name: ({ names }) => names.campaign_name ?? "-",
  adgroup_name: ({ names }) => names.adgroup_name ?? "-",
  ad_name: ({ names }) => names.ad_name ?? "-",
  campaign_id: ({ names }) => names.campaign_id ?? "-",
  adgroup_id: ({ names }) => names.adgroup_id ?? "-",
};

const quotient = (of: number, by: number): string => (by === 0 ? "0.00" : (of / by).toFixed(2));
const ratio = (minor: number, by: number, currency: Currency): string =>
  by === 0 ? asText(0, currency) : asText(minor / by, currency);

/** The requested metrics; rejects an unknown name. */
export function metricsOf(figures: Figures, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.map((name) => {
      if (Object.hasOwn(COUNTS, name)) return [name, String(COUNTS[name]?.(figures) ?? 0)];
      if (Object.hasOwn(OTHERS, name)) return [name, OTHERS[name]?.(figures) ?? "-"];
      throw badParam(`metrics: ${name} is not a metric.`);
    }),
  );
}
