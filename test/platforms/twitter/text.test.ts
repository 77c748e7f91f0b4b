import fc from "fast-check";
import twitterText from "twitter-text";
import { test } from "vitest";
import { twitter } from "../../../src/platforms/twitter/index.ts";
import { textProblems, weightedLength } from "../../../src/platforms/twitter/text.ts";
import { runsOf } from "../../contract/sample.ts";
import { expectLinearTime } from "../../support/cost.ts";

// Computed vectors of the contract (docs/platforms/twitter.md).
const VECTORS: readonly (readonly [text: string, length: number])[] = [
  ["Hello, world! 👋", 16],
  ["example.com", 23],
  ["see https://example.com.", 28],
  ["co.jp", 23],
  ["x.y", 3],
  ["日本語", 6],
  ["👨‍👩‍👧‍👦", 2],
  ["🇫🇷", 2],
  ["👍🏽", 2],
  ["1️⃣", 2],
  ["cafe\u0301", 4],
  ["•", 2],
  ["…", 2],
  ["€5", 3],
  ["—", 1],
  ["“q”", 3],
  ["한", 2],
  ["яйцо", 4],
  ["ไทย", 3],
  ["Hi @bob https://example.com/x?y=1#z", 31],
  ["", 0],
];

test.for(VECTORS)("X counts %j as %i", ([text, length], { expect }) => {
  expect(weightedLength(text)).toBe(length);
});

test("a post may have 280 weighted characters, a Premium one 25,000", ({ expect }) => {
  const plain = twitter.rules({ subscription_type: "None" }).post?.text;
  expect(plain?.max).toBe(280);
  expect(plain?.measure("a".repeat(280))).toBe(280);
  expect(plain?.measure("日".repeat(140))).toBe(280);
  expect(plain?.measure("日".repeat(141))).toBe(282);
  expect(twitter.rules({ subscription_type: "PremiumPlus" }).tweet?.text.max).toBe(25_000);
  expect(twitter.rules({}).thread?.items).toEqual({ min: 1, max: 25 });
});

test("a second cashtag is a problem, the first is none", ({ expect }) => {
  expect(textProblems("Buy $ACME now")).toEqual([]);
  expect(textProblems("Buy $ACME or $ZZZ")).toEqual([
    expect.objectContaining({ message: expect.stringContaining("$ACME, $ZZZ") }),
  ]);
});

test("the length neither depends on the Unicode form nor shrinks when text is added", ({ expect }) => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 60 }), (text) => {
      expect(weightedLength(text.normalize("NFD"))).toBe(weightedLength(text.normalize("NFC")));
      expect(weightedLength(`${text} and more`)).toBeGreaterThan(weightedLength(text));
    }),
  );
});

test("of many cashtags a few are named", ({ expect }) => {
  expect(textProblems("$a ".repeat(50_000))).toEqual([
    expect.objectContaining({ message: expect.stringContaining("not $a, $a, $a, …") }),
  ]);
});

// What makes links, ends them, or almost does; what is one emoji, or almost.
const ATOMS =
  "example.com https:// http:// HTTPS:// t.co/ x.y co.jp acme.example/x?a=1&b=2 münchen.de xn-- xn--p1ai 日本 日本.jp みんな " +
  "foo_bar a.b.c com 8080 %20 q=1 . .. - _ @ # $ $A / ( ) (a) ? ! : , ~ ' \" & + = [ ] é ß ı ι 。 𠮷 한 e\u0301 \u3000 \u00a0 \u200b " +
  "\u200e \ufeff \ud83d \udc68 \x01 👍🏽 👨‍👩‍👧‍👦 1️⃣ 🇫🇷 \ufe0f \u20e3 \u200d";
const piece = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...ATOMS.split(" "), " ", "\n") },
  { weight: 1, arbitrary: fc.webUrl() },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 3 }) },
  // Labels about as long as one may be, also in Punycode.
  { weight: 1, arbitrary: fc.nat({ max: 66 }).map((length) => "a".repeat(length)) },
  { weight: 1, arbitrary: fc.nat({ max: 30 }).map((length) => "本語日".repeat(10).slice(0, length)) },
);

test("every text is counted as twitter-text counts it", { timeout: 60_000 }, ({ expect }) => {
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 16 }).map((pieces) => pieces.join("")),
      (text) => {
        expect(weightedLength(text)).toBe(twitterText.parseTweet(text).weightedLength);
      },
    ),
    { numRuns: runsOf(600) },
  );
});

test("a link counts 23 in a text without white space, however long that is", ({ expect }) => {
  const text = `${"今日は".repeat(1000)}https://example.com。${"晴れ".repeat(1000)}`;
  expect(weightedLength(text)).toBe(2 * 3 * 1000 + 23 + 2 + 2 * 2 * 1000);
});

// Each took the square of its length in twitter-text or in Unicode's sorting of combining marks: minutes, at
// this length.
const HOSTILE = {
  "dots and letters": "a.",
  "dots and top-level domains": "a.co.",
  "dots and underscores": "a.co_",
  "links that touch": "a.co/(a(a",
  "ideographs and dots": "日.本",
  "domains that start again": "日a.a.a.a.a.com",
  "labels in Punycode": `https://${"日".repeat(14)}.`,
  "combining marks": "\u0301\u0316",
  "combining marks on letters": `a${"\u0301\u0316".repeat(15)}`,
  "ends of queries": "a.co?!",
  cashtags: "$a ",
};

test.for(Object.entries(HOSTILE))("a long text of %s is counted in linear time", ([name, unit], { expect }) => {
  const prepare = (size: number) => {
    const text = unit.repeat(Math.ceil(size / unit.length)).slice(0, size);
    expect(weightedLength(text)).toBeGreaterThan(25_000);
    return () => [weightedLength(text), textProblems(text)];
  };
  for (const size of [199_999, 1_048_576]) expectLinearTime(expect, name, { prepare, size, budgetMs: 500 });
});
