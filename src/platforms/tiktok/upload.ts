import { z } from "zod";
import { HOUR, MINUTE } from "../../core/time.ts";
import type { AccountContext, Failure, Json, Unknown } from "../context.ts";
import { down, rejected, unknown } from "../outcomes.ts";
import type { Content } from "../publishing.ts";
import { readChunk } from "../read-chunk.ts";
import type { Answered, Lost } from "../request.ts";
import type { Media } from "../rules.ts";
import { isPauseDue, MAX_RESTARTS, sendingMs, type UploadStep } from "../uploads.ts";
import { interpretRepeatable, request } from "./api.ts";
import { chunksOf, endOf, firstForm, isStart, lastStart, otherForm } from "./chunks.ts";
import { isStale, PostSettings, settle } from "./creator.ts";
import { areChunksRefused } from "./errors.ts";
import { postInfo } from "./post-info.ts";
import { readTask } from "./task.ts";

/**
 * Everything before the public act: read the account's settings → (a video) open a task → send all chunks
 * except the last.
 *
 * - A task that never received all of its bytes publishes nothing, and its upload address expires after an
 *   hour. Another task may be opened after this one has reported missing bytes twice. The `publish_id` is
 *   stored before the first byte is sent.
 * - Chunks go strictly in order, and TikTok stores each completely or not at all. It accepts a chunk that is
 *   sent again, or reports (416) how much it has.
 * - The last chunk is the public act: no further call is needed.
 * - One chunk or several: TikTok may refuse an app either form, when the task is opened or when the bytes
 *   arrive. Then the other form is tried once.
 */
export const Upload = z.object({
  /** Null until the account's settings were read. */
  settings: PostSettings.nullable(),
  /** Empty before a task exists. */
  publishId: z.string(),
  /** The upload address is a secret: anyone who knows it can send the bytes, and nothing else. */
  address: z.string(),
  /** Epoch milliseconds. */
  openedAt: z.number(),
  /** The bytes that TikTok has. */
  offset: z.number(),
  parts: z.number(),
  restarts: z.number(),
  /** Whether it is sent in one chunk or in several. */
  form: z.enum(["one", "several"]),
  /** Whether the other form was refused. */
  isFallback: z.boolean(),
  /** How often the connection failed in the middle of the last chunk. */
  breaks: z.number(),
  /** Why TikTok accepts no more bytes, if the task must be checked before another one is opened. */
  stopped: z.enum(["address", "form"]).nullable(),
});
export type Upload = z.output<typeof Upload>;

const NONE: Upload = {
  settings: null,
  publishId: "",
  address: "",
  openedAt: 0,
  offset: 0,
  parts: 0,
  restarts: 0,
  form: "one",
  isFallback: false,
  breaks: 0,
  stopped: null,
};

export function uploadOf(stored: Json | null): Upload {
  const parsed = Upload.safeParse(stored);
  return parsed.success ? parsed.data : NONE;
}

export interface Publication {
  readonly kind: "publication";
  readonly text: string;
  readonly declared: Content["declared"];
  readonly options: Content["options"];
  readonly media: readonly Media[];
  /** Null for pictures. */
  readonly video: Media | null;
}

export function publicationOf({ items, declared, options }: Content): Publication | Failure {
  const [item] = items;
  const [first] = item?.media ?? [];
  if (!item || !first) return rejected("TikTok accepts no text-only posts. Add a video or a picture.");
  return {
    kind: "publication",
    text: item.text,
    declared,
    options,
    media: item.media,
    video: item.media.find(({ kind }) => kind === "video") ?? null,
  };
}

export type Step = UploadStep<Upload>;

/** One bounded act. */
export async function advance(
  context: AccountContext,
  content: Content,
  publication: Publication,
  upload: Upload,
): Promise<Step> {
  const { media, video } = publication;
  const isBegun = upload.publishId !== "";
  if (upload.settings === null || (!isBegun && isStale(context, upload.settings))) {
    const settled = await settle(context, content, media);
    if (settled.kind === "failed") return settled;
    const next = { ...upload, settings: settled.settings };
    return { kind: video === null ? "ready" : "more", upload: next };
  }
  if (video === null) return { kind: "ready", upload };
  if (!isBegun) return open(context, publication, video, { ...upload, settings: upload.settings });
  if (upload.stopped !== null) return reopen(context, upload, video, upload.stopped);
  if (upload.offset >= lastStart(video.bytes, upload.form)) return { kind: "ready", upload };
  if (isOver(context, upload, video)) return reopen(context, upload, video, "address");
  const sent = await sendChunk(context, content, video, upload);
  switch (sent.kind) {
    case "stored":
      return taken(upload, video, sent.bytes);
    case "stopped":
      return reopen(context, upload, video, sent.why);
    case "cut_off":
    case "unknown":
      return down(sent.message);
    case "failed":
      return sent;
  }
}

const Opened = z.object({ publish_id: z.string().min(1), upload_url: z.url() });

async function open(
  context: AccountContext,
  publication: Publication,
  { bytes }: Media,
  upload: Upload & { readonly settings: PostSettings },
): Promise<Step> {
  const form = upload.isFallback ? upload.form : firstForm(bytes);
  const { size, count } = chunksOf(bytes, form);
  const source = { source: "FILE_UPLOAD", video_size: bytes, chunk_size: size, total_chunk_count: count };
  const json = { post_info: postInfo.video(publication, upload.settings), source_info: source };
  const answer = await request(context, "POST", { path: "post/publish/video/init/", json });
  if (areChunksRefused(answer)) return inOtherForm({ ...upload, form }, bytes);
  // Without a byte the task publishes nothing, so an unclear answer is a temporary failure.
  const opened = interpretRepeatable(context, answer, Opened);
  // The account's settings may have changed.
  if (opened.kind === "failed") return opened;
  const { publish_id: publishId, upload_url: address } = opened.value;
  if (!isTikToks(address)) return down("TikTok returned an upload address that is not on its own hosts.");
  const opening = { publishId, address, openedAt: context.now, form };
  return { kind: count > 1 ? "more" : "ready", upload: { ...upload, ...opening, offset: 0 } };
}

/** Handles refused chunks: another way to split the video, or the reason why none is left. */
function inOtherForm(upload: Upload, bytes: number): Step {
  const form = upload.isFallback ? null : otherForm(bytes, upload.form);
  if (form !== null) return { kind: "more", upload: { ...upload, form, isFallback: true } };
  return rejected(
    upload.form === "several" && !upload.isFallback
      ? "TikTok accepts videos of this service in one chunk only, of at most 64 MB. Post a smaller file."
      : "TikTok refuses the video in one chunk and in several. Post another file.",
    "media_invalid",
  );
}

/** How long an upload address is valid. */
const ADDRESS_MS = HOUR;
const MARGIN_MS = 4 * MINUTE;

/**
 * Whether the address may expire before a chunk is sent: a refusal may not be visible while the chunk is
 * still being sent.
 */
export function isOver({ now }: AccountContext, { openedAt, offset, form }: Upload, { bytes }: Media): boolean {
  return now - openedAt > ADDRESS_MS - MARGIN_MS - sendingMs(endOf(bytes, form, offset) - offset);
}

function isTikToks(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol === "https:" && /(?:^|\.)tiktokapis\.com$/.test(hostname);
}

/** TikTok's answer to a chunk. */
export type Sent =
  /** TikTok has this many bytes now. */
  | { readonly kind: "stored"; readonly bytes: number }
  /**
   * TikTok reports that it accepts no more at this address, or no chunks of this form. The task shows whether
   * that is true.
   */
  | { readonly kind: "stopped"; readonly why: "address" | "form" }
  /** Not all of the chunk was sent: TikTok has nothing of it. */
  | { readonly kind: "cut_off"; readonly message: string }
  | Unknown
  | Failure;

/** Sends the chunk that begins at the offset; the last one makes the video public. */
export async function sendChunk(
  { send }: AccountContext,
  content: Content,
  file: Media,
  { address, offset, form }: Upload,
): Promise<Sent> {
  const end = endOf(file.bytes, form, offset);
  const chunk = await readChunk(content, file, offset, end);
  if (chunk.kind === "failed") return chunk;
  const headers = { "content-type": file.mime, "content-range": `bytes ${offset}-${end - 1}/${file.bytes}` };
  const timeoutMs = sendingMs(end - offset);
  const answer = await send({ method: "PUT", url: address, headers, part: chunk.part, timeoutMs });
  // The file's server broke off, not TikTok: TikTok received less than was announced.
  return chunk.failure() ?? toSent(answer, end);
}

function toSent(answer: Answered | Lost, end: number): Sent {
  const said = answer.kind === "lost" ? answer.refusal : answer;
  if (said === undefined) {
    const message = `TikTok's answer was lost: ${answer.kind === "lost" ? answer.message : ""}`;
    return answer.kind === "lost" && answer.isCutOff ? { kind: "cut_off", message } : unknown(message);
  }
  const { status, headers } = said;
  if (status >= 200 && status < 300) return { kind: "stored", bytes: storedIn(headers) ?? end };
  if (status === 416) {
    const bytes = storedIn(headers);
    return bytes === null
      ? unknown("TikTok has another part of the video than this service recorded.")
      : { kind: "stored", bytes };
  }
  if (status === 403 || status === 404) return { kind: "stopped", why: "address" };
  if (status === 400) return { kind: "stopped", why: "form" };
  return unknown(`TikTok did not confirm a part of the video (status ${status}).`);
}

/** From `bytes 0-<last>/<total>`. */
function storedIn(headers: Headers): number | null {
  const last = /^bytes\s+0-(\d+)\//.exec(headers.get("content-range") ?? "")?.[1];
  return last === undefined ? null : Number(last) + 1;
}

/** The step after TikTok has reported how much it has. */
export function taken(upload: Upload, { bytes }: Media, stored: number): Step {
  const { form } = upload;
  if (stored === upload.offset) return down("TikTok did not accept a part of the video.");
  if (stored < upload.offset || !isStart(bytes, form, stored))
    return restart(upload, "TikTok lost a part of the video that it had.");
  const parts = upload.parts + 1;
  const next = { ...upload, offset: stored, parts };
  if (stored >= lastStart(bytes, form)) return { kind: "ready", upload: next };
  if (!isPauseDue(parts)) return { kind: "more", upload: next };
  return { kind: "more", upload: next, afterSeconds: 1, reason: "The video is being uploaded to TikTok." };
}

/**
 * The task's report on its bytes. `lacking`: there is no post, and without more bytes there never will be.
 */
export async function checkBytes(
  context: AccountContext,
  { publishId }: Upload,
  { bytes }: Media,
): Promise<"lacking" | "whole" | Unknown | Failure> {
  const task = await readTask(context, publishId);
  if (task.kind === "failed") return task;
  if (task.kind !== "uploading") return "whole";
  if (task.bytes === null) return unknown("TikTok does not report how much of the video it has.");
  return task.bytes < bytes ? "lacking" : "whole";
}

/**
 * Handles an expired address or refused chunks, which a proxy may also report. Another task is opened only if
 * this one still lacks bytes. If it has all of them, or does not say, `commit` determines the outcome.
 */
async function reopen(
  context: AccountContext,
  upload: Upload,
  video: Media,
  why: NonNullable<Upload["stopped"]>,
): Promise<Step> {
  const checked = await checkBytes(context, upload, video);
  if (checked === "lacking") {
    if (why === "address") return restart(upload, "TikTok ended the upload before the video was complete.");
    const { restarts, form, isFallback } = upload;
    return inOtherForm({ ...NONE, restarts, form, isFallback }, video.bytes);
  }
  if (checked !== "whole" && checked.kind === "failed" && checked.reason !== "rejected") return checked;
  return { kind: "ready", upload: { ...upload, offset: video.bytes, stopped: null } };
}

/** Opens another task, a few times at most: this one lacks bytes. */
function restart({ restarts, form, isFallback }: Upload, message: string): Step {
  if (restarts >= MAX_RESTARTS) return rejected(`${message} Post it again.`);
  return { kind: "more", upload: { ...NONE, restarts: restarts + 1, form, isFallback } };
}
