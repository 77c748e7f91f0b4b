// Enables, disables and deletes campaigns, ad groups and ads. Deletion is final and includes child objects.

import { Hono } from "hono";
import { z } from "zod";
import type { Sandbox } from "../../sandbox";
import { readJson } from "../business-api";
import { BusinessError, badParam, ok, partly } from "../business-errors";
import { type Advertiser, demandEnabled } from "./advertisers";
import { type AdsEnv, adsEndpoint, readAdsBody } from "./api";
import { findObject, type Kind, type ObjectRow, saveObject } from "./store";

const ids = z.array(z.string()).min(1);
const operation_status = z.enum(["ENABLE", "DISABLE", "DELETE"]);
type Operation = z.output<typeof operation_status>;
const MOST = 20;

export function switchRoutes(sandbox: Sandbox) {
  const app = new Hono<AdsEnv>();
  const endpoint = adsEndpoint(sandbox, async (c) => {
    const isDelete = z.looseObject({ operation_status: z.literal("DELETE") }).safeParse(await readJson(c)).success;
    return isDelete ? "ads_delete" : "ads_update";
  });

  app.post("/campaign/status/update/", ...endpoint, async (c) => {
    const Body = z.object({ campaign_ids: ids, operation_status });
    const { advertiser, requested } = await readAdsBody(sandbox, c, Body);
    const done = switchAll(
      sandbox,
      advertiser,
      { kind: "campaign", ids: requested.campaign_ids },
      requested.operation_status,
    );
    return ok({ campaign_ids: done, status: requested.operation_status });
  });

  app.post("/adgroup/status/update/", ...endpoint, async (c) => {
    const Body = z.object({ adgroup_ids: ids, operation_status, allow_partial_success: z.boolean().default(false) });
    const { advertiser, requested } = await readAdsBody(sandbox, c, Body);
    const { adgroup_ids, operation_status: status } = requested;
    if (!requested.allow_partial_success) {
      return ok({ adgroup_ids: switchAll(sandbox, advertiser, { kind: "adgroup", ids: adgroup_ids }, status), status });
    }
    const outcomes = adgroup_ids.map((id) => attempt(sandbox, advertiser, id, status));
    const error_list = outcomes.filter((outcome) => outcome !== null);
    const done = adgroup_ids.filter((_, index) => outcomes[index] === null);
    return (error_list.length > 0 ? partly : ok)({ adgroup_ids: done, status, error_list });
  });

  app.post("/ad/status/update/", ...endpoint, async (c) => {
    const Body = z.object({ ad_ids: ids.optional(), aco_ad_ids: ids.optional(), operation_status });
    const { advertiser, requested } = await readAdsBody(sandbox, c, Body);
    if (!requested.ad_ids) throw badParam("ad_ids: Missing data for required field.");
    const done = switchAll(sandbox, advertiser, { kind: "ad", ids: requested.ad_ids }, requested.operation_status);
    return ok({ ad_ids: done, status: requested.operation_status });
  });
  return app;
}

/** All of them or none. */
function switchAll(
  sandbox: Sandbox,
  advertiser: Advertiser,
  { kind, ids: list }: { kind: Kind; ids: readonly string[] },
  to: Operation,
): string[] {
  if (list.length > MOST) throw new BusinessError("tooMany", `There may be at most ${MOST} ids.`);
  const rows = list.map((id) => switchable(sandbox, advertiser, { kind, id }, to));
  for (const row of rows) turn(sandbox, row, to);
  return rows.map(({ id }) => id);
}

/** Null on success. */
function attempt(sandbox: Sandbox, advertiser: Advertiser, adgroup_id: string, to: Operation): object | null {
  try {
    switchAll(sandbox, advertiser, { kind: "adgroup", ids: [adgroup_id] }, to);
    return null;
  } catch (error) {
    if (!(error instanceof BusinessError)) throw error;
    return { adgroup_id, error_code: error.code, error_message: error.message };
  }
}

function switchable(
  sandbox: Sandbox,
  advertiser: Advertiser,
  { kind, id }: { kind: Kind; id: string },
  to: Operation,
): ObjectRow {
  if (to === "ENABLE") demandEnabled(advertiser);
  const row = findObject(sandbox, id);
  if (row?.kind !== kind || row.advertiser_id !== advertiser.id) {
    throw new BusinessError("missing", `The ${kind} ${id} does not exist.`);
  }
  if (row.is_deleted && to === "DELETE") throw new BusinessError("noUpdate", `The ${kind} ${id} is deleted already.`);
  if (row.is_deleted) throw badParam(`The ${kind} ${id} is deleted.`);
  return row;
}

function turn(sandbox: Sandbox, row: ObjectRow, to: Operation): void {
  const modified_at = sandbox.now();
  if (to !== "DELETE") {
    saveObject(sandbox, { ...row, is_on: to === "ENABLE" ? 1 : 0, modified_at });
    return;
  }
  const column = { campaign: "campaign_id", adgroup: "adgroup_id", ad: "id" }[row.kind];
  sandbox.db.run(
    `UPDATE tiktok_ads_objects SET is_deleted = 1, modified_at = ? WHERE ${column} = ? AND is_deleted = 0`,
    modified_at,
    row.id,
  );
}
