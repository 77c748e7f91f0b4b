import { z } from "zod";
import { MINUTE } from "../../core/time.ts";
import type { AccountContext, Failure } from "../context.ts";
import type { MediaKind } from "../media-kinds.ts";
import { quoting, rejected } from "../outcomes.ts";
import type { Media } from "../rules.ts";
import { canRead } from "./account.ts";
import { encodeUrn, read } from "./api.ts";
import { restart, type Step, type Upload } from "./upload-state.ts";

/** Waits until LinkedIn has processed an uploaded file. */
/** The wait if the state of a file cannot be read. */
const BLIND_SECONDS = { image: 5, gif: 10, video: 60, document: 30 } as const;
const PROCESSING_LIMIT_MS = {
  image: 10 * MINUTE,
  gif: 10 * MINUTE,
  video: 45 * MINUTE,
  document: 45 * MINUTE,
} as const;
const CHECK_SECONDS = { image: 2, gif: 2, video: 5, document: 5 } as const;

export const RESOURCES: Readonly<Record<MediaKind, string>> = {
  image: "rest/images",
  gif: "rest/images",
  video: "rest/videos",
  document: "rest/documents",
};

const Asset = z.object({ status: z.string(), processingFailureReason: z.string().nullish() });

export function readAsset(context: AccountContext, { kind }: Media, { id }: Upload) {
  return read(context, { method: "GET", path: `${RESOURCES[kind]}/${encodeUrn(id)}` }, Asset);
}

export async function checkProcessing(context: AccountContext, file: Media, upload: Upload): Promise<Step> {
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
