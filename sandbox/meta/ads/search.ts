// Targeting search and audience size estimates.

import { z } from "zod";
import { badParameter, GraphError } from "../errors";
import type { Json, JsonObject } from "../fields";
import { type GraphContext, nested, parse, text, wholeNumber } from "../params";
import { type AdsWorld, looker, reading } from "./access";
import { type AdAccount, MONEY } from "./accounts";
import { COMMON, texts } from "./input";
import { named } from "./nodes";
import { COUNTRIES, countryName, INTERESTS, type Interest, LOCALES } from "./places";
import { adSets } from "./store";
import { checkedTargeting, peopleOf, SentTargeting } from "./targeting";

const Query = z.object({
  ...COMMON,
  type: text,
  q: text.default(""),
  limit: wholeNumber.default(25),
  location_types: nested(z.array(text)).optional(),
  interest_list: texts.optional(),
  country_code: text.optional(),
});

export async function search(world: AdsWorld, c: GraphContext): Promise<JsonObject> {
  const query = parse(c, Query);
  await looker(world, c);
  const found = (name: string) => name.toLowerCase().includes(query.q.toLowerCase());
  const first = (list: Json[]) => ({ data: list.slice(0, query.limit) });
  switch (query.type) {
    case "adinterest":
      if (query.q === "") throw badParameter("The parameter q is required");
      return first(INTERESTS.filter(({ name }) => found(name)).map(interestView));
    case "adinterestsuggestion": {
      const topics = INTERESTS.filter(({ name }) => query.interest_list?.includes(name)).map(({ topic }) => topic);
      return first(INTERESTS.filter(({ topic }) => topics.includes(topic)).map(interestView));
    }
    case "adinterestvalid":
      return { data: (query.interest_list ?? []).map(validity) };
    case "adgeolocation":
      if (query.location_types?.includes("country") === false) return { data: [] };
      return first(countries(query.q));
    case "adcountry":
      return first(countries(query.q));
    case "adlocale":
      return first(LOCALES.filter(({ name }) => found(name)).map((one) => ({ ...one })));
    default:
      throw new GraphError(100, `(#100) type must be one of the types of ad targeting, not ${query.type}`);
  }
}

const interestView = ({ id, name, topic, people }: Interest): JsonObject => ({
  id,
  name,
  audience_size_lower_bound: Math.round(people * 0.9),
  audience_size_upper_bound: Math.round(people * 1.1),
  path: ["Interests", topic, name],
  description: null,
  topic,
});

function validity(name: string): JsonObject {
  const found = INTERESTS.find((one) => one.name.toLowerCase() === name.toLowerCase());
  return found ? { ...interestView(found), valid: true } : { name, valid: false };
}

function countries(q: string): JsonObject[] {
  const wanted = q.toLowerCase();
  return COUNTRIES.map((code) => ({ code, name: countryName(code) }))
    .filter(({ code, name }) => code.toLowerCase() === wanted || name.toLowerCase().includes(wanted))
    .map(({ code, name }) => ({
      key: code,
      name,
      type: "country",
      country_code: code,
      supports_region: true,
      supports_city: true,
    }));
}

const Reach = z.object({ ...COMMON, targeting_spec: SentTargeting, object_store_url: text.optional() });
const Delivery = z.object({
  ...COMMON,
  targeting_spec: SentTargeting.optional(),
  optimization_goal: text.optional(),
  promoted_object: z.unknown().optional(),
});

/** Returns an object, unlike the other estimate, which returns a list. */
export async function reachEstimate(world: AdsWorld, c: GraphContext, act: string): Promise<JsonObject> {
  const { targeting_spec } = parse(c, Reach);
  await reading(world, c, act);
  const { lower, upper } = bounds(targeting_spec);
  const { ads_estimates_ready: isReady } = world.sandbox.settings.all;
  const users = isReady ? [lower, upper] : [-1, -1];
  return { data: { users_lower_bound: users[0], users_upper_bound: users[1], estimate_ready: isReady } };
}

export async function deliveryEstimate(world: AdsWorld, c: GraphContext, act: string): Promise<JsonObject> {
  const { targeting_spec, optimization_goal } = parse(c, Delivery);
  if (!targeting_spec || optimization_goal === undefined) {
    throw badParameter("The parameters targeting_spec and optimization_goal are required");
  }
  const { account } = await reading(world, c, act);
  return { data: [estimate(world, account, targeting_spec)] };
}

export async function deliveryEstimateOfAdSet(world: AdsWorld, c: GraphContext, id: string): Promise<JsonObject> {
  parse(c, Delivery);
  const { kind, accountId } = named(world.sandbox, id, "get");
  if (kind !== "adset") throw badParameter(`Tried accessing nonexisting field (delivery_estimate) on a ${kind}`);
  const { account } = await reading(world, c, accountId);
  return { data: [estimate(world, account, adSets.get(world.sandbox, id).content.targeting)] };
}

function bounds(targeting: Record<string, Json>): { lower: number; upper: number } {
  const people = peopleOf(checkedTargeting(targeting, null));
  const rounded = (count: number) => Math.max(1000, Math.round(count / 1000) * 1000);
  return { lower: rounded(people * 0.9), upper: rounded(people * 1.05) };
}

function estimate({ sandbox }: AdsWorld, { currency }: AdAccount, targeting: Record<string, Json>): JsonObject {
  const { lower, upper } = bounds(targeting);
  const isReady = sandbox.settings.all.ads_estimates_ready;
  if (!isReady) return { estimate_ready: false };
  const { factor, perThousand } = MONEY[currency];
  const curve = [5, 10, 20, 50].map((major) => {
    const spend = major * factor * (factor === 1 ? 100 : 1);
    const impressions = Math.round((1000 * spend) / perThousand);
    return { spend, reach: Math.round(impressions / 1.3), impressions, actions: Math.round(impressions / 60) };
  });
  return {
    estimate_dau: Math.round(lower / 20),
    estimate_mau_lower_bound: lower,
    estimate_mau_upper_bound: upper,
    estimate_ready: true,
    daily_outcomes_curve: [{ spend: 0, reach: 0, impressions: 0, actions: 0 }, ...curve],
  };
}
