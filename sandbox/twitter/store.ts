// Tables, rows and ids of the simulated X.

import { z } from "zod";
import type { Sandbox } from "../sandbox";

export const TWITTER_TABLES = `
  CREATE TABLE IF NOT EXISTS twitter_users (
    id TEXT PRIMARY KEY, name TEXT NOT NULL, username TEXT NOT NULL UNIQUE COLLATE NOCASE,
    subscription_type TEXT NOT NULL, is_account INTEGER NOT NULL, receives_dm INTEGER NOT NULL DEFAULT 1);
  CREATE INDEX IF NOT EXISTS twitter_users_by_name ON twitter_users (name);
  CREATE TABLE IF NOT EXISTS twitter_grants (
    id INTEGER PRIMARY KEY AUTOINCREMENT, user_id TEXT NOT NULL, scopes TEXT NOT NULL,
    is_dead INTEGER NOT NULL DEFAULT 0, created_at INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS twitter_codes (
    code TEXT PRIMARY KEY, grant_id INTEGER NOT NULL, redirect_uri TEXT NOT NULL, challenge TEXT NOT NULL,
    method TEXT NOT NULL, expires_at INTEGER NOT NULL, is_used INTEGER NOT NULL DEFAULT 0);
  CREATE TABLE IF NOT EXISTS twitter_tokens (
    token TEXT PRIMARY KEY, grant_id INTEGER NOT NULL, kind TEXT NOT NULL, expires_at INTEGER NOT NULL,
    is_used INTEGER NOT NULL DEFAULT 0);
  CREATE TABLE IF NOT EXISTS twitter_allowances (
    user_id TEXT NOT NULL, name TEXT NOT NULL, started_at INTEGER NOT NULL, used INTEGER NOT NULL,
    PRIMARY KEY (user_id, name));
  CREATE TABLE IF NOT EXISTS twitter_media (
    id TEXT PRIMARY KEY, user_id TEXT NOT NULL, category TEXT NOT NULL, type TEXT NOT NULL, media_key TEXT NOT NULL,
    total_bytes INTEGER NOT NULL, blob_id TEXT NOT NULL, next_segment INTEGER NOT NULL DEFAULT 0, finalized_at INTEGER,
    ready_at INTEGER, expires_at INTEGER NOT NULL, trouble TEXT, alt_text TEXT, width INTEGER, height INTEGER,
    duration_ms INTEGER);
  CREATE TABLE IF NOT EXISTS twitter_posts (
    id TEXT PRIMARY KEY, author_id TEXT NOT NULL, text TEXT NOT NULL, rendered TEXT NOT NULL, urls TEXT NOT NULL,
    media_ids TEXT NOT NULL, reply_to TEXT, in_reply_to_user_id TEXT, conversation_id TEXT NOT NULL, quote_of TEXT,
    reply_settings TEXT NOT NULL, is_comment INTEGER NOT NULL, is_hidden INTEGER NOT NULL DEFAULT 0,
    labels TEXT NOT NULL, created_at INTEGER NOT NULL);
  CREATE INDEX IF NOT EXISTS twitter_posts_by_author ON twitter_posts (author_id, created_at);
  CREATE INDEX IF NOT EXISTS twitter_posts_by_conversation ON twitter_posts (conversation_id);
  CREATE INDEX IF NOT EXISTS twitter_posts_by_time ON twitter_posts (created_at);
  CREATE INDEX IF NOT EXISTS twitter_posts_by_parent ON twitter_posts (reply_to);
  CREATE TABLE IF NOT EXISTS twitter_webhooks (
    id TEXT PRIMARY KEY, url TEXT NOT NULL, valid INTEGER NOT NULL, created_at INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS twitter_subscriptions (
    id TEXT PRIMARY KEY, event_type TEXT NOT NULL, user_id TEXT NOT NULL, keyword TEXT, direction TEXT, tag TEXT,
    webhook_id TEXT, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL);
  CREATE INDEX IF NOT EXISTS twitter_subscriptions_of_user ON twitter_subscriptions (user_id);
  CREATE TABLE IF NOT EXISTS twitter_messages (
    id TEXT PRIMARY KEY, conversation_id TEXT NOT NULL, sender_id TEXT NOT NULL, recipients TEXT NOT NULL,
    text TEXT NOT NULL, media_ids TEXT NOT NULL, created_at INTEGER NOT NULL);
`;

export type UserRow = {
  id: string;
  name: string;
  username: string;
  subscription_type: string;
  is_account: number;
  receives_dm: number;
};

export type GrantRow = { id: number; user_id: string; scopes: string; is_dead: number; created_at: number };

export type MediaRow = {
  id: string;
  user_id: string;
  category: string;
  type: string;
  media_key: string;
  total_bytes: number;
  blob_id: string;
  next_segment: number;
  finalized_at: number | null;
  ready_at: number | null;
  expires_at: number;
  trouble: string | null;
  alt_text: string | null;
  width: number | null;
  height: number | null;
  duration_ms: number | null;
};

export type PostRow = {
  id: string;
  author_id: string;
  /** As the author wrote it. */
  text: string;
  /** As the API returns it: links shortened, three characters escaped. */
  rendered: string;
  urls: string;
  media_ids: string;
  reply_to: string | null;
  in_reply_to_user_id: string | null;
  conversation_id: string;
  quote_of: string | null;
  reply_settings: string;
  is_comment: number;
  is_hidden: number;
  /** The declarations, as a JSON list of field names. */
  labels: string;
  created_at: number;
};

export type MessageRow = {
  id: string;
  conversation_id: string;
  sender_id: string;
  recipients: string;
  text: string;
  media_ids: string;
  created_at: number;
};

const EPOCH = 1_288_834_974_657n;

/** A 19-digit id that contains its creation time in milliseconds. */
export function snowflake(sandbox: Sandbox, at: number = sandbox.now()): string {
  const sequence = BigInt(sandbox.db.next("twitter_snowflakes", 1) % 4096);
  return String(((BigInt(at) - EPOCH) << 22n) | (365n << 12n) | sequence);
}

export const snowflakeTime = (id: string): number => Number((BigInt(id) >> 22n) + EPOCH);

export function killGrant(sandbox: Sandbox, id: number): void {
  sandbox.db.run("UPDATE twitter_grants SET is_dead = 1 WHERE id = ?", id);
}

export const findUser = (sandbox: Sandbox, id: string) =>
  sandbox.db.first<UserRow>("SELECT * FROM twitter_users WHERE id = ?", id);
export const findUserNamed = (sandbox: Sandbox, username: string) =>
  sandbox.db.first<UserRow>("SELECT * FROM twitter_users WHERE username = ?", username);
export const findPost = (sandbox: Sandbox, id: string) =>
  sandbox.db.first<PostRow>("SELECT * FROM twitter_posts WHERE id = ?", id);
export const findMedia = (sandbox: Sandbox, id: string) =>
  sandbox.db.first<MediaRow>("SELECT * FROM twitter_media WHERE id = ?", id);

const Strings = z.array(z.string());
/** A list of ids from a JSON column. */
export const strings = (json: string): string[] => Strings.parse(JSON.parse(json));
export const isPremium = (user: UserRow) => user.subscription_type.startsWith("Premium");
/** Newer ids are larger, and all have 19 digits. */
export const byIdDescending = (a: { id: string }, b: { id: string }) =>
  b.id.padStart(19, "0").localeCompare(a.id.padStart(19, "0"));
