import { interpretRead, interpretWrite } from "../answers.ts";
import type { AccountContext, Failure, Unknown } from "../context.ts";
import type { FilePart } from "../multipart.ts";
import { down, unknown } from "../outcomes.ts";
import type { Answered, Lost } from "../request.ts";
import type { Media } from "../rules.ts";
import { API_VERSIONS } from "../versions.ts";
import { authorized, Done } from "./api.ts";
import { YOUTUBE } from "./errors.ts";
import { Video } from "./video.ts";

/**
 * The upload session of a video: an address that receives its bytes.
 *
 * - An open session publishes nothing. The last byte creates the video, exactly once: repeated calls return
 *   the same answer. Two completed sessions create two videos.
 * - 308 is not a redirect here: `Range` reports how much YouTube has stored, which may be less than was sent;
 *   without `Range`, nothing. YouTube does not store bytes that overlap or leave a gap. After any failure,
 *   `Range` says where to continue.
 * - A session that no longer exists (404, 410) says nothing about its video.
 */
const UPLOAD = `https://www.googleapis.com/upload/youtube/${API_VERSIONS.youtube.version}/videos`;
const PROBE_TIMEOUT_MS = 15_000;

/** The size of every part except the last is a multiple of this. */
export const UNIT_BYTES = 256 * 1024;

export interface Metadata {
  readonly snippet: { readonly title: string; readonly description: string; readonly categoryId: string };
  readonly status: {
    readonly privacyStatus: string;
    readonly selfDeclaredMadeForKids: boolean;
    readonly containsSyntheticMedia?: boolean;
  };
  readonly paidProductPlacementDetails?: { readonly hasPaidProductPlacement: boolean };
}

/** Opens a session for the file; `name` is the file name at YouTube. May be repeated. */
export async function openSession(
  context: AccountContext,
  file: Media,
  name: string,
  metadata: Metadata,
): Promise<{ readonly kind: "open"; readonly session: string } | Failure> {
  const answer = await context.send({
    method: "POST",
    url: UPLOAD,
    query: { uploadType: "resumable", part: Object.keys(metadata).join(","), notifySubscribers: true },
    headers: {
      ...authorized(context),
      "x-upload-content-length": String(file.bytes),
      "x-upload-content-type": file.mime,
      slug: name,
    },
    json: metadata,
  });
  // An unused session is harmless: no byte was sent.
  const opened = interpretRead(YOUTUBE, answer, Done, context.now);
  if (opened.kind === "failed") return opened;
  const session = answer.kind === "answered" ? sessionIn(answer.headers) : null;
  return session === null ? down("YouTube opened no upload session and gave no reason.") : { kind: "open", session };
}

/** The token is sent only to Google's upload hosts, whatever address the answer has. */
function sessionIn(headers: Headers): string | null {
  const url = URL.parse(headers.get("location") ?? "");
  const isGoogles = url?.protocol === "https:" && /^(?:www|youtube)\.googleapis\.com$/.test(url.host);
  return url && isGoogles && /^\/(?:resumable\/)?upload\//.test(url.pathname) ? url.href : null;
}

/** The state of a session. */
export type Stand =
  /** The video exists. */
  | { readonly kind: "whole"; readonly video: Video }
  /** YouTube has the bytes before `next`. If that is the file's length, it does not report the video yet. */
  | { readonly kind: "partial"; readonly next: number }
  | { readonly kind: "gone" }
  | Failure
  | Unknown;

/** Sends the bytes from `start`. The last byte of the file creates the video. */
export async function sendBytes(
  context: AccountContext,
  session: string,
  file: Media,
  { start, part }: { readonly start: number; readonly part: FilePart },
): Promise<Stand> {
  const headers = {
    ...authorized(context),
    "content-type": file.mime,
    "content-range": `bytes ${start}-${start + part.length - 1}/${file.bytes}`,
  };
  return standOf(context, await context.send({ method: "PUT", url: session, headers, part }));
}

/** Reads the state of a session. */
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
  // A real redirect comes from a gateway.
  if (headers.has("location")) return unknown("A gateway between this service and YouTube redirected the upload.");
  const range = headers.get("range");
  if (range === null) return { kind: "partial", next: 0 };
  const last = /^(?:bytes=)?0-(\d+)$/.exec(range)?.[1];
  return last === undefined
    ? unknown("YouTube reported the stored bytes in an undocumented form.")
    : { kind: "partial", next: Number(last) + 1 };
}
