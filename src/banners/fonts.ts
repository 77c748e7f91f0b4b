import { RANGES } from "./font-ranges.ts";

/**
 * The fonts of banners, and the characters that each has. Each family has several files, by script or by how
 * common its characters are, as in its package. A banner loads the files that its text needs
 * (dist/assets/fonts, where scripts/support/assets.ts copies them).
 */

/** Families of the designs, for Latin, Greek and Cyrillic. */
export type Family = "Geologica" | "Noto Serif Display" | "Sofia Sans Extra Condensed" | "JetBrains Mono";

/** Each for one script and the Latin beside it, in place of a design's family. */
export type ScriptFamily =
  | "Noto Sans JP"
  | "Noto Sans SC"
  | "Noto Sans TC"
  | "Noto Sans KR"
  | "Noto Sans Arabic"
  | "Noto Sans Hebrew"
  | "Noto Sans Devanagari";

export interface FontFile {
  readonly family: Family | ScriptFamily | typeof SYMBOLS | typeof EMOJI;
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
/** The color emoji font; behind the families of Latin, because it also has digits. */
const EMOJI = "Twemoji";

const ALL_SCRIPTS = ["latin", "latin-ext", "vietnamese", "greek", "cyrillic", "cyrillic-ext"];

/** The numbers that the files of a package have. The most common characters are in the last. */
const numbers = (...ranges: readonly (readonly [number, number])[]): readonly string[] =>
  ranges.flatMap(([from, to]) => Array.from({ length: to - from + 1 }, (_, index) => String(from + index)));

const SCRIPT_FILES: Readonly<Record<ScriptFamily, readonly string[]>> = {
  "Noto Sans JP": ["latin", ...numbers([0, 119])],
  "Noto Sans SC": numbers([4, 6], [21, 91], [97, 119]),
  "Noto Sans TC": numbers([0, 2], [4, 4], [10, 12], [23, 96], [101, 123]),
  "Noto Sans KR": numbers([0, 119]),
  "Noto Sans Arabic": ["latin", "arabic"],
  "Noto Sans Hebrew": ["latin", "hebrew"],
  "Noto Sans Devanagari": ["latin", "devanagari"],
};

const SCRIPT_FAMILIES = Object.keys(SCRIPT_FILES) as readonly ScriptFamily[];

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
  ...SCRIPT_FAMILIES.flatMap((family) => {
    const from = `@fontsource-variable/${family.toLowerCase().replaceAll(" ", "-")}`;
    return files(family, from, "wght", SCRIPT_FILES[family]);
  }),
];

function files(family: FontFile["family"], from: string, weight: string, parts: readonly string[]): FontFile[] {
  const stem = from.slice(from.indexOf("/") + 1);
  return parts.map((part) => {
    const name = `${stem}-${part}-${weight}-normal.woff2`;
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
const familiesBehind = (family: Family | ScriptFamily): readonly FontFile["family"][] => [
  ...new Set([family, ...FALLBACKS, SYMBOLS, EMOJI, ...SCRIPT_FAMILIES] as const),
];

/** The value of `font-family`. */
export const stackOf = (family: Family | ScriptFamily): string => familiesBehind(family).join(", ");

/** The files needed to draw the text in families, the value of `font-family`. */
export function filesFor(text: string, stack: string): readonly FontFile[] {
  const families: readonly string[] = stack.split(", ");
  const rank = ({ family }: FontFile) => families.indexOf(family);
  const files = [...new Set(codePointsOf(text))].map(
    (point) =>
      filesWith(point)
        .filter((file) => rank(file) >= 0)
        .sort((one, other) => rank(one) - rank(other))[0],
  );
  // After a sign or digit that the text fonts have, the variation selector requests the emoji.
  const emoji = text.includes(EMOJI_SELECTOR) ? FONT_FILES.filter((file) => file.family === EMOJI) : [];
  return [...new Set([...files.filter((file) => file !== undefined), ...emoji])];
}

const EMOJI_SELECTOR = "\ufe0f";

/**
 * Grapheme clusters that no font has, deduplicated and in order. They cannot be drawn (fonts show a box):
 * Thai, Tamil, Armenian and other scripts, and rare symbols.
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
  point === 0x0a || point === 0x200c || point === 0x200d || (point >= 0xfe00 && point <= 0xfe0f);

const codePointsOf = (text: string): number[] => Array.from(text, (character) => character.codePointAt(0) ?? 0);

interface Range {
  readonly from: number;
  readonly to: number;
}

/** Parsed for the first banner, because most isolates draw none. */
let ranges: ReadonlyMap<FontFile, readonly Range[]> | undefined;
/** What was looked up: each character of a banner is, several times. */
const known = new Map<number, readonly FontFile[]>();

function filesWith(point: number): readonly FontFile[] {
  const before = known.get(point);
  if (before) return before;
  ranges ??= readRanges();
  const found = FONT_FILES.filter((file) => isWithin(ranges?.get(file) ?? [], point));
  known.set(point, found);
  return found;
}

/** By binary search: hundreds of files have dozens of ranges each. */
function isWithin(sorted: readonly Range[], point: number): boolean {
  let [low, high] = [0, sorted.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((sorted[middle]?.from ?? 0) <= point) low = middle;
    else high = middle - 1;
  }
  const range = sorted[low];
  return range !== undefined && range.from <= point && point <= range.to;
}

/** Of each family in the order of its files; within a file, each number counts from the one before it. */
function readRanges(): ReadonlyMap<FontFile, readonly Range[]> {
  const perFamily = new Map(Object.entries(RANGES).map(([family, lists]) => [family, lists.split("|")]));
  return new Map(FONT_FILES.map((file) => [file, rangesOf(perFamily.get(file.family)?.shift() ?? "")]));
}

function rangesOf(list: string): Range[] {
  let end = 0;
  return list.split(" ").map((range) => {
    const [start = "", length = "0"] = range.split("-");
    const from = end + Number.parseInt(start, 36);
    end = from + Number.parseInt(length, 36);
    return { from, to: end };
  });
}
