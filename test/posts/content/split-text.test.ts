import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findPlatform } from "../../../src/platforms/registry.ts";
import { splitText } from "../../../src/posts/content/split-text.ts";

const within = (most: number) => (item: string) => [...item].length <= most;
const split = (text: string, most: number, more: { isNumbered?: boolean; mostItems?: number } = {}) =>
  splitText(text, { fits: within(most), mostItems: 25, isNumbered: false, ...more });

describe("a text is split", () => {
  test("at paragraphs, else lines, sentences and words, not far before the limit", () => {
    expect(split("One two.\n\nThree four.", 14)).toEqual(["One two.", "Three four."]);
    expect(split("One two\nthree four five", 16)).toEqual(["One two", "three four five"]);
    expect(split("One two. Three four", 15)).toEqual(["One two.", "Three four"]);
    expect(split("one two three four five", 10)).toEqual(["one two", "three four", "five"]);
    // A paragraph of two letters is not worth an item.
    expect(split("Hi\n\nthere are many words in this", 20)).toEqual(["Hi\n\nthere are many", "words in this"]);
  });

  test("with numbers that are part of each item's length", () => {
    const items = split("word ".repeat(20), 20, { isNumbered: true });
    expect(items?.at(0)).toBe("word word word (1/7)");
    expect(items?.at(-1)).toMatch(/\(7\/7\)$/);
    const many = split("word ".repeat(40), 16, { isNumbered: true, mostItems: 50 });
    expect([many?.length, many?.at(0), many?.at(-1)]).toEqual([40, "word (1/40)", "word (40/40)"]);
  });

  test("in scripts without spaces, not before a closing sign", () => {
    const items = split("今日は新しい自転車が届きました。とても軽くて、坂道でも楽に走れます。", 18);
    expect(items?.join("")).toBe("今日は新しい自転車が届きました。とても軽くて、坂道でも楽に走れます。");
    for (const item of items ?? []) expect(item).not.toMatch(/^[、。]/);
    expect(items?.[0]).toBe("今日は新しい自転車が届きました。");
  });

  test("never within a link, a mention or a hashtag, also where no space is before it", () => {
    expect(split("see https://example.com/a-very-long-path now", 36)).toEqual([
      "see",
      "https://example.com/a-very-long-path",
      "now",
    ]);
    expect(
      split("詳細はhttps://example.com/abcをご覧ください", 26)?.some((item) =>
        item.includes("https://example.com/abc"),
      ),
    ).toBe(true);
    expect(split("write to @alice.bsky.social today", 19)).toContain("@alice.bsky.social");
    expect(split(`https://example.com/${"x".repeat(50)}`, 40)).toBeNull();
  });

  test("not into more items than a thread has", () => {
    expect(split("word ".repeat(100), 10, { mostItems: 5 })).toBeNull();
  });
});

test("every split has all of the text, in items that fit, with whole links", () => {
  const piece = fc.oneof(
    fc.constantFrom(
      "https://example.com/p?q=1",
      "@alice",
      "#tag",
      "example.com/x",
      "👩‍👩‍👧‍👦",
      "é",
      "今日は",
      "。",
      "\n",
      "\n\n",
      " ",
      ". ",
    ),
    fc.stringMatching(/^[a-zA-Z]{1,12}$/),
  );
  fc.assert(
    fc.property(
      fc.array(piece, { minLength: 1, maxLength: 60 }),
      fc.integer({ min: 30, max: 60 }),
      fc.boolean(),
      (pieces, most, isNumbered) => {
        const text = pieces.join(" ");
        const items = split(text, most, { isNumbered, mostItems: 40 });
        if (items === null) return;
        for (const item of items) expect([...item].length).toBeLessThanOrEqual(most);
        const bare = items.map((item) => (isNumbered ? item.replace(/ \(\d+\/\d+\)$/, "") : item));
        expect(bare.join("").replace(/\s+/g, "")).toBe(text.replace(/\s+/g, ""));
        const links = text.match(/https?:\/\/\S+/g) ?? [];
        expect(bare.flatMap((item) => item.match(/https?:\/\/\S+/g) ?? [])).toEqual(links);
      },
    ),
  );
});

test.for(["twitter", "threads", "bluesky"] as const)("a long text of %s is split in bounded time", (name) => {
  const rules = findPlatform(name)?.rules({}).thread;
  if (!rules) throw new Error(`${name} has no threads.`);
  const fits = (item: string) => rules.text.measure(item) <= rules.text.max;
  const begun = performance.now();
  for (const text of [
    "word ".repeat(1_300),
    "今".repeat(6_000),
    "a".repeat(100_000),
    "a.b".repeat(30_000),
    "é ".repeat(50_000),
  ]) {
    splitText(text, { fits, mostItems: rules.items.max, isNumbered: true });
  }
  expect(performance.now() - begun).toBeLessThan(8_000);
});
