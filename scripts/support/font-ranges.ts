import { join } from "node:path";
import { openSync } from "fontkit";
import { FONT_FILES, type FontFile } from "../../src/banners/fonts.ts";
import { ROOT } from "./paths.ts";

const LINE_LENGTH = 120;
const LETTER_A = 0x41;
const FILLERS: readonly number[] = [0x20, 0x21, 0x22, 0xa0];

/**
 * The text of src/banners/font-ranges.ts. Reads the font files, because the ranges that their packages
 * declare are too wide.
 */
export function fontRanges(): string {
  const families = new Map<string, string[]>();
  for (const { family, source } of FONT_FILES) {
    const font = openSync(join(ROOT, "node_modules", source));
    if (!("characterSet" in font)) throw new Error(`${source} is a collection of fonts.`);
    const hasLatin = font.characterSet.includes(LETTER_A) || !(family in SCRIPTS);
    const points = font.characterSet.filter((point) => isCharacter(point, family, hasLatin));
    families.set(family, [...(families.get(family) ?? []), asRanges(points)]);
  }
  const lines = Array.from(families, ([family, lists]) => {
    const name = /^\w+$/.test(family) ? family : `"${family}"`;
    const ranges = `"${lists.join("|")}",\n`;
    // Matches the formatter's output.
    return `  ${name}:${name.length + ranges.length <= LINE_LENGTH - 3 ? " " : "\n    "}${ranges}`;
  });
  return `// Generated from the fonts by \`npm run generate\`.

/**
 * The characters of each family: of each of its files, divided by \`|\`, the ranges of code points. A range
 * is the distance from the end of the one before and, after a hyphen, to its own end, both in base 36.
 */
export const RANGES: Readonly<Record<string, string>> = {
${lines.join("")}};
`;
}

function asRanges(points: readonly number[]): string {
  const ranges: [number, number][] = [];
  for (const point of points.toSorted((one, other) => one - other)) {
    const last = ranges.at(-1);
    if (last && last[1] >= point - 1) last[1] = point;
    else ranges.push([point, point]);
  }
  const part = (distance: number) => distance.toString(36);
  return ranges
    .map(([from, to], index) => {
      const start = part(from - (ranges[index - 1]?.[1] ?? 0));
      return from === to ? start : `${start}-${part(to - from)}`;
    })
    .join(" ");
}

/**
 * Excludes code points that are not characters, such as U+FFFF. The mathematical font also has a few letters
 * of alphabets that it does not cover, such as Arabic. Each file of a large script has the blanks and two
 * signs, which would otherwise be read from any of them.
 */
function isCharacter(point: number, family: FontFile["family"], hasLatin: boolean): boolean {
  const character = String.fromCodePoint(point);
  if (point < 0x20 || point % 0x10000 >= 0xfffe || (!hasLatin && FILLERS.includes(point))) return false;
  return SHARED.test(character) || (SCRIPTS[family] ?? EUROPEAN).test(character);
}

const SHARED = /\p{Script=Common}|\p{Script=Inherited}/u;
const EUROPEAN = /\p{Script=Latin}|\p{Script=Greek}|\p{Script=Cyrillic}/u;
const HAN = /\p{Script=Latin}|\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Bopomofo}/u;
const SCRIPTS: Readonly<Partial<Record<FontFile["family"], RegExp>>> = {
  "Noto Sans JP": HAN,
  "Noto Sans SC": HAN,
  "Noto Sans TC": HAN,
  "Noto Sans KR": /\p{Script=Latin}|\p{Script=Han}|\p{Script=Hangul}/u,
  "Noto Sans Arabic": /\p{Script=Latin}|\p{Script=Arabic}/u,
  "Noto Sans Hebrew": /\p{Script=Latin}|\p{Script=Hebrew}/u,
  "Noto Sans Devanagari": /\p{Script=Latin}|\p{Script=Devanagari}/u,
};
