import { answerSentence } from "../core/answer-problems.ts";
import { type Checked, said } from "../core/checks.ts";
import type { Budget, Spent } from "./budget.ts";
import type { GuardedAnswer, GuardedFetch } from "./guarded-fetch.ts";

/**
 * An opened remote file: its length, its first bytes, and any other part of it. If a server ignores ranges or
 * sends no length, a small file is read whole, once, and a large one is refused. Whatever the server does,
 * little more than the file's size is read.
 */
export interface OpenFile {
  readonly kind: "open";
  readonly bytes: number;
  /** The first bytes, at least `HEAD_BYTES` or the whole file. */
  readonly head: Uint8Array<ArrayBuffer>;
  /** The bytes [start, end), or up to the end of the file. */
  part(start: number, end: number): Promise<Part | Unreadable>;
}

export type Part = { readonly kind: "part"; readonly body: Uint8Array<ArrayBuffer> };

export type Unreadable =
  /** Permanent: the file cannot be read, or cannot be posted. */
  | (Checked & { readonly kind: "refused"; readonly code: "media_invalid" | "media_unreachable" })
  /** Temporary: it could not be read now. */
  | (Checked & { readonly kind: "unreachable"; readonly code: "media_unreachable" });

export const HEAD_BYTES = 64 * 1024;
/**
 * Without ranges, a file must be read and kept in memory, up to this size. No platform accepts a larger
 * image.
 */
export const WHOLE_BYTES = 5 * 1024 * 1024;
export const READ_TIMEOUT_MS = 20_000;

/** Opens with one request, or with a second one if the first response is not sufficient. */
export async function openFile(read: GuardedFetch, url: string, budget: Budget): Promise<OpenFile | Unreadable> {
  const name = fileName(url);
  const options = { maxBytes: WHOLE_BYTES, timeoutMs: READ_TIMEOUT_MS, budget };
  const first = await read(url, { ...options, range: { start: 0, end: HEAD_BYTES } });
  const isPart = first.kind === "ok" && first.status === 206;
  if (isPart && first.totalBytes !== null) return ranged({ read, url, budget }, first.totalBytes, first.body);
  // Fewer bytes than requested: the file ends here, although its length is unknown.
  if (isPart && first.body.byteLength < HEAD_BYTES) return inMemory(first.body);
  // 416: an empty file has no valid range.
  const isUndecided = isPart || first.kind === "other_range" || (first.kind === "ok" && first.status === 416);
  const whole = isUndecided ? await read(url, options) : first;
  if (whole.kind === "ok" && whole.status >= 200 && whole.status < 300) return inMemory(whole.body);
  if (isPart && whole.kind === "too_large") {
    if (whole.totalBytes !== null) return ranged({ read, url, budget }, whole.totalBytes, first.body);
    return refused(said(`${name} cannot be used: its server does not report its size.`, "unread", name));
  }
  return unreadable(whole, name);
}

function inMemory(whole: Uint8Array<ArrayBuffer>): OpenFile {
  return {
    kind: "open",
    bytes: whole.byteLength,
    head: whole,
    part: async (start, end) => ({ kind: "part", body: whole.subarray(start, end) }),
  };
}

interface Source {
  readonly read: GuardedFetch;
  readonly url: string;
  readonly budget: Budget;
}

function ranged({ read, url, budget }: Source, bytes: number, head: Uint8Array<ArrayBuffer>): OpenFile {
  return {
    kind: "open",
    bytes,
    head,
    async part(start, end) {
      const name = fileName(url);
      const answer = await read(url, { range: { start, end }, maxBytes: 0, timeoutMs: READ_TIMEOUT_MS, budget });
      if (answer.kind === "too_large" || answer.kind === "other_range") {
        const message = `${name} could not be read: its server sends other ranges than requested.`;
        return unreachable(said(message, "unread", name));
      }
      if (answer.kind !== "ok" || (answer.status >= 300 && answer.status !== 416)) return unreadable(answer, name);
      const isSame = answer.status === 206 && (answer.totalBytes === null || answer.totalBytes === bytes);
      if (isSame) return { kind: "part", body: answer.body };
      return unreachable(said(`${name} changed while it was being read.`, "unread", name));
    },
  };
}

/** Why a file cannot be read from a response. */
export function unreadable(answer: GuardedAnswer, name: string): Unreadable {
  switch (answer.kind) {
    case "refused":
      return refused(said(`${name}: ${answerSentence(answer.problem)}`, "unread", name));
    case "failed":
      return unreachable(said(`${name} could not be read. ${answerSentence(answer.problem)}`, "unread", name));
    case "spent":
      return unreachable(tooMuch(answer.spent, name));
    case "too_large":
    case "other_range":
      return refused(needsRanges(name, answer.kind === "too_large" ? answer.totalBytes : null));
    // Only a caller that requests a stream gets one, and handles it.
    case "stream":
      return unreachable(said(`${name} could not be read.`, "unread", name));
    case "ok":
      return unreachable(ofStatus(name, answer.status));
  }
}

const ofStatus = (name: string, status: number): Checked =>
  said(`${name} could not be read: its server answered with status ${status}.`, "status", name, status);

function tooMuch({ what, limits }: Spent, name: string): Checked {
  if (what === "time") {
    const seconds = limits.ms / 1000;
    const message = `${name} could not be read within ${seconds} s: its server is too slow.`;
    return said(message, "slow", name, seconds);
  }
  const megabytes = Math.floor(limits.bytes / MB);
  const message = `${name} could not be read: checking it would require more than ${megabytes} MB.`;
  return said(message, "too_complex", name);
}

const MB = 1024 * 1024;

function needsRanges(name: string, bytes: number | null): Checked {
  const size = bytes === null || bytes <= WHOLE_BYTES ? "" : ` of ${Math.ceil(bytes / MB)} MB`;
  const most = WHOLE_BYTES / MB;
  const message = `${name}${size} cannot be used: files over ${most} MB require a server that supports range requests.`;
  return said(message, "needs_ranges", name, most);
}

/** The last part of the path: the name that users know the file by. */
export function fileName(url: string): string {
  const parsed = URL.parse(url);
  const last = parsed?.pathname.split("/").findLast((part) => part !== "");
  if (last === undefined) return parsed?.hostname ?? url.slice(0, 80);
  try {
    return decodeURIComponent(last).slice(0, 80);
  } catch {
    return last.slice(0, 80);
  }
}

function refused({ message, check }: Checked) {
  return { kind: "refused", code: "media_unreachable", message, check } as const;
}

/** A temporary failure; a later read may succeed. */
export function unreachable({ message, check }: Checked) {
  return { kind: "unreachable", code: "media_unreachable", message, check } as const;
}
