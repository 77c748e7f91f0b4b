// The life of a task: start, files, processing. After its last byte it publishes without a further call.

import { fetchMedia } from "../media-fetch";
import { type MediaFacts, probe } from "../media-probe";
import { isOf } from "../media-tracks";
import { randomText } from "../random";
import type { Sandbox } from "../sandbox";
import type { Caller } from "./api";
import { findAccount, newId, saveTask, type TaskRow } from "./store";

interface NewTask {
  readonly kind: "video" | "photos";
  readonly isDraft: boolean;
  readonly isPull: boolean;
  readonly caption?: string | undefined;
  readonly title?: string | undefined;
  readonly privacy?: string | undefined;
  /** Of a direct post; an upload to the inbox has none. */
  readonly labels?: readonly string[];
  readonly total?: number;
  readonly chunkSize?: number;
  readonly chunks?: number;
  readonly trouble: string | null;
}

/** A marker in the caption sets the failure reason: `[failed:spam_risk_text]`. */
const MARKER = /\[failed:(\w+)\]/;

export function openTask(sandbox: Sandbox, { clientKey, grantId, account }: Caller, task: NewTask): TaskRow {
  const { kind, isDraft, isPull, caption = "", title = "", privacy = "", labels = [] } = task;
  const number = newId(sandbox);
  const form = kind === "photos" ? "p_pub_url~v2" : `v_${isDraft ? "inbox" : "pub"}_${isPull ? "url~v2" : "file~v2-1"}`;
  return saveTask(sandbox, {
    publish_id: `${form}.${number}`,
    client_key: clientKey,
    grant_id: grantId,
    account_id: account.id,
    kind,
    is_draft: isDraft ? 1 : 0,
    is_pull: isPull ? 1 : 0,
    caption,
    title,
    privacy,
    total: task.total ?? 0,
    chunk_size: task.chunkSize ?? 0,
    chunks: task.chunks ?? 0,
    upload_id: isPull ? null : number,
    upload_token: isPull ? null : randomText(40),
    files: isPull ? "[]" : JSON.stringify([sandbox.blobs.create("video/mp4")]),
    trouble: task.trouble ?? MARKER.exec(`${title} ${caption}`)?.[1] ?? null,
    post_id: newId(sandbox),
    labels: JSON.stringify(labels),
    opened_at: sandbox.now(),
    begun_at: null,
    ready_at: null,
  });
}

/** Starts processing: all bytes have arrived. */
export function beginTask(sandbox: Sandbox, task: TaskRow, files: readonly string[], trouble: string | null): TaskRow {
  const now = sandbox.now();
  return saveTask(sandbox, {
    ...task,
    files: JSON.stringify(files),
    trouble: task.trouble ?? trouble,
    begun_at: now,
    ready_at: now + sandbox.settings.all.processing_ms,
  });
}

/** Fetches the files with real requests, without following redirects, and stores them. */
export async function pull(sandbox: Sandbox, task: TaskRow, urls: readonly string[], origin: string): Promise<void> {
  const files: string[] = [];
  let trouble: string | null = null;
  for (const url of urls) {
    const fetched = await fetchMedia(sandbox, url, origin, { followsRedirects: false });
    if (!fetched.ok) {
      trouble ??= task.kind === "photos" ? "photo_pull_failed" : "video_pull_failed";
      continue;
    }
    const id = sandbox.blobs.create(fetched.facts.type);
    sandbox.blobs.append(id, fetched.bytes);
    files.push(id);
    trouble ??= troubleWith(sandbox, task, fetched.facts);
  }
  beginTask(sandbox, task, files, trouble);
}

const LARGEST_PHOTO = 20_971_520;
const LONG_SIDE = 1920;
const SHORT_SIDE = 1080;
const SMALLEST_SIDE = 360;
const VIDEO_TYPES = ["video/mp4", "video/quicktime", "video/webm"];

/** The failure reason of a file, from its bytes. */
function troubleWith(sandbox: Sandbox, task: TaskRow, facts: MediaFacts): string | null {
  const [width, height] = [facts.width ?? 0, facts.height ?? 0];
  if (task.kind === "photos") {
    if (facts.type !== "image/jpeg" && facts.type !== "image/webp") return "file_format_check_failed";
    const isLarge = Math.max(width, height) > LONG_SIDE || Math.min(width, height) > SHORT_SIDE;
    const isSmall = [width, height].some((side) => side > 0 && side < SMALLEST_SIDE);
    return isLarge || isSmall || facts.size > LARGEST_PHOTO ? "picture_size_check_failed" : null;
  }
  if (!VIDEO_TYPES.includes(facts.type)) return "file_format_check_failed";
  const most = findAccount(sandbox, task.account_id)?.max_seconds ?? 600;
  if ((facts.durationMs ?? 0) > most * 1000 + 500) return "duration_check_failed";
  const { frameRate } = facts;
  if (frameRate !== null && (frameRate < 22.88 || frameRate > 60.3)) return "frame_rate_check_failed";
  if (!isOf(facts, "h264", "hevc", "vpx")) return "file_format_check_failed";
  const sides = [width, height].filter((side) => side > 0);
  return sides.some((side) => side < SMALLEST_SIDE || side > 4096) ? "picture_size_check_failed" : null;
}

export function troubleInUpload(sandbox: Sandbox, task: TaskRow, blobId: string): string | null {
  const facts = probe(sandbox.blobs.source(blobId));
  sandbox.blobs.setType(blobId, facts.type);
  return troubleWith(sandbox, task, facts);
}
