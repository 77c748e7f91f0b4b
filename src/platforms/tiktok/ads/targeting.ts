import { z } from "zod";
import type { Advertising, BoostTerms, Country, Interest } from "../../advertising.ts";
import type { AccountContext, Failure } from "../../context.ts";
import { PlatformId } from "../../json.ts";
import { readable } from "../../lists.ts";
import { rejected } from "../../outcomes.ts";
import { apply, PLACEMENTS, read } from "./api.ts";
import { goalOf, type Locations } from "./terms.ts";

/**
 * The audience of a boost: countries by TikTok's location ids, interests from its list. People under 18 are
 * always excluded.
 */

const Regions = z.object({
  region_info: readable(
    z.object({
      location_id: PlatformId,
      name: z.string(),
      region_code: z.string().optional().catch(undefined),
      level: z.string().optional().catch(undefined),
    }),
  ),
});

interface Region extends Country {
  readonly locationId: string;
}

async function readCountries(
  context: AccountContext,
  adAccountId: string,
  objective: string,
): Promise<{ readonly kind: "regions"; readonly regions: readonly Region[] } | Failure> {
  const query = {
    advertiser_id: adAccountId,
    placements: PLACEMENTS,
    objective_type: objective,
    level_range: "TO_COUNTRY",
    language: "en",
  };
  const answer = await read(context, "tool/region", query, Regions);
  if (answer.kind === "failed") return answer;
  const regions = answer.value.region_info.flatMap(({ location_id, name, region_code: code, level = "COUNTRY" }) =>
    code !== undefined && level === "COUNTRY" ? [{ code: code.toUpperCase(), name, locationId: location_id }] : [],
  );
  return { kind: "regions", regions };
}

export const countries: Advertising["countries"] = async (context, adAccountId) => {
  // A country that supports the widest objective supports the others.
  const found = await readCountries(context, adAccountId, "REACH");
  if (found.kind === "failed") return found;
  return { kind: "countries", countries: found.regions.map(({ code, name }) => ({ code, name })) };
};

/** TikTok's location ids of a boost's countries, by country. */
export async function locate(
  context: AccountContext,
  { adAccountId, objective, countries: wanted }: Pick<BoostTerms, "adAccountId" | "objective" | "countries">,
): Promise<{ readonly kind: "located"; readonly locations: Locations } | Failure> {
  const goal = goalOf(objective);
  if (goal.kind === "failed") return goal;
  const found = await readCountries(context, adAccountId, goal.objective_type);
  if (found.kind === "failed") return found;
  const ids = new Map(found.regions.map(({ code, locationId }) => [code, locationId]));
  const missing = wanted.filter((code) => !ids.has(code));
  if (missing.length > 0) {
    return rejected(`TikTok has no ads in ${missing.join(", ")} for this ad account.`, "unsupported_by_platform");
  }
  return { kind: "located", locations: Object.fromEntries(wanted.map((code) => [code, ids.get(code) ?? ""])) };
}

const Categories = z.object({
  interest_categories: readable(z.object({ interest_category_id: PlatformId, interest_category_name: z.string() })),
});
const MOST_INTERESTS = 50;

/** TikTok returns its whole list: a few hundred. */
export const interests: Advertising["interests"] = async (context, adAccountId, query) => {
  const requested = { advertiser_id: adAccountId, version: 2, language: "en", placements: PLACEMENTS };
  const answer = await read(context, "tool/interest_category", requested, Categories);
  if (answer.kind === "failed") return answer;
  const all = answer.value.interest_categories.map(
    ({ interest_category_id: id, interest_category_name: name }): Interest => ({ id, name }),
  );
  const wanted = plain(query);
  const matching = all.filter(({ name }) => plain(name).includes(wanted));
  return { kind: "interests", interests: matching.slice(0, MOST_INTERESTS) };
};

/** Without case and accents. */
function plain(text: string): string {
  return text
    .normalize("NFKD")
    .replace(/\p{Mn}+/gu, "")
    .trim()
    .toLowerCase();
}

const Size = z.object({
  user_count: z.object({ lower_end: z.coerce.number().nullish(), upper_end: z.coerce.number().nullish() }),
});

/** By country and interests: TikTok's estimate does not cover custom audiences. */
export const reach: Advertising["reach"] = async (context, terms) => {
  const goal = goalOf(terms.objective);
  if (goal.kind === "failed") return goal;
  const located = await locate(context, terms);
  if (located.kind === "failed") return located;
  const requested = {
    advertiser_id: terms.adAccountId,
    objective_type: goal.objective_type,
    optimization_goal: goal.optimization_goal,
    placement_type: "PLACEMENT_TYPE_NORMAL",
    placements: PLACEMENTS,
    location_ids: Object.values(located.locations),
    gender: "GENDER_UNLIMITED",
    ...(terms.interests.length === 0 ? {} : { interest_category_ids: terms.interests.map(({ id }) => id) }),
  };
  const answer = await apply(context, "ad/audience_size/estimate", requested, Size);
  if (answer.kind === "failed") return answer;
  const { lower_end = null, upper_end = null } = answer.value.user_count;
  return { kind: "reach", lower: lower_end, upper: upper_end, isReady: true };
};
