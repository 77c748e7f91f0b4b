import fc from "fast-check";
import { test } from "vitest";
import { parseHashtags, toNfc, withHashtags } from "../../src/core/text.ts";

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
  const pile = "\u0301\u0316".repeat(200_000);
  const begun = performance.now();
  expect(toNfc(`e${pile} e\u0301`)).toMatch(/^é\p{M}+ é$/u);
  expect([...toNfc(pile)]).toHaveLength(400_000);
  withHashtags(pile, ["bikes"]);
  parseHashtags(pile);
  // Some hundred milliseconds; sorted at one go it would be a minute for each of them.
  expect(performance.now() - begun).toBeLessThan(5000);
});
