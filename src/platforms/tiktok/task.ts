import { z } from "zod";
import type { AccountContext, Failure, Json, SaidCode } from "../context.ts";
import { PlatformId } from "../json.ts";
import { quoting } from "../outcomes.ts";
import type { PlatformPost } from "../publishing.ts";
import { read } from "./api.ts";
import { BANNED, SPAM, TOO_MANY } from "./errors.ts";

/**
 * The task behind a `publish_id`: TikTok's processing of a post after it was sent. Only the task reports the
 * outcome.
 *
 * - The post's own id comes after moderation, which may take hours, and for public posts only. It is a number
 *   above 2^53, in a list that may stay empty, in a field with a misspelled name.
 * - A status call may fail for reasons that say nothing about the post.
 */

/** A list, or the id alone; the first of several is the post's. */
const Ids = z
  .union([z.array(PlatformId), PlatformId.transform((id) => [id])])
  .optional()
  .catch(undefined);

const Status = z.object({
  status: z.string(),
  fail_reason: z.string().optional().catch(undefined),
  uploaded_bytes: z.coerce.number().optional().catch(undefined),
  publicaly_available_post_id: Ids,
  publicly_available_post_id: Ids,
});

export type Task =
  /** TikTok has `bytes` of the file, if it reports that, and waits for the rest or processes them. */
  | { readonly kind: "uploading"; readonly bytes: number | null }
  | { readonly kind: "working" }
  /** The id is null until TikTok has assigned it. */
  | { readonly kind: "complete"; readonly postId: string | null }
  | { readonly kind: "broken"; readonly code: SaidCode | "platform_rejected"; readonly message: string };

export async function readTask(context: AccountContext, publishId: string): Promise<Task | Failure> {
  const call = { path: "post/publish/status/fetch/", json: { publish_id: publishId } };
  const answer = await read(context, "POST", call, Status);
  return answer.kind === "failed" ? answer : taskOf(answer.value);
}

function taskOf(status: z.output<typeof Status>): Task {
  switch (status.status) {
    case "PROCESSING_UPLOAD":
      return { kind: "uploading", bytes: status.uploaded_bytes ?? null };
    case "PUBLISH_COMPLETE": {
      const ids = [...(status.publicaly_available_post_id ?? []), ...(status.publicly_available_post_id ?? [])];
      return { kind: "complete", postId: ids[0] ?? null };
    }
    case "SEND_TO_USER_INBOX": {
      const message = "TikTok has put the post into the account's inbox as a draft. Finish it in the TikTok app.";
      return { kind: "broken", code: "platform_rejected", message };
    }
    case "FAILED":
      return broken(status.fail_reason ?? null);
    default:
      return { kind: "working" };
  }
}

type Reason = readonly [SaidCode | "platform_rejected", advice: string];

const AGAIN: Reason = ["platform_rejected", "TikTok could not publish the post. Post it again."];
const NOT_FETCHED: Reason = ["media_unreachable", "TikTok could not fetch the files. Post it again."];

const REASONS: Readonly<Record<string, Reason>> = {
  file_format_check_failed: ["media_invalid", "TikTok does not accept the file. Send a video as MP4 (H.264)."],
  duration_check_failed: [
    "media_invalid",
    "TikTok does not accept a video of this length from the account. Post a shorter one.",
  ],
  frame_rate_check_failed: ["media_invalid", "TikTok accepts only videos of 23 to 60 frames a second."],
  picture_size_check_failed: [
    "media_invalid",
    "TikTok does not accept a file of this resolution. Each side has at least 360 pixels; pictures have at most 1080p, videos at most 4,096 pixels a side.",
  ],
  internal: AGAIN,
  video_pull_failed: NOT_FETCHED,
  photo_pull_failed: NOT_FETCHED,
  publish_cancelled: ["platform_rejected", "The publishing was cancelled at TikTok. Post it again."],
  auth_removed: [
    "platform_rejected",
    "The account revoked the app's access during publishing. Reconnect it and post again.",
  ],
  spam_risk_too_many_posts: ["account_restricted", TOO_MANY],
  spam_risk_user_banned_from_posting: ["account_restricted", BANNED],
  spam_risk_text: ["content_refused", SPAM],
  spam_risk: ["content_refused", SPAM],
};

function broken(reason: string | null): Task {
  const known = reason !== null && Object.hasOwn(REASONS, reason) ? REASONS[reason] : undefined;
  const [code, advice] = known ?? (["platform_rejected", "TikTok did not publish it."] as const);
  return { kind: "broken", code, message: quoting(advice, "TikTok", reason) };
}

/** Whether an id is a task's; a post's own id is a number. */
export function isTask(id: string): boolean {
  return /^[pv]_/.test(id);
}

/** The wait until the next check for the post's own id: the first wait, which doubles, and the longest. */
const ID_WAIT_SECONDS = 60;
const LONGEST_ID_WAIT_SECONDS = 3600;
const Waited = z.object({ times: z.int() });
export const NO_ID = "The post has no id yet. TikTok assigns ids to public posts after moderation.";

/** The wait for a post's own id, counted in the progress; null if the id is known. */
export function awaitId({ id }: PlatformPost, progress: Json | null) {
  if (!isTask(id)) return null;
  const times = Waited.safeParse(progress).data?.times ?? 0;
  const afterSeconds = Math.min(LONGEST_ID_WAIT_SECONDS, ID_WAIT_SECONDS * 2 ** times);
  return { kind: "more", progress: { times: times + 1 }, afterSeconds, reason: NO_ID } as const;
}

/** Photo posts have pages of another kind, and their tasks ids of another form. */
export function isPhotos(publishId: string): boolean {
  return publishId.startsWith("p_");
}

/** The task's id represents the post until TikTok has assigned its own id. */
export function toPost({ account }: AccountContext, publishId: string, postId: string | null): PlatformPost {
  if (postId === null) return { id: publishId, secondaryId: null, permalink: null };
  const permalink = permalinkOf(account.username, isPhotos(publishId), postId);
  return { id: postId, secondaryId: publishId, permalink };
}

export function permalinkOf(username: string | null, isPhotos: boolean, postId: string): string | null {
  return username === null ? null : `https://www.tiktok.com/@${username}/${isPhotos ? "photo" : "video"}/${postId}`;
}
