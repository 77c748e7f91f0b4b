// The edges that list objects: below an ad account, a campaign or an ad set; filtered, paged, and late.

import { z } from "zod";
import { badParameter, missingObject } from "../errors";
import type { JsonObject } from "../fields";
import { pageOf } from "../paging";
import { type GraphContext, nested, parse, text } from "../params";
import { type AdsWorld, reading } from "./access";
import { COMMON, Paging } from "./input";
import { EFFECTIVE_STATUSES } from "./status";
import { adSets, ads, campaigns, creatives, kindOf } from "./store";
import { shown, viewOf } from "./views";

export const GRAPH = "https://graph.facebook.com";

const Statuses = nested(z.array(z.enum(EFFECTIVE_STATUSES)));
const one = z.union([z.string(), z.number().transform(String)]);
const Filter = z.object({
  field: text,
  operator: z.enum(["EQUAL", "NOT_EQUAL", "CONTAIN", "NOT_CONTAIN", "IN", "NOT_IN"]),
  value: z.union([one.transform((value) => [value]), z.array(one)]),
});
type Filter = z.infer<typeof Filter>;

const Listing = z.object({
  ...COMMON,
  ...Paging,
  effective_status: Statuses.optional(),
  filtering: nested(z.array(Filter)).optional(),
});

const KINDS = { campaigns, adsets: adSets, adcreatives: creatives, ads } as const;
export type Edge = keyof typeof KINDS;

/** What an ad account has of a kind; the newest first. */
export async function listOfAccount(world: AdsWorld, c: GraphContext, act: string, edge: Edge): Promise<JsonObject> {
  const { account } = await reading(world, c, act);
  return page(world, c, edge, KINDS[edge].list(world.sandbox, "account_id", account.id));
}

/** What is below a campaign or an ad set. */
export async function listOfParent(world: AdsWorld, c: GraphContext, id: string, edge: Edge): Promise<JsonObject> {
  const parent = kindOf(world.sandbox, id);
  if (!parent) throw missingObject(id);
  await reading(world, c, parent.accountId);
  if (parent.kind === "ad" && edge === "adcreatives") {
    const creativeId = ads.get(world.sandbox, id).content.creative_id;
    return page(world, c, edge, [creatives.get(world.sandbox, creativeId)]);
  }
  const isBelow =
    parent.kind === "campaign" ? edge === "adsets" || edge === "ads" : parent.kind === "adset" && edge === "ads";
  if (!isBelow) throw badParameter(`Tried accessing nonexisting field (${edge}) on node type (${parent.kind})`);
  const by = parent.kind === "campaign" ? "campaign_id" : "adset_id";
  return page(world, c, edge, KINDS[edge].list(world.sandbox, by, id));
}

interface Listed {
  id: string;
  created_at: number;
}

function page({ sandbox, app }: AdsWorld, c: GraphContext, edge: Edge, rows: readonly Listed[]): JsonObject {
  const { fields, locale: _, effective_status, filtering = [], ...paging } = parse(c, Listing);
  const { ads_filtering, ads_listing_lag_ms } = sandbox.settings.all;
  const { kind } = KINDS[edge];
  if (filtering.length > 0 && ads_filtering === "refused") throw badParameter("Filtering field is not supported");
  const filters = ads_filtering === "heeded" ? filtering : [];
  const statuses = effective_status ?? filters.find(({ field }) => field === "effective_status")?.value;
  const items = rows
    .filter(({ created_at }) => created_at + ads_listing_lag_ms <= sandbox.now())
    .flatMap((row): JsonObject[] => {
      const view = viewOf(sandbox, kind, row.id);
      return view ? [view] : [];
    })
    .filter((view) => isListed(view, statuses) && filters.every((filter) => passes(view, filter)));
  return pageOf(
    c,
    {
      items,
      keyOf: ({ id }) => String(id),
      view: ({ id }) => shown(sandbox, kind, String(id), fields),
      origin: GRAPH,
      isShort: app.isShort(),
    },
    paging,
  );
}

/** What is deleted or archived is listed where it is asked for. */
function isListed(view: JsonObject, statuses: readonly string[] | undefined): boolean {
  const status = String(view.effective_status ?? view.status);
  return statuses ? statuses.includes(status) : status !== "DELETED" && status !== "ARCHIVED";
}

const FIELDS: Readonly<Record<string, string>> = { "campaign.id": "campaign_id", "adset.id": "adset_id" };

function passes(view: JsonObject, { field, operator, value }: Filter): boolean {
  const column = FIELDS[field] ?? field;
  const plain = ["id", "name", "status", "effective_status", "objective", "campaign_id", "adset_id"];
  if (!plain.includes(column))
    throw badParameter(`Filtering field ${field} with operation ${operator} is not supported`);
  const found = String(view[column] ?? "");
  const [first = ""] = value;
  switch (operator) {
    case "EQUAL":
      return found === first;
    case "NOT_EQUAL":
      return found !== first;
    case "CONTAIN":
      return found.toLowerCase().includes(first.toLowerCase());
    case "NOT_CONTAIN":
      return !found.toLowerCase().includes(first.toLowerCase());
    case "IN":
      return value.includes(found);
    case "NOT_IN":
      return !value.includes(found);
  }
}
