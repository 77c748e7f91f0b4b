import { RANGES } from "./font-ranges.ts";

/**
 * The fonts of banners, and the characters that each has. Each family has several files, by script, as in its
 * package. A banner loads the files that its text needs (dist/assets/fonts, where scripts/support/assets.ts
 * copies them).
 */

export type Family = "Geologica" | "Noto Serif Display" | "Sofia Sans Extra Condensed" | "JetBrains Mono";

export interface FontFile {
  readonly family: Family | typeof SYMBOLS | typeof EMOJI;
  readonly name: string;
  /** The path in node_modules. */
  readonly source: string;
}

/**
 * The fallbacks for characters that a family lacks. The first looks similar to the others, the second has
 * more letters, such as those of ancient Greek.
 */
const FALLBACKS: readonly [Family, Family] = ["Geologica", "Noto Serif Display"];
/** Arrows, check marks, stars and relation signs. */
const SYMBOLS = "Noto Sans Math";
/** The color emoji font; last in every stack, because it also has digits. */
const EMOJI = "Twemoji";

const ALL_SCRIPTS = ["latin", "latin-ext", "vietnamese", "greek", "cyrillic", "cyrillic-ext"];

export const FONT_FILES: readonly FontFile[] = [
  ...files("Geologica", "@fontsource-variable/geologica", "wght", ALL_SCRIPTS),
  ...files("Noto Serif Display", "@fontsource/noto-serif-display", "600", [...ALL_SCRIPTS, "greek-ext"]),
  ...files(
    "Sofia Sans Extra Condensed",
    "@fontsource/sofia-sans-extra-condensed",
    "800",
    ALL_SCRIPTS.filter((script) => script !== "vietnamese"),
  ),
  ...files("JetBrains Mono", "@fontsource-variable/jetbrains-mono", "wght", ALL_SCRIPTS),
  {
    family: SYMBOLS,
    name: "noto-sans-math-400-normal.woff2",
    source: "@fontsource/noto-sans-math/files/noto-sans-math-latin-400-normal.woff2",
  },
  { family: EMOJI, name: "twemoji.woff2", source: "twemoji-colr-font/twemoji.woff2" },
];

function files(family: Family, from: string, weight: string, scripts: readonly string[]): FontFile[] {
  const stem = from.slice(from.indexOf("/") + 1);
  return scripts.map((script) => {
    const name = `${stem}-${script}-${weight}-normal.woff2`;
    return { family, name, source: `${from}/files/${name}` };
  });
}

/**
 * The family, if it has all letters of the text; otherwise one that has. Two families within a word look like
 * a mistake.
 */
export function familyFor(text: string, wanted: Family): Family {
  const letters = codePointsOf(text).filter((point) => LETTER.test(String.fromCodePoint(point)));
  const hasAll = (family: Family) =>
    letters.every((letter) => filesWith(letter).some((file) => file.family === family));
  return [wanted, ...FALLBACKS].find(hasAll) ?? FALLBACKS[0];
}

/** Letters without the marks that belong to emoji. */
const LETTER = /[[\p{L}\p{M}]--\p{Emoji_Component}]/v;

/** In fallback order. */
const familiesBehind = (family: Family) => [...new Set([family, ...FALLBACKS, SYMBOLS, EMOJI])];

/** The value of `font-family`. */
export const stackOf = (family: Family): string => familiesBehind(family).join(", ");

/** The files needed to draw the text in this family. */
export function filesFor(text: string, family: Family): readonly FontFile[] {
  const families = familiesBehind(family);
  const files = [...new Set(codePointsOf(text))].map((point) => {
    const having = filesWith(point);
    const rank = (file: FontFile) => families.indexOf(file.family);
    return having.filter((file) => rank(file) >= 0).sort((one, other) => rank(one) - rank(other))[0];
  });
  // After a sign or digit that the text fonts have, the variation selector requests the emoji.
  const emoji = text.includes(EMOJI_SELECTOR) ? FONT_FILES.filter((file) => file.family === EMOJI) : [];
  return [...new Set([...files.filter((file) => file !== undefined), ...emoji])];
}

const EMOJI_SELECTOR = "\ufe0f";

/**
 * Grapheme clusters that no font has, deduplicated and in order. They cannot be drawn (fonts show a box):
 * Chinese, Japanese, Korean, Arabic, Hebrew, Indian and other scripts, and rare symbols.
 */
export function uncoveredIn(text: string): readonly string[] {
  const families: readonly string[] = familiesBehind(FALLBACKS[0]);
  const isCovered = (point: number) =>
    isInvisible(point) || filesWith(point).some(({ family }) => families.includes(family));
  const missing = new Set<string>();
  for (const { segment } of new Intl.Segmenter("en", { granularity: "grapheme" }).segment(text)) {
    if (!codePointsOf(segment).every(isCovered)) missing.add(segment);
  }
  return [...missing];
}

/** Line breaks, joiners and selectors only affect how their neighbors are drawn. */
const isInvisible = (point: number): boolean =>
  point === 0x0a || point === 0x200d || (point >= 0xfe00 && point <= 0xfe0f);

const codePointsOf = (text: string): number[] => Array.from(text, (character) => character.codePointAt(0) ?? 0);

interface Range {
  readonly from: number;
  readonly to: number;
}

/** Parsed for the first banner, because most isolates draw none. */
let ranges: ReadonlyMap<FontFile, readonly Range[]> | undefined;

function filesWith(point: number): readonly FontFile[] {
  ranges ??= new Map(FONT_FILES.map((file) => [file, rangesOf(RANGES[file.name] ?? "")]));
  return FONT_FILES.filter((file) => ranges?.get(file)?.some(({ from, to }) => from <= point && point <= to));
}

function rangesOf(list: string): Range[] {
  return list.split(" ").map((range) => {
    const [from = "", to = from] = range.split("-");
    return { from: Number.parseInt(from, 16), to: Number.parseInt(to, 16) };
  });
}
