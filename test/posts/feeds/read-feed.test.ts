import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { answerProblem } from "../../../src/core/answer-problems.ts";
import { entryValues } from "../../../src/posts/feeds/entry-values.ts";
import { type Feed, MAX_ENTRIES, readFeed } from "../../../src/posts/feeds/read-feed.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const BASE = "https://blog.test/feeds/all.xml";

function feedOf(document: string | Uint8Array, type = "application/xml"): Feed {
  const feed = readFeed(typeof document === "string" ? bytes(document) : document, type);
  if ("problem" in feed) throw new Error(feed.problem.kind);
  return feed;
}

const valuesOf = (document: string) => feedOf(document).entries.map((entry) => entryValues(entry, BASE));

const rss = (items: string) =>
  `<?xml version="1.0"?><rss version="2.0"><channel><title>News</title>${items}</channel></rss>`;
const atom = (entries: string) => `<feed xmlns="http://www.w3.org/2005/Atom"><title>News</title>${entries}</feed>`;

test("RSS 2.0: guid, HTML in texts, the creator, and a picture", () => {
  const document = rss(`<link>https://blog.test/</link><item><title>Bread &amp;amp; butter</title>
    <link>/posts/1</link><guid isPermaLink="false">tag:1</guid><dc:creator>Ana Ruiz</dc:creator>
    <description><![CDATA[<p>Fresh&nbsp;rolls<br>daily</p><script>alert(1)</script><ul><li>Rye</li><li>Spelt</li></ul>]]></description>
    <enclosure url="https://blog.test/a.mp3" type="audio/mpeg"/><enclosure url="/1.jpg" type="image/jpeg"/></item>`);
  expect(feedOf(document)).toMatchObject({ title: "News", entries: [{ id: "tag:1" }] });
  expect(valuesOf(document)).toEqual([
    {
      title: "Bread & butter",
      link: "https://blog.test/posts/1",
      summary: "Fresh rolls\ndaily\n\nRye\n\nSpelt",
      author: "Ana Ruiz",
      image: "https://blog.test/1.jpg",
    },
  ]);
});

test("Atom: links by their relation, plain texts, HTML and XHTML", () => {
  const entry = (texts: string) =>
    `<entry><id>urn:1</id><link rel="edit" href="/edit"/><link href="/posts/1"/>${texts}
      <author><name>Ana</name><uri>https://ana.test</uri></author></entry>`;
  expect(
    valuesOf(atom(entry("<title>1 &lt; 2 &amp; so on</title><summary type='html'>&lt;b&gt;So&lt;/b&gt;</summary>"))),
  ).toEqual([{ title: "1 < 2 & so on", link: "https://blog.test/posts/1", summary: "So", author: "Ana", image: "" }]);
  const xhtml = "<content type='xhtml'><div xmlns='http://www.w3.org/1999/xhtml'><p>One</p><p>Two</p></div></content>";
  expect(valuesOf(atom(entry(`<title type="html">A &amp;amp; B</title>${xhtml}`)))).toMatchObject([
    { title: "A & B", summary: "One Two" },
  ]);
});

test("RSS 1.0: entries beside the channel, by their rdf:about", () => {
  const item = `<item rdf:about="https://blog.test/1"><title>One</title></item>`;
  const feed = feedOf(`<rdf:RDF><channel><title>News</title></channel>${item}</rdf:RDF>`);
  expect(feed.entries).toMatchObject([{ id: "https://blog.test/1", link: "https://blog.test/1" }]);
});

test("an entry without guid has its link; without both it is left out, as is one that is not closed", () => {
  const items = "<item><link>https://a.test/1</link></item><item><title>x</title></item><item><guid>cut";
  expect(feedOf(rss(items).replace("</channel></rss>", "")).entries.map(({ id }) => id)).toEqual(["https://a.test/1"]);
  expect(feedOf(rss("<item><guid>cut</guid>")).entries).toEqual([]);
});

test("the encoding is that of the content type, the declaration, or the mark at the beginning", () => {
  const text = rss("<item><guid>1</guid><title>Bäckerei</title></item>");
  const latin = Uint8Array.from(text, (letter) => letter.charCodeAt(0));
  const declared = text.replace("?>", ' encoding="ISO-8859-1"?>');
  const wide = Uint8Array.from([0xff, 0xfe, ...[...text].flatMap((letter) => [letter.charCodeAt(0), 0])]);
  for (const feed of [
    feedOf(text),
    feedOf(latin, "text/xml; charset=iso-8859-1"),
    feedOf(Uint8Array.from(declared, (letter) => letter.charCodeAt(0))),
    feedOf(wide),
    feedOf(text, "text/xml; charset=nonsense"),
  ]) {
    expect(feed.entries.map(({ title }) => title.text)).toEqual(["Bäckerei"]);
  }
});

test.for(["", "{}", "<html><body>No</body></html>", "plain text", "<opml/>"])("%s is no feed", (document) => {
  expect(readFeed(bytes(document), "text/html")).toEqual({ problem: answerProblem("no_feed") });
});

describe("a hostile feed", () => {
  test("with entities of its own expands none", () => {
    const laughs = `<!DOCTYPE rss [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;"><!ENTITY x SYSTEM "file:///etc/passwd">]>`;
    const document = `${laughs}${rss("<item><guid>1</guid><title>&b;&x;</title></item>").replace(/^<\?.*?\?>/, "")}`;
    expect(feedOf(document).entries.map(({ title }) => title.text)).toEqual(["&b;&x;"]);
  });

  test("with 100,000 entries is read to its limit, in bounded time", () => {
    const items = Array.from({ length: 100_000 }, (_, at) => `<item><guid>${at}</guid></item>`).join("");
    const begun = performance.now();
    expect(feedOf(rss(items)).entries).toHaveLength(MAX_ENTRIES);
    expect(performance.now() - begun).toBeLessThan(2_000);
  });

  test("with deep elements, long texts and many attributes takes the time of its bytes", () => {
    const begun = performance.now();
    expect(readFeed(bytes(`<rss>${"<a>".repeat(1_000_000)}`), "")).toEqual({
      problem: answerProblem("feed_nested"),
    });
    const item = `<item><guid>1</guid><title>${"x".repeat(2_000_000)}</title><media:content ${"a='b' ".repeat(200_000)}/></item>`;
    expect(feedOf(rss(item)).entries[0]?.title.text).toHaveLength(8_000);
    expect(performance.now() - begun).toBeLessThan(4_000);
  });

  test("of any text throws nothing, and has bounded values", () => {
    const piece = fc.constantFrom(
      "<rss>",
      "<channel>",
      "<item>",
      "</item>",
      "<guid>",
      "</guid>",
      "<link href='",
      "'/>",
      "<![CDATA[",
      "]]>",
      "&#",
      "&amp;",
      "<title>",
      "</title>",
      "x",
      "<feed>",
      "<entry>",
      "</entry>",
      "<!--",
      "-->",
      "<?",
      "javascript:1",
      "\ud800",
      "\n",
    );
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 60 }),
        fc.constantFrom("<rss>", "<feed>", "<rss><channel>", ""),
        (pieces, root) => {
          const feed = readFeed(bytes(`${root}<item><guid>1</guid>${pieces.join("")}</item>`), "text/xml");
          expect("problem" in feed).toBe(root === "");
          if ("problem" in feed) return;
          for (const entry of feed.entries) {
            const { link, image, title } = entryValues(entry, BASE);
            expect(entry.id).not.toBe("");
            expect([link, image].every((one) => one === "" || /^https?:/.test(one))).toBe(true);
            expect(title.isWellFormed()).toBe(true);
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});
