import { z } from "zod";
import type { AccountContext, Failure } from "../../context.ts";
import { PlatformId } from "../../json.ts";
import { lenient, parseItems } from "../../lists.ts";
import { businessCalls } from "../business-api.ts";
import { TIKTOK_ADS } from "../business-errors.ts";

/**
 * Calls to TikTok's Marketing API v1.3, the advertisers' part of the API for Business. Amounts are in whole
 * units of the account's currency, schedules in UTC, reports in the account's own zone.
 */
export const { read, write, apply, call } = businessCalls(TIKTOK_ADS);

/** The only placement where boosts are shown. */
export const PLACEMENTS = ["PLACEMENT_TIKTOK"] as const;

export const OBJECTS = ["campaign", "adgroup", "ad"] as const;
export type ObjectName = (typeof OBJECTS)[number];

/**
 * Each kind of object has its own calls and its own names for ids and names; some fields exist for some kinds
 * only.
 */
const Row = z.object({
  campaign_id: lenient(PlatformId),
  adgroup_id: lenient(PlatformId),
  ad_id: lenient(PlatformId),
  campaign_name: lenient(z.string()),
  adgroup_name: lenient(z.string()),
  ad_name: lenient(z.string()),
  operation_status: z.string().optional().catch(undefined),
  secondary_status: z.string().optional().catch(undefined),
  create_time: z.string().optional().catch(undefined),
  tiktok_item_id: PlatformId.optional().catch(undefined),
  budget_mode: z.string().optional().catch(undefined),
  budget: z.coerce.number().optional().catch(undefined),
  schedule_end_time: z.string().optional().catch(undefined),
  location_ids: z.array(PlatformId).optional().catch(undefined),
  interest_category_ids: z.array(PlatformId).optional().catch(undefined),
  audience_ids: z.array(PlatformId).optional().catch(undefined),
});
export type AdObject = Omit<z.output<typeof Row>, `${ObjectName}_${"id" | "name"}`> & {
  readonly id: string;
  readonly name: string;
};

const MOST = 1000;

const List = z.object({
  list: z.array(z.unknown()).nullish(),
  page_info: z.object({ total_page: z.coerce.number() }).optional().catch(undefined),
});

const objectIn = (object: ObjectName) =>
  Row.transform((row, { addIssue }): AdObject => {
    const { [`${object}_id` as const]: id, [`${object}_name` as const]: name = "" } = row;
    if (id !== undefined) return { ...row, id, name };
    addIssue(`The answer has no ${object}_id.`);
    return z.NEVER;
  });

export interface Found {
  readonly kind: "found";
  readonly objects: readonly AdObject[];
  /** Items in a form that could not be read. */
  readonly odd: readonly unknown[];
  /** False if there are more than one page shows. */
  readonly isWhole: boolean;
}

/**
 * Objects of a kind in an ad account, including deleted ones, which the platform omits unless they are
 * requested.
 */
export async function findObjects(
  context: AccountContext,
  advertiserId: string,
  object: ObjectName,
  filtering: Readonly<Record<string, string | readonly string[]>>,
): Promise<Found | Failure> {
  const query = {
    advertiser_id: advertiserId,
    filtering: { ...filtering, primary_status: "STATUS_ALL" },
    page: 1,
    page_size: MOST,
  };
  const answer = await read(context, `${object}/get`, query, List);
  if (answer.kind === "failed") return answer;
  const { list, page_info } = answer.value;
  const { items: objects, odd } = parseItems(objectIn(object), list ?? []);
  return { kind: "found", objects, odd, isWhole: (page_info?.total_page ?? 1) <= 1 };
}

/** The object with this id; null if the list does not show it, or not yet. */
export async function findById(
  context: AccountContext,
  advertiserId: string,
  object: ObjectName,
  id: string,
): Promise<{ readonly kind: "object"; readonly object: AdObject | null } | Failure> {
  const found = await findObjects(context, advertiserId, object, { [`${object}_ids`]: [id] });
  if (found.kind === "failed") return found;
  return { kind: "object", object: found.objects.find((one) => one.id === id) ?? null };
}

/**
 * Whether the object itself is on, whatever its parents' state; if the switch is not shown, its status
 * decides.
 */
export function isOn({ operation_status, secondary_status }: AdObject): boolean {
  return operation_status === undefined
    ? !/_STATUS_(DISABLE|DELETE)$/.test(secondary_status ?? "_STATUS_DISABLE")
    : operation_status === "ENABLE";
}

export function isDeleted({ operation_status, secondary_status }: AdObject): boolean {
  return operation_status === "DELETE" || (secondary_status?.endsWith("_STATUS_DELETE") ?? false);
}
