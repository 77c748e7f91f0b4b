import { z } from "zod";
import type { Advertising, BoostTerms, Reach } from "../../advertising.ts";
import type { AccountContext, Failure } from "../../context.ts";
import { PlatformId } from "../../json.ts";
import { readable } from "../../lists.ts";
import { get } from "../graph.ts";
import { asName } from "./accounts.ts";
import { type AdsProduct, accountPath, adsGraph } from "./api.ts";
import { isDeclared, refuseCountries, targetingOf } from "./targeting.ts";

/** Searches targeting options, and estimates the size of an audience. */

const Place = z.object({ key: z.string(), name: z.string(), type: z.string().nullish() });
const Interest = z.object({ id: PlatformId, name: z.string() });
// Returns an object; similar calls return lists.
const Estimate = z.object({
  data: z.object({
    users_lower_bound: z.int().nullish(),
    users_upper_bound: z.int().nullish(),
    estimate_ready: z.boolean().nullish(),
  }),
});

/** There are about 250 countries. */
const MAX_PAGES = 5;

export const countries: Advertising["countries"] = async (context) => {
  const graph = adsGraph(context);
  // Without `q` it returns all of them: seen to work, not documented.
  const query = { type: "adgeolocation", location_types: '["country"]', limit: 1000 };
  const readPage = (after: string | undefined) => graph.request(get("search", { ...query, after }));
  const listed = await graph.list(readPage, Place, MAX_PAGES);
  if (listed.kind === "failed") return listed;
  const codes = listed.items.filter(({ key, type }) => (type ?? "country") === "country" && /^[A-Z]{2}$/.test(key));
  const open = codes.filter(({ key }) => !isDeclared(key));
  return { kind: "countries", countries: open.map(({ key: code, name }) => ({ code, name })) };
};

export const interests: Advertising["interests"] = async (context, _adAccountId, query) => {
  const found = await adsGraph(context).read(
    get("search", { type: "adinterest", q: query, limit: 25 }),
    z.object({ data: readable(Interest) }),
  );
  return found.kind === "failed" ? found : { kind: "interests", interests: found.value.data };
};

export async function reach(product: AdsProduct, context: AccountContext, terms: BoostTerms): Promise<Reach | Failure> {
  const path = accountPath(terms.adAccountId);
  const refusal = typeof path === "string" ? refuseCountries(terms) : path;
  if (refusal) return refusal;
  const query = { targeting_spec: targetingOf(terms, product) };
  const read = await adsGraph(context).read(get(`${path}/reachestimate`, query), Estimate);
  if (read.kind === "failed") return asName(read);
  const { users_lower_bound: lower, users_upper_bound: upper, estimate_ready: isReady } = read.value.data;
  return { kind: "reach", lower: shown(lower), upper: shown(upper), isReady: isReady ?? true };
}

/** Meta hides small audiences: -1. */
function shown(bound: number | null | undefined): number | null {
  return bound === undefined || bound === null || bound < 0 ? null : bound;
}
