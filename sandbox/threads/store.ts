// Tables and rows of the simulated Threads, and the definition of "live".

import { z } from "zod";
import { LOGIN_TABLES } from "../meta/logins";
import { USAGE_TABLE } from "../meta/usage";
import { randomText } from "../random";
import type { Sandbox } from "../sandbox";

export const THREADS_TABLES = `${USAGE_TABLE}${LOGIN_TABLES}
  CREATE TABLE IF NOT EXISTS threads_accounts (
    id TEXT PRIMARY KEY, username TEXT NOT NULL UNIQUE, name TEXT NOT NULL, biography TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS threads_containers (
    id TEXT PRIMARY KEY, account_id TEXT NOT NULL, media_type TEXT NOT NULL, text TEXT NOT NULL, files TEXT NOT NULL,
    is_carousel_item INTEGER NOT NULL, reply_to TEXT, quoted TEXT, link TEXT, topic_tag TEXT, error TEXT,
    ready_at INTEGER NOT NULL, created_at INTEGER NOT NULL, publish_calls INTEGER NOT NULL DEFAULT 0, media_id TEXT,
    live_at INTEGER);
  CREATE TABLE IF NOT EXISTS threads_media (
    id TEXT PRIMARY KEY, shortcode TEXT NOT NULL UNIQUE, account_id TEXT, username TEXT NOT NULL, media_type TEXT NOT NULL,
    text TEXT NOT NULL, files TEXT NOT NULL, reply_to TEXT, root TEXT, quoted TEXT, reposted TEXT, link TEXT, topic_tag TEXT,
    is_comment INTEGER NOT NULL, hide_status TEXT NOT NULL, approval TEXT, live_at INTEGER NOT NULL);
  CREATE INDEX IF NOT EXISTS threads_media_by_account ON threads_media (account_id, live_at);
  CREATE INDEX IF NOT EXISTS threads_media_by_parent ON threads_media (reply_to);
  CREATE INDEX IF NOT EXISTS threads_media_by_root ON threads_media (root, live_at);
  CREATE TABLE IF NOT EXISTS threads_callbacks (url TEXT NOT NULL, fields TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS threads_quota (account_id TEXT NOT NULL, kind TEXT NOT NULL, at INTEGER NOT NULL);
  CREATE INDEX IF NOT EXISTS threads_quota_by_account ON threads_quota (account_id, kind, at);
`;

export type AccountRow = { id: string; username: string; name: string; biography: string };

export type ContainerKind = "TEXT" | "IMAGE" | "VIDEO" | "CAROUSEL";

export type ContainerRow = {
  id: string;
  account_id: string;
  media_type: ContainerKind;
  text: string;
  files: string;
  is_carousel_item: number;
  reply_to: string | null;
  quoted: string | null;
  link: string | null;
  topic_tag: string | null;
  error: string | null;
  ready_at: number;
  created_at: number;
  publish_calls: number;
  media_id: string | null;
  live_at: number | null;
};

export type MediaRow = {
  id: string;
  shortcode: string;
  /** Null for content of external users. */
  account_id: string | null;
  username: string;
  media_type: string;
  text: string;
  files: string;
  reply_to: string | null;
  /** The first post of the conversation; null for that post itself. */
  root: string | null;
  quoted: string | null;
  reposted: string | null;
  link: string | null;
  topic_tag: string | null;
  /** Written by others, or a reply to others: not a post of the account. */
  is_comment: number;
  hide_status: string;
  approval: string | null;
  live_at: number;
};

const StoredFile = z.object({ kind: z.enum(["IMAGE", "VIDEO"]), url: z.string(), alt: z.string().nullable() });
export type StoredFile = z.output<typeof StoredFile>;
export const filesOf = (row: { files: string }): StoredFile[] => z.array(StoredFile).parse(JSON.parse(row.files));

const numbered = (sandbox: Sandbox, sequence: string, prefix: string): string =>
  `${prefix}${String(sandbox.db.next(sequence, 1)).padStart(17 - prefix.length, "0")}`;

// 17 digits, as on the real platform: more than a JavaScript number represents exactly.
export const newAccountId = (sandbox: Sandbox) => numbered(sandbox, "threads_accounts", "2610");
export const newContainerId = (sandbox: Sandbox) => numbered(sandbox, "threads_containers", "1784");
const newMediaId = (sandbox: Sandbox) => numbered(sandbox, "threads_media", "1806");

export const findAccount = (sandbox: Sandbox, id: string) =>
  sandbox.db.first<AccountRow>("SELECT * FROM threads_accounts WHERE id = ?", id);

export const listAccounts = (sandbox: Sandbox) =>
  sandbox.db.all<AccountRow>("SELECT * FROM threads_accounts ORDER BY id");

export const findContainer = (sandbox: Sandbox, id: string) =>
  sandbox.db.first<ContainerRow>("SELECT * FROM threads_containers WHERE id = ?", id);

/** Finds media that already exists at the current time. */
export const findMedia = (sandbox: Sandbox, id: string) =>
  sandbox.db.first<MediaRow>("SELECT * FROM threads_media WHERE id = ? AND live_at <= ?", id, sandbox.now());

export function insertAccount(sandbox: Sandbox, account: AccountRow): void {
  const { id, username, name, biography } = account;
  sandbox.db.run(
    "INSERT INTO threads_accounts (id, username, name, biography) VALUES (?, ?, ?, ?)",
    id,
    username,
    name,
    biography,
  );
}

export type NewMedia = Omit<MediaRow, "id" | "shortcode" | "files" | "hide_status" | "root"> & {
  files: readonly StoredFile[];
};

export function insertMedia(sandbox: Sandbox, media: NewMedia): MediaRow {
  const parent = media.reply_to === null ? null : findMedia(sandbox, media.reply_to);
  const row: MediaRow = {
    ...media,
    id: newMediaId(sandbox),
    shortcode: `D${randomText(10)}`,
    files: JSON.stringify(media.files),
    root: media.reply_to === null ? null : (parent?.root ?? media.reply_to),
    hide_status: "NOT_HUSHED",
  };
  const columns = Object.keys(row);
  sandbox.db.run(
    `INSERT INTO threads_media (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`,
    ...Object.values(row),
  );
  return row;
}

const DAY_MS = 86_400_000;
export type QuotaKind = "post" | "reply" | "delete";

/** The account's number of actions of a kind within 24 hours. */
export function usedQuota(sandbox: Sandbox, accountId: string, kind: QuotaKind): number {
  const row = sandbox.db.first<{ used: number }>(
    "SELECT count(*) AS used FROM threads_quota WHERE account_id = ? AND kind = ? AND at > ?",
    accountId,
    kind,
    sandbox.now() - DAY_MS,
  );
  return row?.used ?? 0;
}

export function quotaOf(sandbox: Sandbox, kind: QuotaKind): number {
  const { threads_posts_per_day, threads_replies_per_day, threads_deletes_per_day } = sandbox.settings.all;
  return { post: threads_posts_per_day, reply: threads_replies_per_day, delete: threads_deletes_per_day }[kind];
}

export function countQuota(sandbox: Sandbox, accountId: string, kind: QuotaKind): void {
  sandbox.db.run("INSERT INTO threads_quota (account_id, kind, at) VALUES (?, ?, ?)", accountId, kind, sandbox.now());
}
