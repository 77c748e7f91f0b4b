import { type AnswerProblem, answerProblem } from "../../core/answer-problems.ts";
import { sha256Hex } from "../../core/tokens.ts";
import type { GuardedFetch } from "../../media/guarded-fetch.ts";
import { linkIdentity, ownLinks } from "./entry-link.ts";
import { baseOf } from "./entry-values.ts";
import { type Entry, readFeed } from "./read-feed.ts";
import type { Feed } from "./store.ts";

/** An entry with what the journal knows it by. */
export interface KeyedEntry extends Entry {
  readonly key: string;
  /** Null if several entries share the link, or it is that of a home page. */
  readonly linkKey: string | null;
}

export type Fetched =
  | { readonly kind: "unchanged" }
  | {
      readonly kind: "read";
      /** As in the document, each id once. */
      readonly entries: readonly KeyedEntry[];
      readonly etag: string | null;
      readonly lastModified: string | null;
      /** The new address, if the server says that the feed has moved for good. */
      readonly movedTo: string | null;
    }
  | { readonly kind: "gone" }
  | { readonly kind: "failed"; readonly problem: AnswerProblem };

/** Parsed piece by piece, so that only the bytes are in memory as a whole. */
const MAX_MEGABYTES = 5;
const TIMEOUT_MS = 15_000;
const MAX_HEADER = 500;
/** 64 bits of a hash: a feed has at most two thousand in its journal. */
const KEY_LENGTH = 16;

/** Reads the feed, if it changed since the last reading. */
export async function fetchFeed(fetch: GuardedFetch, feed: Feed): Promise<Fetched> {
  const headers = {
    accept: "application/atom+xml, application/rss+xml, application/xml;q=0.9, text/xml;q=0.8, */*;q=0.1",
    ...(feed.etag === null ? {} : { "if-none-match": feed.etag }),
    ...(feed.lastModified === null ? {} : { "if-modified-since": feed.lastModified }),
  };
  const answer = await fetch(feed.url, { maxBytes: MAX_MEGABYTES * 1024 * 1024, timeoutMs: TIMEOUT_MS, headers });
  if (answer.kind === "too_large") return failed(answerProblem("feed_too_large", MAX_MEGABYTES));
  if (answer.kind === "refused" || answer.kind === "failed") return failed(answer.problem);
  if (answer.kind !== "ok") return failed(answerProblem("feed_unreadable"));
  const { status, headers: answered, body } = answer;
  if (status === 304) return { kind: "unchanged" };
  if (status === 410) return { kind: "gone" };
  if (status !== 200) return failed(answerProblem("feed_status", status));
  const found = readFeed(body, answered.get("content-type") ?? "");
  if ("problem" in found) return failed(found.problem);
  const entries = await keyedEntries(found.entries, feed.url);
  const [etag, lastModified] = [headerOf(answered, "etag"), headerOf(answered, "last-modified")];
  return { kind: "read", entries, etag, lastModified, movedTo: answer.movedTo ?? null };
}

/** The entries of a document, each id once. */
async function keyedEntries(entries: readonly Entry[], base: string): Promise<readonly KeyedEntry[]> {
  const once = [...new Map(entries.toReversed().map((entry) => [entry.id, entry])).values()].toReversed();
  const links = ownLinks(once.map((entry) => linkIdentity(URL.parse(entry.link, baseOf(entry, base))?.href ?? "")));
  return Promise.all(
    once.map(async (entry, at) => {
      const link = links[at] ?? null;
      return { ...entry, key: await keyOf(entry.id), linkKey: link === null ? null : await keyOf(`link ${link}`) };
    }),
  );
}

const keyOf = async (text: string): Promise<string> => (await sha256Hex(text)).slice(0, KEY_LENGTH);

const failed = (problem: AnswerProblem): Fetched => ({ kind: "failed", problem });

function headerOf(headers: Headers, name: string): string | null {
  const value = headers.get(name);
  return value !== null && value.length <= MAX_HEADER ? value : null;
}
