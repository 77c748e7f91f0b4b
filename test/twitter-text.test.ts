import fc from "fast-check";
import { test } from "vitest";
import { twitter } from "../src/platforms/twitter.ts";
import { comparableAnswered, comparableOwn, textProblems, weightedLength } from "../src/platforms/twitter-text.ts";

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
  expect(textProblems("Buy $ACME or $ZZZ")).toEqual([expect.stringContaining("$ACME, $ZZZ")]);
});

test("the length neither depends on the Unicode form nor shrinks when text is added", ({ expect }) => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 60 }), (text) => {
      expect(weightedLength(text.normalize("NFD"))).toBe(weightedLength(text.normalize("NFC")));
      expect(weightedLength(`${text} and more`)).toBeGreaterThan(weightedLength(text));
    }),
  );
});

test("a text is known again after X has shortened its links, appended the media and escaped it", ({ expect }) => {
  const links = [
    { url: "https://t.co/Ab1", expanded_url: "http://Example.com/" },
    { url: "https://t.co/Cd2", expanded_url: "https://acme.example/x?a=1&b=2" },
    { url: "https://t.co/Me3", expanded_url: "https://x.com/acme/status/1/photo/1", media_key: "3_1" },
  ];
  const answered = "Fish &amp; chips &lt;3 https://t.co/Ab1 and https://t.co/Cd2 https://t.co/Me3";
  const own = "Fish & chips <3 Example.com and https://acme.example/x?a=1&b=2\n";
  expect(comparableAnswered(answered, links, true)).toBe(comparableOwn(own));
  expect(comparableAnswered("Cafe\u0301 https://t.co/Zz9", [], true)).toBe(comparableOwn("Café"));
  expect(comparableAnswered("another text", [], false)).not.toBe(comparableOwn("a text"));
});

test("any text is known again after escaping and shortening", ({ expect }) => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 80 }), fc.webUrl(), (text, link) => {
      const own = `${text} ${link}`;
      const escaped = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
      const links = [{ url: "https://t.co/unlikely1", expanded_url: link }];
      expect(comparableAnswered(`${escaped} https://t.co/unlikely1`, links, false)).toBe(comparableOwn(own));
    }),
  );
});
