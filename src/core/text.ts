/** Joins words: `a`, `a and b`, `a, b and c`. */
export function listWords(words: readonly string[], last = "and"): string {
  if (words.length < 2) return words.join("");
  return `${words.slice(0, -1).join(", ")} ${last} ${words.at(-1)}`;
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/**
 * Without the characters at its end that the pattern of one character matches. Linear, where `/…+$/` tries
 * each run of them in the text.
 */
export function withoutEnding(text: string, character: RegExp): string {
  let end = text.length;
  while (end > 0) {
    const isPair = end > 1 && (text.codePointAt(end - 2) ?? 0) > 0xffff;
    const start = isPair ? end - 2 : end - 1;
    if (!character.test(text.slice(start, end))) break;
    end = start;
  }
  return text.slice(0, end);
}

/**
 * The composed form (NFC), in time linear in the text. Sorting a run of combining marks takes time quadratic
 * in its length (80,000 of them: two seconds). Marks beyond the thirtieth on one letter, which no script has
 * (UAX #15, Stream-Safe Text Format), are therefore composed separately.
 */
export function toNfc(text: string): string {
  if (!/(?:^|\P{M})\p{M}{31}/u.test(text)) return text.normalize("NFC");
  return text
    .split(/(\P{M}?\p{M}{30})/u)
    .map((part) => part.normalize("NFC"))
    .join("");
}

/**
 * Whether nothing of the text is seen: white space, controls, and characters that show nothing, such as
 * zero-width spaces and joiners, variation selectors, fillers of Hangul and the blank of Braille.
 */
export const isBlank = (text: string): boolean => BLANK.test(text);

/** Of the characters that Unicode calls format characters, U+0600 and others are visible. */
const BLANK = /^[\s\p{Cc}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb\u{13430}-\u{1343f}\u{16fe4}\u2800\u{1d159}]*$/u;

let segmenter: Intl.Segmenter | undefined;

/** User-perceived characters. The segmenter is made on first use: it loads ICU, which slows the start. */
export function graphemesOf(text: string): string[] {
  segmenter ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

/** Shortens to at most `max` characters without splitting a user-perceived character. */
export function ellipsis(text: string, max: number): string {
  if (text.length <= max) return text;
  let kept = "";
  for (const { segment } of new Intl.Segmenter("en", { granularity: "grapheme" }).segment(text)) {
    if (kept.length + segment.length > max - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}

/** No script and no ornament needs this many. */
export const MAX_MARKS = 100;

const MARK = /^\p{M}/u;

/**
 * Whether more than `MAX_MARKS` combining marks follow each other. Sorting them into canonical order takes
 * time quadratic in their number: with 100,000 of them, seconds.
 */
export function hasMarkPile(text: string): boolean {
  // A longer run has a mark at some multiple of MAX_MARKS: most characters need no check.
  for (let at = MAX_MARKS; at < text.length; at += MAX_MARKS) {
    if (isMarkAt(text, at) && lengthOfRun(text, at) > MAX_MARKS) return true;
  }
  return false;
}

/** Either half of a surrogate pair counts. */
function isMarkAt(text: string, at: number): boolean {
  const isSecond = (text.charCodeAt(at) & 0xfc00) === 0xdc00 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800;
  return MARK.test(text.slice(isSecond ? at - 1 : at, at + 2));
}

/** The length in UTF-16 units of the run of marks around a position; counts no further than needed. */
function lengthOfRun(text: string, at: number): number {
  let [from, to] = [at, at];
  while (from > 0 && at - from <= MAX_MARKS && isMarkAt(text, from - 1)) from -= 1;
  while (to < text.length && to - from <= MAX_MARKS && isMarkAt(text, to)) to += 1;
  return to - from;
}

/**
 * The hashtags of a list separated by commas or spaces: normalised (`#` optional), without duplicates
 * (ignoring case), in order. Tags with characters that no platform links (anything but letters, marks, digits
 * and `_`) are returned in `invalid`.
 */
export function parseHashtags(list: string): { tags: string[]; invalid: string[] } {
  const tags: string[] = [];
  const invalid: string[] = [];
  const seen = new Set<string>();
  for (const part of toNfc(list).split(/[\s,]+/u)) {
    const word = part.replace(/^[#＃]+/u, "");
    if (word === "") continue;
    if (!/^[\p{L}\p{M}\p{N}_]+$/u.test(word) || /^\p{N}+$/u.test(word)) {
      invalid.push(part);
      continue;
    }
    const key = word.toLocaleLowerCase("en");
    if (seen.has(key)) continue;
    seen.add(key);
    tags.push(word);
  }
  return { tags, invalid };
}

/** Appends hashtags after a blank line; skips tags that the caption already has. */
export function withHashtags(caption: string, tags: readonly string[]): string {
  if (tags.length === 0) return caption;
  const present = new Set(
    Array.from(toNfc(caption).matchAll(/[#＃]([\p{L}\p{M}\p{N}_]+)/gu), (m) => m[1]?.toLocaleLowerCase("en")),
  );
  const missing = tags.filter((tag) => !present.has(tag.toLocaleLowerCase("en")));
  if (missing.length === 0) return caption;
  const line = missing.map((tag) => `#${tag}`).join(" ");
  const body = caption.trimEnd();
  return body === "" ? line : `${body}\n\n${line}`;
}
