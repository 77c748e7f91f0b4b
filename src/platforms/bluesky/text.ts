import { said } from "../../core/checks.ts";
import { withoutEnding } from "../../core/text.ts";
import type { TextRules } from "../rules.ts";
import { findDomains } from "./domains.ts";

/** How Bluesky counts texts, and what in them becomes a link. Pure. */

const MAX_GRAPHEMES = 300;
const MAX_BYTES = 3_000;
/** Far above the limit, the length is not exact. */
const EXACT = 20 * MAX_BYTES;
const MAX_TAG_GRAPHEMES = 64;
const MAX_TAG_BYTES = 640;
const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });
const utf8 = new TextEncoder();

const bytesOf = (text: string): number => utf8.encode(text).byteLength;

/** Length in characters as people see them: a family emoji is one. */
export function graphemes(text: string): number {
  if (text.length > EXACT) return text.length;
  let length = 0;
  for (const _ of segmenter.segment(text)) length += 1;
  return length;
}

const TOO_MANY_BYTES = said(`must have at most ${MAX_BYTES} bytes of UTF-8 on Bluesky.`, "bytes", MAX_BYTES);

export const postText: TextRules = {
  max: MAX_GRAPHEMES,
  measure: graphemes,
  unit: "characters",
  problems: (text) => (bytesOf(text) > MAX_BYTES ? [TOO_MANY_BYTES] : []),
  also: [`must have at most ${MAX_BYTES} bytes of UTF-8`],
};

/** A part of a text that readers can press. Offsets are in UTF-16 units. */
type Found =
  | { readonly kind: "link"; readonly start: number; readonly end: number; readonly uri: string }
  | { readonly kind: "mention"; readonly start: number; readonly end: number; readonly handle: string }
  | { readonly kind: "tag"; readonly start: number; readonly end: number; readonly tag: string };

const LINK = /https?:\/\/[^\s<>"]+/giu;
const MENTION =
  /(?<=^|[\s(])@((?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?)(?![\w@])/giu;
/** A keycap `#️⃣` is no tag. */
const TAG = /(?<=^|\s)[#＃](?!\ufe0f)([^\s#＃\u200b\u2060\u00ad]+)/gu;
const AFTER_LINK = /[.,;:!?'"*]/u;
const AFTER_TAG = /\p{P}/u;

/**
 * Links, mentions and hashtags in the order of the text; none overlaps another. None in a text too long for a
 * post.
 */
export function findParts(text: string): Found[] {
  if (text.length > MAX_BYTES) return [];
  const found = [...findLinks(text), ...findMentions(text), ...findTags(text)].toSorted((a, b) => a.start - b.start);
  let end = 0;
  return found.filter((part) => {
    if (part.start < end) return false;
    end = part.end;
    return true;
  });
}

type Link = Extract<Found, { kind: "link" }>;

/** Addresses, and domains without a scheme, in the order of the text. */
export function findLinks(text: string): Link[] {
  if (text.length > MAX_BYTES) return [];
  const addresses = [...text.matchAll(LINK)].flatMap(({ 0: whole, index }) => linkAt(index, whole, ""));
  const domains = findDomains(text).flatMap(({ index, text: whole }) => linkAt(index, whole, "https://"));
  return [...addresses, ...domains].toSorted((a, b) => a.start - b.start);
}

function linkAt(start: number, whole: string, scheme: string): Link[] {
  let link = withoutEnding(whole, AFTER_LINK);
  if (link.endsWith(")") && !link.includes("(")) link = link.slice(0, -1);
  const uri = `${scheme}${link}`;
  const url = URL.parse(uri);
  return url === null || url.hostname === "" ? [] : [{ kind: "link", start, end: start + link.length, uri }];
}

function findMentions(text: string): Found[] {
  return [...text.matchAll(MENTION)].map(({ 0: whole, 1: handle = "", index }) => {
    return { kind: "mention", start: index, end: index + whole.length, handle: handle.toLowerCase() };
  });
}

function findTags(text: string): Found[] {
  return [...text.matchAll(TAG)].flatMap(({ 1: whole = "", index }) => {
    const tag = withoutEnding(whole, AFTER_TAG);
    const isTag = /[^\d\p{P}]/u.test(tag) && isShortTag(tag);
    return isTag ? [{ kind: "tag" as const, start: index, end: index + 1 + tag.length, tag }] : [];
  });
}

/** Counting characters is expensive, and most tags are short. */
function isShortTag(tag: string): boolean {
  if (tag.length <= MAX_TAG_GRAPHEMES) return true;
  return tag.length <= MAX_TAG_BYTES && bytesOf(tag) <= MAX_TAG_BYTES && graphemes(tag) <= MAX_TAG_GRAPHEMES;
}

export type Facet = {
  index: { byteStart: number; byteEnd: number };
  features: { $type: string; [name: string]: string }[];
};

const FACET = "app.bsky.richtext.facet";

/**
 * The pressable parts of a text, by offsets in UTF-8 bytes. The server detects nothing: without a facet, a
 * link is plain text and a mention notifies no one. A handle without an account stays plain text.
 */
export function facetsOf(text: string, accounts: Readonly<Record<string, string>>): Facet[] {
  let [read, bytes] = [0, 0];
  const bytesTo = (end: number) => {
    bytes += bytesOf(text.slice(read, end));
    read = end;
    return bytes;
  };
  return findParts(text).flatMap((part) => {
    const feature = featureOf(part, accounts);
    if (feature === null) return [];
    const byteStart = bytesTo(part.start);
    return [{ index: { byteStart, byteEnd: bytesTo(part.end) }, features: [feature] }];
  });
}

function featureOf(part: Found, accounts: Readonly<Record<string, string>>): Facet["features"][number] | null {
  switch (part.kind) {
    case "link":
      return { $type: `${FACET}#link`, uri: part.uri };
    case "tag":
      return { $type: `${FACET}#tag`, tag: part.tag };
    case "mention": {
      const did = accounts[part.handle];
      return did === undefined ? null : { $type: `${FACET}#mention`, did };
    }
  }
}

/** The handles that a text mentions. */
export function mentionsIn(text: string): string[] {
  return [...new Set(findParts(text).flatMap((part) => (part.kind === "mention" ? [part.handle] : [])))];
}
