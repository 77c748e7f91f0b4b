import type { TextRules } from "../rules.ts";
import { foldText, isSimilarText, type Likeness } from "../similar-text.ts";

/** Texts as Threads counts and shows them. Pure. */

const MAX_TEXT = 500;
const MAX_LINKS = 5;

/**
 * What may count as an emoji, by the grammar of Unicode's emoji (UTS 51): flags, keycaps, skin tones, and
 * pictographs joined with others, those shown as text too. A list of all emoji, `\p{RGI_Emoji}`, takes eighty
 * times as long.
 */
const PICTOGRAPH = "\\p{ExtPict}(?:\\p{EMod}|\\uFE0F\\u20E3?|[\\u{E0020}-\\u{E007E}]+\\u{E007F})?";
const EMOJI = new RegExp(`\\p{RI}{2}|[0-9#*]\\uFE0F?\\u20E3|\\p{EMod}|${PICTOGRAPH}(?:\\u200D${PICTOGRAPH})*`, "gu");
const utf8 = new TextEncoder();

/** Far beyond what is taken, the length is no longer exact. */
const EXACT = 20 * MAX_TEXT;

/** Characters; an emoji counts by the bytes of its UTF-8 (threads.md §2.1). */
function threadsLength(text: string): number {
  let length = 0;
  for (const _ of text) length += 1;
  if (length > EXACT) return length;
  for (const [emoji] of text.matchAll(EMOJI)) length += utf8.encode(emoji).byteLength - [...emoji].length;
  return length;
}

const LINK = /https?:\/\/[^\s<>"]+/gi;

/** What Threads takes for a link is not documented: only what surely is one counts here. */
function textProblems(text: string): readonly string[] {
  if (text.length > EXACT) return [];
  const links = new Set((text.match(LINK) ?? []).map((link) => link.replace(/[.,;:!?)\]'’”]+$/, "")));
  return links.size > MAX_LINKS ? [`must have at most ${MAX_LINKS} different links, not ${links.size}.`] : [];
}

/** Of posts and of comments. */
export const textRules: TextRules = {
  max: MAX_TEXT,
  measure: threadsLength,
  unit: "characters as Threads counts them",
  problems: textProblems,
  also: [`must have at most ${MAX_LINKS} different links`],
};

const TAG = /(?<![\p{L}\p{N}_])#(?=[\p{L}\p{N}_])/u;
const WHOLE_TAG = /(?<![\p{L}\p{N}_])#[\p{L}\p{N}_]+/u;

/**
 * Whether a text that Threads shows is the one that we sent. Its first hashtag becomes the post's topic, and
 * may then stand there without its sign, or not at all.
 */
export function likeness(sent: string, shown: string): Likeness {
  const theirs = foldText(shown);
  const ours = [sent, sent.replace(TAG, ""), sent.replace(WHOLE_TAG, "")].map(foldText);
  // Nothing is left of a text that was but a topic: it could be of any post.
  if (ours.includes(theirs)) return theirs === "" && ours[0] !== "" ? "similar" : "same";
  return isSimilarText(sent, shown) ? "similar" : "different";
}
