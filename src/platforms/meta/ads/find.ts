import { z } from "zod";
import type { Boost, FindMadeOutcome, Made, SoughtObject } from "../../advertising.ts";
import type { AccountContext, Failure } from "../../context.ts";
import { PlatformId } from "../../json.ts";
import { type Listed, lenient } from "../../lists.ts";
import { unknown } from "../../outcomes.ts";
import { isAboutParameter } from "../errors.ts";
import { get } from "../graph.ts";
import { graphTime } from "../times.ts";
import { ANY_STATUS, accountPath, adsGraph } from "./api.ts";
import { likenessOf } from "./naming.ts";

/**
 * Looks up an object whose creation got no answer.
 *
 * - A campaign: among the ad account's campaigns that contain the reference, or among all if Meta does not
 *   filter.
 * - An ad set or an ad: under its parent, which only this service uses.
 * - A creative is not looked up: another one is created.
 * - The oldest match counts. The others are paused, and deleted when the boost is activated or removed
 *   (switches.ts).
 */

/** Pages of 100 that one look-up reads. */
const MAX_PAGES = 20;

const Item = z.object({
  id: PlatformId,
  // A value that is not a text is not our name, but may contain our reference.
  name: z.unknown().transform((name) => (typeof name === "string" ? name : shown(name))),
  status: lenient(z.string()),
  effective_status: lenient(z.string()),
  created_time: lenient(z.string()),
});
type Item = z.output<typeof Item>;
/** An unreadable item as a text, in which a reference is searched. */
const shown = (value: unknown): string => JSON.stringify(value ?? "");
const FIELDS = "id,name,status,effective_status,created_time";

export type Kind = "campaign" | "adset" | "ad";

export interface Hits {
  readonly kind: "hits";
  /** Objects with our name, oldest first, deleted ones last. */
  readonly ours: readonly Item[];
  /** Whether another name contains our reference. */
  readonly isAnyAltered: boolean;
  readonly isWhole: boolean;
}

export async function find(
  context: AccountContext,
  boost: Boost,
  { object, made }: SoughtObject,
): Promise<FindMadeOutcome> {
  if (object !== "campaign" && object !== "adset" && object !== "ad") return { kind: "absent", isSure: true };
  const hits = await listOurs(context, boost, object, made);
  if (hits.kind === "failed") return hits;
  // A deleted object is not adopted: it accepts no children and cannot be activated.
  const oldest = hits.ours.find((one) => !isDeleted(one));
  if (oldest) return { kind: "found", id: oldest.id };
  if (hits.isAnyAltered) return unknown(`Meta has a ${WORDS[object]} that may be this one with another name.`);
  return hits.isWhole ? { kind: "absent" } : unknown(`Meta lists more ${WORDS[object]}s than the look-up reads.`);
}

const WORDS: Readonly<Record<Kind, string>> = { campaign: "campaign", adset: "ad set", ad: "ad" };

/** Objects with the boost's name; none if their parent does not exist. */
export async function listOurs(context: AccountContext, boost: Boost, kind: Kind, made: Made): Promise<Hits | Failure> {
  const listed =
    kind === "campaign" ? await listCampaigns(context, boost) : await listEdge(context, edgeOf(kind, made));
  if (listed.kind === "failed") return listed;
  const judged = listed.items.map((item) => ({ item, likeness: likenessOf(boost, item.name) }));
  const ours = judged.filter(({ likeness }) => likeness === "same").map(({ item }) => item);
  return {
    kind: "hits",
    ours: ours.toSorted((a, b) => Number(isDeleted(a)) - Number(isDeleted(b)) || madeAt(a) - madeAt(b)),
    isAnyAltered:
      judged.some(({ likeness }) => likeness === "similar") ||
      (listed.odd ?? []).some((item) => likenessOf(boost, shown(item)) !== "different"),
    isWhole: listed.isWhole,
  };
}

interface Statuses {
  readonly status?: string | null | undefined;
  readonly effective_status?: string | null | undefined;
}

export const isDeleted = ({ status, effective_status }: Statuses): boolean =>
  status === "DELETED" || effective_status === "DELETED";

/** An object without a readable time counts as new. */
const madeAt = ({ created_time }: Item): number => graphTime(created_time) || Number.MAX_SAFE_INTEGER;

function edgeOf(kind: "adset" | "ad", { campaign, adset }: Made): string | null {
  const parent = kind === "adset" ? campaign : adset;
  return parent === undefined ? null : `${parent}/${kind}s`;
}

async function listEdge(context: AccountContext, path: string | null): Promise<Listed<Item> | Failure> {
  return path === null ? { kind: "ok", items: [], isWhole: true } : list(context, path);
}

async function listCampaigns(context: AccountContext, boost: Boost): Promise<Listed<Item> | Failure> {
  const account = accountPath(boost.adAccountId);
  if (typeof account !== "string") return account;
  const path = `${account}/campaigns`;
  const filtering = JSON.stringify([{ field: "name", operator: "CONTAIN", value: boost.reference }]);
  // `filtering` is not documented for this edge, but was seen to work.
  const graph = adsGraph(context);
  const first = await graph.request(get(path, { ...QUERY, filtering }));
  return isAboutParameter(first, "filtering") ? list(context, path) : list(context, path, { filtering }, first);
}

const QUERY = { fields: FIELDS, effective_status: ANY_STATUS, limit: 100 };

/** `first`: the answer for the first page, if it is already known. */
function list(
  context: AccountContext,
  path: string,
  query: Readonly<Record<string, string>> = {},
  first?: Awaited<ReturnType<ReturnType<typeof adsGraph>["request"]>>,
): Promise<Listed<Item> | Failure> {
  const graph = adsGraph(context);
  const readPage = async (after: string | undefined) =>
    after === undefined && first ? first : graph.request(get(path, { ...QUERY, ...query, after }));
  return graph.list(readPage, Item, MAX_PAGES);
}
