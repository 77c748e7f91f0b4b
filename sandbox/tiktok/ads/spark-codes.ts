// The creator's side of Spark Ads, in the API of business accounts: a code authorizes advertisers to promote
// a post for some days.

import { Hono } from "hono";
import { z } from "zod";
import { randomText } from "../../random";
import type { Sandbox } from "../../sandbox";
import { type BusinessEnv, businessEndpoint, readBody, readQuery } from "../business-api";
import { ownVideo } from "../business-comments";
import { BusinessError, badParam, ok } from "../business-errors";
import { type AdSpec, adSpec, listObjects, type SparkCodeRow } from "./store";
import { DAY_MS, toUtcText } from "./times";

const days = z.union([z.literal(7), z.literal(30), z.literal(60), z.literal(365)]).default(30);
const Item = z.object({ item_id: z.string() });
const Setting = Item.extend({ is_ad_promotable: z.boolean(), authorization_days: days.optional() });
const Longer = Item.extend({ authorization_days: days });

export function sparkCodeRoutes(sandbox: Sandbox) {
  const app = new Hono<BusinessEnv>();
  const endpoint = businessEndpoint(sandbox, { operation: "ads_creative", scope: "biz.spark.auth" });

  app.post("/authorize/setting/", ...endpoint, async (c) => {
    const { item_id, is_ad_promotable, authorization_days = 30 } = await readBody(sandbox, c, Setting);
    const { account_id } = ownVideo(sandbox, c, item_id);
    if (!is_ad_promotable) return ok({ item_id, ...end(sandbox, item_id) });
    const living = livingCodeOf(sandbox, item_id);
    return ok(codeView(sandbox, living ?? open(sandbox, item_id, account_id, authorization_days)));
  });

  app.get("/authorize/status/", ...endpoint, (c) => {
    const { item_id } = readQuery(sandbox, c, Item);
    ownVideo(sandbox, c, item_id);
    return ok(codeView(sandbox, lastCodeOf(sandbox, item_id)));
  });

  app.post("/authorize/", ...endpoint, async (c) => {
    const { item_id, authorization_days } = await readBody(sandbox, c, Longer);
    ownVideo(sandbox, c, item_id);
    const { code, ends_at } = livingCodeOf(sandbox, item_id) ?? missing(item_id);
    sandbox.db.run(
      "UPDATE tiktok_spark_codes SET days = days + ?, ends_at = ? WHERE code = ?",
      authorization_days,
      ends_at + authorization_days * DAY_MS,
      code,
    );
    return ok(codeView(sandbox, lastCodeOf(sandbox, item_id)));
  });

  app.post("/authorize/delete/", ...endpoint, async (c) => {
    const { item_id } = await readBody(sandbox, c, Item);
    ownVideo(sandbox, c, item_id);
    return ok(end(sandbox, item_id));
  });
  return app;
}

/** The valid code of a post. */
const livingCodeOf = (sandbox: Sandbox, itemId: string) =>
  sandbox.db.first<SparkCodeRow>(
    "SELECT * FROM tiktok_spark_codes WHERE item_id = ? AND is_deleted = 0 AND ends_at > ?",
    itemId,
    sandbox.now(),
  );

/** Of the codes of a post that an ad account has redeemed, the one that expires last; it may have expired. */
export const boundCodeOf = (sandbox: Sandbox, advertiserId: string, itemId: string) =>
  sandbox.db.first<SparkCodeRow>(
    "SELECT * FROM tiktok_spark_codes WHERE advertiser_id = ? AND item_id = ? AND is_deleted = 0 ORDER BY ends_at DESC",
    advertiserId,
    itemId,
  );

function lastCodeOf(sandbox: Sandbox, itemId: string): SparkCodeRow {
  const found = sandbox.db.first<SparkCodeRow>(
    "SELECT * FROM tiktok_spark_codes WHERE item_id = ? ORDER BY begins_at DESC, ends_at DESC",
    itemId,
  );
  return found ?? missing(itemId);
}

function missing(itemId: string): never {
  throw new BusinessError("missing", `The video ${itemId} is not authorized for ads.`);
}

function open(sandbox: Sandbox, item_id: string, account_id: string, days: number): SparkCodeRow {
  const now = sandbox.now();
  const row: SparkCodeRow = {
    code: `#${randomText(40)}=`,
    item_id,
    account_id,
    days,
    begins_at: now,
    ends_at: now + days * DAY_MS,
    is_deleted: 0,
    advertiser_id: null,
    bound_at: null,
  };
  sandbox.db.insert("tiktok_spark_codes", row);
  return row;
}

function end(sandbox: Sandbox, itemId: string): object {
  const living = livingCodeOf(sandbox, itemId);
  const isUsed =
    living?.advertiser_id &&
    listObjects(sandbox, living.advertiser_id).some(
      (row) => row.kind === "ad" && !row.is_deleted && isOfCode(adSpec(row), itemId),
    );
  if (isUsed) throw badParam("The video is used in a Spark ad.");
  sandbox.db.run("UPDATE tiktok_spark_codes SET is_deleted = 1 WHERE item_id = ?", itemId);
  return {};
}

const isOfCode = ({ identity_type, tiktok_item_id }: AdSpec, itemId: string) =>
  identity_type === "AUTH_CODE" && tiktok_item_id === itemId;

const codeView = (sandbox: Sandbox, row: SparkCodeRow) => ({
  item_id: row.item_id,
  auth_code: row.code,
  auth_code_start_time: toUtcText(row.begins_at),
  auth_code_end_time: toUtcText(row.ends_at),
  authorization_days: row.days,
  auth_code_status: codeStatus(row, sandbox.now()),
});

function codeStatus(row: SparkCodeRow, now: number): string {
  if (row.is_deleted) return "DELETED";
  if (row.ends_at <= now) return "EXPIRED";
  return row.advertiser_id === null ? "NOT_USED" : "IN_USE";
}
