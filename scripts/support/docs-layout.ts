import { BASE_STYLE } from "../../src/pages/style.ts";

/** The frame of the pages at /docs: one style, and a small script for the search. */

export interface Page {
  /** Its path in the repository; null for a page that is generated from the OpenAPI document. */
  readonly file: string | null;
  /** Without an ending: `/docs/guides/publish`. */
  readonly path: string;
  readonly section: string;
  readonly title: string;
  readonly markdown: string;
}

export interface Heading {
  readonly depth: number;
  readonly id: string;
  readonly text: string;
}

export interface Rendered {
  readonly html: string;
  readonly headings: readonly Heading[];
  /** What the search finds: each part of the page, by the id of its heading. */
  readonly parts: readonly { readonly id: string; readonly heading: string; readonly text: string }[];
}

export const escapeHtml = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

/** Titles of the menu are shorter than those of pages. */
const short = (title: string) => escapeHtml(title.split(":")[0] ?? title);

export function pageHtml({ page, html, headings }: { readonly page: Page } & Rendered, pages: readonly Page[]): string {
  const own = headings.filter(({ depth }) => depth === 2 || (depth === 3 && page.path === "/docs/reference"));
  const toc = own.map(({ id, text, depth }) => `<li class="d${depth}"><a href="#${id}">${escapeHtml(text)}</a></li>`);
  const title = page.path === "/docs" ? "Belfry documentation" : `${page.title} · Belfry`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="stylesheet" href="/docs/docs.css">
<link rel="icon" href="/docs/icon.svg">
<link rel="alternate" type="text/markdown" href="${page.path}.md">
<script src="/docs/docs.js" defer></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header>
<a class="brand" href="/docs">${BELL}Belfry</a>
<form class="search" role="search" hidden><label class="hidden" for="q">Search the documentation</label>
<input id="q" type="search" placeholder="Search" autocomplete="off" aria-controls="found"><ul id="found" hidden></ul></form>
<a class="more" href="/docs/reference">Reference</a><a class="more" href="/console">Console</a>
</header>
<div class="page">
<details class="menu"><summary>Menu</summary><nav aria-label="Pages">${menu(page, pages)}</nav></details>
<main id="content">
${html}
<footer><a href="${page.path}.md">This page as Markdown</a></footer>
</main>
${toc.length > 1 ? `<nav class="toc" aria-label="On this page"><p>On this page</p><ul>${toc.join("")}</ul></nav>` : ""}
</div>
</body>
</html>
`;
}

function menu(current: Page, pages: readonly Page[]): string {
  const parts = Map.groupBy(
    pages.filter(({ section }) => section !== ""),
    ({ section }) => section,
  );
  return [...parts]
    .map(([section, own]) => {
      const links = own.map(({ path, title }) => {
        const here = path === current.path ? ' aria-current="page"' : "";
        return `<li><a href="${path}"${here}>${short(title)}</a></li>`;
      });
      return `<p>${section}</p><ul>${links.join("")}</ul>`;
    })
    .join("");
}

const SHAPE = `<path d="M12 3C8.4 3 6.4 5.6 6.4 9.2c0 4.3-1.2 6-2.4 7.3h16c-1.2-1.3-2.4-3-2.4-7.3C17.6 5.6 15.6 3 12 3z"/><path d="M9.8 19.5a2.3 2.3 0 0 0 4.4 0" stroke-linecap="round"/>`;
const BELL = `<svg viewBox="0 0 24 24" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="2" stroke-linejoin="round">${SHAPE}</svg>`;
export const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="none" stroke="#6d63ff" stroke-width="2" stroke-linejoin="round">${SHAPE}</svg>`;

export const DOCS_STYLE = `${BASE_STYLE}
:root{--paper:#fff;--code:#f6f5f9}
@media (prefers-color-scheme:dark){:root{--paper:#131217;--code:#1e1c24}}
html{scroll-padding-top:76px}
body{display:block}
.skip,.hidden{position:absolute;left:-9999px}
.skip:focus{left:12px;top:12px;z-index:9;padding:8px 12px;background:var(--card);border-radius:8px}
header{position:sticky;top:0;z-index:5;display:flex;align-items:center;gap:16px;height:60px;padding:0 24px;border-bottom:1px solid var(--line);background:var(--paper)}
header .brand{padding:0;color:inherit;text-decoration:none;font-size:17px}
header .more{color:var(--soft);text-decoration:none;font-size:15px}
header .more:hover{color:var(--ink)}
.search{position:relative;flex:1;max-width:420px;margin:0 auto}
.search[hidden]{display:block;visibility:hidden}
.search input{width:100%;height:40px;padding:0 14px;border:1px solid var(--soft);border-radius:10px;background:var(--card)}
#found{position:absolute;left:0;right:0;top:46px;max-height:70vh;overflow:auto;padding:6px;border:1px solid var(--line);border-radius:12px;background:var(--card);box-shadow:0 16px 40px rgba(20,16,40,.18)}
#found a{display:block;padding:8px 10px;border-radius:8px;color:inherit;text-decoration:none}
#found a:hover,#found a:focus{background:var(--fill)}
#found b{display:block;font-weight:600}
#found span,#found li.none{font-size:14px;color:var(--soft)}
#found li.none{padding:8px 10px}
.page{display:grid;grid-template-columns:minmax(0,1fr);max-width:1320px;margin:0 auto}
.menu{border-bottom:1px solid var(--line);padding:0 16px}
.menu summary{display:flex;align-items:center;min-height:48px;font-weight:600;cursor:pointer}
.menu nav{padding-bottom:20px}
nav p{margin:20px 0 4px;font-size:13px;font-weight:600;color:var(--soft)}
nav a{display:block;padding:5px 10px;margin:0 -10px;border-radius:8px;color:inherit;text-decoration:none;font-size:15px;overflow-wrap:anywhere}
nav a:hover{background:var(--fill)}
nav a[aria-current=page]{background:var(--tint);color:var(--accent);font-weight:600}
main{min-width:0;padding:28px 16px 80px}
main>*{max-width:720px}
main>:is(.table,.code){max-width:840px}
h1{font-size:32px;margin-bottom:16px}
h2{font-size:22px;line-height:1.3;letter-spacing:-.01em;margin:44px 0 12px;padding-top:24px;border-top:1px solid var(--line);overflow-wrap:anywhere}
h3{font-size:18px;line-height:1.35;margin:36px 0 8px;overflow-wrap:anywhere}
.anchor{color:var(--soft);font-weight:400;text-decoration:none;opacity:0}
:is(h2,h3,h4):hover .anchor,.anchor:focus{opacity:1}
main p,main li{line-height:1.65;overflow-wrap:anywhere}
main p,main ul,main ol,main .table,main .code{margin:0 0 16px}
main ul{list-style:disc}
main :is(ul,ol){padding-left:24px}
main li{margin-bottom:6px}
main img{max-width:100%;height:auto;border:1px solid var(--line);border-radius:12px}
code,pre{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.875em}
:not(pre)>code{padding:.12em .35em;border-radius:5px;background:var(--code);overflow-wrap:anywhere}
.code{position:relative}
pre{margin:0;padding:14px 16px;border:1px solid var(--line);border-radius:12px;background:var(--code);overflow:auto;max-height:520px;line-height:1.55;font-size:14px}
pre code{font-size:inherit}
.copy{position:absolute;top:8px;right:8px;padding:4px 10px;border:1px solid var(--line);border-radius:8px;background:var(--card);font:13px/1.4 system-ui,sans-serif;cursor:pointer}
.table{overflow-x:auto;border:1px solid var(--line);border-radius:12px}
table{border-collapse:collapse;width:100%;font-size:15px;line-height:1.5}
th,td{padding:9px 14px;text-align:left;vertical-align:top;min-width:88px}
td:last-child{min-width:220px}
td code{overflow-wrap:normal}
th{font-weight:600;font-size:14px;color:var(--soft);white-space:nowrap}
tbody tr{border-top:1px solid var(--line)}
tr:has(:target){background:var(--tint)}
td strong{display:block;font-size:12px;font-weight:600;color:var(--accent)}
footer{margin-top:56px;padding-top:20px;border-top:1px solid var(--line);font-size:14px}
.toc{display:none}
@media (max-width:480px){header{padding:0 16px;gap:12px}header .more{display:none}h1{font-size:27px}}
@media (min-width:900px){
.page{grid-template-columns:248px minmax(0,1fr)}
.menu{padding:0 24px;border:0;border-right:1px solid var(--line);position:sticky;top:60px;height:calc(100vh - 60px);overflow:auto;scrollbar-width:thin}
.menu summary{display:none}
main{padding:40px 48px 96px}
}
@media (min-width:1240px){
.page:has(.toc){grid-template-columns:248px minmax(0,1fr) 220px}
.toc{display:block;position:sticky;top:60px;height:calc(100vh - 60px);overflow:auto;scrollbar-width:thin;padding:24px 16px}
.toc a{font-size:14px;color:var(--soft)}
.toc .d3 a{padding-left:22px}
.toc ul{margin:0;padding:0}
}
`;

/** Opens the menu where there is room, copies blocks, and searches the parts of all pages. */
export const DOCS_SCRIPT = `const menu = document.querySelector(".menu");
const wide = matchMedia("(min-width:900px)");
const fit = () => { menu.open = wide.matches; };
fit();
wide.addEventListener("change", fit);

for (const pre of document.querySelectorAll("pre")) {
  const button = document.createElement("button");
  button.className = "copy";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(pre.querySelector("code").textContent);
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  });
  pre.parentElement.append(button);
}

const form = document.querySelector(".search");
const input = form.querySelector("input");
const list = document.getElementById("found");
let parts = null;
form.hidden = false;
form.addEventListener("submit", (event) => {
  event.preventDefault();
  list.querySelector("a")?.click();
});
input.addEventListener("focus", async () => {
  parts ??= fetch("/docs/search.json").then((answer) => answer.json());
});
input.addEventListener("input", async () => {
  const words = input.value.toLowerCase().split(/\\s+/).filter(Boolean);
  parts ??= fetch("/docs/search.json").then((answer) => answer.json());
  const all = await parts;
  list.hidden = words.length === 0;
  list.replaceChildren(...(words.length === 0 ? [] : found(all, words)));
});
addEventListener("keydown", (event) => {
  if (event.key === "Escape") list.hidden = true;
  if (event.key !== "/" || /INPUT|TEXTAREA/.test(document.activeElement.tagName)) return;
  event.preventDefault();
  input.focus();
});

/** A word counts most in a heading, then in the title, then in the text. All words are required. */
function found(all, words) {
  const rated = all.map((part) => {
    const [, , title, heading, text] = part.map((one) => one.toLowerCase());
    const points = words.map((word) => (heading.includes(word) ? 4 : 0) + (title.includes(word) ? 2 : 0) + (text.includes(word) ? 1 : 0));
    return { part, points: points.includes(0) ? 0 : points.reduce((a, b) => a + b) };
  });
  const best = rated.filter(({ points }) => points > 0).sort((a, b) => b.points - a.points).slice(0, 10);
  if (best.length === 0) return [Object.assign(document.createElement("li"), { className: "none", textContent: "Nothing found." })];
  return best.map(({ part: [path, id, title, heading] }) => {
    const link = document.createElement("a");
    link.href = path + "#" + id;
    link.append(Object.assign(document.createElement("b"), { textContent: heading }));
    link.append(Object.assign(document.createElement("span"), { textContent: title }));
    const item = document.createElement("li");
    item.append(link);
    return item;
  });
}
`;
