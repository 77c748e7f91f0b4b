// Shared code for the creation of campaigns and ad groups: names, idempotency keys, on and off.

import { z } from "zod";
import type { Sandbox } from "../../sandbox";
import { BusinessError, badParam } from "../business-errors";
import type { Advertiser } from "./advertisers";
import { findObject, type Kind, type ObjectRow, saveObject } from "./store";

const LONGEST_NAME = 512;
/** Text with this marker fails the review. */
const REJECTED = "[ads:reject]";

export const name = z
  .string()
  .min(1)
  .refine((text) => widthOf(text) <= LONGEST_NAME, `must be no longer than ${LONGEST_NAME}`)
  .refine((text) => !/\p{Extended_Pictographic}/u.test(text), "must not contain emoji");

/** A Chinese or Japanese character counts as two. */
const widthOf = (text: string): number =>
  [...text].reduce(
    (sum, sign) => sum + (/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(sign) ? 2 : 1),
    0,
  );

export const onOff = z.enum(["ENABLE", "DISABLE"]).default("ENABLE");

/** A 64-bit integer, as text. */
export const requestId = z
  .string()
  .regex(/^\d{1,19}$/, "must be an integer as a string")
  .refine((text) => BigInt(text) < 2n ** 63n, "must fit into 64 bits");

export const budgetMode = z.enum([
  "BUDGET_MODE_INFINITE",
  "BUDGET_MODE_TOTAL",
  "BUDGET_MODE_DAY",
  "BUDGET_MODE_DYNAMIC_DAILY_BUDGET",
]);
export const amount = z.number().positive();

export const isRejected = (...texts: readonly string[]): boolean => texts.some((text) => text.includes(REJECTED));

/** An object of the ad account that is not deleted. */
export function ownObject(sandbox: Sandbox, advertiser: Advertiser, kind: Kind, id: string): ObjectRow {
  const row = findObject(sandbox, id);
  if (row?.kind !== kind || row.advertiser_id !== advertiser.id) {
    throw new BusinessError("missing", `The ${kind} ${id} does not exist.`);
  }
  if (row.is_deleted) throw badParam(`The ${kind} ${id} is deleted.`);
  return row;
}

/**
 * Rejects a name that another object has, unless that one is deleted; with an idempotency key it may be
 * reused.
 */
export function checkNewName(
  sandbox: Sandbox,
  row: Pick<ObjectRow, "id" | "kind" | "advertiser_id" | "campaign_id" | "name">,
): void {
  const others = sandbox.db.first<{ n: number }>(
    `SELECT count(*) AS n FROM tiktok_ads_objects
     WHERE advertiser_id = ?1 AND kind = ?2 AND name = ?3 AND is_deleted = 0 AND id <> ?4 AND (?2 = 'campaign' OR campaign_id = ?5)`,
    row.advertiser_id,
    row.kind,
    row.name,
    row.id,
    row.campaign_id,
  );
  if (others?.n) throw badParam(`${row.kind}_name: ${row.name} already exists.`);
}

/**
 * Creates the object. For a repeated key, returns the original result or rejects the call, as the setting
 * says.
 */
export function once(
  sandbox: Sandbox,
  { id: advertiserId }: Advertiser,
  { key, kind }: { key: string | undefined; kind: Kind },
  make: () => ObjectRow,
): ObjectRow {
  if (key === undefined) return make();
  const known = sandbox.db.first<{ object_id: string }>(
    "SELECT object_id FROM tiktok_ads_keys WHERE advertiser_id = ? AND request_id = ?",
    advertiserId,
    key,
  );
  if (known) return repeated(sandbox, findObject(sandbox, known.object_id), kind);
  const made = make();
  sandbox.db.insert("tiktok_ads_keys", { advertiser_id: advertiserId, request_id: key, object_id: made.id });
  return made;
}

function repeated(sandbox: Sandbox, first: ObjectRow | null, kind: Kind): ObjectRow {
  const answer = sandbox.settings.all.tiktok_ads_repeats;
  if (answer === "40002") throw badParam("request_id: was used before.");
  if (answer === "same" && first?.kind === kind) return first;
  throw new BusinessError("repeated", "Duplicated request.");
}

/** Rejects an update without changes. */
export function saveChanged(sandbox: Sandbox, before: ObjectRow, after: ObjectRow): ObjectRow {
  if (JSON.stringify(before) === JSON.stringify(after)) throw new BusinessError("noUpdate", "Nothing is updated.");
  return saveObject(sandbox, { ...after, modified_at: sandbox.now() });
}
