import { MAX_PART_BYTES } from "../../core/max-part-bytes.ts";
import { HOUR, SECOND } from "../../core/time.ts";
import { contentKey, copyMetadata } from "../../files/fitted-copy.ts";
import { fileName } from "../../media/file.ts";
import { formatOf } from "../../media/kind-words.ts";
import { ownFileName } from "../../media/own-address.ts";
import { imageSize } from "../../media/picture.ts";
import type { EngineFailure, PictureEngine } from "../../media/picture-engine.ts";
import { copyMime, type PictureFit, pictureFit } from "../../media/picture-fit.ts";
import { markPicture } from "../../media/picture-mark.ts";
import { createReader } from "../../media/reader.ts";
import type { UploadPool } from "../../media/upload-pool.ts";
import { markOf } from "../../media/xmp-packet.ts";
import type { MediaFile } from "../../platforms/rules.ts";
import type { Deps } from "../../service/deps.ts";
import { beginFit } from "../../usage/picture-calls.ts";
import type { CopyFailure, CopyMaker, CopyPlan, CopyStep, OpenCopy } from "./fit-files.ts";

/**
 * Copies of pictures: encoded again by Cloudflare's Images (media/picture-engine.ts). The whole original is
 * in memory, so an isolate makes one at a time. Each call of the engine is charged and counted.
 */

/** Raised when the same original and rule give another copy. */
const VERSION = 1;
const SLOT_WAIT_MS = 15 * SECOND;

export const pictureCopies: CopyMaker = {
  plan(file, rules, { pictures }) {
    const fit = pictures === null ? null : pictureFit(file, rules);
    return fit === null ? null : planOf(file, fit);
  },

  async open(deps, file, plan, projectId) {
    const { pictures } = deps;
    if (pictures === null) return failed("operator_action", "This service has no binding IMAGES any more.");
    const slot = deps.fits.slot();
    if (!(await slot.take(1, SLOT_WAIT_MS))) return { kind: "busy" };
    const work: Work = { deps, pictures, file, plan, projectId };
    return opened(work, slot);
  },
};

interface Work {
  readonly deps: Deps;
  readonly pictures: PictureEngine;
  readonly file: MediaFile;
  readonly plan: CopyPlan;
  readonly projectId: Parameters<CopyMaker["open"]>[3];
}

function planOf(file: MediaFile, { mime, width, height, maxBytes, describe }: PictureFit): CopyPlan {
  const { picture: _, ...kept } = file;
  return {
    rule: `picture:${VERSION}:${mime}:${width}x${height}:${maxBytes}`,
    maxBytes,
    file: { ...kept, mime, width, height, bytes: Math.min(file.bytes, maxBytes) },
    describe,
  };
}

/** A file elsewhere is known by its bytes, which are kept for the copy. */
async function opened(work: Work, slot: ReturnType<UploadPool["slot"]>): Promise<OpenCopy | CopyFailure> {
  let original: Uint8Array<ArrayBuffer> | null = null;
  let of = ownFileName(work.file.url);
  if (of === null) {
    const read = await readWhole(work);
    if ("kind" in read) {
      slot.release();
      return read;
    }
    original = read;
    of = await contentKey(read);
  }
  return {
    kind: "open",
    of,
    async next(name) {
      const read = original ?? (await readWhole(work));
      return "kind" in read ? read : make(work, read, name);
    },
    close: () => slot.release(),
  };
}

async function readWhole({ deps, file }: Work): Promise<Uint8Array<ArrayBuffer> | CopyFailure> {
  const reader = createReader(deps.guardedFetch, { isCareful: true });
  const whole = new Uint8Array(file.bytes);
  for (let at = 0; at < file.bytes; at += MAX_PART_BYTES) {
    const part = await reader.read(file, at, Math.min(at + MAX_PART_BYTES, file.bytes));
    if (part.kind === "failed") {
      const isFinal = part.reason === "rejected";
      return { kind: "failed", isFinal, code: "media_unreachable", message: part.message };
    }
    whole.set(part.kind === "bytes" ? part.bytes : new Uint8Array(await new Response(part.stream).arrayBuffer()), at);
  }
  return whole;
}

async function make(work: Work, original: Uint8Array<ArrayBuffer>, name: string): Promise<CopyStep | CopyFailure> {
  const made = await encode(work, original);
  if ("kind" in made) return made;
  const { mime } = work.plan.file;
  const mark = markOf(original);
  const bytes = (mark && markPicture(made, mark)) ?? made;
  const size = imageSize(mime, bytes);
  if (size === null || size === "damaged") return cannot(work, "its copy cannot be read");
  const media = { kind: "image", mime, ...size, durationSeconds: null } as const;
  await work.deps.files.put(name, bytes, { customMetadata: copyMetadata(media) });
  return { kind: "made", bytes: bytes.byteLength, media };
}

/** Room for the mark of the original in the copy. */
const MARK_BYTES = 70_000;
const BEST_QUALITY = 90;
const GOOD_QUALITY = 80;
/** What the lower quality saves of the bytes. The local engine knows no quality, and saves nothing. */
const SAVED = 0.6;
const MARGIN = 0.95;
const MAX_CALLS = 5;

/** The best picture within the bytes: first of lower quality, then smaller. */
async function encode(work: Work, original: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer> | CopyFailure> {
  const { deps, pictures, plan, projectId } = work;
  const { width, height } = plan.file;
  const mime = copyMime(plan.file.mime);
  const maxBytes = plan.maxBytes - MARK_BYTES;
  let scale = 1;
  let quality = BEST_QUALITY;
  for (let calls = 0; calls < MAX_CALLS; calls++) {
    if (!(await beginFit(deps, projectId))) return usedUp(work);
    const side = (length: number | null) => Math.max(1, Math.round((length ?? 1) * scale));
    const to = { mime, width: side(width), height: side(height), quality, maxBytes };
    const answer = await pictures.convert(original, to);
    if (answer.kind === "picture") return answer.bytes;
    if (answer.kind === "failed") return failureOf(work, answer);
    const share = maxBytes / answer.atLeast;
    const saved = quality === BEST_QUALITY ? SAVED : 1;
    scale *= Math.min(1, Math.sqrt(share / saved)) * (quality === BEST_QUALITY ? 1 : MARGIN);
    quality = GOOD_QUALITY;
  }
  return cannot(work, "no copy of it is small enough");
}

function failureOf(work: Work, { why, code }: EngineFailure): CopyFailure {
  const shown = code === null ? "" : ` (code ${code})`;
  switch (why) {
    case "unreadable":
      return cannot(work, `Cloudflare's Images does not read it${shown}`);
    case "refused":
      return {
        ...failed("operator_action", `Cloudflare's Images refuses this account${shown}. Its operator must act there.`),
        isFinal: false,
        retryAfterSeconds: HOUR / SECOND,
      };
    case "unavailable":
      return { ...failed("unexpected", `Cloudflare's Images did not answer${shown}.`), isFinal: false };
  }
}

function cannot({ file, plan }: Work, why: string): CopyFailure {
  const [is, wanted] = [formatOf(file.mime), plan.describe(plan.file)];
  return failed("media_invalid", `${fileName(file.url)} is ${is} and cannot be sent as ${wanted}: ${why}.`);
}

function usedUp({ deps }: Work): CopyFailure {
  const message = `This project may have ${deps.config.quotas.fitsADay} pictures made to fit in a day (UTC), which is used up.`;
  return { ...failed("rate_limited", message), isFinal: false, retryAfterSeconds: HOUR / SECOND };
}

const failed = (code: CopyFailure["code"], message: string): CopyFailure => {
  return { kind: "failed", isFinal: true, code, message };
};
