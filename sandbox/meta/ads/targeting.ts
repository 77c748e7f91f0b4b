// The audience of an ad set: the shape of `targeting`, its validation, and its estimated size.

import { z } from "zod";
import { GraphError } from "../errors";
import { nested } from "../params";
import { AUDIENCES, COUNTRIES, INTERESTS, isDeclared, isEuropean, peopleIn } from "./places";
import { refused } from "./refusals";

const id = z.union([z.string().min(1), z.number().int().transform(String)]);
const Named = z.array(z.object({ id, name: z.string().optional() }));
const City = z.object({
  key: id,
  radius: z.number().optional(),
  distance_unit: z.enum(["kilometer", "mile"]).optional(),
  name: z.string().optional(),
  region: z.string().optional(),
  country: z.string().optional(),
});
const Places = z.strictObject({
  countries: z.array(z.string()).optional(),
  country_groups: z.array(z.string()).optional(),
  regions: z.array(z.looseObject({ key: id })).optional(),
  cities: z.array(City).optional(),
  zips: z.array(z.looseObject({ key: id })).optional(),
  location_types: z.array(z.enum(["home", "recent", "travel_in"])).optional(),
});
const Narrowing = z.looseObject({ interests: Named.optional(), behaviors: Named.optional() });
const positions = z.array(z.string()).optional();

const Shape = z.strictObject({
  geo_locations: Places.optional(),
  excluded_geo_locations: Places.optional(),
  age_min: z.number().int().min(13).max(65).optional(),
  age_max: z.number().int().min(13).max(65).optional(),
  genders: z.array(z.literal([1, 2])).optional(),
  locales: z.array(z.number().int()).optional(),
  interests: Named.optional(),
  behaviors: Named.optional(),
  flexible_spec: z.array(Narrowing).optional(),
  exclusions: Narrowing.optional(),
  custom_audiences: Named.optional(),
  excluded_custom_audiences: Named.optional(),
  publisher_platforms: z
    .array(z.enum(["facebook", "instagram", "messenger", "audience_network", "threads"]))
    .optional(),
  facebook_positions: positions,
  instagram_positions: positions,
  messenger_positions: positions,
  audience_network_positions: positions,
  device_platforms: z.array(z.enum(["mobile", "desktop"])).optional(),
  targeting_automation: z.object({ advantage_audience: z.unknown() }).optional(),
});
export type Targeting = z.infer<typeof Shape>;

/** The raw parameter; `checkedTargeting` validates it. */
export const SentTargeting = nested(z.record(z.string(), z.json()));

export interface Declared {
  accountId: string;
  /** Whether beneficiary and payer are declared, by the ad set or as the ad account's default. */
  hasBeneficiary: boolean;
  hasRegionalIds: boolean;
  specialCategories: readonly string[];
}

/** Throws if the targeting is invalid. `declared` is null for an estimate, which needs no declarations. */
export function checkedTargeting(sent: Record<string, unknown>, declared: Declared | null): Targeting {
  const parsed = Shape.safeParse(sent);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const message = `(#100) Param targeting[${issue?.path.join("][") ?? ""}]: ${issue?.message ?? "is invalid"}`;
    throw new GraphError(100, message);
  }
  const targeting = parsed.data;
  checkPlaces(targeting);
  checkInterests(targeting);
  checkPositions(targeting);
  if (declared) {
    checkAdvantage(targeting);
    checkAudiences(targeting, declared.accountId);
    checkDeclarations(targeting, declared);
    checkSpecialCategories(targeting, declared.specialCategories);
  }
  const { age_min: from = 18, age_max: to = 65 } = targeting;
  if (from > to) throw wrong(null, "Age range", "The lowest age lies above the highest.");
  return targeting;
}

const wrong = (subcode: number | null, title: string, message: string) =>
  refused(subcode, { field: "targeting", title, message });

function checkPlaces({ geo_locations, excluded_geo_locations, custom_audiences }: Targeting): void {
  const { countries = [], country_groups = [], regions = [], cities = [], zips = [] } = geo_locations ?? {};
  const count = [countries, country_groups, regions, cities, zips].reduce((sum, list) => sum + list.length, 0);
  if (count === 0 && !custom_audiences?.length) {
    throw wrong(null, "Location required", "Choose at least one place for this ad set.");
  }
  for (const country of [...countries, ...(excluded_geo_locations?.countries ?? [])]) {
    if (COUNTRIES.includes(country)) continue;
    throw wrong(null, "Invalid country", `${country} is no country that ads can be shown in.`);
  }
  for (const { radius, distance_unit: unit = "mile" } of cities) {
    const [least, most] = unit === "mile" ? [10, 50] : [17, 80];
    if (radius === undefined || (radius >= least && radius <= most)) continue;
    throw wrong(1487079, "Radius out of range", `The radius must lie between ${least} and ${most} ${unit}s.`);
  }
}

function checkInterests({ interests = [], flexible_spec = [], exclusions }: Targeting): void {
  const all = [interests, exclusions?.interests ?? [], ...flexible_spec.map((one) => one.interests ?? [])].flat();
  const unknown = all.find((one) => !INTERESTS.some((known) => known.id === one.id));
  if (!unknown) return;
  const message = `The interest ${unknown.name ?? unknown.id} is no longer available.`;
  throw wrong(1487694, "Interest no longer available", message);
}

function checkPositions({ facebook_positions = [], instagram_positions = [] }: Targeting): void {
  if (facebook_positions.includes("video_feeds")) {
    throw wrong(2490562, "Placement no longer available", "The placement video_feeds no longer exists.");
  }
  if (instagram_positions.includes("explore_home") && !instagram_positions.includes("explore")) {
    throw wrong(2490392, "Placement combination", "Explore home needs Explore.");
  }
}

function checkAdvantage({ targeting_automation, age_min = 18, age_max = 65 }: Targeting): void {
  const sent = targeting_automation?.advantage_audience;
  if (sent !== 0 && sent !== 1) {
    const message = "Set advantage_audience to 1 or 0 in targeting_automation to enable or disable Advantage audience.";
    throw wrong(1870227, "Advantage Audience Flag Required", message);
  }
  if (sent === 0) return;
  if (age_max < 65) {
    throw wrong(1870189, "Age range", "With Advantage audience the highest age cannot be below 65.");
  }
  if (age_min > 25) {
    throw wrong(1870196, "Age range", "With Advantage audience the lowest age cannot be above 25.");
  }
}

function checkAudiences(targeting: Targeting, accountId: string): void {
  const { custom_audiences = [], excluded_custom_audiences = [] } = targeting;
  for (const { id: wanted } of [...custom_audiences, ...excluded_custom_audiences]) {
    const audience = AUDIENCES.find((one) => one.id === wanted && one.accountId === accountId);
    if (!audience) throw wrong(null, "Audience not found", `The ad account has no custom audience ${wanted}.`);
    if (audience.isAccepted) continue;
    throw new GraphError(200, "(#200) Permissions error", {
      subcode: 1870034,
      userTitle: "Custom Audience Terms Not Accepted",
      userMessage: "The terms of custom audiences for this ad account are not accepted yet.",
    });
  }
}

function checkDeclarations({ geo_locations }: Targeting, { hasBeneficiary, hasRegionalIds }: Declared): void {
  const countries = geo_locations?.countries ?? [];
  if (countries.some(isEuropean) && !hasBeneficiary) {
    throw refused(null, {
      field: "dsa_beneficiary",
      title: "Beneficiary and payer required",
      message: "Ads to people in the European Union need dsa_beneficiary and dsa_payor.",
    });
  }
  if (countries.some(isDeclared) && !hasRegionalIds) {
    throw refused(null, {
      field: "regional_regulated_categories",
      title: "Verification required",
      message: "Ads in this country need a verified advertiser.",
    });
  }
}

function checkSpecialCategories(targeting: Targeting, categories: readonly string[]): void {
  if (categories.every((one) => one === "NONE")) return;
  const { age_min = 18, age_max = 65, genders = [], geo_locations } = targeting;
  if (age_min === 18 && age_max === 65 && genders.length === 0 && !geo_locations?.zips?.length) return;
  const message = "Ads of a special category cannot be narrowed down by age, gender or postal code.";
  throw wrong(null, "Special ad category", message);
}

/** The number of people, as in the estimates. */
export function peopleOf(targeting: Targeting): number {
  const { geo_locations, custom_audiences, age_min = 18, age_max = 65, genders, interests, flexible_spec } = targeting;
  const audiences = (custom_audiences ?? []).flatMap(
    (one) => AUDIENCES.find(({ id: known }) => known === one.id) ?? [],
  );
  if (audiences.length > 0) return audiences.reduce((sum, { people }) => sum + people, 0);
  const countries = (geo_locations?.countries ?? []).reduce((sum, country) => sum + peopleIn(country), 0);
  const all = countries + 200_000 * (geo_locations?.cities?.length ?? 0);
  const chosen = [...(interests ?? []), ...(flexible_spec ?? []).flatMap((one) => one.interests ?? [])];
  const ofInterest = Math.min(1, 0.04 * chosen.length || 1);
  const ofAge = (age_max - age_min + 1) / 48;
  return Math.round(all * Math.min(1, ofAge) * (genders?.length === 1 ? 0.5 : 1) * ofInterest);
}
