// Look-ups before a campaign is created: regions, interests, keywords, and audience size estimates.

import { Hono } from "hono";
import { z } from "zod";
import type { Sandbox } from "../../sandbox";
import { jsonList } from "../business-api";
import { badParam, ok } from "../business-errors";
import { type AdsEnv, adsEndpoint, readAdsBody, readAdsQuery } from "./api";
import { INTERESTS, interestView, keywordsLike } from "./interests";
import { OBJECTIVES } from "./objectives";
import { REGIONS, type Region, regionView } from "./regions";
import { type AGE_GROUPS, LANGUAGES, regionsOf, TARGETING, type Targeting } from "./targeting";

/** The levels that each range includes. */
const RANGES: Readonly<Record<string, readonly Region["level"][]>> = {
  ALL: ["COUNTRY", "PROVINCE", "CITY"],
  TO_COUNTRY: ["COUNTRY"],
  TO_PROVINCE: ["COUNTRY", "PROVINCE"],
  TO_CITY: ["COUNTRY", "PROVINCE", "CITY"],
  TO_DISTRICT: ["COUNTRY", "PROVINCE", "CITY"],
};
const RegionQuery = z.object({
  placements: jsonList.pipe(z.array(z.string()).min(1)),
  objective_type: z.enum(OBJECTIVES),
  level_range: z.enum(["ALL", "TO_COUNTRY", "TO_PROVINCE", "TO_CITY", "TO_DISTRICT"]).default("ALL"),
  language: z.string().optional(),
});
const Search = z.object({
  objective_type: z.enum(OBJECTIVES),
  placements: z.array(z.string()).min(1),
  keywords: z.array(z.string().min(1)).min(1).max(50),
  search_type: z.enum(["FUZZY_SEARCH", "BATCH_REGION_SEARCH", "BATCH_ZIPCODE_SEARCH"]).default("FUZZY_SEARCH"),
  geo_types: z.array(z.string()).optional(),
  region_codes: z.array(z.string()).optional(),
});
const InterestQuery = z.object({
  version: z.literal("2", "must be 2, the only one whose ids ad groups take").default("2"),
  language: z.string().optional(),
  placements: jsonList.optional(),
  special_industries: jsonList.optional(),
});
const KeywordQuery = z.object({
  keyword: z.string().min(1),
  language: z.string().optional(),
  limit: z.string().regex(/^\d+$/).optional(),
});

export function toolRoutes(sandbox: Sandbox) {
  const app = new Hono<AdsEnv>();
  const endpoint = adsEndpoint(sandbox, "ads_search");

  app.get("/region/", ...endpoint, (c) => {
    const { requested } = readAdsQuery(sandbox, c, RegionQuery);
    const shown = REGIONS.filter(({ level }) => RANGES[requested.level_range]?.includes(level));
    return ok({
      region_list: shown.filter(({ level }) => level === "COUNTRY").map(({ id }) => id),
      region_info: shown.map(regionView),
    });
  });

  app.post("/targeting/search/", ...endpoint, async (c) => {
    const { requested } = await readAdsBody(sandbox, c, Search);
    const found = requested.keywords.flatMap((keyword) =>
      REGIONS.filter((region) => isMeant(region, keyword, requested)),
    );
    return ok({ targeting_tag_list: [...new Set(found)].map(tagView) });
  });

  app.get("/interest_category/", ...endpoint, (c) => {
    readAdsQuery(sandbox, c, InterestQuery);
    return ok({ interest_categories: INTERESTS.map(interestView) });
  });

  app.get("/interest_keyword/recommend/", ...endpoint, (c) => {
    const { requested } = readAdsQuery(sandbox, c, KeywordQuery);
    return ok({ recommended_keywords: keywordsLike(requested.keyword).slice(0, Number(requested.limit ?? 50)) });
  });

  app.get("/language/", ...endpoint, (c) => {
    readAdsQuery(sandbox, c, z.object({}));
    return ok({ languages: LANGUAGES.map((code) => ({ code, name: code })) });
  });
  return app;
}

function isMeant({ name, country, level }: Region, keyword: string, requested: z.output<typeof Search>): boolean {
  const { search_type, geo_types, region_codes } = requested;
  const isNamed =
    search_type === "FUZZY_SEARCH"
      ? name.toLowerCase().includes(keyword.toLowerCase())
      : search_type === "BATCH_REGION_SEARCH" && name.toLowerCase() === keyword.toLowerCase();
  return isNamed && (geo_types?.includes(level) ?? true) && (region_codes?.includes(country) ?? true);
}

const tagView = (region: Region) => ({
  name: region.name,
  status: "ENABLED",
  geo: {
    geo_id: region.id,
    geo_type: region.level,
    description: `${region.name}, ${region.country}`,
    region_code: region.country,
    parent_id: region.parentId,
  },
});

const Estimate = z.object({
  objective_type: z.enum(OBJECTIVES),
  optimization_goal: z.string(),
  placement_type: z.string().optional(),
  placements: z.array(z.string()).optional(),
  ...TARGETING,
});

export function audienceRoutes(sandbox: Sandbox) {
  const app = new Hono<AdsEnv>();
  app.post("/audience_size/estimate/", ...adsEndpoint(sandbox, "ads_search"), async (c) => {
    const { requested } = await readAdsBody(sandbox, c, Estimate);
    const people = Math.floor(sizeOf(requested));
    const spread = { lower_end: Math.floor(people * 0.9), upper_end: Math.ceil(people * 1.1) };
    return ok({ user_count: spread, user_count_stage: stageOf(people) });
  });
  return app;
}

/** The share of each age group among adults. People under 18 are not counted. */
const AGE_SHARES: Readonly<Record<(typeof AGE_GROUPS)[number], number>> = {
  AGE_13_17: 0,
  AGE_18_24: 0.34,
  AGE_25_34: 0.3,
  AGE_35_44: 0.18,
  AGE_45_54: 0.11,
  AGE_55_100: 0.07,
};
const INTEREST_SHARE = 0.06;
const MOST_INTERESTED = 0.8;
const SECOND_LANGUAGE_SHARE = 0.1;

function sizeOf(targeting: Targeting): number {
  const regions = regionsOf(targeting);
  if (regions.length === 0) throw badParam("location_ids: Missing data for required field.");
  const { age_groups = [], gender, languages = [], interest_category_ids = [], interest_keyword_ids = [] } = targeting;
  const interests = interest_category_ids.length + interest_keyword_ids.length;
  const shares = [
    age_groups.length === 0 ? 1 : age_groups.reduce((sum, group) => sum + AGE_SHARES[group], 0),
    gender === undefined || gender === "GENDER_UNLIMITED" ? 1 : 0.5,
    interests === 0 ? 1 : Math.min(MOST_INTERESTED, interests * INTEREST_SHARE),
    languages.length === 0 ? 1 : Math.min(1, languages.length * SECOND_LANGUAGE_SHARE + 0.6),
    (targeting.operating_systems ?? []).length === 1 ? 0.5 : 1,
  ];
  const people = regions.reduce((sum, region) => sum + region.people, 0) * 1000;
  return shares.reduce((left, share) => left * share, people);
}

/** Too narrow, narrow, balanced, fairly broad. */
function stageOf(people: number): 1 | 2 | 3 | 4 {
  if (people < 50_000) return 1;
  if (people < 1_000_000) return 2;
  return people < 20_000_000 ? 3 : 4;
}
