import { z } from "zod";
import { interpretRead } from "../answers.ts";
import type { AccountContext, Failure, Json } from "../context.ts";
import { down, rejected } from "../outcomes.ts";
import type { Content, PrepareOutcome } from "../publishing.ts";
import { readChunk } from "../read-chunk.ts";
import type { Media } from "../rules.ts";
import { isPauseDue, MAX_RESTARTS, sendingMs } from "../uploads.ts";
import { ANY_BODY, read, request, tableOf } from "./api.ts";
import { checkProcessing, RESOURCES, readAsset } from "./processing.ts";
import { areWhole, isTheirs } from "./upload-addresses.ts";
import { isRefused, NONE, Progress, restart, type Step, type Upload } from "./upload-state.ts";

/**
 * Upload to LinkedIn: one bounded step per call. Nothing is visible before the post; an unused file is
 * harmless.
 *
 * none → sending (an image or a document at once, a video in parts, then finalized) → processing → done
 *
 * - The file belongs to the author of the post. The upload addresses are stored before any byte is sent.
 * - LinkedIn chooses a video's parts, each with its own address, and identifies them by their ETags, in
 *   order.
 * - A page can read whether a file is ready. A person's token may not read images and documents: then a fixed
 *   wait replaces it.
 * - A refusal during an upload restarts that file, once.
 */
function uploadsOf({ items }: Content, stored: Json | null): { file: Media; upload: Upload }[] {
  const parsed = Progress.safeParse(stored);
  const uploads = parsed.success ? parsed.data.uploads : [];
  return items.flatMap(({ media }) => media).map((file, index) => ({ file, upload: uploads[index] ?? NONE }));
}

/** The URNs of the media, in order; null if one is not uploaded. */
export function mediaUrns(content: Content, stored: Json): readonly string[] | null {
  const all = uploadsOf(content, stored);
  return all.every(({ upload }) => upload.state === "done") ? all.map(({ upload }) => upload.id) : null;
}

export async function prepare(context: AccountContext, content: Content, stored: Json | null): Promise<PrepareOutcome> {
  const all = uploadsOf(content, stored);
  const index = all.findIndex(({ upload }) => upload.state !== "done");
  const next = all[index];
  const store = (changed: Upload | null) => ({
    uploads: all.map(({ upload }, other) => (changed !== null && other === index ? changed : upload)),
  });
  if (!next) return { kind: "ready", progress: store(null) };
  const step = await advance(context, content, next.file, next.upload);
  if (step.kind === "failed") return step;
  const progress = store(step.upload);
  if (step.kind === "ready") return { kind: index === all.length - 1 ? "ready" : "more", progress };
  const { upload: _, ...more } = step;
  return { ...more, progress };
}

function advance(context: AccountContext, content: Content, file: Media, upload: Upload): Promise<Step> {
  const isOver = upload.state === "sending" && context.now >= upload.expiresAt && upload.restarts < MAX_RESTARTS;
  if (upload.state === "none" || isOver)
    return announce(context, content, file, isOver ? { ...upload, restarts: upload.restarts + 1 } : upload);
  if (upload.state === "processing") return checkProcessing(context, file, upload);
  const part = upload.parts.findIndex(({ etag }) => etag === null);
  if (part >= 0) return sendPart(context, content, file, { upload, index: part });
  return upload.coverUrl === "" ? finalize(context, file, upload) : sendCover(context, content, upload);
}

const ADDRESS = { uploadUrl: z.url(), uploadUrlExpiresAt: z.number().optional() };
const ImageAnnounced = z.object({ value: z.object({ image: z.string().min(1), ...ADDRESS }) });
const DocumentAnnounced = z.object({ value: z.object({ document: z.string().min(1), ...ADDRESS }) });
const VideoAnnounced = z.object({
  value: z.object({
    video: z.string().min(1),
    uploadToken: z.string().nullish(),
    uploadUrlsExpireAt: z.number().optional(),
    thumbnailUploadUrl: z.url().optional(),
    uploadInstructions: z
      .array(z.object({ uploadUrl: z.url(), firstByte: z.int().nonnegative(), lastByte: z.int().nonnegative() }))
      .min(1),
  }),
});

async function announce(context: AccountContext, content: Content, file: Media, upload: Upload): Promise<Step> {
  const isVideo = file.kind === "video";
  const owner = context.account.id;
  const initializeUploadRequest = isVideo
    ? { owner, fileSizeBytes: file.bytes, uploadCaptions: false, uploadThumbnail: content.cover !== null }
    : { owner };
  const call = {
    method: "POST",
    path: RESOURCES[file.kind],
    query: { action: "initializeUpload" },
    json: { initializeUploadRequest },
  } as const;
  const announced = isVideo ? await announceVideo(context, call) : await announceWhole(context, call, file);
  if (announced.kind === "failed") return announced;
  const { parts, coverUrl } = announced;
  if (!areWhole(parts, file, isVideo) || !(coverUrl === "" || isTheirs(coverUrl)))
    return down("LinkedIn returned no documented address for the file.");
  const { id, token, expiresAt = Number.MAX_SAFE_INTEGER } = announced;
  const begun = { state: "sending", id, parts, token, coverUrl, expiresAt, at: context.now } as const;
  return { kind: "more", upload: { ...begun, restarts: upload.restarts } };
}

interface Announced {
  readonly kind: "announced";
  readonly id: string;
  readonly parts: Upload["parts"];
  readonly token: string;
  readonly coverUrl: string;
  readonly expiresAt: number | undefined;
}
type Announcement = Parameters<typeof read>[1];

/** A file that is sent with one request. */
async function announceWhole(context: AccountContext, call: Announcement, file: Media): Promise<Announced | Failure> {
  const answer = await readWhole(context, call, file);
  if (answer.kind === "failed") return answer;
  const { id, uploadUrl: url, uploadUrlExpiresAt: expiresAt } = answer;
  const parts = [{ url, start: 0, end: file.bytes, etag: null }];
  return { kind: "announced", id, parts, token: "", coverUrl: "", expiresAt };
}

async function readWhole(context: AccountContext, call: Announcement, { kind }: Media) {
  if (kind === "document") {
    const answer = await read(context, call, DocumentAnnounced);
    return answer.kind === "failed"
      ? answer
      : { ...answer.value.value, kind: "whole" as const, id: answer.value.value.document };
  }
  const answer = await read(context, call, ImageAnnounced);
  return answer.kind === "failed"
    ? answer
    : { ...answer.value.value, kind: "whole" as const, id: answer.value.value.image };
}

async function announceVideo(context: AccountContext, call: Announcement): Promise<Announced | Failure> {
  const answer = await read(context, call, VideoAnnounced);
  if (answer.kind === "failed") return answer;
  const { video: id, uploadToken, uploadUrlsExpireAt: expiresAt, uploadInstructions } = answer.value.value;
  const { thumbnailUploadUrl: coverUrl = "" } = answer.value.value;
  const parts = uploadInstructions.map(({ uploadUrl: url, firstByte, lastByte }) => {
    return { url, start: firstByte, end: lastByte + 1, etag: null };
  });
  return { kind: "announced", id, parts, token: uploadToken ?? "", coverUrl, expiresAt };
}

async function sendPart(
  context: AccountContext,
  content: Content,
  file: Media,
  { upload, index }: { readonly upload: Upload; readonly index: number },
): Promise<Step> {
  const part = upload.parts[index];
  if (!part) return rejected(`${file.url} has no part ${index + 1}.`);
  const chunk = await readChunk(content, file, part.start, part.end);
  if (chunk.kind === "failed") return chunk;
  // An image and a document require the token. The parts of a video do not.
  const authorization = `Bearer ${context.credentials.accessToken}`;
  const headers: Record<string, string> =
    file.kind === "video" ? { "content-type": "application/octet-stream" } : { authorization };
  const timeoutMs = sendingMs(part.end - part.start);
  const sent = await context.send({ method: "PUT", url: part.url, headers, part: chunk.part, timeoutMs });
  const unread = chunk.failure();
  if (unread !== null) return unread;
  // All parts of a large file were read, so a refusal is about the file.
  const answer = sent.kind === "lost" && chunk.part.kind === "series" ? (sent.refusal ?? sent) : sent;
  const outcome = interpretRead(tableOf(context), answer, ANY_BODY, context.now);
  if (outcome.kind === "failed") return isRefused(answer) ? restart(outcome, upload) : outcome;
  if (file.kind !== "video") return processing(context, upload);
  const etag = answer.kind === "answered" ? answer.headers.get("etag") : null;
  if (!etag) return down("LinkedIn did not acknowledge a part of the video.");
  const parts = upload.parts.map((one, other) => (other === index ? { ...one, etag } : one));
  const next = { ...upload, parts };
  if (!isPauseDue(index + 1)) return { kind: "more", upload: next };
  return { kind: "more", upload: next, afterSeconds: 1, reason: "The video is being uploaded to LinkedIn." };
}

/** The cover of a video is sent with the token, before the video is finalized. */
async function sendCover(context: AccountContext, { cover, read }: Content, upload: Upload): Promise<Step> {
  const part = cover === null ? rejected("The picture was not read.") : await read(cover, 0, cover.bytes);
  if (part.kind === "failed") return part;
  const headers = { authorization: `Bearer ${context.credentials.accessToken}`, "media-type-family": "STILLIMAGE" };
  const answer = await context.send({ method: "PUT", url: upload.coverUrl, headers, part });
  const outcome = interpretRead(tableOf(context), answer, ANY_BODY, context.now);
  if (outcome.kind === "failed") return isRefused(answer) ? restart(outcome, upload) : outcome;
  return { kind: "more", upload: { ...upload, coverUrl: "" } };
}

async function finalize(context: AccountContext, file: Media, upload: Upload): Promise<Step> {
  const uploadedPartIds = upload.parts.map(({ etag }) => etag ?? "");
  const json = { finalizeUploadRequest: { video: upload.id, uploadToken: upload.token, uploadedPartIds } };
  const call = { method: "POST", path: "rest/videos", query: { action: "finalizeUpload" }, json } as const;
  const answer = await request(context, call);
  const outcome = interpretRead(tableOf(context), answer, ANY_BODY, context.now);
  if (outcome.kind === "ok") return processing(context, upload);
  if (!isRefused(answer)) return outcome;
  // An earlier call whose answer was lost may have succeeded.
  const asset = await readAsset(context, file, upload);
  const isThere = asset.kind === "ok" && /^(PROCESSING|AVAILABLE)$/.test(asset.value.status);
  return isThere ? processing(context, upload) : restart(outcome, upload);
}

function processing(context: AccountContext, upload: Upload): Step {
  return { kind: "more", upload: { ...upload, state: "processing", parts: [], at: context.now } };
}
