import fc from "fast-check";
import { describe, test } from "vitest";
import { BannerCopy, problemWith } from "../../src/banners/copy.ts";
import { uncovered } from "../../src/banners/coverage.ts";
import { FONT_FILES, familyFor, filesFor, stackOf } from "../../src/banners/fonts.ts";
import { syllablesOf } from "../../src/banners/hyphens.ts";
import { breakLines, fewestLines, type Unit } from "../../src/banners/lines.ts";
import { lettersOf, phrasesOf } from "../../src/banners/phrases.ts";
import { scriptOf, settingOf } from "../../src/banners/scripts.ts";
import { cleanLine, cleanText, wordsOf } from "../../src/banners/words.ts";

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

  test("keep what a script needs: joiners, marks and full-width signs, in the letters that fonts have", ({
    expect,
  }) => {
    expect(cleanText("می\u200cخواهم नहीं क्‍ष")).toBe("می\u200cخواهم नहीं क्‍ष");
    expect(cleanText("x\u200cy")).toBe("xy");
    expect(cleanText("ज़ीं שָּׁ")).toBe("ज़ीं שָּׁ".normalize("NFC"));
    expect(cleanText("７時～！ ﾊﾟﾝ")).toBe("7時～！ パン");
    expect(cleanText("\ufef3\ufee8")).toBe("ين");
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

  test("have what people write in Chinese, Japanese, Korean, Arabic, Hebrew and Devanagari", ({ expect }) => {
    const all = [
      "两件只要一件的价格，让夏天更轻松。“双倍积分”《书》……",
      "歡迎來到台北最溫暖的書店。「免費」、ㄅㄆㄇ",
      "焼きたてのクロワッサンで、いい朝を。（７時～）ﾊﾟﾝ ㈱ 々〆",
      "오늘 하루만, 모든 원두 50% 할인! 값싼 뷁",
      "تسوّق الآن؟ ١٢٣ پچژگ ٹڈ می‌خواهم، ریال",
      "הזמינו שולחן־שבת שָׁלוֹם ״ציטוט״ ₪",
      "हर ख़रीद पर क्षत्रिय श्रृंखला ₹५०। ऑर्डर",
    ].join("\n");
    expect(uncovered({ ...COPY, text: all })).toEqual([]);
  });

  test("tell what they lack, each character once", ({ expect }) => {
    expect(uncovered({ ...COPY, headline: "Hi ไทยไ", call_to_action: "Ա" })).toEqual(["ไ", "ท", "ย", "Ա"]);
  });

  test("are one family for all letters of a text", ({ expect }) => {
    expect(familyFor("Straße 🎉❤️ → Ж", "Sofia Sans Extra Condensed")).toBe("Sofia Sans Extra Condensed");
    expect(familyFor("Tiếng Việt", "Sofia Sans Extra Condensed")).toBe("Geologica");
    expect(familyFor("ἀρχή", "Geologica")).toBe("Noto Serif Display");
  });

  test("are read only where the text needs them", ({ expect }) => {
    const names = (text: string) =>
      filesFor(text, stackOf("Geologica")).map(({ name }) => name.split("-").slice(0, 2).join("-"));
    expect(names("Hello")).toEqual(["geologica-latin"]);
    expect(names("Ж")).toEqual(["geologica-cyrillic"]);
    expect(names("🎉")).toEqual(["twemoji.woff2"]);
    expect(names("1 2")).toEqual(["geologica-latin"]);
    expect(names("1️⃣")).toEqual(["geologica-latin", "twemoji.woff2"]);
  });

  test("of a script are read in parts: a sentence needs a few of a hundred files", ({ expect }) => {
    const parts = (text: string) => {
      const script = scriptOf(text, settingOf(text));
      if (!script) throw new Error("The text should have a script.");
      const files = filesFor(text, stackOf(script.family));
      expect(new Set(files.map(({ family }) => family))).toEqual(new Set([script.family]));
      return { family: script.family, count: files.length };
    };
    expect(parts("焼きたてのクロワッサンで、いい朝を。毎朝7時から。")).toEqual({ family: "Noto Sans JP", count: 6 });
    expect(parts("让夏天更轻松，会员再享“双倍积分”。")).toEqual({ family: "Noto Sans SC", count: 7 });
    expect(parts("오늘 하루만, 모든 원두 50% 할인")).toEqual({ family: "Noto Sans KR", count: 5 });
    expect(parts("تسوّق الآن 20% Belfry")).toEqual({ family: "Noto Sans Arabic", count: 2 });
    expect(parts("הזמינו שולחן")).toEqual({ family: "Noto Sans Hebrew", count: 2 });
    expect(parts("अभी ऑर्डर करें")).toEqual({ family: "Noto Sans Devanagari", count: 2 });
  });

  test("of each character that a family has are read, and no others", ({ expect }) => {
    const families = [...new Set(FONT_FILES.map(({ family }) => family))].filter((name) =>
      /^Noto Sans [A-Z]/.test(name),
    );
    const anyHan = fc.integer({ min: 0x4e00, max: 0x9fa5 }).map((point) => String.fromCodePoint(point));
    fc.assert(
      fc.property(fc.array(anyHan, { minLength: 1, maxLength: 40 }), fc.constantFrom(...families), (some, family) => {
        const files = filesFor(some.join(""), family);
        for (const file of files) expect(file.family).toBe(family);
        expect(files.length).toBeLessThanOrEqual(some.length);
        const alone = new Set(some.flatMap((one) => filesFor(one, family)));
        expect(new Set(files)).toEqual(alone);
      }),
      { numRuns: 60 },
    );
  });
});

describe("scripts", () => {
  test("Chinese characters are those of the banner's language", ({ expect }) => {
    const han = (text: string) => settingOf(text).han;
    expect(han("限定 メニュー")).toBe("Noto Sans JP");
    expect(han("韓國 한국")).toBe("Noto Sans KR");
    expect(han("欢迎光临书店")).toBe("Noto Sans SC");
    expect(han("歡迎光臨書店")).toBe("Noto Sans TC");
  });

  test("a layout is mirrored when many letters run to the left", ({ expect }) => {
    expect(settingOf("خصم 50% في Belfry").isRightToLeft).toBe(true);
    expect(settingOf("Grand opening: חדש").isRightToLeft).toBe(false);
    expect(settingOf("שלום Tea").isRightToLeft).toBe(true);
    expect(settingOf("50% 🎉").isRightToLeft).toBe(false);
  });
});

describe("phrases of Chinese and Japanese", () => {
  const at = (text: string) => phrasesOf(text).join("|");

  test("keep particles, counted things and signs with their word", ({ expect }) => {
    expect(at("焼きたてのクロワッサンで、いい朝を。")).toBe("焼きたての|クロワッサンで、|いい|朝を。");
    expect(at("毎朝7時から（日曜定休）。")).toMatch(/7時/);
    expect(at("毎朝7時から（日曜定休）。")).not.toMatch(/\|[）。]|（\|/);
    expect(at("最溫暖的書店")).toMatch(/的\|書店$/);
    expect(at("Hello")).toBe("Hello");
    expect(at("오늘하루")).toBe("오늘하루");
  });

  test("lose nothing, and no line begins or ends with a sign that must not", ({ expect }) => {
    const any = fc.constantFrom(..."朝夏店を。、「」（）ーっンAb7%の的");
    fc.assert(
      fc.property(fc.array(any, { minLength: 1, maxLength: 40 }), (characters) => {
        const text = characters.join("");
        expect(phrasesOf(text).join("")).toBe(text);
        expect(lettersOf(text).join("")).toBe(text);
      }),
      { numRuns: 100 },
    );
    expect(lettersOf("朝「夏」。店っと")).toEqual(["朝", "「夏」", "。", "店っ", "と"]);
  });
});

describe("a copy", () => {
  test("says what cannot be shown, so that the author can write something else", ({ expect }) => {
    expect(BannerCopy.safeParse(COPY).success).toBe(true);
    expect(problemWith(uncovered({ ...COPY, headline: "Ար" }))).toMatch(/not Ա and ր\.$/);
  });

  test("has a headline that can be seen", ({ expect }) => {
    expect(BannerCopy.safeParse({ ...COPY, headline: " \u200b " }).success).toBe(false);
  });
});
