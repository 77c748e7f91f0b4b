// How Threads counts a text, detects its links and topic, and returns it.

import type { Sandbox } from "../sandbox";

const segments = new Intl.Segmenter("en", { granularity: "grapheme" });
const EMOJI = /\p{Extended_Pictographic}|\p{Regional_Indicator}|\u20e3/u;

/** The number of characters, of which an emoji counts as its UTF-8 bytes; or of all bytes. */
export function lengthOf(sandbox: Sandbox, text: string): number {
  if (sandbox.settings.all.threads_text_counts === "bytes") return new TextEncoder().encode(text).byteLength;
  let length = 0;
  for (const { segment } of segments.segment(text)) {
    length += EMOJI.test(segment) ? new TextEncoder().encode(segment).byteLength : [...segment].length;
  }
  return length;
}

/** The distinct links of a text. */
export function linksIn(text: string): Set<string> {
  const found = text.match(/https?:\/\/[^\s<>"']*[^\s<>"'.,;:!?)\]]/gi) ?? [];
  return new Set(found.map((link) => URL.parse(link)?.href ?? link));
}

const TAG = /(?<![\p{L}\p{N}_])#([\p{L}\p{N}_]{1,50})/u;

/** The first tag of a text, which becomes the post's topic if none is set. */
export function topicIn(text: string): string | null {
  return TAG.exec(text)?.[1] ?? null;
}

export const isTopic = (tag: string): boolean => [...tag].length >= 1 && [...tag].length <= 50 && !/[.&]/.test(tag);

/** A text as the API returns it. */
export function readBack(sandbox: Sandbox, text: string): string {
  if (sandbox.settings.all.threads_text_readback === "exact") return text;
  return text
    .replace(TAG, "")
    .normalize("NFC")
    .replace(/[\u00ad\u200b\u2060\ufeff]/g, "")
    .replace(/[^\S\n]+/g, " ")
    .replace(/ ?\n ?/g, "\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}
