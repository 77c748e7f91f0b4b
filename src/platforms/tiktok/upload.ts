import { z } from "zod";
import type { AccountContext, Failure, Json, Unknown } from "../context.ts";
import { down, rejected, throttled, unknown } from "../outcomes.ts";
import type { Content } from "../publishing.ts";
import type { Answered, Lost } from "../request.ts";
import type { Media } from "../rules.ts";
import { isPauseDue, MAX_RESTARTS, type UploadStep } from "../uploads.ts";
import { write } from "./api.ts";
import { chunksOf, endOf, isStart, lastStart, readChunk } from "./chunks.ts";
import { isStale, PostSettings, settle } from "./creator.ts";
import { postInfo } from "./post-info.ts";
import { readTask } from "./task.ts";

/**
 * Everything before the public act: settle with the account → (a video) open a task → all chunks but the last.
 *
 * - A task that never got all of its bytes publishes nothing, and its address dies after an hour: it may be opened anew, as long as
 *   the last chunk was surely not sent. The `publish_id` is stored before the first byte goes.
 * - Chunks go strictly in order, and are stored whole or not at all. Whatever became of one: sent again, TikTok takes it, or says
 *   (416) how much it has.
 * - The last chunk is the public act: nothing needs to be called afterwards.
 */
export const Upload = z.object({
  /** Null until the account was asked. */
  settings: PostSettings.nullable(),
  /** Empty before there is a task. */
  publishId: z.string(),
  /** Whoever knows it can send the bytes, and nothing else. */
  address: z.string(),
  /** Epoch milliseconds. */
  openedAt: z.number(),
  /** The bytes that TikTok has. */
  offset: z.number(),
  parts: z.number(),
  restarts: z.number(),
});
export type Upload = z.output<typeof Upload>;

const NONE: Upload = { settings: null, publishId: "", address: "", openedAt: 0, offset: 0, parts: 0, restarts: 0 };

export function uploadOf(stored: Json | null): Upload {
  const parsed = Upload.safeParse(stored);
  return parsed.success ? parsed.data : NONE;
}

export interface Publication {
  readonly kind: "publication";
  readonly text: string;
  readonly media: readonly Media[];
  /** Null of pictures. */
  readonly video: Media | null;
}

export function publicationOf({ items }: Content): Publication | Failure {
  const [item] = items;
  const [first] = item?.media ?? [];
  if (!item || !first) return rejected("TikTok takes no post of text alone: add a video or a picture.");
  return {
    kind: "publication",
    text: item.text,
    media: item.media,
    video: item.media.find(({ kind }) => kind === "video") ?? null,
  };
}

export type Step = UploadStep<Upload>;

/** One bounded act. */
export async function advance(
  context: AccountContext,
  content: Content,
  { text, media, video }: Publication,
  upload: Upload,
): Promise<Step> {
  const isBegun = upload.publishId !== "";
  if (upload.settings === null || (!isBegun && isStale(context, upload.settings))) {
    const settled = await settle(context, content, media);
    if (settled.kind === "failed") return settled;
    const next = { ...upload, settings: settled.settings };
    return { kind: video === null ? "ready" : "more", upload: next };
  }
  if (video === null) return { kind: "ready", upload };
  if (!isBegun) return open(context, text, video, upload, upload.settings);
  if (upload.offset >= lastStart(video.bytes)) return { kind: "ready", upload };
  if (isOver(context, upload)) return reopen(context, upload, video);
  const sent = await sendChunk(context, content, video, upload);
  switch (sent.kind) {
    case "stored":
      return taken(upload, video, sent.bytes);
    case "ended":
      return reopen(context, upload, video);
    case "unknown":
      return down(sent.message);
    case "failed":
      return sent;
  }
}

const Opened = z.object({ publish_id: z.string().min(1), upload_url: z.url() });

async function open(
  context: AccountContext,
  text: string,
  { bytes }: Media,
  upload: Upload,
  settings: PostSettings,
): Promise<Step> {
  const { size, count } = chunksOf(bytes);
  const source = { source: "FILE_UPLOAD", video_size: bytes, chunk_size: size, total_chunk_count: count };
  const json = { post_info: postInfo.video(text, settings), source_info: source };
  const opened = await write(context, { path: "post/publish/video/init/", json }, Opened);
  switch (opened.kind) {
    case "ok": {
      const { publish_id: publishId, upload_url: address } = opened.value;
      if (!isTikToks(address)) return down("TikTok named an address for the video that is not its own.");
      const opening = { publishId, address, openedAt: context.now };
      return { kind: count > 1 ? "more" : "ready", upload: { ...upload, ...opening, offset: 0 } };
    }
    case "failed":
      // The account may have other settings by now.
      return opened;
    default:
      // Without a byte it publishes nothing.
      return down(opened.message);
  }
}

/** An address lives an hour, and a chunk takes its time. A refusal of it may not be heard while a part is still on its way. */
const ADDRESS_MS = 55 * 60_000;

export function isOver({ now }: AccountContext, { openedAt }: Upload): boolean {
  return now - openedAt > ADDRESS_MS;
}

function isTikToks(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol === "https:" && /(?:^|\.)tiktokapis\.com$/.test(hostname);
}

/** What TikTok says to a chunk. */
export type Sent =
  /** It has so many bytes by now. */
  | { readonly kind: "stored"; readonly bytes: number }
  /** The address is over. */
  | { readonly kind: "ended" }
  | Unknown
  | Failure;

/** Several megabytes, from a server that may be slow. */
const CHUNK_TIMEOUT_MS = 45_000;

/** Sends the chunk that begins at the offset; with the last one the video is public. */
export async function sendChunk(
  { send }: AccountContext,
  content: Content,
  file: Media,
  { address, offset }: Upload,
): Promise<Sent> {
  const end = endOf(file.bytes, offset);
  const part = await readChunk(content, file, offset, end);
  if (part.kind === "failed") return part;
  const headers = { "content-type": file.mime, "content-range": `bytes ${offset}-${end - 1}/${file.bytes}` };
  const answer = await send({ method: "PUT", url: address, headers, part, timeoutMs: CHUNK_TIMEOUT_MS });
  return toSent(answer, end);
}

function toSent(answer: Answered | Lost, end: number): Sent {
  if (answer.kind === "lost") return unknown(`TikTok's answer was lost: ${answer.message}`);
  const { status, headers } = answer;
  if (status >= 200 && status < 300) return { kind: "stored", bytes: storedIn(headers) ?? end };
  if (status === 416) {
    const bytes = storedIn(headers);
    return bytes === null ? unknown("TikTok has another part of the video than we know.") : { kind: "stored", bytes };
  }
  if (status === 403 || status === 404) return { kind: "ended" };
  if (status === 429) return throttled("TikTok asks us to send the video more slowly.", null);
  if (status === 400) return rejected("TikTok did not take a part of the video. Post it again.", "media_invalid");
  return unknown(`TikTok did not take a part of the video, or says nothing of it (status ${status}).`);
}

/** From `bytes 0-<last>/<total>`. */
function storedIn(headers: Headers): number | null {
  const last = /^bytes\s+0-(\d+)\//.exec(headers.get("content-range") ?? "")?.[1];
  return last === undefined ? null : Number(last) + 1;
}

/** What comes after TikTok has told how much it has. */
export function taken(upload: Upload, { bytes }: Media, stored: number): Step {
  if (stored === upload.offset) return down("TikTok did not take a part of the video.");
  if (stored < upload.offset || !isStart(bytes, stored))
    return restart(upload, "TikTok lost a part of the video that it had.");
  const parts = upload.parts + 1;
  const next = { ...upload, offset: stored, parts };
  if (stored >= lastStart(bytes)) return { kind: "ready", upload: next };
  if (!isPauseDue(parts)) return { kind: "more", upload: next };
  return { kind: "more", upload: next, afterSeconds: 1, reason: "The video is being uploaded to TikTok." };
}

/** The address is over, or something on the way says so: the task must still lack bytes. */
async function reopen(context: AccountContext, upload: Upload, { bytes }: Media): Promise<Step> {
  const task = await readTask(context, upload.publishId);
  if (task.kind === "failed" && task.reason !== "rejected") return task;
  const isWhole = task.kind === "uploading" && (task.bytes === null || task.bytes >= bytes);
  if (task.kind === "working" || task.kind === "complete" || isWhole)
    return rejected("TikTok has taken the video for whole before it was. Look there before you post it again.");
  return restart(upload, "TikTok ended the upload before the video was whole.");
}

/** Another task, a few times at most: the last chunk was surely never sent to this one. */
export function restart({ restarts }: Upload, message: string): Step {
  if (restarts >= MAX_RESTARTS) return rejected(`${message} Post it again.`);
  return { kind: "more", upload: { ...NONE, restarts: restarts + 1 } };
}
