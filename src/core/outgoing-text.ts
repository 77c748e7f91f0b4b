import { isBlank } from "./text.ts";

/**
 * A text as it is sent to a platform: without characters that show nothing and that platforms refuse, count
 * or publish as boxes. By Unicode:
 *
 * - Line ends of every kind become U+000A. Other controls but the tab are removed, as are byte order marks,
 *   zero-width spaces, word joiners, invisible operators, deprecated and interlinear format characters,
 *   noncharacters, and tags that end no flag.
 * - What changes how letters are shown stays: joiners in emoji, and beside letters of scripts that have
 *   them (Persian, the scripts of India); zero-width spaces between letters of scripts without spaces
 *   (Thai, Khmer); variation selectors, marks of direction, soft hyphens.
 * - Blank lines at the end are removed.
 */
export function outgoingText(text: string): string {
  const lines = LINE_END.test(text) ? text.replaceAll(LINE_ENDS, "\n") : text;
  const clean = SUSPECT.test(lines) ? withoutJoiners(lines.replaceAll(REMOVED, "")) : lines;
  return withoutBlankEnd(clean);
}

const LINE_END = /[\r\v\f\x85\u2028\u2029]/;
const LINE_ENDS = /\r\n?|[\v\f\x85\u2028\u2029]/g;

const FORMAT = String.raw`\u2060-\u2064\u206a-\u206f\ufeff\ufff9-\ufffb\u{e0001}`;
const REMOVED_CHARACTER = String.raw`(?![\t\n])[\p{Cc}\p{Noncharacter_Code_Point}${FORMAT}]`;
const SUSPECT = new RegExp(String.raw`${REMOVED_CHARACTER}|[\u200b-\u200d\u{e0020}-\u{e007f}]`, "u");
const REMOVED = new RegExp(REMOVED_CHARACTER, "gu");

/** Zero-width characters with a use, and tags. */
const JOINERS = /[\u200b-\u200d]|[\u{e0020}-\u{e007f}]+/gu;

/** A flag of a region has letters of tags after a black flag, and ends with U+E007F. */
const FLAG_BEFORE = /\p{Extended_Pictographic}\ufe0f?$/u;
const FLAG_TAGS = /^[\u{e0020}-\u{e007e}]{1,32}\u{e007f}$/u;

const EMOJI_BEFORE = /(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f|\u{e007f})$/u;
const EMOJI_AFTER = /^\p{Extended_Pictographic}/u;

/** Scripts whose letters do not change beside a joiner. */
const UNJOINED = ["Latn", "Grek", "Cyrl", "Armn", "Geor", "Hebr", "Hani", "Hira", "Kana", "Hang", "Bopo"];
const NOT_UNJOINED = `(?![${UNJOINED.map((script) => String.raw`\p{Script=${script}}`).join("")}])`;
const JOINED_BEFORE = new RegExp(String.raw`${NOT_UNJOINED}[\p{L}\p{M}]$`, "u");
const JOINED_AFTER = new RegExp(String.raw`^${NOT_UNJOINED}[\p{L}\p{M}]`, "u");

/** Scripts that are written without spaces. */
const UNSPACED = ["Thai", "Laoo", "Khmr", "Mymr", "Lana", "Talu", "Tavt"];
const UNSPACED_LETTER = `[${UNSPACED.map((script) => String.raw`\p{Script=${script}}`).join("")}]`;
const UNSPACED_BEFORE = new RegExp(`${UNSPACED_LETTER}$`, "u");
const UNSPACED_AFTER = new RegExp(`^${UNSPACED_LETTER}`, "u");

/** No letter has more UTF-16 units. */
const AROUND = 4;

function withoutJoiners(text: string): string {
  return text.replaceAll(JOINERS, (found, at: number) => {
    const before = text.slice(Math.max(0, at - AROUND), at);
    const after = text.slice(at + found.length, at + found.length + AROUND);
    return isUsed(found, before, after) ? found : "";
  });
}

function isUsed(found: string, before: string, after: string): boolean {
  if (found === "\u200b") return UNSPACED_BEFORE.test(before) && UNSPACED_AFTER.test(after);
  if (found !== "\u200c" && found !== "\u200d") return FLAG_TAGS.test(found) && FLAG_BEFORE.test(before);
  if (found === "\u200d" && EMOJI_BEFORE.test(before) && EMOJI_AFTER.test(after)) return true;
  return JOINED_BEFORE.test(before) || JOINED_AFTER.test(after);
}

function withoutBlankEnd(text: string): string {
  let end = text.length;
  while (end > 0) {
    const start = text.lastIndexOf("\n", end - 1);
    if (start < 0 || !isBlank(text.slice(start, end))) break;
    end = start;
  }
  return text.slice(0, end);
}
