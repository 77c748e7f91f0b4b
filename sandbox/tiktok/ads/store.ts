// Tables of the simulated TikTok Ads: logins, post codes, objects (campaigns, ad groups, ads) and hourly
// spend.

import type { Sandbox } from "../../sandbox";

export const ADS_TABLES = `
  CREATE TABLE IF NOT EXISTS tiktok_ads_logins (
    id INTEGER PRIMARY KEY AUTOINCREMENT, advertiser_ids TEXT NOT NULL, is_dead INTEGER NOT NULL DEFAULT 0);
  CREATE TABLE IF NOT EXISTS tiktok_ads_codes (
    code TEXT PRIMARY KEY, login_id INTEGER NOT NULL, expires_at INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS tiktok_ads_tokens (token TEXT PRIMARY KEY, login_id INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS tiktok_ads_books (
    advertiser_id TEXT PRIMARY KEY, balance REAL NOT NULL, settled_at INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS tiktok_ads_objects (
    id TEXT PRIMARY KEY, kind TEXT NOT NULL, advertiser_id TEXT NOT NULL, campaign_id TEXT NOT NULL, adgroup_id TEXT,
    name TEXT NOT NULL, is_on INTEGER NOT NULL, is_deleted INTEGER NOT NULL DEFAULT 0, budget INTEGER, spec TEXT NOT NULL,
    review_until INTEGER, was_reviewed INTEGER NOT NULL DEFAULT 0, verdict TEXT,
    created_at INTEGER NOT NULL, modified_at INTEGER NOT NULL);
  CREATE INDEX IF NOT EXISTS tiktok_ads_objects_by_advertiser ON tiktok_ads_objects (advertiser_id, kind, created_at);
  CREATE TABLE IF NOT EXISTS tiktok_ads_keys (
    advertiser_id TEXT NOT NULL, request_id TEXT NOT NULL, object_id TEXT NOT NULL, PRIMARY KEY (advertiser_id, request_id));
  CREATE TABLE IF NOT EXISTS tiktok_ads_hours (
    ad_id TEXT NOT NULL, hour INTEGER NOT NULL, spent REAL NOT NULL, PRIMARY KEY (ad_id, hour));
  CREATE TABLE IF NOT EXISTS tiktok_spark_codes (
    code TEXT PRIMARY KEY, item_id TEXT NOT NULL, account_id TEXT NOT NULL, days INTEGER NOT NULL, begins_at INTEGER NOT NULL,
    ends_at INTEGER NOT NULL, is_deleted INTEGER NOT NULL DEFAULT 0, advertiser_id TEXT, bound_at INTEGER);
`;

export type Kind = "campaign" | "adgroup" | "ad";

export type ObjectRow = {
  id: string;
  kind: Kind;
  advertiser_id: string;
  /** For a campaign, its own id. */
  campaign_id: string;
  /** For an ad group, its own id; null for a campaign. */
  adgroup_id: string | null;
  name: string;
  is_on: number;
  is_deleted: number;
  /** Minor units; null for an ad, and if unlimited. */
  budget: number | null;
  /** Further properties: a `CampaignSpec`, `AdgroupSpec` or `AdSpec`, as JSON. */
  spec: string;
  /** For an ad, the end of its review. */
  review_until: number | null;
  /** Whether an earlier review was completed. */
  was_reviewed: number;
  /** The outcome of the review; null if the ad passes. */
  verdict: "denied" | "not_transcoded" | null;
  created_at: number;
  modified_at: number;
};

export type BudgetMode =
  | "BUDGET_MODE_INFINITE"
  | "BUDGET_MODE_TOTAL"
  | "BUDGET_MODE_DAY"
  | "BUDGET_MODE_DYNAMIC_DAILY_BUDGET";

export interface CampaignSpec {
  readonly objective_type: string;
  readonly budget_mode: BudgetMode;
  /** The campaign distributes its budget; the budgets of its ad groups are ignored. */
  readonly budget_optimize_on: boolean;
  readonly special_industries: readonly string[];
}

export interface AdgroupSpec {
  readonly budget_mode: BudgetMode;
  readonly optimization_goal: string;
  readonly startsAt: number;
  /** Null for no end date. */
  readonly endsAt: number | null;
  /** Stored and returned only: placements, audience, bid. */
  readonly rest: Readonly<Record<string, unknown>>;
}

export type IdentityType = "AUTH_CODE" | "TT_USER" | "BC_AUTH_TT";

export interface AdSpec {
  readonly identity_type: IdentityType;
  readonly identity_id: string;
  readonly tiktok_item_id: string;
  readonly rest: Readonly<Record<string, unknown>>;
}

export const campaignSpec = ({ spec }: ObjectRow): CampaignSpec => JSON.parse(spec);
export const adgroupSpec = ({ spec }: ObjectRow): AdgroupSpec => JSON.parse(spec);
export const adSpec = ({ spec }: ObjectRow): AdSpec => JSON.parse(spec);

export type SparkCodeRow = {
  code: string;
  item_id: string;
  account_id: string;
  days: number;
  begins_at: number;
  ends_at: number;
  is_deleted: number;
  /** The ad account that redeemed the code; null if unused. */
  advertiser_id: string | null;
  bound_at: number | null;
};

const FIRST_ID = 1_790_000_000_000_000n;

export const newObjectId = (sandbox: Sandbox): string =>
  String(FIRST_ID + BigInt(sandbox.db.next("tiktok_ads_objects", 1)));

export const findObject = (sandbox: Sandbox, id: string) =>
  sandbox.db.first<ObjectRow>("SELECT * FROM tiktok_ads_objects WHERE id = ?", id);

/** In order of creation, including deleted ones. */
export const listObjects = (sandbox: Sandbox, advertiserId: string) =>
  sandbox.db.all<ObjectRow>(
    "SELECT * FROM tiktok_ads_objects WHERE advertiser_id = ? ORDER BY created_at, id",
    advertiserId,
  );

export function saveObject(sandbox: Sandbox, row: ObjectRow): ObjectRow {
  sandbox.db.replace("tiktok_ads_objects", row);
  return row;
}
