import { Parser } from "htmlparser2";
import { pictureSources } from "./inner-picture.ts";
import type { Entry, EntryText } from "./read-feed.ts";

/** What the placeholders of a template stand for. Texts are plain; addresses are absolute, or empty. */
export interface EntryValues {
  readonly title: string;
  readonly link: string;
  readonly summary: string;
  readonly author: string;
  readonly image: string;
}

const MAX_TITLE = 500;
const MAX_SUMMARY = 3_000;
const MAX_ADDRESS = 2_048;

/** `address`: that of the feed. Pure. */
export function entryValues(entry: Entry, address: string): EntryValues {
  const { title, link, summary, content, author, image } = entry;
  const base = baseOf(entry, address);
  return {
    title: inOneLine(plain(title)).slice(0, MAX_TITLE).toWellFormed(),
    link: addressIn(link, base),
    summary: plain(summary).slice(0, MAX_SUMMARY).toWellFormed(),
    author: inOneLine(author).slice(0, MAX_TITLE).toWellFormed(),
    image: addressIn(image, base) || pictureIn(content, base) || pictureIn(summary, base),
  };
}

/** What the entry's addresses are relative to: its own `xml:base`, else the feed's, the site, the feed. */
export function baseOf({ bases }: Pick<Entry, "bases">, address: string): string {
  return bases.reduce((base, next) => addressIn(next, base) || base, address);
}

const inOneLine = (text: string): string => text.replace(/\s+/g, " ").trim();

function addressIn(text: string, base: string): string {
  // Some feeds escape an address twice; no address has `&amp;` in it.
  const once = text.replaceAll(/&(?:amp|#0{0,4}38|#x0{0,4}26);/gi, "&");
  const url = once === "" || once.length > MAX_ADDRESS ? null : URL.parse(once, base);
  return url && /^https?:$/.test(url.protocol) ? url.href : "";
}

function plain({ text, isHtml }: EntryText): string {
  return tidy(isHtml && /[<&]/.test(text) ? textOf(text) : text);
}

/** Single spaces, and at most one empty line between two lines. */
function tidy(text: string): string {
  return text
    .replace(/[^\S\n]+/g, " ")
    .replace(/ ?\n ?/g, "\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}

/** The address of the first picture of HTML; empty without one. */
function pictureIn({ text, isHtml }: EntryText, base: string): string {
  if (!isHtml || !/<img\b/i.test(text)) return "";
  let found = "";
  const parser = new Parser({
    onopentag(tag, attributes) {
      if (found !== "" || tag !== "img") return;
      const sources = pictureSources(new Map(Object.entries(attributes)));
      found = sources.map((one) => addressIn(one, base)).find((one) => one !== "") ?? "";
    },
  });
  parser.end(text);
  return found;
}

const BLOCKS = new Set(["p", "div", "h1", "h2", "h3", "h4", "blockquote", "ul", "ol", "table", "figure", "pre"]);
const LINES = new Set(["br", "li", "tr", "figcaption"]);
const SILENT = new Set(["script", "style", "template", "iframe", "noscript"]);

/** The text of HTML, with a line for each paragraph. */
function textOf(html: string): string {
  let text = "";
  let silent = 0;
  const lineOf = (tag: string) => (BLOCKS.has(tag) ? "\n\n" : LINES.has(tag) ? "\n" : "");
  const parser = new Parser({
    onopentagname(tag) {
      if (SILENT.has(tag)) silent += 1;
      text += lineOf(tag);
    },
    onclosetag(tag) {
      if (SILENT.has(tag)) silent -= 1;
      if (tag !== "br") text += lineOf(tag);
    },
    ontext(piece) {
      if (silent === 0) text += piece.replace(/\s+/g, " ");
    },
  });
  parser.end(html);
  return text;
}
