/**
 * Splits a text into the items of a thread: at paragraphs, else lines, sentences, words. A link, a mention
 * and a hashtag stay whole. Pure.
 */

export interface SplitLimits {
  /** Whether a text fits as the item of this number, from 0. */
  readonly fits: (item: string, index: number) => boolean;
  readonly mostItems: number;
  /** Whether each item ends with its number: ` (1/3)`. */
  readonly isNumbered: boolean;
}

/** Null if the text cannot be split so: a link longer than an item, or too many items. */
export function splitText(text: string, limits: SplitLimits): readonly string[] | null {
  const whole = text.trim();
  const breaks = breaksOf(whole);
  if (!limits.isNumbered) return itemsOf(whole, breaks, limits);
  // The marks are as long as the number of items is; with each digit more, the items are shorter.
  for (let digits = 1; digits <= String(limits.mostItems).length; digits++) {
    const nines = "9".repeat(digits);
    const longest = markOf(nines, nines);
    const fits = (item: string, index: number) => limits.fits(item + longest, index);
    const items = itemsOf(whole, breaks, { ...limits, fits });
    if (items === null) return null;
    if (String(items.length).length <= digits) {
      return items.map((item, index) => item + markOf(`${index + 1}`, `${items.length}`));
    }
  }
  return null;
}

const markOf = (number: string, count: string): string => ` (${number}/${count})`;

/** A place where an item may end, the next one begins after the white space there. */
interface Break {
  readonly end: number;
  readonly next: number;
  readonly kind: "paragraph" | "line" | "sentence" | "word" | "letter";
}

/** The better break is taken if the item is at least half as long as it could be. */
const PREFERRED: readonly (readonly Break["kind"][])[] = [
  ["paragraph"],
  ["paragraph", "line"],
  ["paragraph", "line", "sentence"],
  ["paragraph", "line", "sentence", "word"],
];

function itemsOf(text: string, breaks: readonly Break[], { fits, mostItems }: SplitLimits): string[] | null {
  const items: string[] = [];
  let [start, at] = [0, 0];
  while (start < text.length) {
    if (items.length === mostItems) return null;
    const last = lastFitting(breaks, at, ({ end }) => fits(text.slice(start, end), items.length));
    if (last < at) return null;
    const chosen = last === breaks.length - 1 ? last : bestOf(breaks, at, last, start);
    const { end, next } = breaks[chosen] ?? { end: text.length, next: text.length };
    items.push(text.slice(start, end));
    start = next;
    at = chosen + 1;
  }
  return items;
}

/** The index of the last break, from the index on, up to which an item fits; less than it if none does. */
function lastFitting(breaks: readonly Break[], from: number, fits: (end: Break) => boolean): number {
  const isFit = (index: number) => {
    const found = breaks[index];
    return found !== undefined && fits(found);
  };
  // From short items to longer ones, so that none much longer than an item is measured.
  let [low, step] = [from - 1, 1];
  while (isFit(low + step)) [low, step] = [low + step, step * 2];
  let high = Math.min(low + step - 1, breaks.length - 1);
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (isFit(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The index of the break at which an item ends that begins at `start`; `last` is the last one that fits. */
function bestOf(breaks: readonly Break[], from: number, last: number, start: number): number {
  const least = start + ((breaks[last]?.end ?? start) - start) / 2;
  const found = PREFERRED.map(() => -1);
  for (let index = last; index >= from; index--) {
    const { end, kind } = breaks[index] ?? { end: 0, kind: "letter" };
    if (end < least) break;
    PREFERRED.forEach((kinds, rank) => {
      if (found[rank] === -1 && kinds.includes(kind)) found[rank] = index;
    });
  }
  return found.find((index) => index >= 0) ?? last;
}

/** The end of a sentence, after which no space is needed in scripts of East Asia. */
const FULL_STOP = /[。！？][\p{Pe}\p{Pf}"']{0,3}$/u;
const SENTENCE_END = /[.!?…。！？][\p{Pe}\p{Pf}"']{0,3}$/u;
/** No line begins with these. */
const CLOSING = /^[\p{Pe}\p{Pf}、。，．！？…ー・：；]/u;
const SCRIPT_END = String.raw`\u3000-\u30ff\u3400-\u9fff\uac00-\ud7af\uff00-\uffef`;
/** Addresses, domains, mentions, hashtags and cashtags. A letter of East Asia ends an address. */
const WHOLE = new RegExp(
  String.raw`https?://[^\s<>"${SCRIPT_END}]+|[@#＃$][\p{L}\p{M}\p{N}_][\p{L}\p{M}\p{N}_.-]*|(?<![a-z0-9.-])[a-z0-9-]+(?:\.[a-z0-9-]+)+(?:/[^\s<>"${SCRIPT_END}]*)?`,
  "giu",
);

/**
 * In order. Within a word only if it may be the only way: in scripts without spaces, and in very long
 * words.
 */
function breaksOf(text: string): Break[] {
  const spaces = [...text.matchAll(/\s+/g)].map(({ 0: space, index }): Break => {
    const lines = space.split("\n").length - 1;
    const isEnd = SENTENCE_END.test(text.slice(Math.max(0, index - 4), index));
    const kind = lines > 1 ? "paragraph" : lines === 1 ? "line" : isEnd ? "sentence" : "word";
    return { end: index, next: index + space.length, kind };
  });
  let start = 0;
  const within = [...spaces, { end: text.length, next: text.length }].flatMap(({ end, next }) => {
    const found = breaksWithin(text.slice(start, end), start);
    start = next;
    return found;
  });
  const last: Break = { end: text.length, next: text.length, kind: "paragraph" };
  return [...[...spaces, ...within].toSorted((a, b) => a.end - b.end), last];
}

/** Of a word without white space. */
function breaksWithin(word: string, at: number): Break[] {
  if (word.length < 2) return [];
  const whole = [...word.matchAll(WHOLE)].map(({ 0: text, index }) => [index, index + text.length] as const);
  const found: Break[] = [];
  let next = 0;
  for (const { index } of new Intl.Segmenter("en", { granularity: "word" }).segment(word)) {
    while ((whole[next]?.[1] ?? Number.POSITIVE_INFINITY) <= index) next += 1;
    const [from = word.length] = whole[next] ?? [];
    if (index === 0 || index > from || CLOSING.test(word.slice(index, index + 2))) continue;
    const isEnd = FULL_STOP.test(word.slice(Math.max(0, index - 4), index));
    found.push({ end: at + index, next: at + index, kind: isEnd ? "sentence" : "letter" });
  }
  return found;
}
