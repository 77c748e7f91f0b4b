// Tables and rows of the simulated Facebook, and the definition of "live".

import { z } from "zod";
import { ADS_TABLES } from "../meta/ads/store";
import { MAIL_COLUMNS } from "../meta/conversations";
import { LOGIN_TABLES } from "../meta/logins";
import { USAGE_TABLE } from "../meta/usage";
import type { Sandbox } from "../sandbox";

export const FACEBOOK_TABLES = `${USAGE_TABLE}${LOGIN_TABLES}${ADS_TABLES}
  CREATE TABLE IF NOT EXISTS facebook_pages (
    id TEXT PRIMARY KEY, name TEXT NOT NULL, category TEXT NOT NULL, tasks TEXT NOT NULL, instagram TEXT);
  CREATE TABLE IF NOT EXISTS facebook_photos (
    id TEXT PRIMARY KEY, page_id TEXT NOT NULL, url TEXT NOT NULL, caption TEXT, alt_text TEXT, width INTEGER,
    height INTEGER, post_id TEXT, temporary INTEGER NOT NULL, created_at INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS facebook_videos (
    id TEXT PRIMARY KEY, page_id TEXT NOT NULL, kind TEXT NOT NULL, session TEXT, url TEXT, blob_id TEXT, type TEXT,
    file_size INTEGER, received INTEGER NOT NULL DEFAULT 0, uploaded_at INTEGER, ready_at INTEGER, error_code INTEGER,
    error_message TEXT, duration_ms INTEGER, title TEXT, description TEXT, is_finished INTEGER NOT NULL DEFAULT 0,
    post_id TEXT, finished_at INTEGER, is_vertical INTEGER NOT NULL DEFAULT 0, thumbnail TEXT,
    created_at INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS facebook_posts (
    id TEXT PRIMARY KEY, page_id TEXT NOT NULL, kind TEXT NOT NULL, message TEXT, link TEXT, photo_ids TEXT NOT NULL,
    video_id TEXT, is_published INTEGER NOT NULL, scheduled_at INTEGER, created_at INTEGER NOT NULL,
    live_at INTEGER, edited_at INTEGER, made_by TEXT NOT NULL DEFAULT 'own', is_ai_generated INTEGER NOT NULL DEFAULT 0);
  CREATE INDEX IF NOT EXISTS facebook_posts_of_page ON facebook_posts (page_id, live_at);
  CREATE TABLE IF NOT EXISTS facebook_comments (
    id TEXT PRIMARY KEY, post_id TEXT NOT NULL, page_id TEXT NOT NULL, parent_id TEXT, author_id TEXT NOT NULL,
    author_name TEXT NOT NULL, message TEXT NOT NULL, attachment TEXT, is_hidden INTEGER NOT NULL DEFAULT 0,
    is_liked INTEGER NOT NULL DEFAULT 0, answered_privately INTEGER NOT NULL DEFAULT 0, created_at INTEGER NOT NULL);
  CREATE INDEX IF NOT EXISTS facebook_comments_of_post ON facebook_comments (post_id, created_at);
  CREATE INDEX IF NOT EXISTS facebook_comments_of_parent ON facebook_comments (parent_id);
  CREATE TABLE IF NOT EXISTS facebook_messages (${MAIL_COLUMNS});
  CREATE TABLE IF NOT EXISTS facebook_subscriptions (page_id TEXT PRIMARY KEY, fields TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS facebook_app_subscriptions (
    object TEXT PRIMARY KEY, callback_url TEXT NOT NULL, fields TEXT NOT NULL);
`;

export const PERSON = { id: "122000100000001", name: "Robin Sandbox", email: "robin@sandbox.example" };

export type PageRow = { id: string; name: string; category: string; tasks: string; instagram: string | null };

export type PhotoRow = {
  id: string;
  page_id: string;
  url: string;
  caption: string | null;
  alt_text: string | null;
  width: number | null;
  height: number | null;
  post_id: string | null;
  temporary: number;
  created_at: number;
};

export type VideoKind = "video" | "reel" | "story";

export type VideoRow = {
  id: string;
  page_id: string;
  kind: VideoKind;
  session: string | null;
  url: string | null;
  blob_id: string | null;
  type: string | null;
  file_size: number | null;
  received: number;
  uploaded_at: number | null;
  ready_at: number | null;
  error_code: number | null;
  error_message: string | null;
  duration_ms: number | null;
  title: string | null;
  description: string | null;
  is_finished: number;
  post_id: string | null;
  created_at: number;
  finished_at: number | null;
  is_vertical: number;
  /** The picture that was set as its cover. */
  thumbnail: string | null;
};

export type PostKind = "feed" | "photo" | "video" | "reel" | "photo_story" | "video_story";

export type PostRow = {
  id: string;
  page_id: string;
  kind: PostKind;
  message: string | null;
  link: string | null;
  photo_ids: string;
  video_id: string | null;
  is_published: number;
  scheduled_at: number | null;
  created_at: number;
  live_at: number | null;
  edited_at: number | null;
  made_by: PostMaker;
  is_ai_generated: number;
};

/** The creator of a post: our application, another one, or a person on the website. */
type PostMaker = "own" | "other" | "hand";

export type CommentRow = {
  id: string;
  post_id: string;
  page_id: string;
  parent_id: string | null;
  author_id: string;
  author_name: string;
  message: string;
  attachment: string | null;
  is_hidden: number;
  is_liked: number;
  answered_privately: number;
  created_at: number;
};

export const DAY_MS = 86_400_000;

export const isStory = (kind: PostKind) => kind === "photo_story" || kind === "video_story";

/** Whether the post is publicly visible: its publish time has passed, and a story has not expired. */
export function isLive(post: PostRow, now: number): boolean {
  if (post.live_at === null || post.live_at > now) return false;
  return !isStory(post.kind) || post.live_at > now - DAY_MS;
}

export function findPage(sandbox: Sandbox, id: string): PageRow | null {
  return sandbox.db.first<PageRow>("SELECT * FROM facebook_pages WHERE id = ?", id);
}

export function findPhoto(sandbox: Sandbox, id: string): PhotoRow | null {
  return sandbox.db.first<PhotoRow>("SELECT * FROM facebook_photos WHERE id = ?", id);
}

export function findVideo(sandbox: Sandbox, id: string): VideoRow | null {
  return sandbox.db.first<VideoRow>("SELECT * FROM facebook_videos WHERE id = ?", id);
}

/** Finds a post by its id, or by `{page}_{id}` for kinds whose ids do not include the Page. */
export function findPost(sandbox: Sandbox, id: string): PostRow | null {
  const bare = id.includes("_") ? id.slice(id.indexOf("_") + 1) : id;
  return sandbox.db.first<PostRow>("SELECT * FROM facebook_posts WHERE id = ?1 OR id = ?2", id, bare);
}

export function findComment(sandbox: Sandbox, id: string): CommentRow | null {
  return sandbox.db.first<CommentRow>("SELECT * FROM facebook_comments WHERE id = ?", id);
}

export const newPhotoId = (sandbox: Sandbox) => String(sandbox.db.next("facebook_objects", 122_000_000_000_021));
export const newVideoId = (sandbox: Sandbox, kind: VideoKind) =>
  kind === "reel"
    ? String(sandbox.db.next("facebook_reels", 880_000_000_000_001))
    : String(sandbox.db.next("facebook_videos", 770_000_000_000_001));
export const newPostId = (sandbox: Sandbox, pageId: string) =>
  `${pageId}_${sandbox.db.next("facebook_objects", 122_000_000_000_021)}`;
export const newStoryId = (sandbox: Sandbox) => String(sandbox.db.next("facebook_stories", 990_000_000_000_001));

interface NewPost {
  id: string;
  page_id: string;
  kind: PostKind;
  message?: string | null | undefined;
  link?: string | null | undefined;
  photo_ids?: string[];
  video_id?: string | null;
  is_published?: boolean;
  scheduled_at?: number | null | undefined;
  made_by?: PostMaker;
  created_at?: number;
  live_at: number | null;
  is_ai_generated?: boolean | undefined;
}

export function insertPost(sandbox: Sandbox, post: NewPost): void {
  sandbox.db.run(
    `INSERT INTO facebook_posts
       (id, page_id, kind, message, link, photo_ids, video_id, is_published, scheduled_at, created_at, live_at, made_by,
        is_ai_generated)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    post.id,
    post.page_id,
    post.kind,
    post.message ?? null,
    post.link ?? null,
    JSON.stringify(post.photo_ids ?? []),
    post.video_id ?? null,
    (post.is_published ?? true) ? 1 : 0,
    post.scheduled_at ?? null,
    post.created_at ?? sandbox.now(),
    post.live_at,
    post.made_by ?? "own",
    post.is_ai_generated && sandbox.settings.all.facebook_ai_labels === "accepted" ? 1 : 0,
  );
}

/** Deletes a post with its photos, video and comments. */
export function removePost(sandbox: Sandbox, post: PostRow): void {
  sandbox.db.run("DELETE FROM facebook_posts WHERE id = ?", post.id);
  sandbox.db.run("DELETE FROM facebook_photos WHERE post_id = ?", post.id);
  sandbox.db.run("DELETE FROM facebook_comments WHERE post_id = ?", post.id);
  if (post.video_id) sandbox.db.run("DELETE FROM facebook_videos WHERE id = ?", post.video_id);
}

const Strings = z.array(z.string());
export const photoIds = (post: PostRow): string[] => Strings.parse(JSON.parse(post.photo_ids));
