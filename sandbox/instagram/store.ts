// Tables and rows of the simulated Instagram, and the definition of "live".

import { having } from "../database";
import { ADS_TABLES } from "../meta/ads/store";
import { MAIL_COLUMNS } from "../meta/conversations";
import { LOGIN_TABLES } from "../meta/logins";
import { USAGE_TABLE } from "../meta/usage";
import type { Sandbox } from "../sandbox";

export const INSTAGRAM_TABLES = `${USAGE_TABLE}${LOGIN_TABLES}${ADS_TABLES}
  CREATE TABLE IF NOT EXISTS instagram_accounts (
    id TEXT PRIMARY KEY, username TEXT NOT NULL, name TEXT NOT NULL, page_id TEXT NOT NULL, page_name TEXT NOT NULL,
    tasks TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS instagram_containers (
    id TEXT PRIMARY KEY, account_id TEXT NOT NULL, kind TEXT NOT NULL, is_child INTEGER NOT NULL, caption TEXT,
    alt_text TEXT, url TEXT, is_video INTEGER NOT NULL, children TEXT NOT NULL, error_number INTEGER,
    labels TEXT NOT NULL, ready_at INTEGER, blob_id TEXT, received INTEGER NOT NULL DEFAULT 0, media_id TEXT, published_at INTEGER,
    created_at INTEGER NOT NULL);
  CREATE INDEX IF NOT EXISTS instagram_containers_of_account ON instagram_containers (account_id, created_at);
  CREATE TABLE IF NOT EXISTS instagram_media (
    id TEXT PRIMARY KEY, account_id TEXT NOT NULL, kind TEXT NOT NULL, caption TEXT, url TEXT, alt_text TEXT,
    is_video INTEGER NOT NULL, parent_id TEXT, comments_enabled INTEGER NOT NULL DEFAULT 1,
    labels TEXT NOT NULL, live_at INTEGER NOT NULL);
  CREATE INDEX IF NOT EXISTS instagram_media_of_account ON instagram_media (account_id, live_at);
  CREATE TABLE IF NOT EXISTS instagram_publishings (account_id TEXT NOT NULL, at INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS instagram_comments (
    id TEXT PRIMARY KEY, media_id TEXT NOT NULL, account_id TEXT NOT NULL, parent_id TEXT, author_id TEXT NOT NULL,
    author_name TEXT NOT NULL, text TEXT NOT NULL, is_hidden INTEGER NOT NULL DEFAULT 0,
    answered_privately INTEGER NOT NULL DEFAULT 0, created_at INTEGER NOT NULL);
  CREATE INDEX IF NOT EXISTS instagram_comments_of_media ON instagram_comments (media_id, created_at);
  CREATE INDEX IF NOT EXISTS instagram_comments_of_parent ON instagram_comments (parent_id);
  CREATE TABLE IF NOT EXISTS instagram_messages (${MAIL_COLUMNS});
  CREATE TABLE IF NOT EXISTS instagram_subscriptions (subject TEXT PRIMARY KEY, callback_url TEXT, fields TEXT NOT NULL);
`;

export const PERSON = { id: "122000100000002", name: "Robin Sandbox" };
export const DAY_MS = 86_400_000;

export type AccountRow = {
  id: string;
  username: string;
  name: string;
  page_id: string;
  page_name: string;
  tasks: string;
};

export type ContainerKind = "IMAGE" | "VIDEO" | "REELS" | "STORIES" | "CAROUSEL";

export type ContainerRow = {
  id: string;
  account_id: string;
  kind: ContainerKind;
  is_child: number;
  caption: string | null;
  alt_text: string | null;
  url: string | null;
  is_video: number;
  children: string;
  error_number: number | null;
  /** The declarations, as a JSON list of field names. */
  labels: string;
  /** Null until the file arrives. */
  ready_at: number | null;
  blob_id: string | null;
  received: number;
  media_id: string | null;
  published_at: number | null;
  created_at: number;
};

type MediaKind = "IMAGE" | "VIDEO" | "REELS" | "STORIES" | "CAROUSEL";

export type MediaRow = {
  id: string;
  account_id: string;
  kind: MediaKind;
  caption: string | null;
  url: string | null;
  alt_text: string | null;
  is_video: number;
  parent_id: string | null;
  comments_enabled: number;
  labels: string;
  live_at: number;
};

export type CommentRow = {
  id: string;
  media_id: string;
  account_id: string;
  parent_id: string | null;
  author_id: string;
  author_name: string;
  text: string;
  is_hidden: number;
  answered_privately: number;
  created_at: number;
};

export const listAccounts = (sandbox: Sandbox) =>
  sandbox.db.all<AccountRow>("SELECT * FROM instagram_accounts ORDER BY id");

export const findAccount = (sandbox: Sandbox, id: string) =>
  sandbox.db.first<AccountRow>("SELECT * FROM instagram_accounts WHERE id = ?", id);

export const findContainer = (sandbox: Sandbox, id: string) =>
  sandbox.db.first<ContainerRow>("SELECT * FROM instagram_containers WHERE id = ?", id);

export const findMedia = (sandbox: Sandbox, id: string) =>
  sandbox.db.first<MediaRow>("SELECT * FROM instagram_media WHERE id = ?", id);

export const findComment = (sandbox: Sandbox, id: string) =>
  sandbox.db.first<CommentRow>("SELECT * FROM instagram_comments WHERE id = ?", id);

export const childrenOf = (sandbox: Sandbox, id: string) =>
  sandbox.db.all<MediaRow>("SELECT * FROM instagram_media WHERE parent_id = ? ORDER BY id", id);

/** Whether the post is publicly visible: its publish time has passed, and a story has not expired. */
export function isLive(media: MediaRow, now: number): boolean {
  if (media.live_at > now) return false;
  return media.kind !== "STORIES" || media.live_at > now - DAY_MS;
}

/** The live posts and stories, newest first: all, those of an account, or the one with this id. */
export function liveMedia(sandbox: Sandbox, of: { account_id?: string; id?: string | undefined } = {}): MediaRow[] {
  const now = sandbox.now();
  const { condition, values } = of.account_id === undefined ? having(of.id, "id") : having(of.account_id, "account_id");
  return sandbox.db
    .all<MediaRow>(
      `SELECT * FROM instagram_media WHERE parent_id IS NULL AND ${condition} ORDER BY live_at DESC, id DESC`,
      ...values,
    )
    .filter((media) => isLive(media, now));
}

// Longer than a JavaScript number can represent.
const newId = (sandbox: Sandbox, sequence: string, prefix: string) =>
  `${prefix}${String(sandbox.db.next(sequence, 1)).padStart(13, "0")}`;
/** The id of an account in our app alone, which Instagram Login gives beside its `user_id`. */
export const appScopedId = (accountId: string): string => `62${accountId.slice(-14)}`;

export const newAccountId = (sandbox: Sandbox) => newId(sandbox, "instagram_accounts", "1784");
export const newContainerId = (sandbox: Sandbox) => newId(sandbox, "instagram_containers", "1799");
export const newMediaId = (sandbox: Sandbox) => newId(sandbox, "instagram_media", "1805");
const newCommentId = (sandbox: Sandbox) => newId(sandbox, "instagram_comments", "1787");

export function insertAccount(
  sandbox: Sandbox,
  account: Omit<AccountRow, "tasks"> & { tasks: readonly string[] },
): void {
  sandbox.db.run(
    "INSERT INTO instagram_accounts (id, username, name, page_id, page_name, tasks) VALUES (?, ?, ?, ?, ?, ?)",
    account.id,
    account.username,
    account.name,
    account.page_id,
    account.page_name,
    JSON.stringify(account.tasks),
  );
}

export function insertMedia(sandbox: Sandbox, media: Omit<MediaRow, "comments_enabled">): void {
  sandbox.db.run(
    `INSERT INTO instagram_media (id, account_id, kind, caption, url, alt_text, is_video, parent_id, labels, live_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    media.id,
    media.account_id,
    media.kind,
    media.caption,
    media.url,
    media.alt_text,
    media.is_video,
    media.parent_id,
    media.labels,
    media.live_at,
  );
}

export function removeMedia(sandbox: Sandbox, { id }: MediaRow): void {
  sandbox.db.run("DELETE FROM instagram_media WHERE id = ?1 OR parent_id = ?1", id);
  sandbox.db.run("DELETE FROM instagram_comments WHERE media_id = ?", id);
}

export function insertComment(
  sandbox: Sandbox,
  comment: Pick<CommentRow, "media_id" | "account_id" | "parent_id" | "author_id" | "author_name" | "text">,
): CommentRow {
  const id = newCommentId(sandbox);
  sandbox.db.run(
    `INSERT INTO instagram_comments (id, media_id, account_id, parent_id, author_id, author_name, text, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    id,
    comment.media_id,
    comment.account_id,
    comment.parent_id,
    comment.author_id,
    comment.author_name,
    comment.text,
    sandbox.now(),
  );
  const row = findComment(sandbox, id);
  if (!row) throw new Error("a comment was lost");
  return row;
}
