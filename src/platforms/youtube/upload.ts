import { z } from "zod";
import type { AccountContext, Failure, Json } from "../context.ts";
import type { FilePart } from "../multipart.ts";
import { down, rejected } from "../outcomes.ts";
import type { Content, PostExtra } from "../publishing.ts";
import type { Media } from "../rules.ts";
import { isPauseDue, MAX_RESTARTS, type UploadStep } from "../uploads.ts";
import { type Metadata, openSession, probe, type Stand, sendBytes, UNIT_BYTES } from "./session.ts";

/**
 * Upload of a video: none → open → all but the last bytes, in parts → (commit) the last bytes
 *
 * - The address of the session is stored before any byte is sent. After an unclear answer to a part, the
 *   session's state is read: the upload continues after the bytes that YouTube has stored.
 * - The last bytes, at most 256 KiB, are the public act. They are sent from memory, so that a refusal is
 *   about the video.
 */
const PART_BYTES = 4 * 1024 * 1024;

export const Upload = z.object({
  /** Empty before it is open. Its holder can send the bytes, and nothing else. */
  session: z.string(),
  /** The file name at YouTube, unique to this upload. */
  name: z.string(),
  /** How many bytes YouTube has stored. */
  offset: z.number(),
  parts: z.number(),
  restarts: z.number(),
  /** The session was opened without the paid partnership that the post declares. */
  isPaidLeftOut: z.boolean().default(false),
});
export type Upload = z.output<typeof Upload>;

const NONE: Upload = { session: "", name: "", offset: 0, parts: 0, restarts: 0, isPaidLeftOut: false };

export function uploadOf(stored: Json | null): Upload {
  const parsed = Upload.safeParse(stored);
  return parsed.success ? parsed.data : NONE;
}

export interface Publication {
  readonly kind: "publication";
  readonly file: Media;
  readonly title: string;
  readonly text: string;
  readonly extra: PostExtra;
  readonly declared: Content["declared"];
}

export function publicationOf({ items, extra, declared }: Content): Publication | Failure {
  const [item] = items;
  const [file] = item?.media ?? [];
  if (!item || !file) return rejected("YouTube accepts only videos. Add one.", "content_invalid");
  if (extra?.title === undefined)
    return rejected("A YouTube video needs a title (post_extra.title).", "content_invalid");
  return { kind: "publication", file, title: extra.title, text: item.text, extra, declared };
}

/** YouTube publishes a video without a privacy status, and requires the audience of every video. */
function metadataOf({ title, text, extra, declared }: Publication, isPaidLeftOut: boolean): Metadata {
  const { made_with_ai, made_for_kids = false } = declared;
  const isPaid = isPaidLeftOut ? undefined : declared.paid_partnership;
  return {
    snippet: { title, description: text, categoryId: String(extra.category) },
    status: {
      privacyStatus: extra.privacyStatus,
      selfDeclaredMadeForKids: made_for_kids,
      ...(made_with_ai === undefined ? {} : { containsSyntheticMedia: made_with_ai }),
    },
    ...(isPaid === undefined ? {} : { paidProductPlacementDetails: { hasPaidProductPlacement: isPaid } }),
  };
}

/** The form of our file names. A video whose file has another name of this form is another of our uploads. */
export const OWN_NAME = /^belfry-[0-9a-f-]{36}\b/;

function newName({ mime }: Media): string {
  return `belfry-${crypto.randomUUID()}.${EXTENSIONS[mime] ?? "mp4"}`;
}
const EXTENSIONS: Readonly<Record<string, string>> = { "video/quicktime": "mov", "video/webm": "webm" };

type Step = UploadStep<Upload>;

/** One bounded step before the last bytes. */
export async function advance(
  context: AccountContext,
  content: Content,
  publication: Publication,
  upload: Upload,
): Promise<Step> {
  const { file } = publication;
  if (upload.session === "") return open(context, publication, upload);
  if (isEnd(file, upload.offset)) return { kind: "ready", upload };
  const part = await readPart(content, file, upload.offset);
  if (part.kind === "failed") return part;
  return after(context, file, upload, await sendBytes(context, upload.session, file, { start: upload.offset, part }));
}

/**
 * Opens the upload session. YouTube documents neither which accounts may declare a paid partnership nor the
 * refusal. So after any refusal the session is opened again without it, and `declarePaid` declares it once
 * the video is live.
 */
async function open(context: AccountContext, publication: Publication, upload: Upload): Promise<Step> {
  const { file, declared } = publication;
  const name = newName(file);
  const opened = await openSession(context, file, name, metadataOf(publication, upload.isPaidLeftOut));
  if (opened.kind === "failed") {
    const mayBePaid = declared.paid_partnership === true && !upload.isPaidLeftOut && opened.reason === "rejected";
    return mayBePaid ? { kind: "more", upload: { ...upload, isPaidLeftOut: true } } : opened;
  }
  const next = { ...upload, session: opened.session, name, offset: 0 };
  return { kind: isEnd(file, 0) ? "ready" : "more", upload: next };
}

/** Whether only the public act remains. */
function isEnd(file: Media, offset: number): boolean {
  return file.bytes - offset <= UNIT_BYTES;
}

/** The next part, which leaves the last bytes. It starts where YouTube's stored bytes end. */
function readPart(content: Content, file: Media, start: number): Promise<FilePart | Failure> {
  const beforeEnd = Math.floor((file.bytes - start - 1) / UNIT_BYTES) * UNIT_BYTES;
  return content.read(file, start, start + Math.min(PART_BYTES, beforeEnd));
}

async function after(context: AccountContext, file: Media, upload: Upload, stand: Stand): Promise<Step> {
  const isClear = stand.kind === "partial" || stand.kind === "whole" || stand.kind === "gone";
  const isWait = stand.kind === "failed" && stand.reason !== "rejected";
  if (isClear || isWait) return taken(upload, file, stand);
  // Lost, unclear or refused: the stored bytes decide.
  const wanted = await probe(context, upload.session, file);
  if (wanted.kind !== "partial" || wanted.next > upload.offset) return taken(upload, file, wanted);
  return stand.kind === "failed" ? restart(upload, stand.message) : down(stand.message);
}

/** The next step in this state of the session. */
function taken(upload: Upload, file: Media, stand: Stand): Step {
  switch (stand.kind) {
    case "failed":
      return stand;
    case "unknown":
      return down(stand.message);
    case "gone":
      return restart(upload, "YouTube ended the upload before the video was complete.");
    case "whole":
      // `commit` gets the same answer and returns the video.
      return { kind: "ready", upload: { ...upload, offset: file.bytes } };
    case "partial":
      return resumeUpload(upload, file, stand.next);
  }
}

function resumeUpload(upload: Upload, file: Media, next: number): Step {
  if (next === upload.offset) return down("YouTube did not accept a part of the video.");
  if (next < upload.offset) return restart(upload, "YouTube lost a part of the video that it had.");
  const parts = upload.parts + 1;
  const further = { ...upload, offset: Math.min(next, file.bytes), parts };
  if (isEnd(file, further.offset)) return { kind: "ready", upload: further };
  if (!isPauseDue(parts)) return { kind: "more", upload: further };
  return { kind: "more", upload: further, afterSeconds: 1, reason: "The video is being uploaded to YouTube." };
}

/** Opens another session, once: the last byte was never sent to this one. */
function restart(upload: Upload, message: string): Step {
  if (upload.restarts >= MAX_RESTARTS) return rejected(message);
  const { restarts, isPaidLeftOut } = upload;
  return { kind: "more", upload: { ...NONE, restarts: restarts + 1, isPaidLeftOut } };
}

/**
 * Sends the last bytes, the public act. Continues elsewhere if YouTube has stored another number of bytes.
 */
export async function finish(context: AccountContext, content: Content, file: Media, upload: Upload): Promise<Stand> {
  const { session, offset } = upload;
  const stand = await sendFrom(context, content, file, { session, start: offset });
  const isElsewhere = stand.kind === "partial" && stand.next !== offset && stand.next < file.bytes;
  return isElsewhere ? sendFrom(context, content, file, { session, start: stand.next }) : stand;
}

async function sendFrom(
  context: AccountContext,
  content: Content,
  file: Media,
  { session, start }: { readonly session: string; readonly start: number },
): Promise<Stand> {
  if (start >= file.bytes) return probe(context, session, file);
  const part = await content.read(file, start, Math.min(file.bytes, start + PART_BYTES));
  if (part.kind === "failed") return part;
  const whole = await inMemory(part);
  return whole === null
    ? down("The end of the video could not be read.")
    : sendBytes(context, session, file, { start, part: whole });
}

/** Null if the stream ended early. */
async function inMemory(part: FilePart): Promise<FilePart | null> {
  if (part.kind === "bytes") return part;
  try {
    const bytes = new Uint8Array(await new Response(part.stream).arrayBuffer());
    return bytes.byteLength === part.length ? { kind: "bytes", length: part.length, bytes } : null;
  } catch {
    return null;
  }
}
