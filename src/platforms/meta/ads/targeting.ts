import { z } from "zod";
import { listWords } from "../../../core/text.ts";
import type { BoostTerms } from "../../advertising.ts";
import type { AccountContext, Failure } from "../../context.ts";
import { PlatformId } from "../../json.ts";
import { rejected } from "../../outcomes.ts";
import { get } from "../graph.ts";
import { type AdsProduct, accountPath, adsGraph } from "./api.ts";

/**
 * The audience of a boost, and its sponsor.
 *
 * - In the European Union each ad names its beneficiary and payer (`dsa_beneficiary`, `dsa_payor`).
 * - Some countries require a declaration by verified identities, whose ids no call returns: not supported.
 * - A chosen audience stays as it is: `advantage_audience` 0. The field is required, and 1 would extend it.
 */
const DECLARED: Readonly<Record<string, string>> = { KR: "South Korea", SG: "Singapore", TW: "Taiwan" };

/** Includes territories of its members that have their own codes. */
const EUROPEAN_UNION: ReadonlySet<string> = new Set(
  ["AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK", "AX GF GP MF MQ RE YT"].flatMap(
    (codes) => codes.split(" "),
  ),
);

/** Ads that name placements cannot reach people under twenty in Thailand, and must say so. */
const LEAST_AGE: Readonly<Record<string, number>> = { TH: 20 };

export const isDeclared = (country: string): boolean => DECLARED[country] !== undefined;

/** The refusal of unsupported countries; null if there are none. */
export function refuseCountries({ countries }: Pick<BoostTerms, "countries">): Failure | null {
  const names = countries.flatMap((country) => DECLARED[country] ?? []);
  if (names.length === 0) return null;
  return rejected(
    `Ads in ${listWords(names)} require a declaration that this service cannot make. Remove ${names.length > 1 ? "these countries" : "this country"}.`,
  );
}

export const needsSponsor = ({ countries }: Pick<BoostTerms, "countries">): boolean =>
  countries.some((country) => EUROPEAN_UNION.has(country));

/** The whole `targeting`: a change replaces all of it. */
export function targetingOf(
  { countries, interests, audiences }: Pick<BoostTerms, "countries" | "interests" | "audiences">,
  { placement }: Pick<AdsProduct, "placement">,
): string {
  const leastAge = Math.max(0, ...countries.map((country) => LEAST_AGE[country] ?? 0));
  return JSON.stringify({
    geo_locations: { countries },
    ...(interests.length > 0
      ? { flexible_spec: [{ interests: interests.map(({ id, name }) => ({ id, name })) }] }
      : {}),
    ...(audiences.length > 0 ? { custom_audiences: audiences.map((id) => ({ id })) } : {}),
    ...(leastAge > 0 ? { age_min: leastAge } : {}),
    publisher_platforms: [placement],
    targeting_automation: { advantage_audience: 0 },
  });
}

const Page = z.object({ id: PlatformId, name: z.string() });

export interface KnownPage {
  readonly kind: "page";
  readonly id: string;
  readonly name: string;
}

/** The Page of the account. */
export async function readPage(product: AdsProduct, context: AccountContext): Promise<KnownPage | Failure> {
  const id = product.pageId(context.account);
  if (id === null) return rejected("The account's Facebook Page is unknown. Reconnect the account.");
  const page = await product.graphOf(context).read(get(id, { fields: "id,name" }), Page);
  return page.kind === "failed" ? page : { kind: "page", ...page.value };
}

const Recommended = z.object({ data: z.array(z.object({ recommendations: z.array(z.string()).nullish() })) });

export interface Sponsor {
  readonly kind: "sponsor";
  readonly name: string;
}

/** The beneficiary and payer: Meta's proposal for the ad account, else the Page's name. */
export async function readSponsor(
  product: AdsProduct,
  context: AccountContext,
  adAccountId: string,
): Promise<Sponsor | Failure> {
  const path = accountPath(adAccountId);
  if (typeof path !== "string") return path;
  const read = await adsGraph(context).read(get(`${path}/dsa_recommendations`), Recommended);
  // A missing proposal is acceptable; a failed read is not.
  if (read.kind === "failed" && read.reason !== "rejected") return read;
  const proposals = read.kind === "ok" ? read.value.data.flatMap((one) => one.recommendations ?? []) : [];
  const name = proposals.find((one) => one.trim() !== "");
  if (name !== undefined) return { kind: "sponsor", name };
  const page = await readPage(product, context);
  return page.kind === "failed" ? page : { kind: "sponsor", name: page.name };
}
