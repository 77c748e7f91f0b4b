// Content Posting: creator info, the ways to start a post, and its status.

import { Hono } from "hono";
import { z } from "zod";
import { meets } from "../operation";
import type { Sandbox } from "../sandbox";
import { endpoint, readJson, type TiktokContext, type TiktokEnv } from "./api";
import { ApiError, asNumbers, invalidParam, invalidParams, ok } from "./errors";
import {
  checkCaps,
  checkDrafts,
  checkOwnership,
  checkPost,
  labelsIn,
  PhotoInfo,
  privacyOptions,
  VideoInfo,
} from "./posting";
import { filesOf, findTask, isPublic, newId, saveTask, stateOf, type TaskRow } from "./store";
import { openTask, pull } from "./tasks";

const UPLOAD = "https://open-upload.tiktokapis.com/video/";
/** The documentation does not say whether a megabyte has 10^6 or 2^20 bytes: both are accepted. */
const SMALLEST_CHUNK = 5_000_000;
const LARGEST_CHUNK = 67_108_864;
const LARGEST_VIDEO = 4_294_967_296;
const MOST_CHUNKS = 1_000;
const MOST_PHOTOS = 35;

const Source = z.discriminatedUnion("source", [
  z.strictObject({
    source: z.literal("FILE_UPLOAD"),
    video_size: z.number().int().positive(),
    chunk_size: z.number().int().positive(),
    total_chunk_count: z.number().int().positive(),
  }),
  z.strictObject({ source: z.literal("PULL_FROM_URL"), video_url: z.string().min(1) }),
]);
type Source = z.output<typeof Source>;

const VideoInit = z.object({ post_info: VideoInfo, source_info: Source });
const InboxInit = z.object({ source_info: Source });
const ContentInit = z.object({
  media_type: z.literal("PHOTO"),
  post_mode: z.enum(["DIRECT_POST", "MEDIA_UPLOAD"]),
  post_info: PhotoInfo,
  source_info: z.strictObject({
    source: z.literal("PULL_FROM_URL"),
    photo_cover_index: z.number().int().min(0).optional(),
    photo_images: z.array(z.string().min(1)).min(1),
  }),
});
const Wanted = z.object({ publish_id: z.string().min(1).max(64) });

export function publishingRoutes(sandbox: Sandbox) {
  const app = new Hono<TiktokEnv>({ strict: false });
  const direct = { scopes: ["video.publish"], rate: "tiktok_inits_per_minute" } as const;
  const either = ["video.publish", "video.upload"];

  const info = endpoint(sandbox, { ...direct, operation: "upload", rate: "tiktok_creator_info_per_minute" });
  app.post("/creator_info/query", ...info, (c) => {
    const { account } = c.var.caller;
    // Creator errors have status 200 here.
    checkCaps(sandbox, c.var.caller, 200);
    return ok({
      creator_avatar_url: `https://p16.example/${account.username}.jpg`,
      creator_username: account.username,
      creator_nickname: account.display_name,
      privacy_level_options: privacyOptions(account),
      comment_disabled: account.comment_disabled === 1,
      duet_disabled: account.duet_disabled === 1,
      stitch_disabled: account.stitch_disabled === 1,
      max_video_post_duration_sec: account.max_seconds,
    });
  });

  app.post("/video/init", ...endpoint(sandbox, { ...direct, operation: "upload" }), async (c) => {
    const { post_info, source_info } = await readJson(sandbox, c, VideoInit);
    checkPost(sandbox, c.var.caller, post_info);
    checkCaps(sandbox, c.var.caller);
    const words = { caption: post_info.title, privacy: post_info.privacy_level, labels: labelsIn(post_info) };
    return beginVideo(sandbox, c, source_info, { isDraft: false, ...words });
  });

  const drafts = { scopes: ["video.upload"], rate: "tiktok_inits_per_minute" } as const;
  app.post("/inbox/video/init", ...endpoint(sandbox, { ...drafts, operation: "upload" }), async (c) => {
    const { source_info } = await readJson(sandbox, c, InboxInit);
    checkDrafts(sandbox, c.var.caller);
    return beginVideo(sandbox, c, source_info, { isDraft: true });
  });

  const photos = { operation: "publish", scopes: either, rate: "tiktok_inits_per_minute" } as const;
  app.post("/content/init", ...endpoint(sandbox, photos), (c) => beginPhotos(sandbox, c));

  const status = { operation: "status", scopes: either, rate: "tiktok_status_per_minute" } as const;
  app.post("/status/fetch", ...endpoint(sandbox, status), async (c) => {
    const { publish_id } = await readJson(sandbox, c, Wanted);
    return ok(statusOf(sandbox, ownTask(sandbox, c, publish_id)));
  });

  const cancel = { operation: null, scopes: either, rate: "tiktok_inits_per_minute" } as const;
  app.post("/cancel", ...endpoint(sandbox, cancel), async (c) => {
    const { publish_id } = await readJson(sandbox, c, Wanted);
    const task = ownTask(sandbox, c, publish_id);
    const state = stateOf(task, sandbox.now());
    const isRunning = state === "uploading" || (state === "working" && task.is_pull);
    if (!isRunning) throw new ApiError("publish_not_cancellable", "The publish is not cancellable.");
    saveTask(sandbox, { ...task, trouble: "publish_cancelled" });
    return ok({});
  });
  return app;
}

interface Meant {
  readonly isDraft: boolean;
  readonly caption?: string | undefined;
  readonly privacy?: string | undefined;
  readonly labels?: readonly string[];
}

async function beginVideo(sandbox: Sandbox, c: TiktokContext, source: Source, meant: Meant): Promise<Response> {
  const isSpoilt = meets(c, "reject_media") || meets(c, "processing_failed");
  const trouble = isSpoilt ? "file_format_check_failed" : null;
  const { caller } = c.var;
  if (source.source === "PULL_FROM_URL") {
    checkOwnership(sandbox, [source.video_url]);
    const task = openTask(sandbox, caller, { kind: "video", isPull: true, ...meant, trouble });
    await pull(sandbox, task, [source.video_url], c.env.origin);
    return ok({ publish_id: task.publish_id });
  }
  const { video_size: total, chunk_size: chunkSize, total_chunk_count: chunks } = source;
  checkChunks(total, chunkSize, chunks);
  checkCount(sandbox, total, chunks);
  const task = openTask(sandbox, caller, { kind: "video", isPull: false, ...meant, total, chunkSize, chunks, trouble });
  const query = new URLSearchParams({ upload_id: task.upload_id ?? "", upload_token: task.upload_token ?? "" });
  return ok({ publish_id: task.publish_id, upload_url: `${UPLOAD}?${query}` });
}

function checkChunks(total: number, size: number, count: number): void {
  if (total > LARGEST_VIDEO) throw invalidParam("The video is larger than 4 GB.");
  if (count > MOST_CHUNKS) throw invalidParam("The total chunk count is invalid: at most 1000.");
  const isSingle = count === 1 && size === total;
  if (total < SMALLEST_CHUNK && !isSingle) throw invalidParam("A small video must be uploaded as a whole.");
  if (size > LARGEST_CHUNK || (size < SMALLEST_CHUNK && !isSingle)) throw invalidParam("The chunk size is invalid");
  if (count !== Math.floor(total / size)) throw invalidParam("The total chunk count is invalid");
}

const LARGEST_SINGLE = 64_000_000;

/** Rejects chunk counts that TikTok refuses to some apps, beyond the documented rules. */
function checkCount(sandbox: Sandbox, total: number, count: number): void {
  const allowed = sandbox.settings.all.tiktok_chunk_counts;
  const isRefused =
    (allowed === "one" && (count > 1 || total > LARGEST_SINGLE)) ||
    (allowed === "several" && count === 1 && total >= 2 * SMALLEST_CHUNK);
  if (isRefused) throw invalidParam("The chunk size is invalid");
}

/** TikTok fetches the photos at once; no further call is needed. */
async function beginPhotos(sandbox: Sandbox, c: TiktokContext): Promise<Response> {
  const { post_mode, post_info, source_info } = await readJson(sandbox, c, ContentInit);
  const { caller } = c.var;
  const isDraft = post_mode === "MEDIA_UPLOAD";
  const scope = isDraft ? "video.upload" : "video.publish";
  if (!caller.scopes.includes(scope)) {
    throw new ApiError("scope_not_authorized", `The user did not authorize the scope ${scope}.`);
  }
  const { photo_images: urls, photo_cover_index: cover = 0 } = source_info;
  if (urls.length > MOST_PHOTOS) throw invalidParams(`There may be at most ${MOST_PHOTOS} photos.`);
  if (cover >= urls.length) throw invalidParams("photo_cover_index is out of range.");
  if (isDraft) checkDrafts(sandbox, caller);
  else {
    checkPost(sandbox, caller, post_info);
    checkCaps(sandbox, caller);
  }
  checkOwnership(sandbox, urls);
  const isSpoilt = meets(c, "reject_media") || meets(c, "processing_failed");
  const task = openTask(sandbox, caller, {
    kind: "photos",
    isDraft,
    isPull: true,
    caption: post_info.description,
    title: post_info.title,
    privacy: post_info.privacy_level,
    labels: isDraft ? [] : labelsIn(post_info),
    trouble: isSpoilt ? "picture_size_check_failed" : null,
  });
  await pull(sandbox, task, urls, c.env.origin);
  return ok({ publish_id: task.publish_id });
}

/** Any token of the same account and app may read the status. */
function ownTask(sandbox: Sandbox, c: TiktokContext, publishId: string): TaskRow {
  const task = findTask(sandbox, publishId);
  if (!task) throw new ApiError("invalid_publish_id", "The publish_id does not exist.");
  const { clientKey, account } = c.var.caller;
  if (task.client_key === clientKey && task.account_id === account.id) return task;
  throw new ApiError("token_not_authorized_for_specified_publish_id", "The publish_id is another user's or app's.");
}

const NAMES = { failed: "FAILED", in_inbox: "SEND_TO_USER_INBOX", complete: "PUBLISH_COMPLETE" } as const;

/** The misspelt name is TikTok's. */
function statusOf(sandbox: Sandbox, task: TaskRow): object {
  const state = stateOf(task, sandbox.now());
  if (state === "uploading" || state === "working") {
    const [blob = ""] = filesOf(task);
    return task.is_pull
      ? { status: "PROCESSING_DOWNLOAD", downloaded_bytes: 0 }
      : { status: "PROCESSING_UPLOAD", uploaded_bytes: sandbox.blobs.size(blob) };
  }
  if (state === "failed") return { status: "FAILED", fail_reason: task.trouble };
  const uploaded = task.is_pull ? {} : { uploaded_bytes: task.total };
  return { status: NAMES[state], publicaly_available_post_id: asNumbers(idsOf(sandbox, task)), ...uploaded };
}

function idsOf(sandbox: Sandbox, task: TaskRow): string[] {
  const { tiktok_post_ids } = sandbox.settings.all;
  if (tiktok_post_ids === "never" || !isPublic(sandbox, task)) return [];
  return tiktok_post_ids === "two" ? [task.post_id, newId(sandbox)] : [task.post_id];
}
