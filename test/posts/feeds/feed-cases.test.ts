import { expect, test } from "vitest";
import { entryValues } from "../../../src/posts/feeds/entry-values.ts";
import { readFeed } from "../../../src/posts/feeds/read-feed.ts";

/** What feeds of real programs leave to their readers: relative addresses, and pictures in odd places. */

const BASE = "https://blog.test/feeds/all.xml";
const bytes = (text: string) => new TextEncoder().encode(text);

function valuesOf(document: string | Uint8Array, address = BASE) {
  const feed = readFeed(typeof document === "string" ? bytes(document) : document, "application/xml");
  if ("problem" in feed) throw new Error(feed.problem.kind);
  return feed.entries.map((entry) => entryValues(entry, address));
}

const rss = (items: string, channel = "") =>
  `<?xml version="1.0"?><rss version="2.0" xmlns:media="http://search.yahoo.com/mrss/"><channel>${channel}${items}</channel></rss>`;
const item = (inner: string) => `<item><guid>1</guid>${inner}</item>`;
const atom = (entry: string, attributes = "") =>
  `<feed xmlns="http://www.w3.org/2005/Atom" ${attributes}><entry><id>1</id>${entry}</entry></feed>`;

test.for([
  [
    "the feed's xml:base",
    atom(`<link href="posts/9"/>`, `xml:base="https://site.test/en/"`),
    "https://site.test/en/posts/9",
  ],
  [
    "the entry's xml:base, before the feed's",
    atom("", `xml:base="https://site.test/en/"`).replace(
      "<entry>",
      `<entry xml:base="https://other.test/a/"><link href="b"/>`,
    ),
    "https://other.test/a/b",
  ],
  [
    "an entry's xml:base that is relative to the feed's",
    atom("", `xml:base="/en/"`).replace("<entry>", `<entry xml:base="2030/"><link href="b"/>`),
    "https://blog.test/en/2030/b",
  ],
  [
    "the site of RSS",
    rss(item("<link>/posts/5</link>"), "<link>https://www.site.test/</link>"),
    "https://www.site.test/posts/5",
  ],
  [
    "the site that RSS names after its entries",
    rss(`${item("<link>/posts/5</link>")}<link>https://www.site.test/</link>`),
    "https://www.site.test/posts/5",
  ],
  [
    "the site, not that of its picture",
    rss(item("<link>/a</link>"), "<image><link>https://img.test/</link></image>"),
    "https://blog.test/a",
  ],
  [
    "xml:base in RSS, before the site",
    rss(item("<link>a</link>"), "<link>https://www.site.test/</link>").replace(
      "<channel>",
      `<channel xml:base="https://base.test/x/">`,
    ),
    "https://base.test/x/a",
  ],
  ["the address of the feed", atom(`<link href="../posts/9"/>`), "https://blog.test/posts/9"],
  [
    "an address that is escaped twice",
    rss(item("<link>https://a.test/?x=1&amp;amp;y=2</link>")),
    "https://a.test/?x=1&y=2",
  ],
] as const)("a link is relative to %s", ([, document, link]) => {
  expect(valuesOf(document).map((values) => values.link)).toEqual([link]);
});

const html = (text: string) => `<content:encoded><![CDATA[${text}]]></content:encoded>`;

test.for([
  [
    "an enclosure before all others",
    `${html(`<img src="/b.jpg">`)}<enclosure url="/a.jpg" type="image/jpeg"/>`,
    "https://blog.test/a.jpg",
  ],
  [
    "the cover of an episode",
    `<enclosure url="/a.mp3" type="audio/mpeg"/><itunes:image href="/cover.jpg"/>`,
    "https://blog.test/cover.jpg",
  ],
  [
    "the thumbnail of a group",
    `<media:group><media:content url="/v" type="video/mp4"/><media:thumbnail url="/t.jpg"/></media:group>`,
    "https://blog.test/t.jpg",
  ],
  [
    "a picture of a group that names no type",
    `<media:group><media:content url="/p.png?w=1"/></media:group>`,
    "https://blog.test/p.png?w=1",
  ],
  [
    "an address that is escaped twice",
    `<media:content url="https://i.test/x.jpg?fit=1%2C2&amp;#038;ssl=1" medium="image"/>`,
    "https://i.test/x.jpg?fit=1%2C2&ssl=1",
  ],
  [
    "the first picture of the content",
    `<description>Short</description>${html(`<p>x</p><figure><img width="1024" src="/a-1024.jpg?x=1&#038;y=2" alt="z"/></figure><img src="/b.jpg">`)}`,
    "https://blog.test/a-1024.jpg?x=1&y=2",
  ],
  [
    "the first picture of the description",
    `<description>&lt;img src="https://a.test/m.png" class="wp-post-image"/&gt;&lt;p&gt;text&lt;/p&gt;</description>`,
    "https://a.test/m.png",
  ],
  [
    "what a page loads late",
    html(`<img src="data:image/gif;base64,R0lGOD" data-src="/late.jpg">`),
    "https://blog.test/late.jpg",
  ],
  [
    "no emoji and no pixel that counts readers",
    html(`<img src="https://s.w.org/e.svg" class="emoji"><img src="/p.gif" width="1" height="1"><img src="/a.jpg">`),
    "https://blog.test/a.jpg",
  ],
  ["nothing where there is none", html(`<p>img src="/x.jpg"</p>`), ""],
] as const)("{image} is %s", ([, inner, image]) => {
  expect(valuesOf(rss(item(inner))).map((values) => values.image)).toEqual([image]);
});

test("{image} of XHTML is its first picture", () => {
  const content = `<content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>x</p><img src="a.jpg"/><img src="b.jpg"/></div></content>`;
  expect(valuesOf(atom(content, `xml:base="https://site.test/en/"`))).toMatchObject([
    { image: "https://site.test/en/a.jpg" },
  ]);
});

test("{summary} of a video is its description, with its lines", () => {
  const group = `<media:group><media:title>Vid</media:title><media:description>Line one

Line two &lt;3 #tag</media:description></media:group>`;
  expect(valuesOf(atom(group))).toMatchObject([{ summary: "Line one\n\nLine two <3 #tag" }]);
  expect(valuesOf(rss(item(`<description>Own</description>${group}`)))).toMatchObject([{ summary: "Own" }]);
});

test("a feed that is not the UTF-8 that it says has no replacement characters", () => {
  const document = rss(item("<title>Cr\xe8me</title>")).replace("?>", ' encoding="UTF-8"?>');
  expect(valuesOf(Uint8Array.from(document, (letter) => letter.charCodeAt(0)))).toMatchObject([{ title: "Crème" }]);
});
