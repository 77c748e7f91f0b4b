// Tables, rows and ids of the simulated TikTok, and the state of a task.

import type { Sandbox } from "../sandbox";

export const TIKTOK_TABLES = `
  CREATE TABLE IF NOT EXISTS tiktok_accounts (
    id TEXT PRIMARY KEY, username TEXT NOT NULL UNIQUE, display_name TEXT NOT NULL, is_private INTEGER NOT NULL,
    comment_disabled INTEGER NOT NULL, duet_disabled INTEGER NOT NULL, stitch_disabled INTEGER NOT NULL,
    max_seconds INTEGER NOT NULL, is_banned INTEGER NOT NULL DEFAULT 0, created_at INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS tiktok_grants (
    id INTEGER PRIMARY KEY AUTOINCREMENT, client_key TEXT NOT NULL, account_id TEXT NOT NULL, scopes TEXT NOT NULL,
    is_dead INTEGER NOT NULL DEFAULT 0, created_at INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS tiktok_codes (
    code TEXT PRIMARY KEY, grant_id INTEGER NOT NULL, redirect_uri TEXT NOT NULL, challenge TEXT,
    expires_at INTEGER NOT NULL, is_used INTEGER NOT NULL DEFAULT 0);
  CREATE TABLE IF NOT EXISTS tiktok_tokens (
    token TEXT PRIMARY KEY, grant_id INTEGER NOT NULL, kind TEXT NOT NULL, expires_at INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS tiktok_hits (token TEXT NOT NULL, bucket TEXT NOT NULL, at INTEGER NOT NULL);
  CREATE INDEX IF NOT EXISTS tiktok_hits_by_token ON tiktok_hits (token, bucket, at);
  CREATE TABLE IF NOT EXISTS tiktok_tasks (
    publish_id TEXT PRIMARY KEY, client_key TEXT NOT NULL, grant_id INTEGER NOT NULL, account_id TEXT NOT NULL,
    kind TEXT NOT NULL, is_draft INTEGER NOT NULL, is_pull INTEGER NOT NULL, caption TEXT NOT NULL, title TEXT NOT NULL,
    privacy TEXT NOT NULL, total INTEGER NOT NULL, chunk_size INTEGER NOT NULL, chunks INTEGER NOT NULL,
    upload_id TEXT, upload_token TEXT, files TEXT NOT NULL, trouble TEXT, post_id TEXT NOT NULL, labels TEXT NOT NULL,
    opened_at INTEGER NOT NULL, begun_at INTEGER, ready_at INTEGER);
  CREATE INDEX IF NOT EXISTS tiktok_tasks_by_post ON tiktok_tasks (post_id);
  CREATE INDEX IF NOT EXISTS tiktok_tasks_by_account ON tiktok_tasks (account_id, opened_at);
  CREATE TABLE IF NOT EXISTS tiktok_business_grants (
    id INTEGER PRIMARY KEY AUTOINCREMENT, account_id TEXT NOT NULL, scopes TEXT NOT NULL, is_dead INTEGER NOT NULL DEFAULT 0);
  CREATE TABLE IF NOT EXISTS tiktok_business_codes (
    code TEXT PRIMARY KEY, grant_id INTEGER NOT NULL, redirect_uri TEXT NOT NULL, expires_at INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS tiktok_business_tokens (
    token TEXT PRIMARY KEY, grant_id INTEGER NOT NULL, kind TEXT NOT NULL, expires_at INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS tiktok_comments (
    id TEXT PRIMARY KEY, post_id TEXT NOT NULL, parent_id TEXT, author TEXT NOT NULL, text TEXT NOT NULL,
    created_at INTEGER NOT NULL, is_own INTEGER NOT NULL DEFAULT 0, is_hidden INTEGER NOT NULL DEFAULT 0,
    is_liked INTEGER NOT NULL DEFAULT 0, is_pinned INTEGER NOT NULL DEFAULT 0, likes INTEGER NOT NULL DEFAULT 0);
`;

export type AccountRow = {
  id: string;
  username: string;
  display_name: string;
  is_private: number;
  comment_disabled: number;
  duet_disabled: number;
  stitch_disabled: number;
  max_seconds: number;
  is_banned: number;
  created_at: number;
};

export type TaskRow = {
  publish_id: string;
  client_key: string;
  grant_id: number;
  account_id: string;
  kind: "video" | "photos";
  /** True for an upload to the user's inbox. */
  is_draft: number;
  is_pull: number;
  /** The displayed text: a video's title, a photo post's description. */
  caption: string;
  /** Only for photo posts. */
  title: string;
  privacy: string;
  total: number;
  chunk_size: number;
  chunks: number;
  upload_id: string | null;
  upload_token: string | null;
  /** Blob ids, as JSON. */
  files: string;
  /** The `fail_reason` that the task will get. */
  trouble: string | null;
  post_id: string;
  /** The declarations, as a JSON list of field names. */
  labels: string;
  opened_at: number;
  /** When the last byte arrived; null before. */
  begun_at: number | null;
  ready_at: number | null;
};

export type CommentRow = {
  id: string;
  post_id: string;
  parent_id: string | null;
  author: string;
  text: string;
  created_at: number;
  /** Whether the post's own account wrote it. */
  is_own: number;
  is_hidden: number;
  /** Liked by the post's account. */
  is_liked: number;
  is_pinned: number;
  likes: number;
};

export const findAccount = (sandbox: Sandbox, id: string) =>
  sandbox.db.first<AccountRow>("SELECT * FROM tiktok_accounts WHERE id = ?", id);
export const listAccounts = (sandbox: Sandbox) =>
  sandbox.db.all<AccountRow>("SELECT * FROM tiktok_accounts ORDER BY created_at, id");
export const findTask = (sandbox: Sandbox, publishId: string) =>
  sandbox.db.first<TaskRow>("SELECT * FROM tiktok_tasks WHERE publish_id = ?", publishId);

export function saveTask(sandbox: Sandbox, row: TaskRow): TaskRow {
  sandbox.db.replace("tiktok_tasks", row);
  return row;
}

export const labelsOf = ({ labels }: Pick<TaskRow, "labels">): string[] => JSON.parse(labels);
export const filesOf = ({ files }: Pick<TaskRow, "files">): string[] => JSON.parse(files);

const FIRST_ID = 7_430_000_000_000_000_000n;

/** Above 2^53, and unique. */
export function newId(sandbox: Sandbox): string {
  return String(FIRST_ID + BigInt(sandbox.db.next("tiktok_ids", 101)));
}

export type State = "uploading" | "working" | "failed" | "in_inbox" | "complete";

export function stateOf(task: TaskRow, now: number): State {
  if (task.trouble === "publish_cancelled" || task.trouble === "auth_removed") return "failed";
  if (task.begun_at === null || task.ready_at === null) return "uploading";
  if (task.ready_at > now) return "working";
  if (task.trouble !== null) return "failed";
  return task.is_draft ? "in_inbox" : "complete";
}

/** Whether the post is published, for the audience of its privacy level. */
export const isLive = (task: TaskRow, now: number) => stateOf(task, now) === "complete";

/** Whether the post is visible to everyone, which requires completed moderation. */
export function isPublic(sandbox: Sandbox, task: TaskRow): boolean {
  const now = sandbox.now();
  const moderatedAt = (task.ready_at ?? 0) + sandbox.settings.all.tiktok_moderation_ms;
  return isLive(task, now) && task.privacy === "PUBLIC_TO_EVERYONE" && moderatedAt <= now;
}

export const findComment = (sandbox: Sandbox, id: string) =>
  sandbox.db.first<CommentRow>("SELECT * FROM tiktok_comments WHERE id = ?", id);

/** Adds a comment to a post, or a reply to the thread of a comment. */
export function addComment(
  sandbox: Sandbox,
  comment: Pick<CommentRow, "post_id" | "author" | "text" | "is_own"> & { readonly answered: CommentRow | null },
): CommentRow {
  const { post_id, author, text, is_own, answered } = comment;
  const row: CommentRow = {
    id: newId(sandbox),
    post_id,
    parent_id: answered ? (answered.parent_id ?? answered.id) : null,
    author,
    text,
    created_at: sandbox.now(),
    is_own,
    is_hidden: 0,
    is_liked: 0,
    is_pinned: 0,
    likes: 0,
  };
  sandbox.db.insert("tiktok_comments", row);
  return row;
}

/** Revokes all tokens of this account and app; unpublished posts fail. */
export function killGrants(sandbox: Sandbox, grantId: number): void {
  const grant = sandbox.db.first<{ client_key: string; account_id: string }>(
    "SELECT client_key, account_id FROM tiktok_grants WHERE id = ?",
    grantId,
  );
  if (grant) killLoginsOf(sandbox, grant.client_key, grant.account_id);
}

/** The same for an account and app. */
export function killLoginsOf(sandbox: Sandbox, client_key: string, account_id: string): void {
  sandbox.db.run(
    "UPDATE tiktok_grants SET is_dead = 1 WHERE client_key = ? AND account_id = ?",
    client_key,
    account_id,
  );
  sandbox.db.run(
    `UPDATE tiktok_tasks SET trouble = 'auth_removed'
     WHERE client_key = ? AND account_id = ? AND trouble IS NULL AND (ready_at IS NULL OR ready_at > ?)`,
    client_key,
    account_id,
    sandbox.now(),
  );
}

const MINUTE_MS = 60_000;

/** A sliding window of one minute per token and bucket. False: one call too many, which does not count. */
export function countHit(sandbox: Sandbox, token: string, bucket: string, most: number): boolean {
  const now = sandbox.now();
  sandbox.db.run("DELETE FROM tiktok_hits WHERE at <= ?", now - MINUTE_MS);
  const count = "SELECT count(*) AS n FROM tiktok_hits WHERE token = ? AND bucket = ?";
  const hits = sandbox.db.first<{ n: number }>(count, token, bucket)?.n ?? 0;
  if (hits < most) sandbox.db.insert("tiktok_hits", { token, bucket, at: now });
  return hits < most;
}

interface Kept {
  readonly token: string;
  readonly expires_at: number;
}

/** A new access token, and a new refresh token unless one is kept: its lifetime is not extended then. */
export function issueTokens(
  sandbox: Sandbox,
  table: "tiktok_tokens" | "tiktok_business_tokens",
  { grantId, kept, rest }: { grantId: number; kept: Kept | null; rest: () => string },
) {
  const { tiktok_access_token_seconds: seconds, tiktok_refresh_token_seconds: lastingSeconds } = sandbox.settings.all;
  const now = sandbox.now();
  const give = (kind: "access" | "refresh", lifetime: number) => {
    const token = `${kind === "access" ? "act" : "rft"}.${rest()}`;
    const expires_at = now + lifetime * 1000;
    sandbox.db.insert(table, { token, grant_id: grantId, kind, expires_at });
    return { token, expires_at };
  };
  const access = give("access", seconds);
  const lasting = kept ?? give("refresh", lastingSeconds);
  return {
    access: access.token,
    seconds,
    refresh: lasting.token,
    lastingSeconds: Math.floor((lasting.expires_at - now) / 1000),
  };
}
