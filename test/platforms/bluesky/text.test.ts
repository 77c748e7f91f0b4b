import { describe, test } from "vitest";
import { serverOrigin, toHandle } from "../../../src/platforms/bluesky/servers.ts";
import { facetsOf, findLinks, graphemes, mentionsIn, postText } from "../../../src/platforms/bluesky/text.ts";
import { newKeys } from "../../../src/platforms/bluesky/tids.ts";

const utf8 = new TextEncoder();
/** The bytes of the text that a facet names, as a text. */
const part = (text: string, { byteStart, byteEnd }: { byteStart: number; byteEnd: number }) =>
  new TextDecoder().decode(utf8.encode(text).slice(byteStart, byteEnd));

describe("texts", () => {
  test.for([
    ["Hello", 5],
    ["👨‍👩‍👧‍👦", 1],
    ["cafe\u0301", 4],
    ["🇫🇷 ok", 4],
  ] as const)("%j counts %i", ([text, count], { expect }) => {
    expect(graphemes(text)).toBe(count);
  });

  test("are limited in bytes too", ({ expect }) => {
    const family = "👨‍👩‍👧‍👦";
    expect(postText.problems?.(family.repeat(120))).toEqual([]);
    expect(postText.problems?.(family.repeat(121))).toHaveLength(1);
  });

  test("have links, mentions and hashtags at offsets in bytes", ({ expect }) => {
    const text = "Grüße 🔔 @Ada.bsky.social (https://example.com/a_(b)), #büro! and #1 at x@y.com";
    const facets = facetsOf(text, { "ada.bsky.social": "did:plc:ada" });
    expect(facets.map(({ index, features }) => [part(text, index), features[0]])).toEqual([
      ["@Ada.bsky.social", { $type: "app.bsky.richtext.facet#mention", did: "did:plc:ada" }],
      ["https://example.com/a_(b))", { $type: "app.bsky.richtext.facet#link", uri: "https://example.com/a_(b))" }],
      ["#büro", { $type: "app.bsky.richtext.facet#tag", tag: "büro" }],
    ]);
  });

  test("keep the mention of a handle without an account as text", ({ expect }) => {
    expect(facetsOf("Hi @nobody.example.org!", {})).toEqual([]);
    expect(mentionsIn("Hi @nobody.example.org!")).toEqual(["nobody.example.org"]);
  });

  test("have links of domains without a scheme, by their top-level domain", ({ expect }) => {
    const text = "belfry.de, (example.com/a?q=1) www.example.co.uk. shop.museum:8080/x! EXAMPLE.ORG";
    expect(findLinks(text).map(({ uri }) => uri)).toEqual([
      "https://belfry.de",
      "https://example.com/a?q=1",
      "https://www.example.co.uk",
      "https://shop.museum:8080/x",
      "https://EXAMPLE.ORG",
    ]);
    const none = "a@example.com @ada.bsky.social file.notatld v1.2 3.14 example.com@x foo.com_bar -x.com #a.com";
    expect(findLinks(none)).toEqual([]);
    const both = findLinks("https://a.example/x.com and b.com");
    expect(both.map(({ uri }) => uri)).toEqual(["https://a.example/x.com", "https://b.com"]);
  });

  test("have no tag in a keycap", ({ expect }) => {
    expect(facetsOf("#\ufe0f\u20e3 one #two", {}).map(({ features }) => features[0]?.tag)).toEqual(["two"]);
  });

  test("have links without the punctuation after them", ({ expect }) => {
    const links = findLinks("See https://a.example/x. (https://b.example/y) http:// https://c.example/?q=1&r=2!");
    expect(links.map(({ uri }) => uri)).toEqual([
      "https://a.example/x",
      "https://b.example/y",
      "https://c.example/?q=1&r=2",
    ]);
  });
});

test("record keys have thirteen characters and sort by time", ({ expect }) => {
  const keys = [...newKeys(1_795_176_000_000, 3), ...newKeys(1_795_176_000_010, 1)];
  for (const key of keys) expect(key).toMatch(/^[2-7a-j][2-7a-z]{12}$/);
  expect(keys).toEqual(keys.toSorted());
  expect(new Set(keys).size).toBe(4);
});

describe("servers", () => {
  test.for([
    ["https://pds.example.com", "https://pds.example.com"],
    ["https://pds.example.com/", "https://pds.example.com"],
    ["http://localhost:2583", "http://localhost:2583"],
    ["https://pds.example.com/path", null],
    ["https://user@pds.example.com", null],
    ["https://pds.example.com:8443", null],
    ["https://10.0.0.1", null],
    ["https://[::1]", null],
    ["https://intranet", null],
    ["https://box.local", null],
    ["http://pds.example.com", null],
    ["ftp://pds.example.com", null],
  ] as const)("%s is %s", ([address, origin], { expect }) => {
    expect(serverOrigin(address)).toBe(origin);
  });

  test.for([
    [" @Ada.BSKY.social ", "ada.bsky.social"],
    ["\u202aada.bsky.social\u202c", "ada.bsky.social"],
    ["ada", null],
    ["ada..social", null],
    ["ada.local", null],
    ["-ada.social", null],
  ] as const)("%j is the handle %s", ([text, handle], { expect }) => {
    expect(toHandle(text)).toBe(handle);
  });
});
