import { type Checked, said } from "../../core/checks.ts";
import { grouped } from "../../core/sentences.ts";
import { withoutEnding } from "../../core/text.ts";
import type { TextRules } from "../rules.ts";
import { foldText, isSimilarText, type Likeness } from "../similar-text.ts";

/** How Threads counts and shows texts. Pure. */

const MAX_TEXT = 500;
/**
 * “More than 5 links” fail when the container is made, since 2025-12-22 (Meta's page of text attachments,
 * checked 2026-11-28). The check before posting and the sentence of the refusal share this number.
 */
export const MAX_LINKS = 5;

/**
 * Anything that may count as an emoji by Unicode's grammar (UTS 51): flags, keycaps, skin tones, and joined
 * pictographs, also in text style. The list of all emoji, `\p{RGI_Emoji}`, takes eighty times as long.
 */
const PICTOGRAPH = "\\p{ExtPict}(?:\\p{EMod}|\\uFE0F\\u20E3?|[\\u{E0020}-\\u{E007E}]+\\u{E007F})?";
const EMOJI = new RegExp(`\\p{RI}{2}|[0-9#*]\\uFE0F?\\u20E3|\\p{EMod}|${PICTOGRAPH}(?:\\u200D${PICTOGRAPH})*`, "gu");
const utf8 = new TextEncoder();

/** Far above the limit, the length is not exact. */
const EXACT = 20 * MAX_TEXT;

/** Length in characters; an emoji counts its UTF-8 bytes (threads.md §2.1). */
function threadsLength(text: string): number {
  let length = 0;
  for (const _ of text) length += 1;
  if (length > EXACT) return length;
  for (const [emoji] of text.matchAll(EMOJI)) length += utf8.encode(emoji).byteLength - [...emoji].length;
  return length;
}

const AFTER_LINK = /[.,;:!?)\]'’”]/;
const LINK = /(?:https?:\/\/|(?<![\w./@-])www\.)[^\s<>"]+/gi;

/**
 * Threads counts all unique URLs, `www.facebook.com` as well. It does not document which other domains it
 * takes for links, so only certain links count here.
 */
function textProblems(text: string): readonly Checked[] {
  if (text.length > EXACT) return [];
  const found = (text.match(LINK) ?? []).map((link) => withoutEnding(link, AFTER_LINK));
  const links = new Set(found.map((link) => link.replace(/^https?:\/\//i, "")));
  if (links.size <= MAX_LINKS) return [];
  const message = `must have at most ${MAX_LINKS} different links, not ${links.size}.`;
  return [said(message, "links", MAX_LINKS, links.size)];
}

/** Threads documents characters. Texts of 500 characters with more bytes were refused (threads.md). */
const MAX_BYTES = 500;

const bytesOf = (text: string): number => (text.length > EXACT ? text.length : utf8.encode(text).byteLength);

function byteProblems(text: string): readonly Checked[] {
  const bytes = bytesOf(text);
  if (bytes <= MAX_BYTES) return [];
  const message = `must have at most ${MAX_BYTES} bytes of UTF-8 in a thread of several items, not ${grouped(bytes)}.`;
  return [said(message, "bytes", MAX_BYTES)];
}

function byteWarnings(text: string): readonly Checked[] {
  const bytes = bytesOf(text);
  if (bytes <= MAX_BYTES) return [];
  const message = `has ${grouped(bytes)} bytes of UTF-8: Threads may refuse more than ${MAX_BYTES}.`;
  return [said(message, "may_be_too_many_bytes", MAX_BYTES, bytes)];
}

/** Rules of posts and of comments. */
export const textRules: TextRules = {
  max: MAX_TEXT,
  measure: threadsLength,
  unit: "characters as Threads counts them",
  problems: textProblems,
  itemProblems: byteProblems,
  warnings: byteWarnings,
  also: [
    `must have at most ${MAX_LINKS} different links`,
    `must have at most ${MAX_BYTES} bytes of UTF-8 in a thread of several items`,
  ],
};

const TAG = /(?<![\p{L}\p{N}_])#(?=[\p{L}\p{N}_])/u;
const WHOLE_TAG = /(?<![\p{L}\p{N}_])#[\p{L}\p{N}_]+/u;

/**
 * Whether a text that Threads shows equals the sent text. Threads turns the first hashtag into the post's
 * topic, and shows it without its sign or not at all.
 */
export function likeness(sent: string, shown: string): Likeness {
  const theirs = foldText(shown);
  const ours = [sent, sent.replace(TAG, ""), sent.replace(WHOLE_TAG, "")].map(foldText);
  // A text that was only a topic becomes empty, and could belong to any post.
  if (ours.includes(theirs)) return theirs === "" && ours[0] !== "" ? "similar" : "same";
  return isSimilarText(sent, shown) ? "similar" : "different";
}
