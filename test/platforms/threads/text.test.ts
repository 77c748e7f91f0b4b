import fc from "fast-check";
import { describe, test } from "vitest";
import { THREADS_ERRORS } from "../../../src/platforms/threads/errors.ts";
import { threads } from "../../../src/platforms/threads/index.ts";
import { likeness, MAX_LINKS } from "../../../src/platforms/threads/text.ts";

/** How Threads counts a text, what of it is refused at once, and when a text that it shows is ours. */

const rules = threads.rules({}).post?.text;
const length = (text: string) => rules?.measure(text);
const problems = (text: string) => rules?.problems?.(text).map(({ message }) => message);

describe("the length", () => {
  test.for([
    ["characters", "abc", 3],
    ["characters beyond the BMP, which are no emoji", "𝒳𝒴", 2],
    ["letters with marks", "é", 1],
    ["an emoji by its bytes", "😀", 4],
    ["a family by all its bytes", "👩‍👩‍👧", 18],
    ["a flag", "🇩🇪", 8],
    ["a skin tone", "👍🏽", 8],
    ["a keycap", "1️⃣", 7],
    ["a heart with its selector", "❤️", 6],
    ["a heart on fire", "❤️‍🔥", 13],
    ["the flag of England", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", 28],
    ["two joined that nobody draws as one", "😀‍😀", 11],
    ["a letter of a flag by itself", "🇩", 1],
    ["a sign with a pictograph's selector", "©️", 5],
    ["digits as they are", "123#*", 5],
  ] as const)("counts %s", ([, text, expected], { expect }) => {
    expect(length(text)).toBe(expected);
  });

  test("is never less than the characters, nor more than the bytes", ({ expect }) => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        const measured = length(text) ?? 0;
        expect(measured).toBeGreaterThanOrEqual([...text].length);
        expect(measured).toBeLessThanOrEqual(new TextEncoder().encode(text).byteLength);
      }),
    );
  });

  test("of a hundred thousand emoji is measured at once", ({ expect }) => {
    const started = Date.now();
    // Far beyond the limit, emoji are no longer weighed.
    expect(length("👩‍👩‍👧".repeat(20_000))).toBe(100_000);
    expect(length("👩‍👩‍👧".repeat(2_000))).toBe(36_000);
    expect(Date.now() - started).toBeLessThan(2_000);
  });
});

describe("links", () => {
  const links = (count: number) => Array.from({ length: count }, (_, at) => `https://example.com/${at}`).join(" ");

  test("may be five different ones", ({ expect }) => {
    expect(problems(links(5))).toEqual([]);
    expect(problems(links(6))).toEqual(["must have at most 5 different links, not 6."]);
    expect(problems(`${links(5)} https://example.com/1. (https://example.com/2)`)).toEqual([]);
  });

  test("are also those without a scheme, as Threads counts them, each once", ({ expect }) => {
    const bare = (count: number) => links(count).replaceAll("https://example", "www.example");
    expect(problems(bare(5))).toEqual([]);
    expect(problems(`${bare(5)} https://www.example.com/1`)).toEqual([]);
    expect(problems(bare(6))).toEqual(["must have at most 5 different links, not 6."]);
    expect(problems(`${links(4)} www.instagram.com www.threads.com`)).toHaveLength(1);
    expect(problems(`${links(5)} https://example.com/0?u=www.other.com a@www.example.com`)).toHaveLength(1);
  });

  test("are as many in the sentence of the refusal as in the check", ({ expect }) => {
    const [, , sentence] = THREADS_ERRORS.rows.find(([when]) => when === "THREADS_API__LINK_LIMIT_EXCEEDED") ?? [];
    expect(sentence).toContain(`at most ${MAX_LINKS} different`);
    expect(rules?.also?.join()).toContain(`at most ${MAX_LINKS} different`);
    expect([problems(links(MAX_LINKS)), problems(links(MAX_LINKS + 1))?.length]).toEqual([[], 1]);
  });
});

describe("a text that Threads shows", () => {
  test.for([
    ["as it was sent", "New frames\n\n#bikes #Launch", "New frames\n\n#bikes #Launch", "same"],
    ["with white space folded", "Two  blanks \n\n\nand more", "Two blanks and more", "same"],
    ["without the sign of its topic", "Out now #bikes #new", "Out now bikes #new", "same"],
    ["without its topic", "Out now #bikes #new", "Out now #new", "same"],
    [
      "without its second tag",
      "Out now, frames and wheels #bikes #new",
      "Out now, frames and wheels #bikes",
      "similar",
    ],
    [
      "with a link shortened",
      "Our new frames are in, see https://e.com/a",
      "Our new frames are in, see e.com",
      "similar",
    ],
    ["of something else", "Our new frames are in", "Closed on Monday", "different"],
    ["that is empty", "Our new frames are in", "", "different"],
    ["without a text, as ours", "", "", "same"],
    ["without a text, where ours was but a topic", "#bikes", "", "similar"],
  ] as const)("%s", ([, sent, shown, expected], { expect }) => {
    expect(likeness(sent, shown)).toBe(expected);
  });

  test("is ours whatever it says, if nothing was changed", ({ expect }) => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        expect(likeness(text, text)).toBe("same");
      }),
    );
  });
});
