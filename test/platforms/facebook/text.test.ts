import fc from "fast-check";
import { test } from "vitest";
import { likeness } from "../../../src/platforms/facebook/likeness.ts";
import { expectLinearTime } from "../../support/cost.ts";

// Of few letters, so that pieces and names are often beginnings of each other.
const phrase = fc.oneof(fc.stringMatching(/^[a-c ]{0,8}$/), fc.stringMatching(/^[ab]{0,12}$/));
const name = fc.oneof(fc.stringMatching(/^[a-d][a-d &]{0,20}[a-d]$/), fc.stringMatching(/^[ab]{1,20}$/));

test("a text with its mentions expanded, by whatever names, is never taken for another", ({ expect }) => {
  const parts = fc.array(fc.record({ before: phrase, name, isShown: fc.boolean(), isKept: fc.boolean() }));
  fc.assert(
    fc.property(parts, phrase, (mentions, end) => {
      const ids = mentions.map(({ name, isShown }, index) => (isShown ? `@[${index}:1:${name}]` : `@[${index}]`));
      const sent = mentions.map(({ before }, index) => before + ids[index]).join("") + end;
      const expanded = mentions.map(({ before, name }) => before + name).join("") + end;
      const kept = mentions.map(({ before, name, isKept }, index) => before + (isKept ? ids[index] : name)).join("");
      expect(likeness(sent, sent)).toBe("same");
      if (expanded.trim() !== "") expect(likeness(sent, expanded)).not.toBe("different");
      if (mentions.every(({ isShown }) => isShown)) expect(likeness(sent, expanded)).toBe("same");
      if (mentions.length > 0) expect(likeness(sent, kept + end)).not.toBe("different");
    }),
    { numRuns: 500 },
  );
});

test("a piece is found also where a beginning of it runs into the whole", ({ expect }) => {
  expect(likeness("@[1]aabaaac@[2]", "aabaaabaaacx")).toBe("same");
  expect(likeness("@[1]aabaaac@[2]", "aabaaabaaabx")).toBe("different");
});

const LENGTH = 63_206;

const letters = (length: number) => "a".repeat(length);

test.for([
  ["a piece that nearly fits everywhere", (n: number) => `@[1]${letters(n / 4)}b${letters(n / 4)}@[1]`, letters],
  ["mentions only", (n: number) => "@[1]".repeat(n / 4), letters],
  ["mentions that are never closed", (n: number) => "@[1:1:".repeat(n / 6), letters],
  ["a mention of digits", (n: number) => `@[${"1".repeat(n)}`, (n: number) => "1".repeat(n)],
  ["unlike words", (n: number) => "one two ".repeat(n / 8), (n: number) => "six ten ".repeat(n / 8)],
] as const)("the longest text costs little: %s", ([name, sentOf, seenOf], { expect }) => {
  const prepare = (size: number) => {
    const [sent, seen] = [sentOf(size), seenOf(size)];
    return () => likeness(sent, seen);
  };
  expectLinearTime(expect, name, { prepare, size: LENGTH, budgetMs: 50 });
});
