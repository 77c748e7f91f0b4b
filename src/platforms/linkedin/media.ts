import { z } from "zod";
import { MINUTE } from "../../core/time.ts";
import { interpretRead } from "../answers.ts";
import type { AccountContext, Failure, Json } from "../context.ts";
import { down, quoting, rejected } from "../outcomes.ts";
import type { Content, PrepareOutcome } from "../publishing.ts";
import type { Answered, Lost } from "../request.ts";
import type { Media } from "../rules.ts";
import { isPauseDue, MAX_RESTARTS, type UploadStep } from "../uploads.ts";
import { canRead } from "./account.ts";
import { ANY_BODY, encodeUrn, read, request, tableOf } from "./api.ts";
import { areWhole, isTheirs } from "./upload-addresses.ts";

/**
 * Upload to LinkedIn: one bounded step per call. Nothing is visible before the post; an unused file is
 * harmless.
 *
 * none → sending (an image at once, a video in parts, then finalized) → processing → done
 *
 * - The file belongs to the author of the post. The upload addresses are stored before any byte is sent.
 * - LinkedIn chooses a video's parts, each with its own address, and identifies them by their ETags, in
 *   order.
 * - A page can read whether a file is ready. A person's token may not read images: then a fixed wait replaces
 *   it.
 * - A refusal during an upload restarts that file, once.
 */
/** The wait if the state of a file cannot be read. */
const BLIND_SECONDS = { image: 5, gif: 10, video: 60 } as const;
const PROCESSING_LIMIT_MS = { image: 10 * MINUTE, gif: 10 * MINUTE, video: 45 * MINUTE } as const;
const CHECK_SECONDS = { image: 2, gif: 2, video: 5 } as const;

const Part = z.object({ url: z.string(), start: z.number(), end: z.number(), etag: z.string().nullable() });
const Upload = z.object({
  state: z.enum(["none", "sending", "processing", "done"]),
  /** The URN that the post names. */
  id: z.string(),
  /** One for an image. */
  parts: z.array(Part),
  token: z.string(),
  /** Where the cover of a video is sent; empty for none, and once it was sent. */
  coverUrl: z.string().default(""),
  /** Epoch milliseconds: when the addresses expire, and when the state began. */
  expiresAt: z.number(),
  at: z.number(),
  restarts: z.number(),
});
type Upload = z.output<typeof Upload>;
type Step = UploadStep<Upload>;
/** One entry per file, in the order of the media. */
const Progress = z.object({ uploads: z.array(Upload) });

const NONE: Upload = { state: "none", id: "", parts: [], token: "", coverUrl: "", expiresAt: 0, at: 0, restarts: 0 };

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

// --- announce ---

const ImageAnnounced = z.object({
  value: z.object({ image: z.string().min(1), uploadUrl: z.url(), uploadUrlExpiresAt: z.number().optional() }),
});
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
    path: isVideo ? "rest/videos" : "rest/images",
    query: { action: "initializeUpload" },
    json: { initializeUploadRequest },
  } as const;
  const announced = isVideo ? await announceVideo(context, call) : await announceImage(context, call, file);
  if (announced.kind === "failed") return announced;
  const { parts, coverUrl } = announced;
  if (!areWhole(parts, file) || !(coverUrl === "" || isTheirs(coverUrl)))
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

async function announceImage(
  context: AccountContext,
  call: Announcement,
  { bytes }: Media,
): Promise<Announced | Failure> {
  const answer = await read(context, call, ImageAnnounced);
  if (answer.kind === "failed") return answer;
  const { image: id, uploadUrl: url, uploadUrlExpiresAt: expiresAt } = answer.value.value;
  return {
    kind: "announced",
    id,
    parts: [{ url, start: 0, end: bytes, etag: null }],
    token: "",
    coverUrl: "",
    expiresAt,
  };
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

// --- send, finalize ---

async function sendPart(
  context: AccountContext,
  content: Content,
  file: Media,
  { upload, index }: { readonly upload: Upload; readonly index: number },
): Promise<Step> {
  const part = upload.parts[index];
  if (!part) return rejected(`${file.url} has no part ${index + 1}.`);
  const bytes = await content.read(file, part.start, part.end);
  if (bytes.kind === "failed") return bytes;
  // An image requires the token. The parts of a video do not.
  const authorization = `Bearer ${context.credentials.accessToken}`;
  const headers: Record<string, string> =
    file.kind === "video" ? { "content-type": "application/octet-stream" } : { authorization };
  const answer = await context.send({ method: "PUT", url: part.url, headers, part: bytes });
  const outcome = interpretRead(tableOf(context), answer, ANY_BODY, context.now);
  if (outcome.kind === "failed") return isRefused(answer) ? restart(outcome, upload) : outcome;
  if (file.kind !== "video") return processing(context, upload);
  const etag = answer.kind === "answered" ? answer.headers.get("etag") : null;
  if (!etag) return down("LinkedIn did not acknowledge a part of the video.");
  const parts = upload.parts.map((one, other) => (other === index ? { ...one, etag } : one));
  const sent = { ...upload, parts };
  if (!isPauseDue(index + 1)) return { kind: "more", upload: sent };
  return { kind: "more", upload: sent, afterSeconds: 1, reason: "The video is being uploaded to LinkedIn." };
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

/** Whether the upload itself was refused, not its token or rate. */
function isRefused(answer: Answered | Lost): boolean {
  return (
    answer.kind === "answered" &&
    answer.status >= 400 &&
    answer.status < 500 &&
    ![401, 408, 429].includes(answer.status)
  );
}

/** A refused call does not prove a bad file: the state of the upload may be unknown. */
function restart(failure: Failure, upload: Upload): Step {
  if (upload.restarts >= MAX_RESTARTS) {
    return failure.reason === "rejected" ? { ...failure, code: failure.code ?? "media_invalid" } : failure;
  }
  return { kind: "more", upload: { ...NONE, restarts: upload.restarts + 1 } };
}

// --- processing ---

const Asset = z.object({ status: z.string(), processingFailureReason: z.string().nullish() });

function readAsset(context: AccountContext, { kind }: Media, { id }: Upload) {
  const resource = kind === "video" ? "videos" : "images";
  return read(context, { method: "GET", path: `rest/${resource}/${encodeUrn(id)}` }, Asset);
}

async function checkProcessing(context: AccountContext, file: Media, upload: Upload): Promise<Step> {
  const { kind } = file;
  if (kind !== "video" && !canRead(context)) return waitBlindly(context, file, upload);
  const asset = await readAsset(context, file, upload);
  if (asset.kind === "failed") {
    if (asset.reason === "permission_missing") return waitBlindly(context, file, upload);
    return asset.reason === "rejected" ? restart(asset, upload) : asset;
  }
  const { status, processingFailureReason: why } = asset.value;
  const waitedMs = context.now - upload.at;
  if (status === "AVAILABLE") return done(upload);
  if (status === "PROCESSING_FAILED") {
    const sentence = quoting(`LinkedIn could not process the ${kind} ${file.url}. Try another file.`, "LinkedIn", why);
    return rejected(sentence, "media_invalid");
  }
  const isLate = waitedMs > PROCESSING_LIMIT_MS[kind];
  if (status === "WAITING_UPLOAD" && waitedMs > MINUTE) return restart(late(file), upload);
  return isLate ? late(file) : waiting(upload, CHECK_SECONDS[kind]);
}

function waitBlindly({ now }: AccountContext, { kind }: Media, upload: Upload): Step {
  const seconds = Math.ceil((upload.at - now) / 1000) + BLIND_SECONDS[kind];
  return seconds > 0 ? waiting(upload, seconds) : done(upload);
}

function waiting(upload: Upload, afterSeconds: number): Step {
  return { kind: "more", upload, afterSeconds, reason: "LinkedIn is processing the media." };
}

function late({ kind, url }: Media): Failure {
  return rejected(
    `LinkedIn did not finish processing the ${kind} ${url}. Post it again, or try another file.`,
    "media_invalid",
  );
}

function done(upload: Upload): Step {
  return { kind: "ready", upload: { ...upload, state: "done" } };
}
