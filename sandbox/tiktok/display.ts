// Display API: account info and public posts.

import { Hono } from "hono";
import { z } from "zod";
import { type Books, followersAt, openBooks, shownCounts } from "../books";
import type { Sandbox } from "../sandbox";
import { endpoint, fieldsOf, readJson, type TiktokContext, type TiktokEnv } from "./api";
import { openIdOf } from "./apps";
import { ApiError, invalidParams, ok } from "./errors";
import { addressOf } from "./live";
import { type AccountRow, isPublic, type TaskRow } from "./store";

const MOST_VIDEOS = 20;
const SHOWN = 150;

const USER_SCOPES: Readonly<Record<string, readonly string[]>> = {
  "user.info.basic": ["open_id", "union_id", "avatar_url", "avatar_url_100", "avatar_large_url", "display_name"],
  "user.info.profile": ["bio_description", "profile_deep_link", "is_verified", "username"],
  "user.info.stats": ["follower_count", "following_count", "likes_count", "video_count"],
};
const VIDEO_FIELDS = [
  "id",
  "create_time",
  "cover_image_url",
  "share_url",
  "video_description",
  "duration",
  "height",
  "width",
  "title",
  "embed_html",
  "embed_link",
  "like_count",
  "comment_count",
  "share_count",
  "view_count",
];

const ListBody = z.object({
  cursor: z.number().int().min(0).optional(),
  max_count: z.number().int().min(1).max(MOST_VIDEOS).optional(),
});
const QueryBody = z.object({ filters: z.strictObject({ video_ids: z.array(z.string()).min(1).max(MOST_VIDEOS) }) });

export function displayRoutes(sandbox: Sandbox) {
  const app = new Hono<TiktokEnv>({ strict: false });
  const rate = "tiktok_reads_per_minute" as const;

  const user = endpoint(sandbox, { operation: null, scopes: Object.keys(USER_SCOPES), rate });
  app.get("/user/info", ...user, (c) => {
    const fields = fieldsOf(c, Object.values(USER_SCOPES).flat());
    for (const [scope, own] of Object.entries(USER_SCOPES)) {
      if (c.var.caller.scopes.includes(scope) || !fields.some((field) => own.includes(field))) continue;
      throw new ApiError("scope_not_authorized", `The user did not authorize the scope ${scope}.`);
    }
    const { account, clientKey } = c.var.caller;
    return ok({ user: chosen(userView(account, clientKey, sandbox.now()), fields) });
  });

  const videos = { operation: "status", scopes: ["video.list"], rate } as const;
  const numbers = { ...videos, operation: "insights" } as const;
  app.post("/video/list", ...endpoint(sandbox, videos), async (c) => {
    const fields = fieldsOf(c, VIDEO_FIELDS);
    const { cursor, max_count = 10 } = await readJson(sandbox, c, ListBody);
    const shown = listed(sandbox, c).filter(({ begun_at }) => cursor === undefined || (begun_at ?? 0) < cursor);
    const page = shown.slice(0, max_count);
    const countsOf = openBooks(sandbox, "tiktok");
    return ok({
      videos: page.map((task) => chosen(videoView(sandbox, task, countsOf), fields)),
      cursor: page.at(-1)?.begun_at ?? cursor ?? sandbox.now(),
      has_more: shown.length > page.length,
    });
  });

  app.post("/video/query", ...endpoint(sandbox, numbers), async (c) => {
    const fields = fieldsOf(c, VIDEO_FIELDS);
    const { filters } = await readJson(sandbox, c, QueryBody);
    const found = listed(sandbox, c).filter(({ post_id }) => filters.video_ids.includes(post_id));
    const countsOf = openBooks(sandbox, "tiktok");
    return ok({ videos: found.map((task) => chosen(videoView(sandbox, task, countsOf), fields)) });
  });

  app.onError((error) => {
    throw error instanceof ApiError ? error : invalidParams(error.message);
  });
  return app;
}

const chosen = (view: Readonly<Record<string, unknown>>, fields: readonly string[]) =>
  Object.fromEntries(fields.map((field) => [field, view[field]]));

function userView(account: AccountRow, clientKey: string, now: number): Record<string, unknown> {
  const picture = `https://p16.example/${account.username}.jpg`;
  return {
    open_id: openIdOf(clientKey, account.id),
    union_id: `u-${account.id}`,
    avatar_url: picture,
    avatar_url_100: picture,
    avatar_large_url: picture,
    display_name: account.display_name,
    bio_description: "",
    profile_deep_link: `https://vm.tiktok.com/${account.id}`,
    is_verified: false,
    username: account.username,
    follower_count: followersAt(openIdOf(clientKey, account.id), now),
    following_count: 3,
    likes_count: 40,
    video_count: 1,
  };
}

/** Public posts of the caller's account, newest first. New posts appear with a delay. */
function listed(sandbox: Sandbox, c: TiktokContext): TaskRow[] {
  const lag = sandbox.settings.all.tiktok_listing_lag_ms;
  const rows = sandbox.db.all<TaskRow>(
    "SELECT * FROM tiktok_tasks WHERE account_id = ? AND is_draft = 0 AND begun_at IS NOT NULL ORDER BY begun_at DESC, post_id DESC",
    c.var.caller.account.id,
  );
  return rows.filter((task) => isPublic(sandbox, task) && (task.ready_at ?? 0) + lag <= sandbox.now());
}

function videoView(sandbox: Sandbox, task: TaskRow, countsOf: Books): Record<string, unknown> {
  const { likes, comments, shares, views } = shownCounts(countsOf(task.post_id) ?? {});
  const url = addressOf(sandbox, task);
  return {
    id: task.post_id,
    create_time: Math.floor((task.begun_at ?? 0) / 1000),
    cover_image_url: "https://p16.example/cover.jpg",
    share_url: `${url}?utm_campaign=client_share`,
    video_description: task.caption.slice(0, SHOWN),
    duration: task.kind === "photos" ? 0 : 6,
    height: 1280,
    width: 720,
    title: (task.title || task.caption).slice(0, SHOWN),
    embed_html: "",
    embed_link: `https://www.tiktok.com/player/v1/${task.post_id}`,
    like_count: likes,
    comment_count: comments,
    share_count: shares,
    view_count: views,
  };
}
