import fc from "fast-check";
import { expect, test } from "vitest";
import { outgoingText } from "../../src/core/outgoing-text.ts";

test.for([
  ["controls", "a\u0007b\u001bc\u007fd\u009ce", "abcde"],
  ["a byte order mark at the start and within", "\ufeffHello\ufeff world", "Hello world"],
  ["zero-width spaces and word joiners", "He\u200bllo\u2060 world", "Hello world"],
  ["invisible operators and deprecated formats", "2\u2062x\u206a\ufff9", "2x"],
  ["noncharacters", "a\ufdd0\uffff\u{1fffe}b", "ab"],
  ["joiners between Latin letters, and at the end", "a\u200cb\u200dc\u200d", "abc"],
  ["a joiner after an emoji that joins nothing", "🙂\u200d!", "🙂!"],
  ["tags that are no flag", "hi\u{e0068}\u{e0069}", "hi"],
  ["blank lines at the end", "One\n\nTwo\n \n\u2800\n\n", "One\n\nTwo"],
  ["line ends of other systems", "a\r\nb\rc\u2028d\u2029e\u0085f\u000bg", "a\nb\nc\nd\ne\nf\ng"],
] as const)("%s", ([, text, clean]) => {
  expect(outgoingText(text)).toBe(clean);
});

test.for([
  [
    "families, professions and flags",
    "👩‍👩‍👧‍👦 👩🏽‍🚒 🏳️‍🌈 🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f} 👁️‍🗨️ ❤️‍🔥 🐦‍⬛",
  ],
  ["text and emoji style", "☺︎ ☺️ 1️⃣"],
  ["Persian with its half space", "می‌خواهم کتاب‌ها را"],
  ["the abbreviation of the Hijri era", "۱۴۰۳ ه‍"],
  ["Hindi, Bengali and Malayalam with joiners", "क्‍ष र्‌य র‍্য അവന്‍"],
  ["Khmer and Thai with places to break", "ខ្ញុំ\u200bចង់ ไทย\u200bไทย"],
  ["Hebrew and Arabic with marks of direction", "\u200fשלום\u200e \u2067abc\u2069 \u202bxyz\u202c \u061c"],
  ["Mongolian with its separator, and a soft hyphen", "ᠭᠠ᠋ᠯ\u180e Schiff\u00adfahrt"],
  ["tabs, blank lines within, and spaces at the end", "a\tb\n\n\nc  "],
] as const)("%s stay as they are", ([, text]) => {
  expect(outgoingText(text)).toBe(text);
});

test("is done once: cleaning a clean text changes nothing, and no control is left", () => {
  const piece = fc.constantFrom(
    "a",
    "م",
    "क",
    "🙂",
    "👩🏽",
    "\u200b",
    "\u200c",
    "\u200d",
    "\ufe0f",
    "\n",
    "\r",
    "\ufeff",
    "\u0000",
    " ",
    "ខ",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      const clean = outgoingText(pieces.join(""));
      expect(clean).not.toMatch(/(?!\n)[\p{Cc}\ufeff]|\n\s*$/u);
      expect(outgoingText(clean)).toBe(clean);
    }),
  );
});

test("takes the time of its length", () => {
  const begun = performance.now();
  for (const part of ["\n", "\u200d", "\u200b ", "م\u200c", "🙂\u200d", "\r", "\u{e0067}"]) {
    outgoingText(part.repeat(20_000));
  }
  expect(performance.now() - begun).toBeLessThan(2_000);
});
