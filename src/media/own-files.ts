import { answerProblem } from "../core/answer-problems.ts";
import type { GuardedAnswer, GuardedFetch, GuardedRequest } from "./guarded-fetch.ts";
import { ownFileName } from "./own-address.ts";

/**
 * Wraps the guarded request with a shortcut for our own files: they are read from the bucket instead of over
 * HTTP, with the same results. Files that the bucket does not have are requested like any other address,
 * except those under `origin`.
 */
export function withOwnFiles(bucket: R2Bucket, origin: string | null, fetch: GuardedFetch): GuardedFetch {
  return async (url, request) => {
    const name = ownFileName(url);
    if (name === null) return fetch(url, request);
    const about = await bucket.head(name);
    if (about !== null) return readObject(bucket, about, request);
    return origin !== null && url.startsWith(`${origin}/`) ? GONE : fetch(url, request);
  };
}

/** Reads a file of the bucket by its name, with the result that the guarded request would return. */
export async function readOwnFile(bucket: R2Bucket, name: string, request: GuardedRequest): Promise<GuardedAnswer> {
  const about = await bucket.head(name);
  return about === null ? GONE : readObject(bucket, about, request);
}
const GONE: GuardedAnswer = { kind: "refused", problem: answerProblem("file_deleted") };

async function readObject(bucket: R2Bucket, about: R2Object, request: GuardedRequest): Promise<GuardedAnswer> {
  const { range, maxBytes, budget } = request;
  const spent = budget?.spent ?? null;
  if (spent !== null) return { kind: "spent", spent };
  const { key, size } = about;
  const nothing = { headers: new Headers(), body: new Uint8Array(), totalBytes: size };
  if (request.method === "HEAD") return { kind: "ok", status: 200, ...nothing };
  if (range && range.start >= size) return { kind: "ok", status: 416, ...nothing };
  if (!range && size > maxBytes) return { kind: "too_large", totalBytes: size };
  const offset = range?.start ?? 0;
  const length = Math.min(range?.end ?? size, size) - offset;
  // The bucket refuses to read an empty range.
  if (length === 0) return { kind: "ok", status: 200, ...nothing };
  const object = await bucket.get(key, { range: { offset, length } });
  if (object === null) return GONE;
  if (range && request.isStreamed) return { kind: "stream", stream: object.body, length, totalBytes: size };
  const body = new Uint8Array(await object.arrayBuffer());
  budget?.spend(body.byteLength);
  return { kind: "ok", status: range ? 206 : 200, headers: new Headers(), body, totalBytes: size };
}
