import fc from "fast-check";
import { test } from "vitest";
import { parseHashtags, toNfc, withHashtags } from "../../src/core/text.ts";
import { expectLinearTime } from "../support/cost.ts";

const MARKS = ["\u0301", "\u0316", "\u0308", "\u0327", "\u3099", "\u05b4"];

test("a text of any language is composed as Unicode has it", ({ expect }) => {
  const letter = fc.oneof(
    fc.string({ unit: "grapheme", minLength: 1, maxLength: 3 }),
    fc.constantFrom("e", "か", "ש", "ᄀ"),
  );
  const marked = fc.tuple(letter, fc.array(fc.constantFrom(...MARKS), { maxLength: 10 }));
  fc.assert(
    fc.property(fc.array(marked, { maxLength: 20 }), (letters) => {
      const text = letters.map(([base, marks]) => base + marks.join("")).join("");
      expect(toNfc(text)).toBe(text.normalize("NFC"));
    }),
  );
});

test("more marks than any letter has are kept, and cost no more than others", ({ expect }) => {
  const prepare = (size: number) => {
    const pile = "\u0301\u0316".repeat(size);
    expect(toNfc(`e${pile} e\u0301`)).toMatch(/^é\p{M}+ é$/u);
    expect([...toNfc(pile)]).toHaveLength(2 * size);
    return () => [toNfc(pile), withHashtags(pile, ["bikes"]), parseHashtags(pile)];
  };
  expectLinearTime(expect, "a pile of marks", { prepare, size: 20_000, budgetMs: 500 });
});
