import fc from "fast-check";
import { test } from "vitest";
import { fromCommentary, likeness, toCommentary } from "../../../src/platforms/linkedin/commentary.ts";
import { expectLinearTime } from "../../support/cost.ts";

/** LinkedIn's little text: what is not escaped ends the text at its position. */

test.for([
  ["brackets and a price", "Frames (new) <b> [10 €] {x}", "Frames \\(new\\) \\<b\\> \\[10 €\\] \\{x\\}"],
  ["marks", "a|b *c* _d_ ~e~ f@g h\\i", "a\\|b \\*c\\* \\_d\\_ \\~e\\~ f\\@g h\\\\i"],
  ["a hashtag", "#bikes and #Größe2", "#bikes and #Größe2"],
  ["a hashtag in another script", "#हिन्दी #日本", "#हिन्दी #日本"],
  ["a hashtag that ends at a mark", "(#bikes) #big_bikes", "\\(#bikes\\) #big\\_bikes"],
  ["a number that is no hashtag", "We are #1 in C#", "We are \\#1 in C\\#"],
  ["an address with a fragment", "https://x.example/a_b#top?c=#d", "https://x.example/a\\_b\\#top?c=\\#d"],
  ["a double mark", "##bikes", "\\#\\#bikes"],
  ["a mention", "Thanks, @[Acme Bikes](urn:li:organization:9001)!", "Thanks, @[Acme Bikes](urn:li:organization:9001)!"],
  ["what only looks like a mention", "@[Acme](https://x.example)", "\\@\\[Acme\\]\\(https://x.example\\)"],
] as const)("%s", ([, text, commentary], { expect }) => {
  expect(toCommentary(text)).toBe(commentary);
});

const RESERVED = "|{}@[]()<>#\\*_~";

test("every reserved character is escaped, but in hashtags and mentions", ({ expect }) => {
  const text = fc.string({ unit: fc.constantFrom(...RESERVED, "a", "1", " ", "é", "👍", "\n", "/") });
  fc.assert(
    fc.property(text, (written) => {
      const sent = toCommentary(written);
      // Taken off: what is escaped, and hashtags.
      const rest = sent.replaceAll(/\\[|{}@[\]()<>#\\*_~]/g, "").replaceAll(/#[\p{L}\p{N}\p{M}]+/gu, "");
      expect([...rest].filter((char) => RESERVED.includes(char))).toEqual([]);
      expect(fromCommentary(sent)).toBe(written);
    }),
    { numRuns: 500 },
  );
});

test.for([
  ["templates of hashtags", "New #bikes", "New {hashtag|\\#|bikes}", "same"],
  ["hashtags without a backslash", "New #bikes", "New {hashtag|#|bikes}", "same"],
  ["escapes", "Frames (new)", "Frames \\(new\\)", "same"],
  ["a mention by its name", "Hi @[Acme](urn:li:organization:1)", "Hi Acme", "same"],
  ["a mention as it was sent", "Hi @[Acme](urn:li:organization:1)", "Hi @[Acme](urn:li:organization:1)", "same"],
  ["other white space and composition", "Cafe\u0301\r\n\r\nopen\u200b", "Café open ", "same"],
  ["a text that was cut", "Frames are in (limited) now", "Frames are in ", "similar"],
  ["a text with a few other words", "We open the new shop on Monday", "We open the new shop on Tuesday", "similar"],
  ["another text", "We open the new shop on Monday", "Nothing of the kind", "different"],
  ["no text", "We open", " ", "different"],
] as const)("read back, %s: %s", ([, sent, shown, verdict], { expect }) => {
  expect(likeness(sent, shown)).toBe(verdict);
});

test("a hostile text takes time in line with its length", ({ expect }) => {
  for (const piece of ["@[", "@[a](", "#1", "{hashtag|", "\\", "#\u0301"]) {
    const prepare = (size: number) => {
      const text = piece.repeat(size / piece.length);
      expect(likeness(text, toCommentary(text))).toBe("same");
      return () => likeness(text, toCommentary(text));
    };
    expectLinearTime(expect, piece, { prepare, size: 100_000, budgetMs: 500 });
  }
});
