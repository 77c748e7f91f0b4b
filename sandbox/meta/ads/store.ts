// Tables of the Marketing API and its four kinds of objects. Rows are never removed: a deleted object can
// still be read by id.

import { z } from "zod";
import type { Sandbox } from "../../sandbox";

export const ADS_TABLES = `
  CREATE TABLE IF NOT EXISTS meta_ads (
    id TEXT PRIMARY KEY, kind TEXT NOT NULL, platform TEXT NOT NULL, account_id TEXT NOT NULL, campaign_id TEXT,
    adset_id TEXT, name TEXT NOT NULL, status TEXT NOT NULL, content TEXT NOT NULL, review_from INTEGER NOT NULL,
    settled_at INTEGER NOT NULL, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL);
  CREATE INDEX IF NOT EXISTS meta_ads_of_account ON meta_ads (account_id, kind);
  CREATE INDEX IF NOT EXISTS meta_ads_of_campaign ON meta_ads (campaign_id);
  CREATE INDEX IF NOT EXISTS meta_ads_of_adset ON meta_ads (adset_id);
  CREATE TABLE IF NOT EXISTS meta_ad_days (
    ad_id TEXT NOT NULL, day TEXT NOT NULL, spend REAL NOT NULL, PRIMARY KEY (ad_id, day));
  CREATE TABLE IF NOT EXISTS meta_ad_budget_changes (object_id TEXT NOT NULL, at INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS meta_ad_points (subject TEXT NOT NULL, at INTEGER NOT NULL, points INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS meta_ad_blocks (subject TEXT PRIMARY KEY, until INTEGER NOT NULL);
`;

export type AdKind = "campaign" | "adset" | "creative" | "ad";
type Status = "ACTIVE" | "PAUSED" | "ARCHIVED" | "DELETED";
export type AdsPlatform = "facebook" | "instagram";

type Columns = {
  id: string;
  kind: AdKind;
  /** The app that created it; both apps see the same ad accounts. */
  platform: AdsPlatform;
  account_id: string;
  campaign_id: string | null;
  adset_id: string | null;
  name: string;
  status: Status;
  /** For ads: the start of the review; reset by a change. */
  review_from: number;
  /** For ads: the time up to which delivery is booked in `meta_ad_days`. */
  settled_at: number;
  created_at: number;
  updated_at: number;
};
type Row = Columns & { content: string };
type Stored<C> = Columns & { content: C };

const amount = z.number().int().nullable();

const peak = z.object({ day: z.string(), daily_budget: z.number() }).nullable().default(null);

const CampaignContent = z.object({
  objective: z.string(),
  buying_type: z.string(),
  special_ad_categories: z.array(z.string()),
  special_ad_category_country: z.array(z.string()),
  is_adset_budget_sharing_enabled: z.boolean().nullable(),
  daily_budget: amount,
  lifetime_budget: amount,
  /** The highest daily budget on the day of its last change. */
  peak,
  bid_strategy: z.string().nullable(),
});
const AdSetContent = z.object({
  daily_budget: amount,
  lifetime_budget: amount,
  /** The highest daily budget on the day of its last change. */
  peak,
  /** Epoch milliseconds; a null end means no end date. */
  start_at: z.number(),
  end_at: z.number().nullable(),
  billing_event: z.string(),
  optimization_goal: z.string(),
  bid_strategy: z.string().nullable(),
  bid_amount: amount,
  destination_type: z.string().nullable(),
  promoted_object: z.record(z.string(), z.json()).nullable(),
  /** As it was sent. */
  targeting: z.record(z.string(), z.json()),
  dsa_beneficiary: z.string().nullable(),
  dsa_payor: z.string().nullable(),
});
const CreativeContent = z.object({
  /** Exactly one of these two is set. */
  story_id: z.string().nullable(),
  media_id: z.string().nullable(),
  page_id: z.string().nullable(),
  instagram_user_id: z.string().nullable(),
  call_to_action: z.record(z.string(), z.json()).nullable(),
});
const AdContent = z.object({ creative_id: z.string() });

export type Campaign = Stored<z.infer<typeof CampaignContent>>;
export type AdSet = Stored<z.infer<typeof AdSetContent>>;
export type Creative = Stored<z.infer<typeof CreativeContent>>;
export type Ad = Stored<z.infer<typeof AdContent>>;
export type AdObject = Campaign | AdSet | Creative | Ad;

interface New<C> {
  platform: AdsPlatform;
  account_id: string;
  campaign_id?: string;
  adset_id?: string;
  name: string;
  status: Status;
  content: C;
}

function objects<S extends z.ZodType>(kind: AdKind, schema: S) {
  const stored = ({ content, ...columns }: Row): Stored<z.output<S>> => ({
    ...columns,
    content: schema.parse(JSON.parse(content)),
  });
  const find = (sandbox: Sandbox, id: string) => {
    const row = sandbox.db.first<Row>("SELECT * FROM meta_ads WHERE id = ? AND kind = ?", id, kind);
    return row && stored(row);
  };
  const get = (sandbox: Sandbox, id: string | null) => {
    const found = find(sandbox, id ?? "");
    if (!found) throw new Error(`the ${kind} ${id} was lost`);
    return found;
  };
  return {
    kind,
    find,
    /** Gets an object by id; null if it does not exist. */
    get,
    /** Newest first, including deleted ones. */
    list: (sandbox: Sandbox, by: "platform" | "account_id" | "campaign_id" | "adset_id", value: string) =>
      sandbox.db
        .all<Row>(`SELECT * FROM meta_ads WHERE ${by} = ? AND kind = ? ORDER BY created_at DESC, id DESC`, value, kind)
        .map(stored),
    insert(sandbox: Sandbox, one: New<z.output<S>>): Stored<z.output<S>> {
      const now = sandbox.now();
      // Longer than a JavaScript number can represent.
      const id = `1202${String(sandbox.db.next("meta_ads", 1)).padStart(14, "0")}`;
      sandbox.db.run(
        `INSERT INTO meta_ads (id, kind, platform, account_id, campaign_id, adset_id, name, status, content,
           review_from, settled_at, created_at, updated_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?10, ?10, ?10)`,
        id,
        kind,
        one.platform,
        one.account_id,
        one.campaign_id ?? null,
        one.adset_id ?? null,
        one.name,
        one.status,
        JSON.stringify(one.content),
        now,
      );
      return get(sandbox, id);
    },
    /** Deleting or archiving an object includes its children. */
    update(sandbox: Sandbox, { id, name, status, content }: Stored<z.output<S>>): void {
      if (status === "DELETED" || status === "ARCHIVED") passDown(sandbox, id, status);
      sandbox.db.run(
        "UPDATE meta_ads SET name = ?, status = ?, content = ?, updated_at = ? WHERE id = ?",
        name,
        status,
        JSON.stringify(content),
        sandbox.now(),
        id,
      );
    },
  };
}

export const campaigns = objects("campaign", CampaignContent);
export const adSets = objects("adset", AdSetContent);
export const creatives = objects("creative", CreativeContent);
export const ads = objects("ad", AdContent);

/** The ads whose creative shows a post or media object, without deleted ones; newest first. */
export function adsShowing(sandbox: Sandbox, postId: string): Ad[] {
  const shows = "content ->> 'story_id' = ?1 OR content ->> 'media_id' = ?1";
  return sandbox.db
    .all<{ id: string }>(
      `SELECT id FROM meta_ads WHERE kind = 'ad' AND status <> 'DELETED' AND content ->> 'creative_id' IN
         (SELECT id FROM meta_ads WHERE kind = 'creative' AND (${shows})) ORDER BY created_at DESC, id DESC`,
      postId,
    )
    .map(({ id }) => ads.get(sandbox, id));
}

/** The kind and ad account of an id; null for an id that was never issued. */
export function kindOf(sandbox: Sandbox, id: string): { kind: AdKind; accountId: string } | null {
  const row = sandbox.db.first<Row>("SELECT * FROM meta_ads WHERE id = ?", id);
  return row && { kind: row.kind, accountId: row.account_id };
}

function passDown(sandbox: Sandbox, id: string, status: "ARCHIVED" | "DELETED"): void {
  sandbox.db.run(
    "UPDATE meta_ads SET status = ?1, updated_at = ?2 WHERE (campaign_id = ?3 OR adset_id = ?3) AND status <> 'DELETED'",
    status,
    sandbox.now(),
    id,
  );
}

/** Sends the ads to review again. */
export function restartReview(sandbox: Sandbox, by: "id" | "adset_id", value: string): void {
  sandbox.db.run(`UPDATE meta_ads SET review_from = ? WHERE ${by} = ? AND kind = 'ad'`, sandbox.now(), value);
}
