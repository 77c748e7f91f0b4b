import { z } from "zod";
import { MAX_PART_BYTES } from "../core/max-part-bytes.ts";
import { SECOND } from "../core/time.ts";
import { runBatch } from "../db/client.ts";
import { announceGenerated, markGenerated } from "../files/generated.ts";
import { JobFailed } from "../jobs/outcomes.ts";
import { newFileName } from "../media/own-address.ts";
import { readOwnFile } from "../media/own-files.ts";
import { probe } from "../media/probe.ts";
import type { WrittenVideo } from "../video/mp4-file.ts";
import { type GenerationRun, stillOwned } from "./generation-run.ts";
import type { GenerationType } from "./table.ts";

/**
 * The files of a generation in our bucket. Their names are chosen once, and are in the database before any
 * byte is stored. So whatever a dying delivery leaves is found again, or deleted.
 */
const ROLES = ["image", "image_jpeg", "square", "square_jpeg", "tall", "tall_jpeg", "voice", "video", "reel"] as const;
export type Role = (typeof ROLES)[number];

const OF_TYPE: Readonly<Record<GenerationType, readonly Role[]>> = {
  text_only: [],
  ai_image_post: ["image", "image_jpeg"],
  ai_banner_post: ["square", "square_jpeg", "tall", "tall_jpeg"],
  breel: ["video"],
  talking_reel: ["video", "voice", "reel"],
  faceless_reel: ["video", "voice", "reel"],
};

/** Pictures that some platforms do not accept, and the original that each is a version of. */
const ORIGINALS: Readonly<Partial<Record<Role, Role>>> = {
  image_jpeg: "image",
  square_jpeg: "square",
  tall_jpeg: "tall",
};

export type Names = (role: Role) => string;

const STEP = "names";
const Chosen = z.partialRecord(z.enum(ROLES), z.string());

export async function chooseNames(making: GenerationRun): Promise<Names> {
  const { deps, journal, generation } = making;
  const known = journal.read(STEP, Chosen);
  const chosen = known ?? Object.fromEntries(OF_TYPE[generation.type].map((role) => [role, newFileName()]));
  const nameOf: Names = (role) => {
    const name = chosen[role];
    if (name === undefined) throw new Error(`A ${generation.type} has no ${role}.`);
    return name;
  };
  if (known !== null || OF_TYPE[generation.type].length === 0) return nameOf;
  const files = OF_TYPE[generation.type].map((role) => {
    const original = ORIGINALS[role];
    return { name: nameOf(role), renditionOf: original === undefined ? null : nameOf(original) };
  });
  const about = { projectId: generation.projectId, generationId: generation.id };
  await runBatch(deps.db, [announceGenerated(deps.db, about, files, stillOwned(making))]);
  await journal.write(STEP, chosen);
  return nameOf;
}

const MB = 1024 * 1024;
const ATTEMPTS = 3;

interface Stores {
  readonly deps: Pick<GenerationRun["deps"], "files">;
}

/** Stores bytes that were paid for, and retries failures of the bucket at once. */
export async function putFile(
  { deps }: GenerationRun,
  name: string,
  bytes: Uint8Array<ArrayBuffer>,
  mime: string,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await deps.files.put(name, bytes, { httpMetadata: { contentType: mime } });
      return;
    } catch (error) {
      if (attempt >= ATTEMPTS) throw error;
    }
  }
}

/** The content type of a stored file; null if there is none. */
export async function typeOfFile({ deps }: GenerationRun, name: string): Promise<string | null> {
  const about = await deps.files.head(name);
  return about === null ? null : (about.httpMetadata?.contentType ?? null);
}

/** Stores bytes of unknown length in parts, and returns how many. An interruption leaves nothing. */
export async function putStream(
  { deps }: GenerationRun,
  name: string,
  stream: AsyncIterable<Uint8Array>,
): Promise<number> {
  const upload = await deps.files.createMultipartUpload(name);
  try {
    const parts: R2UploadedPart[] = [];
    let bytes = 0;
    for await (const part of inParts(stream, MAX_PART_BYTES)) {
      parts.push(await upload.uploadPart(parts.length + 1, part));
      bytes += part.byteLength;
    }
    await upload.complete(parts);
    return bytes;
  } catch (error) {
    await upload.abort().catch(() => undefined);
    throw error;
  }
}

/** Pieces of exactly `size` bytes, in one buffer that each piece overwrites; the last may be shorter. */
async function* inParts(
  stream: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  size: number,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const part = new Uint8Array(size);
  let filled = 0;
  try {
    for await (const chunk of stream) {
      for (let at = 0; at < chunk.byteLength; ) {
        const taken = Math.min(size - filled, chunk.byteLength - at);
        part.set(chunk.subarray(at, at + taken), filled);
        filled += taken;
        at += taken;
        if (filled === size) {
          yield part;
          filled = 0;
        }
      }
    }
    if (filled > 0) yield part.subarray(0, filled);
  } finally {
    free(part);
  }
}

/** Frees the memory now, not when garbage is collected: large buffers would add up until then. */
function free(bytes: Uint8Array<ArrayBuffer>): void {
  bytes.buffer.transfer(0);
}

/** The largest video or voice that is processed, because it is held in memory as a whole. */
export const MAX_WORKED_ON = 40 * MB;
const MAX_VOICE = 16 * MB;

const WRITTEN_BYTES = 256 * 1024;

/** Stores a file that is written while it is sent, in pieces of one size. */
export async function putWritten({ deps }: Stores, name: string, file: WrittenVideo, mime: string): Promise<void> {
  const { readable, writable } = new FixedLengthStream(file.byteLength);
  const writing = write(writable, inParts(file.pieces(), WRITTEN_BYTES));
  const putting = deps.files.put(name, readable, { httpMetadata: { contentType: mime } });
  await Promise.all([putting, writing]);
}

/** A write ends when its bytes were taken, so the next piece may overwrite them. */
async function write(writable: WritableStream<Uint8Array>, pieces: AsyncIterable<Uint8Array>): Promise<void> {
  const writer = writable.getWriter();
  for await (const piece of pieces) await writer.write(piece);
  await writer.close();
}

const POOL_WAIT_MS = 20 * SECOND;

/**
 * Runs `act` once the isolate's pool of upload bytes has room for `bytes`, so videos and uploads together
 * stay within the pool. Ends the delivery if there is no room in time.
 */
export async function whileHolding<T>(
  { deps, journal }: GenerationRun,
  bytes: number,
  act: () => Promise<T>,
): Promise<T> {
  const slot = deps.uploads.slot();
  try {
    if (!(await slot.take(bytes, POOL_WAIT_MS)))
      return journal.retryLater(2, "Other videos and files are being processed.", null);
    await journal.checkpoint();
    return await act();
  } finally {
    slot.release();
  }
}

/** Reads a stored file as a whole. */
export async function readFile(making: Stores, name: string): Promise<Uint8Array<ArrayBuffer>> {
  const { body, size } = await openFile(making, name);
  // Into one buffer: `arrayBuffer` holds the pieces and the whole at once.
  const reader = body.getReader({ mode: "byob" });
  let buffer = new ArrayBuffer(size);
  for (let at = 0; at < size; ) {
    const { done, value } = await reader.read(new Uint8Array(buffer, at));
    if (done) throw new Error("A file of the generation is shorter than its size.");
    at += value.byteLength;
    // A read moves the memory to a new buffer.
    buffer = value.buffer;
  }
  return new Uint8Array(buffer);
}

export async function openFile({ deps }: Stores, name: string): Promise<R2ObjectBody> {
  const object = await deps.files.get(name);
  if (object === null) throw new Error("A file of the generation is missing.");
  return object;
}

/** Reads stored files whole for `act`, which must not keep them; null if one is larger than its limit. */
export async function withFiles<T>(
  making: GenerationRun,
  { video, voice }: { readonly video: string; readonly voice: string | null },
  act: (video: Uint8Array<ArrayBuffer>, voice: Uint8Array<ArrayBuffer>) => Promise<T>,
): Promise<T | null> {
  const { deps } = making;
  const sizeOf = async (name: string) => (await deps.files.head(name))?.size ?? 0;
  const videoBytes = await sizeOf(video);
  const voiceBytes = voice === null ? 0 : await sizeOf(voice);
  if (videoBytes > MAX_WORKED_ON || voiceBytes > MAX_VOICE) return null;
  return whileHolding(making, videoBytes + voiceBytes, async () => {
    const bytes = await readFile(making, video);
    try {
      return await act(bytes, voice === null ? new Uint8Array() : await readFile(making, voice));
    } finally {
      free(bytes);
    }
  });
}

const Kept = z.object({ name: z.string(), mime: z.string() });
export type Kept = z.output<typeof Kept>;

/**
 * Probes a stored file by its bytes, like any upload, and records it; from then on posts may use it. Throws
 * `JobFailed` for a file that no platform accepts.
 */
export async function keepFile(making: GenerationRun, role: Role, name: string): Promise<Kept> {
  const { deps, journal } = making;
  const step = `kept:${role}`;
  const known = journal.read(step, Kept);
  if (known) return known;
  await journal.checkpoint();
  const outcome = await probe((_, request) => readOwnFile(deps.files, name, request), `https://made.invalid/${role}`);
  if (outcome.kind === "unreachable") throw new Error(`A generated file is unreadable: ${outcome.message}`);
  if (outcome.kind === "refused") {
    throw new JobFailed("model_unusable", `The model's file cannot be posted: ${outcome.message}`);
  }
  const { bytes, kind, mime, width, height, durationSeconds, pages = null } = outcome.media;
  const media = { kind, mime, width, height, durationSeconds, pages };
  await runBatch(deps.db, [markGenerated(deps.db, name, { bytes, media }, journal.hasLease)]);
  const kept = { name, mime: media.mime };
  await journal.write(step, kept);
  return kept;
}
