import { Parser } from "htmlparser2";
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

/** `base`: the address of the feed. Pure. */
export function entryValues({ title, link, summary, author, image }: Entry, base: string): EntryValues {
  return {
    title: inOneLine(plain(title)).slice(0, MAX_TITLE).toWellFormed(),
    link: addressIn(link, base),
    summary: plain(summary).slice(0, MAX_SUMMARY).toWellFormed(),
    author: inOneLine(author).slice(0, MAX_TITLE).toWellFormed(),
    image: addressIn(image, base),
  };
}

const inOneLine = (text: string): string => text.replace(/\s+/g, " ").trim();

function addressIn(text: string, base: string): string {
  const url = text === "" || text.length > MAX_ADDRESS ? null : URL.parse(text, base);
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
