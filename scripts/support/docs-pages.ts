import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, posix } from "node:path";
import { Marked, type MarkedExtension } from "marked";
import { escapeHtml, type Heading, type Page, pageHtml, type Rendered } from "./docs-layout.ts";
import { referencePage } from "./docs-reference.ts";
import { ROOT } from "./paths.ts";

/**
 * The pages at /docs, made of the Markdown of this repository and of the OpenAPI document: each as HTML, and
 * as its Markdown twin. The first heading of a file is its title.
 */

/** The files of each part of the menu, in order. Files of the last part are not in the menu. */
const SECTIONS: Readonly<Record<string, readonly string[]>> = {
  Guides: [
    "start",
    "connect",
    "publish",
    "schedule",
    "feeds",
    "media",
    "failures",
    "webhooks",
    "bots",
    "comments",
    "messages",
    "generation",
    "boosts",
    "insights",
    "limits",
    "sandbox",
    "live",
    "agents",
    "n8n",
    "api",
  ].map((name) => `docs/guides/${name}.md`),
  Reference: ["docs/openapi.json", "docs/errors.md", "client/README.md"],
  Operating: ["deploy", "operate", "console", "costs", "scale", "models", "banners", "proof"].map(
    (name) => `docs/${name}.md`,
  ),
  Platforms: filesOf("docs/platforms"),
  Inside: ["architecture", "storage", "testing", "words"].map((name) => `docs/${name}.md`),
  "": ["sandbox/README.md", "CONTRIBUTING.md", "SECURITY.md", ...filesOf("docs/decisions")],
};

function filesOf(folder: string): readonly string[] {
  return readdirSync(join(ROOT, folder)).map((name) => `${folder}/${name}`);
}

/** All pages; the first one is the index. */
function readPages(): readonly Page[] {
  const others = Object.entries(SECTIONS).flatMap(([section, files]) => files.map((file) => pageOf(file, section)));
  return [pageOf("docs/README.md", ""), ...others];
}

function pageOf(file: string, section: string): Page {
  const markdown = file.endsWith(".json") ? referencePage() : readFileSync(join(ROOT, file), "utf8");
  const title = /^# (.+)$/m.exec(markdown)?.[1] ?? basename(file);
  return { file, path: pathOf(file), section, title, markdown };
}

function pathOf(file: string): string {
  if (file === "docs/README.md") return "/docs";
  if (file === "docs/openapi.json") return "/docs/reference";
  if (!file.startsWith("docs/")) return `/docs/${file.replace(/(\/README)?\.md$/, "").toLowerCase()}`;
  return `/${file.replace(/\.md$/, "")}`;
}

/** The HTML of a page's Markdown. Links to files that have no page keep their text only. */
function renderMarkdown({ file, markdown }: Page, pathByFile: ReadonlyMap<string, string>): Rendered {
  const headings: Heading[] = [];
  const renderer: MarkedExtension["renderer"] = {
    heading({ depth, tokens, text }) {
      const own = /<a id="([^"]+)">/.exec(text)?.[1];
      const plain = plainText(text);
      const id = own ?? uniqueId(slug(plain), headings);
      headings.push({ depth, id, text: plain });
      const inner = this.parser.parseInline(tokens).replace(/<a id="[^"]+">(<\/a>)?/, "");
      const mark =
        depth === 1 ? "" : ` <a class="anchor" href="#${id}" aria-label="Link to ${escapeHtml(plain)}">#</a>`;
      return `<h${depth} id="${id}">${inner}${mark}</h${depth}>\n`;
    },
    link({ href, tokens }) {
      const inner = this.parser.parseInline(tokens);
      const target = targetOf(href, file ?? "docs/openapi.json", pathByFile);
      return target === null ? inner : `<a href="${escapeHtml(target)}">${inner}</a>`;
    },
    image({ href, text }) {
      // Nothing is loaded from other hosts.
      if (href.startsWith("https:")) return escapeHtml(text);
      return `<img src="/docs/${escapeHtml(basename(href))}" alt="${escapeHtml(text)}" loading="lazy">`;
    },
    code({ text }) {
      return `<div class="code"><pre tabindex="0"><code>${escapeHtml(text)}</code></pre></div>\n`;
    },
  };
  const marked = new Marked({ gfm: true, renderer });
  const html = String(marked.parse(markdown.replaceAll(/<!--[\s\S]*?-->\n?/g, "")))
    .replaceAll("<table>", '<div class="table" role="group" aria-label="Table" tabindex="0"><table>')
    .replaceAll("</table>", "</table></div>");
  return { html, headings, parts: partsOf(html, headings) };
}

function targetOf(href: string, file: string, pathByFile: ReadonlyMap<string, string>): string | null {
  if (/^(https?:|mailto:|#|\/)/.test(href)) return href;
  const [path = "", hash] = href.split("#");
  const named = posix.join(dirname(file), path);
  const target = pathByFile.get(named) ?? (named === "README.md" || named === "docs" ? "/docs" : undefined);
  if (target === undefined) return null;
  return hash === undefined ? target : `${target}#${hash}`;
}

function partsOf(html: string, headings: readonly Heading[]): Rendered["parts"] {
  const pieces = html.split(/<h[1-3] id="/).slice(1);
  return pieces.map((piece) => {
    const id = piece.slice(0, piece.indexOf('"'));
    const heading = headings.find((one) => one.id === id)?.text ?? "";
    const text = plainText(piece.slice(piece.indexOf("</h"))).slice(0, MOST_SEARCHED);
    return { id, heading, text };
  });
}

/** Characters of a part that the search looks through. */
const MOST_SEARCHED = 400;

const plainText = (text: string) =>
  text
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/[`*]/g, "")
    .replaceAll(/&lt;/g, "<")
    .replaceAll(/&gt;/g, ">")
    .replaceAll(/&quot;/g, '"')
    .replaceAll(/&#39;/g, "'")
    .replaceAll(/&amp;/g, "&")
    .replaceAll(/\s+/g, " ")
    .trim();

/** As GitHub makes the ids of headings, so that one link works in both places. */
const slug = (text: string) =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");

function uniqueId(id: string, headings: readonly Heading[]): string {
  const same = headings.filter((one) => one.id === id || one.id.replace(/-\d+$/, "") === id).length;
  return same === 0 ? id : `${id}-${same}`;
}

/** Every file of /docs and /llms.txt: its path below dist/assets, and its text. */
export function docsFiles(): readonly (readonly [string, string])[] {
  const pages = readPages();
  const pathByFile = new Map(pages.flatMap(({ file, path }) => (file === null ? [] : [[file, path] as const])));
  const rendered = pages.map((page) => ({ page, ...renderMarkdown(page, pathByFile) }));
  const index = rendered.flatMap(({ page, parts }) =>
    parts.map(({ id, heading, text }) => [page.path, id, page.title, heading, text]),
  );
  return [
    ...rendered.map((one) => [`${one.page.path.slice(1)}.html`, pageHtml(one, pages)] as const),
    ...pages.map(({ path, markdown }) => [`${path.slice(1)}.md`, markdown] as const),
    ["docs/search.json", JSON.stringify(index)],
    ["llms.txt", llmsText(pages)],
  ];
}

/** By the convention of llmstxt.org. */
function llmsText(pages: readonly Page[]): string {
  const parts = Map.groupBy(pages, ({ section }) => section);
  const lists = [...parts].map(([section, own]) => {
    const links = own.map(({ path, title }) => `- [${title}](${path}.md)`).join("\n");
    return `## ${section || "Optional"}\n\n${links}\n`;
  });
  return `# Belfry

> A social publishing service: one HTTP API that connects channels, publishes and schedules posts, generates content, answers
> comments and boosts posts. Each post is published exactly once, or has a clear error.

The OpenAPI document is at /api/v1/openapi.json. Agents use the tools at /mcp.

${lists.sort((a, b) => Number(a.startsWith("## Optional")) - Number(b.startsWith("## Optional"))).join("\n")}`;
}
