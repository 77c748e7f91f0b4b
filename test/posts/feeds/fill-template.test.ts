import fc from "fast-check";
import { expect, test } from "vitest";
import { fillTemplate, fitCaption } from "../../../src/posts/feeds/fill-template.ts";
import { newEntries, remember } from "../../../src/posts/feeds/journal.ts";

const VALUES = {
  title: "Fresh rolls",
  link: "https://blog.test/1",
  summary: "Rye and spelt, still warm.",
  author: "Ana",
  image: "",
};

test("fills texts at any place, and leaves out those of placeholders that are all empty", () => {
  const template = {
    channel_id: 12,
    caption_text: "{title}\n\n{image}\n\n{link} {unknown}",
    media_urls: ["{image}", "https://blog.test/logo.png"],
    first_comment: "{image}",
    post_extra: { title: "{title}", category: 22 },
  };
  expect(fillTemplate(template, VALUES)).toEqual({
    channel_id: 12,
    caption_text: "Fresh rolls\n\nhttps://blog.test/1 {unknown}",
    media_urls: ["https://blog.test/logo.png"],
    post_extra: { title: "Fresh rolls", category: 22 },
  });
});

test("a value that looks like a placeholder stays as it is", () => {
  const filled = fillTemplate({ caption_text: "{title}" }, { ...VALUES, title: "{summary} $& $1" });
  expect(filled).toEqual({ caption_text: "{summary} $& $1" });
});

const within = (max: number) => (text: string) => text.length <= max;

test.for([
  [100, "Fresh rolls: Rye and spelt, still warm. https://blog.test/1"],
  [55, "Fresh rolls: Rye and spelt, still… https://blog.test/1"],
  [37, "Fresh rolls: Rye… https://blog.test/1"],
  [34, "Fresh rolls:  https://blog.test/1"],
  [30, "Fresh…:  https://blog.test/1"],
  [22, ":  https://blog.test/1"],
  [10, ":  https://blog.test/1"],
] as const)("within %i characters: %s", ([max, expected]) => {
  expect(fitCaption("{title}: {summary} {link}", VALUES, within(max))).toBe(expected);
});

test("a caption without spaces is cut between words too", () => {
  const cut = fitCaption("{title}", { ...VALUES, title: "焼きたてのパンが毎朝九時に並びます" }, within(12));
  expect(cut).toMatch(/^焼きたての.*…$/);
});

test("a shortened caption fits if anything does, and keeps its link", () => {
  const text = fc.string({ unit: "grapheme", maxLength: 300 });
  fc.assert(
    fc.property(text, text, fc.integer({ min: 60, max: 400 }), (title, summary, max) => {
      const values = { ...VALUES, title, summary };
      const caption = fitCaption("{title}\n\n{summary}\n\n{link}", values, within(max));
      expect(caption.length).toBeLessThanOrEqual(max);
      expect(caption.endsWith(VALUES.link)).toBe(true);
    }),
    { numRuns: 200 },
  );
});

const keyed = (keys: readonly string[]) => keys.map((key) => ({ key, linkKey: null }));

test("of the first reading only the wanted entries become posts, of a later one the 20 newest", () => {
  const keys = Array.from({ length: 30 }, (_, at) => `${at}`);
  const first = newEntries({ seen: null, includeExisting: 2 }, keyed(keys));
  expect(first.fresh).toEqual(keyed(["0", "1"]));
  expect(first.seen).toEqual(keys.slice(2));
  expect(newEntries({ seen: [], includeExisting: null }, keyed(keys)).fresh).toHaveLength(20);
  // Another address: its first reading.
  expect(newEntries({ seen: ["0"], includeExisting: 2 }, keyed(keys)).fresh).toEqual(keyed(["1", "2"]));
  expect(newEntries({ seen: null, includeExisting: 0 }, keyed(keys)).fresh).toEqual([]);
});

test("each entry is new once, whatever documents follow each other", () => {
  const documents = fc.array(fc.uniqueArray(fc.nat({ max: 60 }).map(String), { maxLength: 40 }), { maxLength: 20 });
  fc.assert(
    fc.property(documents, (all) => {
      let journal: Parameters<typeof newEntries>[0] = { seen: null, includeExisting: 3 };
      const posted: string[] = [];
      for (const document of all) {
        const { fresh, seen } = newEntries(journal, keyed(document));
        let known = seen;
        for (const { key } of fresh.toReversed()) {
          known = remember(known, [key], keyed(document));
          posted.push(key);
        }
        journal = { seen: known, includeExisting: null };
        expect(document.every((key) => known.includes(key))).toBe(true);
      }
      expect(new Set(posted).size).toBe(posted.length);
    }),
    { numRuns: 300 },
  );
});
