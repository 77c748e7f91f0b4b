import { interpretRead, interpretWrite } from "../answers.ts";
import type { AccountContext, Failure, Unknown } from "../context.ts";
import type { FilePart } from "../multipart.ts";
import { down, unknown } from "../outcomes.ts";
import type { Answered, Lost } from "../request.ts";
import type { Media } from "../rules.ts";
import { authorized, Done } from "./api.ts";
import { YOUTUBE } from "./errors.ts";
import { Video } from "./video.ts";

/**
 * The upload session of a video: an address that takes its bytes.
 *
 * - An open session publishes nothing; the video comes into being with the last byte, and once: the final
 *   answer is repeated to whoever sends or asks again. Two sessions that are both brought to their end make
 *   two videos.
 * - 308 is no redirect here: it tells how much YouTube has, which may be less than was sent, or nothing (no
 *   `Range`). Bytes that overlap or leave a gap are not stored. So whatever happened to a call, `Range` says
 *   where to go on.
 * - A session that is gone (404, 410) says nothing about its video.
 */
const UPLOAD = "https://www.googleapis.com/upload/youtube/v3/videos";
const PROBE_TIMEOUT_MS = 15_000;

/** All parts but the last must be multiples of this. */
export const UNIT_BYTES = 256 * 1024;

export interface Metadata {
  readonly snippet: { readonly title: string; readonly description: string; readonly categoryId: string };
  readonly status: { readonly privacyStatus: string; readonly selfDeclaredMadeForKids: boolean };
}

/** Opens a session for the file; `name` is what the file is called at YouTube. May be repeated. */
export async function openSession(
  context: AccountContext,
  file: Media,
  name: string,
  metadata: Metadata,
): Promise<{ readonly kind: "open"; readonly session: string } | Failure> {
  const answer = await context.send({
    method: "POST",
    url: UPLOAD,
    query: { uploadType: "resumable", part: "snippet,status", notifySubscribers: true },
    headers: {
      ...authorized(context),
      "x-upload-content-length": String(file.bytes),
      "x-upload-content-type": file.mime,
      slug: name,
    },
    json: metadata,
  });
  // No byte was sent: a session that nobody knows of is harmless.
  const opened = interpretRead(YOUTUBE, answer, Done, context.now);
  if (opened.kind === "failed") return opened;
  const session = answer.kind === "answered" ? sessionIn(answer.headers) : null;
  return session === null ? down("YouTube opened no upload, and does not say why.") : { kind: "open", session };
}

/** The token goes to Google's upload hosts only, whatever address the answer named. */
function sessionIn(headers: Headers): string | null {
  const url = URL.parse(headers.get("location") ?? "");
  const isGoogles = url?.protocol === "https:" && /^(?:www|youtube)\.googleapis\.com$/.test(url.host);
  return url && isGoogles && /^\/(?:resumable\/)?upload\//.test(url.pathname) ? url.href : null;
}

/** How far a session is. */
export type Stand =
  /** The video is there. */
  | { readonly kind: "whole"; readonly video: Video }
  /**
   * YouTube has the bytes before `next`; all of them, and says nothing of the video yet, where that is the
   * file's length.
   */
  | { readonly kind: "partial"; readonly next: number }
  | { readonly kind: "gone" }
  | Failure
  | Unknown;

/** Sends the bytes from `start`; with the last byte of the file the video comes into being. */
export async function sendBytes(
  context: AccountContext,
  session: string,
  file: Media,
  start: number,
  part: FilePart,
): Promise<Stand> {
  const headers = {
    ...authorized(context),
    "content-type": file.mime,
    "content-range": `bytes ${start}-${start + part.length - 1}/${file.bytes}`,
  };
  return standOf(context, await context.send({ method: "PUT", url: session, headers, part }));
}

/** Asks how far a session is; changes nothing. */
export async function probe(context: AccountContext, session: string, file: Media): Promise<Stand> {
  const headers = { ...authorized(context), "content-range": `bytes */${file.bytes}` };
  return standOf(context, await context.send({ method: "PUT", url: session, headers, timeoutMs: PROBE_TIMEOUT_MS }));
}

function standOf(context: AccountContext, answer: Answered | Lost): Stand {
  if (answer.kind === "answered") {
    if (answer.status === 308) return partial(answer.headers);
    if (answer.status === 404 || answer.status === 410) return { kind: "gone" };
  }
  const outcome = interpretWrite(YOUTUBE, answer, Video, context.now);
  if (outcome.kind === "ok") return { kind: "whole", video: outcome.value };
  return outcome.kind === "duplicate" ? unknown(outcome.message) : outcome;
}

function partial(headers: Headers): Stand {
  // A real redirect comes from something on the way.
  if (headers.has("location")) return unknown("Something on the way to YouTube sent us elsewhere.");
  const range = headers.get("range");
  if (range === null) return { kind: "partial", next: 0 };
  const last = /^(?:bytes=)?0-(\d+)$/.exec(range)?.[1];
  return last === undefined
    ? unknown("YouTube does not say in a form that it documents how much of the video it has.")
    : { kind: "partial", next: Number(last) + 1 };
}
