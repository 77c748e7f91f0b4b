import fc from "fast-check";
import { expect, test } from "vitest";
import { linkIdentity, ownLinks } from "../../../src/posts/feeds/entry-link.ts";
import { newEntries, newestFirst } from "../../../src/posts/feeds/journal.ts";
import { readFeed } from "../../../src/posts/feeds/read-feed.ts";

/** Which entries of a feed are known, and which are the newest. */

const entry = (key: string, at: number | null = null, linkKey: string | null = null) => ({ key, at, linkKey });

test.for([
  ["http://blog.example.com/bread", "https://blog.example.com/bread/"],
  ["https://www.blog.example.com/bread", "https://BLOG.example.com/bread?utm_source=rss&utm_medium=feed"],
  ["https://blog.example.com/?p=1", "http://blog.example.com/?p=1&fbclid=x"],
] as const)("%s and %s stand for one entry", ([one, other]) => {
  expect(linkIdentity(one)).toBe(linkIdentity(other));
  expect(linkIdentity(one)).not.toBeNull();
});

test("other paths, parameters and anchors are other entries; a home page stands for none", () => {
  const links = [
    "https://a.test/b",
    "https://a.test/c",
    "https://a.test/b?p=2",
    "https://a.test/b#3",
    "https://b.test/b",
  ];
  expect(new Set(links.map(linkIdentity)).size).toBe(links.length);
  for (const link of ["https://a.test/", "https://www.a.test?utm_source=x", "mailto:a@a.test", ""])
    expect(linkIdentity(link)).toBeNull();
  expect(ownLinks(["a", "b", "a", null])).toEqual([null, "b", null, null]);
});

test("an entry under a new id with a known link is not new, and is known by its id from then on", () => {
  const { fresh, seen } = newEntries({ seen: ["http:1", "link"], includeExisting: null }, [
    entry("https:1", null, "link"),
  ]);
  expect(fresh).toEqual([]);
  expect(seen).toContain("https:1");
});

test("new entries beyond those of one reading are counted; those of a first reading are not", () => {
  const entries = Array.from({ length: 30 }, (_, at) => entry(`${at}`));
  expect(newEntries({ seen: [], includeExisting: null }, entries).passed).toBe(10);
  expect(newEntries({ seen: null, includeExisting: 0 }, entries).passed).toBe(0);
});

test("whatever the order of a document, dated entries come with the newest first", () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat({ max: 10_000 }), { minLength: 1, maxLength: 60 }), (dates) => {
      const sorted = newestFirst(
        null,
        dates.map((at) => entry(`${at}`, at)),
      );
      expect(sorted.map(({ at }) => at)).toEqual(dates.toSorted((one, other) => other - one));
    }),
  );
});

test("an undated document that begins with what is known has its newest at the end", () => {
  const entries = ["1", "2", "3"].map((key) => entry(key));
  const keys = (seen: readonly string[] | null) => newestFirst(seen, entries).map(({ key }) => key);
  expect(keys(["1", "2"])).toEqual(["3", "2", "1"]);
  expect(keys(["2", "3"])).toEqual(["1", "2", "3"]);
  expect(keys(null)).toEqual(["1", "2", "3"]);
});

test("a long document is read at both ends, with dates of RSS and Atom", () => {
  const items = Array.from({ length: 700 }, (_, at) => `<item><guid>${at}</guid></item>`).join("");
  const dated = "<item><guid>d</guid><pubDate>Thu, 01 Jan 2026 00:00:00 GMT</pubDate></item>";
  const read = readFeed(new TextEncoder().encode(`<rss><channel>${items}${dated}</channel></rss>`), "text/xml");
  const entries = "entries" in read ? read.entries : [];
  expect(entries.map(({ id }) => id)).toEqual(expect.arrayContaining(["0", "299", "699", "d"]));
  expect(entries.at(-1)?.at).toBe(Date.UTC(2026, 0, 1));
});
