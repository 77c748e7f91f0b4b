import { z } from "zod";
import { DAY } from "../../../core/time.ts";
import type { Applied, Boost, BoostField, BoostTerms, Made, TermsChange } from "../../advertising.ts";
import type { AccountContext, Failure } from "../../context.ts";
import { PlatformId } from "../../json.ts";
import { rejected } from "../../outcomes.ts";
import { get, post, Success } from "../graph.ts";
import { graphTime } from "../times.ts";
import { type AdsProduct, Amount, adsGraph, toGraphTime } from "./api.ts";
import { budgetForm, sponsorForm, sponsorIn } from "./create-object.ts";
import { needsSponsor, readSponsor, refuseCountries, targetingOf } from "./targeting.ts";

/**
 * Changes the terms of a boost. All terms belong to its ad set and are sent in one call, with only the
 * differences: Meta allows four budget changes per hour, and reviews a changed targeting again.
 *
 * - The objective and the type of budget belong to the campaign and cannot be changed.
 */
export const CHANGEABLE: ReadonlySet<BoostField> = new Set([
  "budget",
  "duration",
  "countries",
  "interests",
  "audience",
]);

const Ids = z.array(z.object({ id: PlatformId })).nullish();
const Interests = z.object({ interests: Ids });
const Targeting = Interests.extend({
  geo_locations: z.object({ countries: z.array(z.string()).nullish() }).nullish(),
  flexible_spec: z.array(Interests).nullish(),
  custom_audiences: Ids,
});
const AdSet = z.object({
  daily_budget: Amount.nullish(),
  lifetime_budget: Amount.nullish(),
  end_time: z.string().nullish(),
  targeting: Targeting.nullish().catch(null),
});
type AdSet = z.output<typeof AdSet>;
const FIELDS = "id,daily_budget,lifetime_budget,end_time,targeting";

/** A product, and the account that it acts for. */
interface Ads {
  readonly product: AdsProduct;
  readonly context: AccountContext;
}

export async function change(
  ads: Ads,
  boost: Boost,
  adset: Made["adset"],
  { wanted, progress }: TermsChange,
): Promise<Applied> {
  const refusal = refuse(boost, wanted);
  if (refusal) return refusal;
  // Objects that do not exist yet are created with the new terms.
  if (adset === undefined) return { kind: "done" };
  const graph = adsGraph(ads.context);
  const read = await graph.read(get(adset, { fields: FIELDS }), AdSet);
  if (read.kind === "failed") return read;
  const form = await differences(ads, boost, read.value, { wanted, progress });
  if (form.kind === "failed") return form;
  if (Object.keys(form.fields).length === 0) return { kind: "done" };
  const changed = await graph.read(post(adset, form.fields), Success);
  return changed.kind === "failed" ? changed : { kind: "done" };
}

function refuse(boost: Boost, wanted: BoostTerms): Failure | null {
  if (wanted.objective !== boost.objective)
    return rejected(
      "The objective of a campaign cannot be changed at Meta. Delete the campaign and boost the post again.",
    );
  if (wanted.budgetType !== boost.budgetType) {
    return rejected(
      "Meta cannot change between a daily and a lifetime budget. Delete the campaign and boost the post again.",
    );
  }
  return refuseCountries(wanted);
}

type Differences = { readonly kind: "fields"; readonly fields: Readonly<Record<string, string>> } | Failure;

async function differences(
  { product, context }: Ads,
  { endAt: liveEndAt, days }: Boost,
  known: AdSet,
  { wanted, progress }: TermsChange,
): Promise<Differences> {
  const endAt = liveEndAt + (wanted.days - days) * DAY;
  const budget = wanted.budgetType === "daily" ? known.daily_budget : known.lifetime_budget;
  const isSameEnd = Math.floor(graphTime(known.end_time) / 1000) === Math.floor(endAt / 1000);
  const times = {
    ...(budget === wanted.budgetMinor ? {} : budgetForm(wanted)),
    ...(isSameEnd ? {} : { end_time: toGraphTime(endAt) }),
  };
  if (isSameTargeting(known.targeting, wanted)) return { kind: "fields", fields: times };
  let sponsor = sponsorIn(progress);
  if (sponsor === null && needsSponsor(wanted)) {
    const found = await readSponsor(product, context, wanted.adAccountId);
    if (found.kind === "failed") return found;
    sponsor = found.name;
  }
  return {
    kind: "fields",
    fields: { ...times, targeting: targetingOf(wanted, product), ...sponsorForm(sponsor) },
  };
}

function isSameTargeting(known: AdSet["targeting"], { countries, interests, audiences }: BoostTerms): boolean {
  if (!known) return false;
  const groups = known.flexible_spec ?? [];
  const knownInterests = [...(known.interests ?? []), ...groups.flatMap((group) => group.interests ?? [])];
  return (
    isSameSet(known.geo_locations?.countries ?? [], countries) &&
    isSameSet(idsOf(knownInterests), idsOf(interests)) &&
    isSameSet(idsOf(known.custom_audiences ?? []), audiences)
  );
}

const idsOf = (things: readonly { readonly id: string }[]): string[] => things.map(({ id }) => id);

function isSameSet(one: readonly string[], other: readonly string[]): boolean {
  const [a, b] = [new Set(one), new Set(other)];
  return a.size === b.size && [...a].every((id) => b.has(id));
}
