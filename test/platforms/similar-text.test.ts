import fc from "fast-check";
import { test } from "vitest";
import { foldText, isSimilarText } from "../../src/platforms/similar-text.ts";
import { expectLinearTime } from "../support/cost.ts";

const UNSEEN = ["\u200b", "\u200d", "\u2060", "\ufeff", "\u00ad", "\ufe0f", "\u200f", "\u034f"];
const BLANKS = [" ", "\n", "\r\n", "\t", "\u00a0", "\u2003", "\u3000", " \n "];
const word = fc.stringMatching(/^[a-zäß0-9]{1,12}$/u);

test("a text with other white space and unseen characters in it folds to the same", ({ expect }) => {
  const altered = fc.array(fc.tuple(word, fc.constantFrom(...BLANKS), fc.constantFrom(...UNSEEN)), { minLength: 1 });
  fc.assert(
    fc.property(altered, (parts) => {
      const plain = parts.map(([text]) => text).join(" ");
      const seen = parts.map(([text, blank, unseen]) => `${unseen}${text.normalize("NFD")}${unseen}${blank}${blank}`);
      expect(foldText(seen.join(""))).toBe(plain.normalize("NFC"));
    }),
  );
});

test("folding twice is folding once", ({ expect }) => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(foldText(foldText(text))).toBe(foldText(text));
    }),
  );
});

test("what people see stays: case, punctuation, emoji", ({ expect }) => {
  expect(foldText("  Hello,\n\nWörld! 👍🏽 #Bikes ")).toBe("Hello, Wörld! 👍🏽 #Bikes");
});

test("likeness is mutual, and every text with something in it is like itself", ({ expect }) => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.string({ unit: "grapheme" }), (a, b) => {
      expect(isSimilarText(a, b)).toBe(isSimilarText(b, a));
      expect(isSimilarText(a, a)).toBe(isSimilarText(a, ` ${a}`));
    }),
  );
  fc.assert(fc.property(fc.array(word, { minLength: 1 }), (words) => isSimilarText(words.join(" "), words.join("\n"))));
});

test("ten words of which one was changed, dropped or added are similar, in any order", ({ expect }) => {
  const ten = fc.array(word, { minLength: 10, maxLength: 10 });
  fc.assert(
    fc.property(ten, fc.nat({ max: 9 }), word, (words, at, other) => {
      const text = words.join(" ");
      expect(isSimilarText(text, words.with(at, other).join(" "))).toBe(true);
      expect(isSimilarText(text, words.toSpliced(at, 1).join(" "))).toBe(true);
      expect(isSimilarText(text, words.toSpliced(at, 0, other).toReversed().join(" "))).toBe(true);
    }),
  );
});

test("two posts that share a phrase, but not their mark, are not similar", ({ expect }) => {
  fc.assert(
    fc.property(fc.uuid(), fc.uuid(), (a, b) => {
      fc.pre(a.split("-").filter((group) => b.split("-").includes(group)).length === 0);
      expect(isSimilarText(`Item 1 of ${a}`, `Item 1 of ${b}`)).toBe(false);
      expect(isSimilarText(`Twice at once ${a}`, `Twice at once ${b}`)).toBe(false);
      expect(isSimilarText(`New #Bikes ${a}`, `New #Bikes ${a.toUpperCase()}`)).toBe(true);
    }),
  );
});

test.for([
  ["hello", "Hello!", true],
  ["hello", "hello again", false],
  ["look https://example.com/a?b=1", "look https://t.co/x", true],
  ["look (www.example.com)", "look example.com/shop/1", true],
  ["https://example.com/1", "https://example.com/2", false],
  ["https://example.com/1", "https://example.com/1 ", true],
  ["🎉", "🎉\ufe0f", true],
  ["🎉", "👍", false],
  ["", "", false],
  ["", "hello", false],
  ["!", "hello", false],
  ["新しい自転車が入荷しました", "新しい自転車が入荷しました！", true],
  ["新しい自転車が入荷しました", "古い自転車が入荷しました", true],
  ["新しい自転車が入荷しました", "今日は定休日です", false],
  ["नमस्ते दुनिया", "नमस्ते दुनिया।", true],
] as const)("%j and %j are similar: %s", ([a, b, similar], { expect }) => {
  expect(isSimilarText(a, b)).toBe(similar);
  expect(isSimilarText(b, a)).toBe(similar);
});

test.for([
  ["words", (i: number) => `word${i} `],
  ["one letter", () => "a"],
  ["dots", () => "a."],
  ["signs", () => "!-"],
  ["dashes", () => "-"],
  ["dashes and dots", () => "a-."],
  ["links", () => "https://a.b/ "],
  ["Chinese", (i: number) => String.fromCodePoint(0x4e00 + (i % 20_000))],
  ["unseen", () => "\u200b\u00a0"],
] as const)("the longest text of %s costs little", ([name, piece], { expect }) => {
  const prepare = (size: number) => {
    let text = "";
    for (let i = 0; text.length < size; i += 1) text += piece(i);
    return () => isSimilarText(text, `${text}x`);
  };
  expectLinearTime(expect, name, { prepare, size: 63_206, budgetMs: 50 });
});
