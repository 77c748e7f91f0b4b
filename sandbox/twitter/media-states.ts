// The state of uploaded media, and what they can be used for.

import type { MediaFacts } from "../media-probe";
import { isOf } from "../media-tracks";
import { meets } from "../operation";
import type { Sandbox } from "../sandbox";
import { forbidden, invalid, type TwitterContext } from "./api";
import { findMedia, findUser, isPremium, type MediaRow } from "./store";

const LARGEST_IMAGE = 5_242_880;
const LARGEST_GIF = 15_728_640;
const LARGEST_VIDEO = 536_870_912;
const IMAGE_TYPES = ["image/jpeg", "image/png", "image/webp", "image/gif"];
const VIDEO_TYPES = ["video/mp4", "video/quicktime"];

export function whatIsWrong(sandbox: Sandbox, media: MediaRow, facts: MediaFacts): string | null {
  const { type, size, width, height, durationMs, frames, frameRate, chroma, bits, audio, channels } = facts;
  if (media.category === "subtitles") return null;
  if (media.category.endsWith("video")) {
    if (!VIDEO_TYPES.includes(type)) return "InvalidMedia: the file is not an MP4 or MOV video";
    if (width === null || height === null || durationMs === null) return "InvalidMedia: the video cannot be read";
    if (size > LARGEST_VIDEO) return "InvalidMedia: the video is too large";
    if (width < 32 || height < 32 || width > 1920 || height > 1920)
      return "InvalidMedia: the dimensions are not supported";
    if (width / height > 3 || height / width > 3) return "InvalidMedia: the aspect ratio is not supported";
    if (frameRate !== null && frameRate > 60.5) return "InvalidMedia: more than 60 frames a second";
    if (!isOf(facts, "h264")) return "InvalidMedia: the video codec is not H.264";
    if ((chroma ?? 420) > 420 || (bits ?? 8) !== 8) return "InvalidMedia: the pixel format is not yuv420p";
    if ((audio ?? "aac") !== "aac" || (channels ?? 2) > 2)
      return "InvalidMedia: the audio is not AAC-LC in mono or stereo";
    const user = findUser(sandbox, media.user_id);
    const longest = user && isPremium(user) ? 125 * 60_000 : sandbox.settings.all.twitter_video_max_ms;
    if (durationMs < 500 || durationMs > longest) return "InvalidMedia: the duration is not supported";
    return null;
  }
  if (media.category.endsWith("gif")) {
    if (type !== "image/gif") return "InvalidMedia: the file is not a GIF";
    if (size > LARGEST_GIF) return "InvalidMedia: the GIF is too large";
    const [w, h, n] = [width ?? 0, height ?? 0, frames ?? 1];
    if (w > 1280 || h > 1080 || n > 350 || w * h * n > 300_000_000)
      return "InvalidMedia: the GIF has too many pixels or frames";
    return null;
  }
  if (!IMAGE_TYPES.includes(type)) return "media type unrecognized.";
  if (size > LARGEST_IMAGE) return "The image is larger than 5242880 bytes.";
  return null;
}

export function view(sandbox: Sandbox, media: MediaRow) {
  const now = sandbox.now();
  const isImage = /image$/.test(media.category);
  return {
    id: media.id,
    media_key: media.media_key,
    size: media.total_bytes,
    expires_after_secs: Math.max(0, Math.floor((media.expires_at - now) / 1000)),
    ...(isImage && media.width !== null ? { image: { w: media.width, h: media.height, image_type: media.type } } : {}),
    ...(media.ready_at === null ? {} : { processing_info: processing(sandbox, media, media.ready_at, now) }),
  };
}

function processing(sandbox: Sandbox, media: MediaRow, readyAt: number, now: number) {
  const left = readyAt - now;
  if (left <= 0 && media.trouble === null) return { state: "succeeded", progress_percent: 100 };
  if (left <= 0) {
    return {
      state: "failed",
      progress_percent: 100,
      error: { code: 1, name: media.trouble?.split(":")[0], message: media.trouble },
    };
  }
  const whole = Math.max(1, sandbox.settings.all.processing_ms);
  const done = Math.max(0, Math.min(99, Math.round(100 - (100 * left) / whole)));
  const check_after_secs = Math.max(1, Math.min(5, Math.ceil(left / 1000)));
  return done < 34
    ? { state: "pending", check_after_secs }
    : { state: "in_progress", check_after_secs, progress_percent: done };
}

/**
 * Rejects media that cannot be attached: another account's, unfinished, failed, expired, or an unsupported
 * mix.
 */
export function attachable(sandbox: Sandbox, c: TwitterContext, ids: string[], use: "tweet" | "dm"): void {
  const parameter = use === "tweet" ? "media.media_ids" : "attachments";
  const bad = () => invalid("Your media IDs are invalid.", parameter, ids.join(","));
  if (ids.length > 0 && meets(c, "reject_media")) throw bad();
  const media = ids.map((mediaId) => findMedia(sandbox, mediaId));
  for (const one of media) {
    const isReady = one && one.finalized_at !== null && (one.ready_at ?? 0) <= sandbox.now();
    const isForUse = use === "tweet" ? one?.category.match(/^(tweet|amplify)_/) : one?.category.startsWith("dm_");
    if (!isReady || one.trouble !== null || one.expires_at <= sandbox.now() || !isForUse) throw bad();
    if (one.user_id !== c.var.caller.userId) throw bad();
  }
  if (new Set(ids).size < ids.length) throw bad();
  const moving = media.filter((one) => one && /video|gif/.test(one.category)).length;
  if (moving > 0 && media.length > 1)
    throw invalid("Media must be up to 4 images, or one GIF, or one video.", parameter, ids.join(","));
  const [only] = media;
  const user = findUser(sandbox, c.var.caller.userId);
  const isLong = (only?.duration_ms ?? 0) > sandbox.settings.all.twitter_video_max_ms;
  if (isLong && user && !isPremium(user))
    throw forbidden("This user is not allowed to post a video longer than 2 minutes");
}
