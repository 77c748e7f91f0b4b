import fc from "fast-check";
import { describe, test } from "vitest";
import { BannerCopy, uncovered, wordsOf } from "../../src/banners/copy.ts";
import { familyFor, filesFor } from "../../src/banners/fonts.ts";
import { syllablesOf } from "../../src/banners/hyphens.ts";
import { breakLines, fewestLines, type Unit } from "../../src/banners/lines.ts";
import { cleanLine, cleanText } from "../../src/banners/words.ts";

/** What the words of a banner become before they are drawn. */

const COPY = { label: null, headline: "Hello", text: null, call_to_action: null, template: null, palette: null };
const units = (...texts: readonly (readonly [string, number, Unit["joint"]?])[]): Unit[] =>
  texts.map(([text, width, joint = "blank"]) => ({ text, width, joint }));
const WIDTHS = { blank: 1, hyphen: 1 };
const texts = (lines: readonly { text: string }[]) => lines.map(({ text }) => text);

describe("lines", () => {
  test("are as few as possible, and of about the same width", ({ expect }) => {
    const words = units(["aaaa", 4], ["bb", 2], ["cc", 2], ["dd", 2]);
    // Filled one after the other: "aaaa bb cc" and "dd".
    expect(texts(breakLines(words, WIDTHS, 11))).toEqual(["aaaa bb", "cc dd"]);
    expect(texts(breakLines(words, WIDTHS, 13))).toEqual(["aaaa bb cc dd"]);
  });

  test("break a word with a hyphen between syllables, and without one between letters", ({ expect }) => {
    const word = units(["Donau", 5, "syllable"], ["dampf", 5, "syllable"], ["schiff", 6]);
    expect(texts(breakLines(word, WIDTHS, 11))).toEqual(["Donaudampf-", "schiff"]);
    expect(texts(breakLines(units(["a", 1, "letter"], ["b", 1, "letter"], ["c", 1]), WIDTHS, 2))).toEqual(["ab", "c"]);
  });

  test("do not exist when a word alone is too wide", ({ expect }) => {
    expect(fewestLines(units(["aaaa", 4]), WIDTHS, 3)).toBeNull();
    expect(breakLines(units(["aaaa", 4]), WIDTHS, 3)).toEqual([]);
  });

  test("lose nothing, and none is too wide", ({ expect }) => {
    const unit = fc.record({
      text: fc.stringMatching(/^[a-z]{1,8}$/),
      width: fc.double({ min: 0.1, max: 5, noNaN: true }),
      joint: fc.constantFrom("blank" as const, "syllable" as const, "letter" as const),
    });
    fc.assert(
      fc.property(fc.array(unit, { minLength: 1, maxLength: 30 }), fc.integer({ min: 6, max: 30 }), (some, width) => {
        const lines = breakLines(some, WIDTHS, width);
        const letters = (text: string) => text.replace(/[ -]/g, "");
        expect(letters(texts(lines).join(""))).toBe(letters(some.map(({ text }) => text).join("")));
        expect(Math.max(...lines.map((line) => line.width))).toBeLessThanOrEqual(width);
        expect(lines).toHaveLength(fewestLines(some, WIDTHS, width) ?? 0);
      }),
      { numRuns: 200 },
    );
  });

  test("long words have syllables in three alphabets", ({ expect }) => {
    expect(syllablesOf("Donaudampfschifffahrtsgesellschaft")).toEqual([
      "Donau",
      "dampf",
      "schiff",
      "fahrts",
      "ge",
      "sell",
      "schaft",
    ]);
    expect(syllablesOf("достопримечательность").join("-")).toBe("дос-топ-ри-ме-ча-тель-ность");
    expect(syllablesOf("εξοχότατος").join("-")).toBe("εξο-χό-τα-τος");
    expect(syllablesOf("breakfast")).toEqual(["breakfast"]);
    expect(syllablesOf("https://example.com/a").join("")).toBe("https://example.com/a");
  });
});

describe("words", () => {
  test("lose what cannot be seen or turns the direction, and nothing else", ({ expect }) => {
    expect(cleanText("a\u202eb\u2066c\u200fd\u0000e\u200bf\u00adg\ud800h")).toBe("abcdefgh");
    expect(cleanText("  <b>&amp;</b>  “x”\t{y} ")).toBe("<b>&amp;</b> “x” {y}");
    const emoji = "👩‍🚀 🏳️‍🌈 🇩🇪 1️⃣ ❤️ 🏴󠁧󠁢󠁥󠁮󠁧󠁿";
    expect(cleanText(emoji)).toBe(emoji);
    expect(cleanText("a\u{e0041}b")).toBe("ab");
    expect(cleanText("ﬁve Ｓａｌｅ！")).toBe("five Sale!");
  });

  test("keep three lines, and one where there is only room for one", ({ expect }) => {
    expect(cleanText("a\r\n\n b \u2028c\nd")).toBe("a\nb\nc d");
    expect(cleanLine("a\n b")).toBe("a b");
  });

  test("keep two marks of a pile, whatever its height", ({ expect }) => {
    expect(cleanText(`z${"\u0300".repeat(100_000)}!`)).toBe("z\u0300\u0300!");
    expect(cleanText("Việt ἀρχή")).toBe("Việt ἀρχή".normalize("NFC"));
  });

  test("are null where nothing is left", ({ expect }) => {
    expect(wordsOf({ ...COPY, label: " \u200b ", text: "" })).toEqual({
      label: null,
      headline: "Hello",
      text: null,
      action: null,
    });
  });
});

describe("fonts", () => {
  test("have what people write in Latin, Greek and Cyrillic, and emoji", ({ expect }) => {
    const all = [
      "Größe Żółć Čšž Łódź Ăâîșț Ħġż Þórr Œuvre Ñandú Ğış Őű Tiếng Việt Ō Ə Ș",
      "Ελληνικά Ά Ώ ΐ ς ἀρχή",
      "Жизнь Їжак Ўў Ђорђе Ѓ Қазақ Өнөр Ң Ғ Ҳ",
      "🎉 👩‍🚀 🇩🇪 🏳️‍🌈 1️⃣ ❤️ 🏴󠁧󠁢󠁥󠁮󠁧󠁿 🥹 ☎️ ©️",
      "„“‚‘«»–—…·•†§¶©®™°±×÷²³½ €£¥₴₽₺₹ № → ← ✓ ★ ≥ ≠ ∞",
    ].join("\n");
    expect(uncovered({ ...COPY, text: all })).toEqual([]);
  });

  test("tell what they lack, each character once", ({ expect }) => {
    expect(uncovered({ ...COPY, headline: "Hi 中文中", call_to_action: "اهلا" })).toEqual(["中", "文", "ا", "ه", "ل"]);
  });

  test("are one family for all letters of a text", ({ expect }) => {
    expect(familyFor("Straße 🎉❤️ → Ж", "Sofia Sans Extra Condensed")).toBe("Sofia Sans Extra Condensed");
    expect(familyFor("Tiếng Việt", "Sofia Sans Extra Condensed")).toBe("Geologica");
    expect(familyFor("ἀρχή", "Geologica")).toBe("Noto Serif Display");
  });

  test("are read only where the text needs them", ({ expect }) => {
    const names = (text: string) =>
      filesFor(text, "Geologica").map(({ name }) => name.split("-").slice(0, 2).join("-"));
    expect(names("Hello")).toEqual(["geologica-latin"]);
    expect(names("Ж")).toEqual(["geologica-cyrillic"]);
    expect(names("🎉")).toEqual(["twemoji.woff2"]);
    expect(names("1 2")).toEqual(["geologica-latin"]);
    expect(names("1️⃣")).toEqual(["geologica-latin", "twemoji.woff2"]);
  });
});

describe("a copy", () => {
  test("says what cannot be shown, so that the author can write something else", ({ expect }) => {
    expect(BannerCopy.safeParse(COPY).success).toBe(true);
    const refused = BannerCopy.safeParse({ ...COPY, headline: "你好" });
    expect(refused.error?.issues[0]?.message).toMatch(/not 你 and 好\.$/);
  });

  test("has a headline that can be seen", ({ expect }) => {
    expect(BannerCopy.safeParse({ ...COPY, headline: " \u200b " }).success).toBe(false);
  });
});
