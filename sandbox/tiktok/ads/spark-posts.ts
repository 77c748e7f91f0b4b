// The advertiser's side of Spark Ads: identities with their posts, and posts authorized by a code.

import { Hono } from "hono";
import { z } from "zod";
import type { Sandbox } from "../../sandbox";
import { jsonList, queryNumber } from "../business-api";
import { badParam, ok } from "../business-errors";
import { findAccount, type TaskRow } from "../store";
import type { Advertiser } from "./advertisers";
import { type AdsEnv, adsEndpoint, PAGING, pageOf, readAdsBody, readAdsQuery } from "./api";
import {
  availability,
  type Identity,
  identitiesOf,
  identityOf,
  namedIdentity,
  namedPost,
  postsOf,
  type Usable,
} from "./identities";
import { adSpec, listObjects, type SparkCodeRow } from "./store";
import { toUtcText } from "./times";

export const IDENTITY_TYPES = ["AUTH_CODE", "TT_USER", "BC_AUTH_TT"] as const;

const Identities = z.object({
  identity_type: z.enum(IDENTITY_TYPES).optional(),
  identity_authorized_bc_id: z.string().optional(),
  ...PAGING(100, 20),
});
const Named = {
  identity_type: z.enum(IDENTITY_TYPES),
  identity_id: z.string(),
  identity_authorized_bc_id: z.string().optional(),
};
const Videos = z.object({
  ...Named,
  item_type: z.enum(["VIDEO", "CAROUSEL"]).default("VIDEO"),
  keyword: z.string().optional(),
  cursor: queryNumber(0, 1_000_000).default(0),
  count: queryNumber(1, 20).default(20),
});

export function identityRoutes(sandbox: Sandbox) {
  const app = new Hono<AdsEnv>();
  const reading = adsEndpoint(sandbox, "ads_read");

  app.get("/get/", ...reading, (c) => {
    const { advertiser, requested } = readAdsQuery(sandbox, c, Identities);
    const { identity_type, identity_authorized_bc_id: bcId } = requested;
    if (identity_type === "BC_AUTH_TT" && bcId === undefined) throw badParam("identity_authorized_bc_id: is required.");
    const wanted = identitiesOf(sandbox, advertiser).filter(
      (one) => (identity_type ?? one.type) === one.type && (bcId === undefined || one.bcId === bcId),
    );
    const { shown, page_info } = pageOf(wanted, requested);
    return ok({ identity_list: shown.map(identityView), page_info });
  });

  app.get("/video/get/", ...reading, (c) => {
    const { advertiser, requested } = readAdsQuery(sandbox, c, Videos);
    const { item_type, keyword, cursor, count } = requested;
    if (keyword !== undefined && requested.identity_type !== "AUTH_CODE")
      throw badParam("keyword: is for AUTH_CODE only.");
    const identity = namedIdentity(sandbox, advertiser, requested);
    const all = postsOf(sandbox, advertiser, identity).filter(
      ({ task }) => itemType(task) === item_type && task.caption.includes(keyword ?? ""),
    );
    const shown = all.slice(cursor, cursor + count);
    return ok({
      video_list: shown.map(videoView),
      cursor: cursor + shown.length,
      has_more: all.length > cursor + count,
    });
  });

  app.get("/video/info/", ...reading, (c) => {
    const { advertiser, requested } = readAdsQuery(sandbox, c, z.object({ ...Named, item_id: z.string() }));
    const identity = namedIdentity(sandbox, advertiser, requested);
    return ok({ video_detail: videoView(namedPost(sandbox, advertiser, identity, requested.item_id)) });
  });
  return app;
}

const identityView = (identity: Identity) => {
  const { id, type, bcId, account } = identity;
  const isAvailable = availability(identity) === "AVAILABLE";
  return {
    identity_id: id,
    identity_type: type,
    ...(bcId === null ? {} : { identity_authorized_bc_id: bcId }),
    display_name: account.display_name,
    username: account.username,
    profile_image: `https://p16.example/${account.username}.jpg`,
    can_push_video: isAvailable && type !== "AUTH_CODE",
    can_pull_video: isAvailable,
    can_use_live_ads: false,
    can_manage_message: false,
    available_status: availability(identity),
    ads_only_mode: false,
  };
};

const Code = z.object({ auth_code: z.string() });
const Redeemed = Code.extend({ original_post_auth_code: z.string().optional() });
const PostList = z.object({
  item_types: jsonList.pipe(z.array(z.enum(["VIDEO", "CAROUSEL"]))).optional(),
  keyword: z.string().optional(),
  ...PAGING(50, 20),
});

export function sparkPostRoutes(sandbox: Sandbox) {
  const app = new Hono<AdsEnv>();
  const reading = adsEndpoint(sandbox, "ads_read");
  const writing = adsEndpoint(sandbox, "ads_creative");

  app.post("/authorize/", ...writing, async (c) => {
    const { advertiser, requested } = await readAdsBody(sandbox, c, Redeemed);
    const row = findCode(sandbox, requested.auth_code);
    const isAgain = row?.advertiser_id === advertiser.id && sandbox.settings.all.tiktok_ads_repeats !== "same";
    const isOthers = row !== null && row.advertiser_id !== null && row.advertiser_id !== advertiser.id;
    if (!row || row.is_deleted || row.ends_at <= sandbox.now() || isAgain || isOthers) {
      throw badParam("auth_code: is invalid, expired or in use.");
    }
    sandbox.db.run(
      "UPDATE tiktok_spark_codes SET advertiser_id = ?, bound_at = ? WHERE code = ?",
      advertiser.id,
      sandbox.now(),
      row.code,
    );
    return ok({});
  });

  app.get("/info/", ...reading, (c) => {
    const { advertiser, requested } = readAdsQuery(sandbox, c, Code);
    const row = findCode(sandbox, requested.auth_code);
    if (row?.advertiser_id !== advertiser.id || row.is_deleted) throw badParam("auth_code: is not authorized.");
    return ok(sparkView(sandbox, row));
  });

  app.get("/list/", ...reading, (c) => {
    const { advertiser, requested } = readAdsQuery(sandbox, c, PostList);
    const all = boundCodes(sandbox, advertiser)
      .map((row) => ({ task: findPost(sandbox, row.item_id), view: sparkView(sandbox, row) }))
      .filter(({ task }) => task && (requested.item_types?.includes(itemType(task)) ?? true))
      .filter(({ task }) => task?.caption.includes(requested.keyword ?? ""));
    const { shown, page_info } = pageOf(all, requested);
    return ok({ list: shown.map(({ view }) => view), page_info });
  });

  app.post("/unbind/", ...writing, async (c) => {
    const { advertiser, requested } = await readAdsBody(sandbox, c, z.object({ item_id: z.string() }));
    const rows = boundCodes(sandbox, advertiser).filter(({ item_id }) => item_id === requested.item_id);
    if (rows.length === 0) throw badParam("item_id: is not authorized.");
    if (rows.some(({ ends_at }) => ends_at > sandbox.now())) throw badParam("The authorization has not ended.");
    const isUsed = listObjects(sandbox, advertiser.id).some(
      (row) => row.kind === "ad" && !row.is_deleted && adSpec(row).tiktok_item_id === requested.item_id,
    );
    if (isUsed) throw badParam("The video is used in an ad.");
    for (const { code } of rows)
      sandbox.db.run("UPDATE tiktok_spark_codes SET advertiser_id = NULL WHERE code = ?", code);
    return ok({});
  });
  return app;
}

const findCode = (sandbox: Sandbox, code: string) =>
  sandbox.db.first<SparkCodeRow>("SELECT * FROM tiktok_spark_codes WHERE code = ?", code);
const boundCodes = (sandbox: Sandbox, { id }: Advertiser) =>
  sandbox.db.all<SparkCodeRow>(
    "SELECT * FROM tiktok_spark_codes WHERE advertiser_id = ? AND is_deleted = 0 ORDER BY bound_at DESC",
    id,
  );
export const findPost = (sandbox: Sandbox, itemId: string) =>
  sandbox.db.first<TaskRow>("SELECT * FROM tiktok_tasks WHERE post_id = ?", itemId);

export const itemType = ({ kind }: TaskRow): "VIDEO" | "CAROUSEL" => (kind === "photos" ? "CAROUSEL" : "VIDEO");

const videoInfo = { duration: 6, width: 720, height: 1280 };

const authInfo = (row: SparkCodeRow, now: number) => ({
  ad_auth_status: row.ends_at > now ? "AUTHORIZED" : "EXPIRED",
  auth_start_time: toUtcText(row.bound_at ?? row.begins_at),
  auth_end_time: toUtcText(row.ends_at),
  invite_start_time: toUtcText(row.begins_at),
});

function sparkView(sandbox: Sandbox, row: SparkCodeRow) {
  const task = findPost(sandbox, row.item_id);
  const account = findAccount(sandbox, row.account_id);
  if (!task || !account) throw badParam(`The video ${row.item_id} does not exist.`);
  return {
    auth_info: authInfo(row, sandbox.now()),
    item_info: {
      item_id: row.item_id,
      item_type: itemType(task),
      auth_code: row.code,
      text: task.caption,
      status: "HESITATE_RECOMMEND",
    },
    user_info: {
      identity_id: identityOf("AUTH_CODE", account).id,
      identity_type: "AUTH_CODE",
      tiktok_name: account.display_name,
    },
    video_info: videoInfo,
  };
}

const videoView = ({ task, code }: Usable) => ({
  item_id: task.post_id,
  item_type: itemType(task),
  text: task.caption,
  status: "ITEM_STATUS_HESITATE_RECOMMEND",
  video_info: videoInfo,
  ...(code
    ? { auth_info: { ad_auth_status: "AUTHORIZED", auth_end_time: toUtcText(code.ends_at) } }
    : { auth_info: { ad_auth_status: "AUTHORIZED" } }),
});
