import type { EntryValues } from "./entry-values.ts";
import type { Template } from "./table.ts";
import { fieldShape, itemShape, POST_SHAPE, type Shape } from "./template-schema.ts";

/**
 * Posts of entries: fields of create-post with placeholders such as `{title}`. Pure. An entry's values are
 * long, so placeholders are counted, and the length of a filled text is known before it is filled.
 */

const PLACEHOLDER = /\{(title|link|summary|author|image)\}/g;
/** Fields of create-post are not nested deeper. */
const MAX_DEPTH = 6;
/** Of one text, and of all texts of a post. Further ones stay as they are. */
export const MAX_IN_TEXT = 20;
export const MAX_IN_POST = 100;
/**
 * No text of create-post is longer. A filled text is cut after one letter more, which create-post refuses.
 */
const MAX_TEXT = 100_000;

/** A text between and around its placeholders. */
interface Parts {
  readonly texts: readonly string[];
  /** One less than texts. */
  readonly names: readonly (keyof EntryValues)[];
}

const isName = (text: string): text is keyof EntryValues =>
  ["title", "link", "summary", "author", "image"].includes(text);

/** At most so many placeholders; null for a text without one, or one that is too long for create-post. */
function partsOf(text: string, most: number): Parts | null {
  if (text.length > MAX_TEXT) return null;
  const texts: string[] = [];
  const names: (keyof EntryValues)[] = [];
  let from = 0;
  for (const { 0: whole, 1: name = "", index } of text.matchAll(PLACEHOLDER)) {
    if (names.length === most || !isName(name)) break;
    texts.push(text.slice(from, index));
    names.push(name);
    from = index + whole.length;
  }
  return names.length === 0 ? null : { texts: [...texts, text.slice(from)], names };
}

function lengthOf({ texts, names }: Parts, values: EntryValues): number {
  const fixed = texts.reduce((sum, text) => sum + text.length, 0);
  return names.reduce((sum, name) => sum + values[name].length, fixed);
}

/**
 * The text with the values of an entry. Values are not read for placeholders again. Lines that an empty value
 * leaves empty become one.
 */
function fill({ texts, names }: Parts, values: EntryValues): string {
  let filled = texts[0] ?? "";
  for (const [index, name] of names.entries()) {
    if (filled.length > MAX_TEXT) break;
    filled += values[name] + (texts[index + 1] ?? "");
  }
  return filled
    .slice(0, MAX_TEXT + 1)
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}

/** How many placeholders have been filled in a post. */
interface Filling {
  readonly values: EntryValues;
  placeholders: number;
}

/**
 * The texts of create-post's fields filled; a text of placeholders alone is left out, with its key, if they
 * are all empty. Other fields stay as they are.
 */
export function fillTemplate(template: Template, values: EntryValues): Template {
  return fillFields(template, POST_SHAPE, { values, placeholders: 0 }, 1);
}

function fillFields(object: object, shape: Shape, filling: Filling, depth: number): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(object).flatMap(([key, one]: [string, unknown]) => {
      const inner = fieldShape(shape, key);
      const filled = inner === null ? one : fillValue(one, inner, filling, depth);
      return filled === undefined ? [] : [[key, filled]];
    }),
  );
}

function fillValue(value: unknown, shape: Shape, filling: Filling, depth: number): unknown {
  if (typeof value === "string") return fillText(value, filling);
  if (typeof value !== "object" || value === null || depth > MAX_DEPTH) return value;
  if (!Array.isArray(value)) return fillFields(value, shape, filling, depth + 1);
  const inner = itemShape(shape);
  if (inner === null) return value;
  return value.map((one: unknown) => fillValue(one, inner, filling, depth + 1)).filter((one) => one !== undefined);
}

function fillText(text: string, filling: Filling): string | undefined {
  const parts = partsOf(text, Math.min(MAX_IN_TEXT, MAX_IN_POST - filling.placeholders));
  if (parts === null) return text;
  filling.placeholders += parts.names.length;
  const filled = fill(parts, filling.values);
  return filled === "" && parts.texts.every((one) => one.trim() === "") ? undefined : filled;
}

/** The field of create-post with more placeholders than a text may have, or `""` if the post has too many. */
export function crowdedField(template: Template): string | null {
  let total = 0;
  for (const [field, text] of textsIn(template, POST_SHAPE, "", 1)) {
    let count = 0;
    for (const _ of text.matchAll(PLACEHOLDER)) if (++count > MAX_IN_TEXT) return field;
    total += count;
    if (total > MAX_IN_POST) return "";
  }
  return null;
}

/** The texts of fields of create-post, with their paths. */
function* textsIn(value: unknown, shape: Shape, field: string, depth: number): Generator<readonly [string, string]> {
  if (typeof value === "string") yield [field, value];
  if (typeof value !== "object" || value === null || depth > MAX_DEPTH) return;
  for (const [key, one] of Object.entries(value)) {
    const inner = Array.isArray(value) ? itemShape(shape) : fieldShape(shape, key);
    if (inner !== null) yield* textsIn(one, inner, field === "" ? key : `${field}.${key}`, depth + 1);
  }
}

/** In this order; a link is never cut. */
const SHORTENED = ["summary", "title", "author"] as const;

/**
 * The caption of an entry. If it does not fit, its summary ends at a word, with `…`; if that is not enough,
 * the summary is left out and the title ends so, then the author. What still does not fit is returned as it
 * is: create-post refuses it. A text longer than any of create-post is not given to `isFit`.
 */
export function fitCaption(template: string, values: EntryValues, isFit: (caption: string) => boolean): string {
  const parts = partsOf(template, MAX_IN_TEXT);
  if (parts === null) return template;
  const fits = (shown: EntryValues) => lengthOf(parts, shown) <= MAX_TEXT && isFit(fill(parts, shown));
  let current = values;
  for (const name of SHORTENED) {
    if (fits(current)) return fill(parts, current);
    if (!parts.names.includes(name)) continue;
    const before = current;
    const without = { ...before, [name]: "" };
    // Most captions fit without the summary; where one does not, no beginning of it is tried.
    current = fits(without)
      ? { ...before, [name]: longestThat((text) => fits({ ...before, [name]: text }), before[name]) }
      : without;
  }
  return fill(parts, current);
}

/**
 * The longest beginning of whole words that fits, with `…`; empty if none does. From short ones to longer
 * ones, so that no text much longer than the result is measured.
 */
function longestThat(fits: (text: string) => boolean, text: string): string {
  const ends = endsOfWords(text);
  const cutAt = (index: number) => `${text.slice(0, ends[index])}…`;
  let [low, high] = [0, 1];
  while (high <= ends.length && fits(cutAt(high - 1))) [low, high] = [high, 2 * high];
  high = Math.min(high - 1, ends.length);
  // The first `low` words fit; more than `high` do not.
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(cutAt(middle - 1))) low = middle;
    else high = middle - 1;
  }
  return low === 0 ? "" : cutAt(low - 1);
}

/** Also in languages without spaces. */
function endsOfWords(text: string): readonly number[] {
  const segments = new Intl.Segmenter("en", { granularity: "word" }).segment(text);
  return [...segments].flatMap(({ isWordLike, index, segment }) => (isWordLike ? [index + segment.length] : []));
}
