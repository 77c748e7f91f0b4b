import type { EntryValues } from "./entry-values.ts";
import type { Template } from "./table.ts";

/** Posts of entries: fields of create-post with placeholders such as `{title}`. Pure. */

const PLACEHOLDER = /\{(title|link|summary|author|image)\}/g;
const ONLY_PLACEHOLDERS = /^(?:\s*\{(?:title|link|summary|author|image)\}\s*)+$/;
/** Fields of create-post are not nested deeper. */
const MAX_DEPTH = 6;

/**
 * The text with the values of an entry. Values are not read for placeholders again. Lines that an empty value
 * leaves empty become one.
 */
function fillText(text: string, values: EntryValues): string {
  const filled = text.replace(PLACEHOLDER, (_, name: keyof EntryValues) => values[name]);
  return filled === text ? text : filled.replace(/\n{3,}/g, "\n\n").trim();
}

/** All texts filled; a text of placeholders alone is left out, with its key, if they are all empty. */
export function fillTemplate(template: Template, values: EntryValues): Template {
  return Object.fromEntries(
    Object.entries(template).flatMap(([key, value]) => {
      const filled = fillValue(value, values, 1);
      return filled === undefined ? [] : [[key, filled]];
    }),
  );
}

function fillValue(value: unknown, values: EntryValues, depth: number): unknown {
  if (typeof value === "string") {
    const filled = fillText(value, values);
    return filled === "" && ONLY_PLACEHOLDERS.test(value) ? undefined : filled;
  }
  if (typeof value !== "object" || value === null || depth > MAX_DEPTH) return value;
  if (Array.isArray(value)) {
    return value.map((one: unknown) => fillValue(one, values, depth + 1)).filter((one) => one !== undefined);
  }
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, one]: [string, unknown]) => {
      const filled = fillValue(one, values, depth + 1);
      return filled === undefined ? [] : [[key, filled]];
    }),
  );
}

/** In this order; a link is never cut. */
const SHORTENED = ["summary", "title", "author"] as const;

/**
 * The caption of an entry. If it does not fit, its summary ends at a word, with `…`; if that is not enough,
 * the summary is left out and the title ends so, then the author. What still does not fit is returned as it
 * is: create-post refuses it.
 */
export function fitCaption(template: string, values: EntryValues, isFit: (caption: string) => boolean): string {
  let current = values;
  for (const name of SHORTENED) {
    const whole = fillText(template, current);
    if (isFit(whole)) return whole;
    if (!template.includes(`{${name}}`)) continue;
    const before = current;
    const fits = (text: string) => isFit(fillText(template, { ...before, [name]: text }));
    current = { ...before, [name]: longestThat(fits, before[name]) };
  }
  return fillText(template, current);
}

/** The longest beginning of whole words that fits, with `…`; empty if none does. */
function longestThat(fits: (text: string) => boolean, text: string): string {
  const ends = endsOfWords(text);
  let [low, high] = [0, ends.length - 1];
  let best = "";
  while (low <= high) {
    const middle = (low + high) >> 1;
    const cut = `${text.slice(0, ends[middle])}…`;
    if (fits(cut)) {
      best = cut;
      low = middle + 1;
    } else high = middle - 1;
  }
  return best;
}

/** Also in languages without spaces. */
function endsOfWords(text: string): readonly number[] {
  const segments = new Intl.Segmenter("en", { granularity: "word" }).segment(text);
  return [...segments].flatMap(({ isWordLike, index, segment }) => (isWordLike ? [index + segment.length] : []));
}
