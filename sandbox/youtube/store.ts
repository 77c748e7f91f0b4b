// Tables, rows and ids of the simulated YouTube.

import { z } from "zod";
import type { Database } from "../database";
import { randomText } from "../random";
import type { Sandbox } from "../sandbox";

export const CLIENT_ID = "sandbox-google.apps.googleusercontent.com";

export const YOUTUBE_TABLES = `
  CREATE TABLE IF NOT EXISTS youtube_channels (
    id TEXT PRIMARY KEY, title TEXT NOT NULL, handle TEXT NOT NULL UNIQUE COLLATE NOCASE, long_uploads TEXT NOT NULL,
    created_at INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS youtube_grants (
    id INTEGER PRIMARY KEY AUTOINCREMENT, account_id TEXT NOT NULL, channel_id TEXT, scopes TEXT NOT NULL,
    is_dead INTEGER NOT NULL DEFAULT 0, ends_at INTEGER, created_at INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS youtube_codes (
    code TEXT PRIMARY KEY, grant_id INTEGER NOT NULL, redirect_uri TEXT NOT NULL, challenge TEXT, method TEXT,
    is_lasting INTEGER NOT NULL, expires_at INTEGER NOT NULL, is_used INTEGER NOT NULL DEFAULT 0);
  CREATE TABLE IF NOT EXISTS youtube_tokens (
    token TEXT PRIMARY KEY, grant_id INTEGER NOT NULL, kind TEXT NOT NULL, expires_at INTEGER, created_at INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS youtube_usage (
    day TEXT NOT NULL, bucket TEXT NOT NULL, used INTEGER NOT NULL, PRIMARY KEY (day, bucket));
  CREATE TABLE IF NOT EXISTS youtube_sessions (
    id TEXT PRIMARY KEY, channel_id TEXT NOT NULL, parts TEXT NOT NULL, resource TEXT NOT NULL, total INTEGER,
    type TEXT NOT NULL, file_name TEXT NOT NULL, blob_id TEXT NOT NULL, created_at INTEGER NOT NULL,
    video_id TEXT, refusal TEXT, trouble TEXT);
  CREATE TABLE IF NOT EXISTS youtube_conflicts (upload TEXT PRIMARY KEY, count INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS youtube_videos (
    id TEXT PRIMARY KEY, channel_id TEXT NOT NULL, blob_id TEXT NOT NULL, size INTEGER NOT NULL, type TEXT NOT NULL,
    file_name TEXT NOT NULL, resource TEXT NOT NULL, trouble TEXT, width INTEGER, height INTEGER, duration_ms INTEGER,
    thumbnail TEXT, created_at INTEGER NOT NULL, ready_at INTEGER NOT NULL);
  CREATE INDEX IF NOT EXISTS youtube_videos_by_channel ON youtube_videos (channel_id, created_at);
  CREATE TABLE IF NOT EXISTS youtube_playlist_items (
    playlist_id TEXT NOT NULL, video_id TEXT NOT NULL, added_at INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS youtube_comments (
    id TEXT PRIMARY KEY, video_id TEXT NOT NULL, parent_id TEXT, author_id TEXT, author_name TEXT NOT NULL,
    text TEXT NOT NULL, moderation TEXT NOT NULL DEFAULT 'published', created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL);
  CREATE INDEX IF NOT EXISTS youtube_comments_by_video ON youtube_comments (video_id, created_at);
  CREATE INDEX IF NOT EXISTS youtube_comments_by_parent ON youtube_comments (parent_id);
  CREATE TABLE IF NOT EXISTS youtube_banned (channel_id TEXT NOT NULL, author_id TEXT NOT NULL);
`;

export type ChannelRow = {
  id: string;
  title: string;
  /** Without the @. */
  handle: string;
  long_uploads: string;
  created_at: number;
};

export type SessionRow = {
  id: string;
  channel_id: string;
  /** Parts that the final response includes. */
  parts: string;
  resource: string;
  /** Null if the size was not announced. */
  total: number | null;
  type: string;
  file_name: string;
  blob_id: string;
  created_at: number;
  video_id: string | null;
  /** The permanent error, as JSON. */
  refusal: string | null;
  trouble: string | null;
};

export type VideoRow = {
  id: string;
  channel_id: string;
  blob_id: string;
  size: number;
  type: string;
  file_name: string;
  resource: string;
  /** The result of processing: `failed:codec`, `rejected:length`; null for a valid video. */
  trouble: string | null;
  width: number | null;
  height: number | null;
  duration_ms: number | null;
  thumbnail: string | null;
  created_at: number;
  ready_at: number;
};

export type CommentRow = {
  id: string;
  video_id: string;
  parent_id: string | null;
  /** Null for a deleted account. */
  author_id: string | null;
  author_name: string;
  text: string;
  moderation: string;
  created_at: number;
  updated_at: number;
};

/** The details of a video, with defaults. */
export const Resource = z.object({
  title: z.string(),
  description: z.string(),
  tags: z.array(z.string()),
  categoryId: z.string(),
  defaultLanguage: z.string().nullable(),
  privacyStatus: z.enum(["public", "unlisted", "private"]),
  publishAt: z.number().nullable(),
  selfDeclaredMadeForKids: z.boolean(),
  containsSyntheticMedia: z.boolean(),
  hasPaidProductPlacement: z.boolean(),
  license: z.string(),
  embeddable: z.boolean(),
  publicStatsViewable: z.boolean(),
});
export type Resource = z.infer<typeof Resource>;

export const resourceOf = (row: { resource: string }): Resource => Resource.parse(JSON.parse(row.resource));

/** The current privacy: a scheduled video becomes public at its time. */
export function privacyNow({ privacyStatus, publishAt }: Resource, now: number): Resource["privacyStatus"] {
  return privacyStatus === "private" && publishAt !== null && publishAt <= now ? "public" : privacyStatus;
}

export const findChannel = (sandbox: Sandbox, id: string) =>
  sandbox.db.first<ChannelRow>("SELECT * FROM youtube_channels WHERE id = ?", id);
export const findVideo = (sandbox: Sandbox, id: string) =>
  sandbox.db.first<VideoRow>("SELECT * FROM youtube_videos WHERE id = ?", id);
export const findComment = (sandbox: Sandbox, id: string) =>
  sandbox.db.first<CommentRow>("SELECT * FROM youtube_comments WHERE id = ?", id);

/** The id of a channel's uploads list is the channel id with a different second letter. */
export const uploadsOf = (channelId: string) => channelId.replace(/^UC/, "UU");

/** Eleven characters, unique by the counter. */
export function newVideoId(db: Database): string {
  return `${randomText(6)}${db.next("youtube_videos", 10_001).toString(36).padStart(5, "0").slice(-5)}`;
}

export function saveVideo(sandbox: Sandbox, row: VideoRow): VideoRow {
  const columns = Object.keys(row);
  sandbox.db.run(
    `INSERT OR REPLACE INTO youtube_videos (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`,
    ...Object.values(row),
  );
  return row;
}

const LABELS = ["containsSyntheticMedia", "hasPaidProductPlacement", "selfDeclaredMadeForKids"] as const;
/** What the video declares. */
export const labelsOf = (resource: Resource): string[] => LABELS.filter((name) => resource[name]);

/** A vertical or square video up to this duration is a Short. */
const LONGEST_SHORT_MS = 180_000;

export function isShort({ width, height, duration_ms }: VideoRow): boolean {
  return width !== null && height !== null && width <= height && (duration_ms ?? 0) <= LONGEST_SHORT_MS;
}

/** Whether the video is published: processed without a problem. */
export const isUp = (video: VideoRow, now: number) => video.ready_at <= now && video.trouble === null;

export function killAccount(sandbox: Sandbox, accountId: string): void {
  sandbox.db.run("UPDATE youtube_grants SET is_dead = 1 WHERE account_id = ?", accountId);
}
