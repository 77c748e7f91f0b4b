import { join } from "node:path";
import { openSync } from "fontkit";
import { FONT_FILES } from "../../src/banners/fonts.ts";
import { ROOT } from "./paths.ts";

const LINE_LENGTH = 120;

/**
 * The text of src/banners/font-ranges.ts. Reads the font files, because the ranges that their packages
 * declare are too wide.
 */
export function fontRanges(): string {
  const lines = FONT_FILES.map(({ name, source }) => {
    const font = openSync(join(ROOT, "node_modules", source));
    if (!("characterSet" in font)) throw new Error(`${source} is a collection of fonts.`);
    const ranges = `"${asRanges(font.characterSet)}",\n`;
    // Matches the formatter's output.
    const isShort = name.length + ranges.length <= LINE_LENGTH - 5;
    return `  "${name}":${isShort ? " " : "\n    "}${ranges}`;
  });
  return `// Generated from the fonts by \`npm run generate\`.

/** The characters of each font file: ranges of code points, in hexadecimal. */
export const RANGES: Readonly<Record<string, string>> = {
${lines.join("")}};
`;
}

function asRanges(points: readonly number[]): string {
  const ranges: [number, number][] = [];
  for (const point of points.filter(isCharacter).sort((one, other) => one - other)) {
    const last = ranges.at(-1);
    if (last && last[1] >= point - 1) last[1] = point;
    else ranges.push([point, point]);
  }
  const hex = (point: number) => point.toString(16);
  return ranges.map(([from, to]) => (from === to ? hex(from) : `${hex(from)}-${hex(to)}`)).join(" ");
}

/**
 * Excludes code points that are not characters, such as U+FFFF. The mathematical font also has a few letters
 * of alphabets that it does not cover, such as Arabic.
 */
const isCharacter = (point: number): boolean =>
  point >= 0x20 &&
  point % 0x10000 < 0xfffe &&
  /\p{Script=Latin}|\p{Script=Greek}|\p{Script=Cyrillic}|\p{Script=Common}|\p{Script=Inherited}/u.test(
    String.fromCodePoint(point),
  );
