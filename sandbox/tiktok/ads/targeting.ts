// The audience of an ad group, and the checks of its combinations.

import { z } from "zod";
import { badParam } from "../business-errors";
import { isInterest, isKeyword } from "./interests";
import { aboveOf, findRegion, type Region, takesMinors } from "./regions";

export const AGE_GROUPS = ["AGE_13_17", "AGE_18_24", "AGE_25_34", "AGE_35_44", "AGE_45_54", "AGE_55_100"] as const;
const GENDERS = ["GENDER_FEMALE", "GENDER_MALE", "GENDER_UNLIMITED"] as const;
export const LANGUAGES = "ar da de el en es fi fr he hu id it ja ko ms nl no pl pt ro sv th tr vi zh".split(" ");

const ids = z.array(z.string().regex(/^\d+$/)).max(3000);
const known = (isKnown: (id: string) => boolean) => z.array(z.string().refine(isKnown, "is not known")).max(1000);

/** All audience fields; a missing or empty one sets no restriction. */
export const TARGETING = {
  location_ids: z.array(z.string()).max(3000).optional(),
  zipcode_ids: ids.optional(),
  age_groups: z.array(z.enum(AGE_GROUPS)).optional(),
  gender: z.enum(GENDERS).optional(),
  languages: known((code) => LANGUAGES.includes(code)).optional(),
  interest_category_ids: known(isInterest).optional(),
  interest_keyword_ids: known(isKeyword).optional(),
  actions: z.array(z.looseObject({})).optional(),
  operating_systems: z.array(z.enum(["ANDROID", "IOS"])).optional(),
  audience_ids: ids.optional(),
  excluded_audience_ids: ids.optional(),
};
const Targeting = z.object(TARGETING);
export type Targeting = z.output<typeof Targeting>;

export function checkTargeting(targeting: Targeting, specialIndustries: readonly string[]): void {
  const regions = regionsOf(targeting);
  if (regions.length === 0 && (targeting.zipcode_ids ?? []).length === 0) {
    throw badParam("location_ids: Missing data for required field.");
  }
  if (targeting.age_groups?.includes("AGE_13_17")) {
    const barred = regions.find((region) => !takesMinors(region));
    if (barred) throw badParam(`age_groups: AGE_13_17 is not available in ${barred.name}.`);
  }
  const isAtHome = regions.some(({ country }) => country === "US" || country === "CA");
  const { age_groups = [], gender = "GENDER_UNLIMITED", zipcode_ids = [] } = targeting;
  if (
    specialIndustries.length > 0 &&
    isAtHome &&
    (age_groups.length + zipcode_ids.length > 0 || gender !== "GENDER_UNLIMITED")
  ) {
    throw badParam("special_industries: no ages, genders and postal codes can be chosen in the US and Canada.");
  }
}

/** Rejects unknown places, and a place together with one of its parents. */
export function regionsOf({ location_ids = [] }: Targeting): Region[] {
  const regions = location_ids.map((id) => {
    const region = findRegion(id);
    if (!region) throw badParam(`location_ids: ${id} is not available.`);
    return region;
  });
  for (const region of regions) {
    const above = aboveOf(region).find(({ id }) => location_ids.includes(id));
    if (above) throw badParam(`location_ids: ${region.id} lies in ${above.id}.`);
  }
  return regions;
}
