import { Parser } from "htmlparser2";
import { type AnswerProblem, answerProblem } from "../../core/answer-problems.ts";
import { charsetNamed } from "../../core/text-faults.ts";
import { pictureSources } from "./inner-picture.ts";

/**
 * Reads RSS 2.0, RSS 1.0 and Atom. Pure. The parser expands no entity but the five of XML and numbers, and
 * continues after errors, as readers of feeds do. Entries, depth and texts are bounded: a hostile feed costs
 * the time of one pass over its bytes.
 */

/** An entry as it stands in the feed. */
export interface Entry {
  /** Its guid or id, else its link: an entry without either is left out. */
  readonly id: string;
  readonly title: EntryText;
  readonly link: string;
  readonly summary: EntryText;
  /** The whole text, in which a picture may be; empty if the feed has only a summary. */
  readonly content: EntryText;
  readonly author: string;
  /** What the feed names as its picture. */
  readonly image: string;
  /** What its addresses are relative to, each to the one before it, the first one to the feed's address. */
  readonly bases: readonly string[];
  /** When it was published, in milliseconds; null without a date that can be read. */
  readonly at: number | null;
}

export interface EntryText {
  readonly text: string;
  readonly isHtml: boolean;
}

export interface Feed {
  readonly title: string;
  /** As in the document: usually the newest first. */
  readonly entries: readonly Entry[];
}

/**
 * Of a longer document, so many entries of its beginning and as many of its end: the newest are at either.
 */
const MAX_AT_AN_END = 300;
export const MAX_ENTRIES = 2 * MAX_AT_AN_END;
/** Entries after these are not read. */
const MAX_SCANNED = 5_000;
const MAX_DEPTH = 64;
const MAX_TEXT = 8_000;
const MAX_DATE = 60;
const MAX_ATTRIBUTE = 2_048;
const CHUNK_BYTES = 16 * 1024;

/** The feed, or why it is none. */
export function readFeed(body: Uint8Array, contentType: string): Feed | { readonly problem: AnswerProblem } {
  const reader = new Reader();
  const parser = new Parser(reader, { xmlMode: true });
  const decoder = new TextDecoder(encodingOf(body, contentType));
  for (let at = 0; at < body.byteLength && !reader.isDone; at += CHUNK_BYTES) {
    const chunk = body.subarray(at, at + CHUNK_BYTES);
    parser.write(decoder.decode(chunk, { stream: at + CHUNK_BYTES < body.byteLength }));
  }
  // Without `end`: an entry that the document does not close is incomplete.
  if (reader.problem !== null) return { problem: reader.problem };
  return reader.hasRoot ? { title: reader.title, entries: reader.entries } : { problem: NO_FEED };
}

const NO_FEED = answerProblem("no_feed");
const ROOTS = new Set(["rss", "feed", "rdf:rdf"]);

/**
 * By the mark at the beginning, the content type, or the declaration; UTF-8 otherwise. What is not UTF-8 then
 * is read as Windows-1252, as browsers do: no letter becomes a replacement character.
 */
function encodingOf(body: Uint8Array, contentType: string): string {
  const [first, second] = body;
  if (first === 0xff && second === 0xfe) return "utf-16le";
  if (first === 0xfe && second === 0xff) return "utf-16be";
  const head = new TextDecoder("latin1").decode(body.subarray(0, 200));
  const label = /charset="?([\w-]{1,40})/i.exec(contentType)?.[1] ?? /encoding=["']([\w-]{1,40})/.exec(head)?.[1];
  const named = (label === undefined ? null : charsetNamed(label)) ?? "utf-8";
  return named === "utf-8" && !isUtf8(body) ? "windows-1252" : named;
}

function isUtf8(body: Uint8Array): boolean {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });
  try {
    for (let at = 0; at < body.byteLength; at += CHUNK_BYTES) {
      decoder.decode(body.subarray(at, at + CHUNK_BYTES), { stream: at + CHUNK_BYTES < body.byteLength });
    }
    return true;
  } catch {
    return false;
  }
}

type FieldName = "id" | "title" | "link" | "summary" | "content" | "described" | "author" | "published" | "updated";

const FIELDS: ReadonlyMap<string, FieldName> = new Map([
  ["guid", "id"],
  ["id", "id"],
  ["title", "title"],
  ["link", "link"],
  ["description", "summary"],
  ["summary", "summary"],
  ["content:encoded", "content"],
  ["content", "content"],
  ["media:description", "described"],
  ["dc:creator", "author"],
  ["pubdate", "published"],
  ["published", "published"],
  ["dc:date", "published"],
  ["updated", "updated"],
]);

/** Elements whose attributes are read, besides `xml:base` of all. */
const WITH_ATTRIBUTES = new Set([
  ...FIELDS.keys(),
  "item",
  "enclosure",
  "media:content",
  "media:thumbnail",
  "itunes:image",
  "img",
]);

interface Element {
  readonly name: string;
  readonly attributes: Map<string, string>;
  base: string | null;
}

interface Field {
  readonly name: FieldName;
  readonly depth: number;
  text: string;
}

interface Draft {
  readonly depth: number;
  readonly fields: Map<FieldName, EntryText>;
  link: string;
  image: string;
  thumbnail: string;
  /** Of an episode. */
  cover: string;
  /** Within XHTML. */
  shown: string;
}

class Reader {
  readonly #first: Entry[] = [];
  /** A ring: the next entry replaces the one at `#place`. */
  readonly #last: Entry[] = [];
  #place = 0;
  #scanned = 0;
  title = "";
  /** The address of the site, as RSS names it. */
  #link = "";
  problem: AnswerProblem | null = null;
  hasRoot = false;
  readonly #path: Element[] = [];
  #draft: Draft | null = null;
  #field: Field | null = null;

  get isDone(): boolean {
    return this.problem !== null || this.#scanned >= MAX_SCANNED;
  }

  get entries(): readonly Entry[] {
    const found = [...this.#first, ...this.#last.slice(this.#place), ...this.#last.slice(0, this.#place)];
    // RSS may name its site after its entries.
    return this.#link === "" ? found : found.map((entry) => ({ ...entry, bases: [this.#link, ...entry.bases] }));
  }

  #add(entry: Entry): void {
    this.#scanned += 1;
    if (this.#first.length < MAX_AT_AN_END) this.#first.push(entry);
    else if (this.#last.length < MAX_AT_AN_END) this.#last.push(entry);
    else {
      this.#last[this.#place] = entry;
      this.#place = (this.#place + 1) % MAX_AT_AN_END;
    }
  }

  onopentagname(tag: string): void {
    if (this.isDone) return;
    const name = tag.toLowerCase();
    const parent = this.#path.at(-1)?.name ?? "";
    this.#path.push({ name, attributes: new Map(), base: null });
    const depth = this.#path.length;
    if (depth === 1) this.hasRoot = ROOTS.has(name);
    if (!this.hasRoot) this.problem = NO_FEED;
    if (depth > MAX_DEPTH) this.problem = answerProblem("feed_nested");
    if (this.#field) this.ontext(" ");
    else if (!this.#draft && (name === "item" || name === "entry")) this.#draft = draftAt(depth);
    else this.#field = this.#fieldOf(name, parent, depth);
  }

  #fieldOf(name: string, parent: string, depth: number): Field | null {
    const field = FIELDS.get(name);
    if (!this.#draft) {
      const isTitle = field === "title" && (parent === "channel" || parent === "feed") && this.title === "";
      const isLink = field === "link" && parent === "channel" && this.#link === "";
      return isTitle || isLink ? { name: field, depth, text: "" } : null;
    }
    if (name === "name" && parent === "author") return { name: "author", depth, text: "" };
    if (field === "described" && parent === "media:group") return { name: field, depth, text: "" };
    return field !== undefined && depth === this.#draft.depth + 1 ? { name: field, depth, text: "" } : null;
  }

  onattribute(name: string, value: string): void {
    const element = this.#path.at(-1);
    if (this.isDone || !element) return;
    if (name.toLowerCase() === "xml:base" && value.length <= MAX_ATTRIBUTE) element.base = value.trim();
    if (!WITH_ATTRIBUTES.has(element.name)) return;
    if (value.length <= MAX_ATTRIBUTE && element.attributes.size < 20) {
      element.attributes.set(name.toLowerCase(), value.trim());
    }
  }

  ontext(text: string): void {
    const field = this.#field;
    if (field && field.text.length < MAX_TEXT) field.text += text.slice(0, MAX_TEXT - field.text.length);
  }

  onclosetag(_tag: string, isImplied: boolean): void {
    if (this.isDone) return;
    const depth = this.#path.length;
    const element = this.#path.pop();
    if (!element) return;
    if (this.#field?.depth === depth) this.#endField(this.#field, element);
    const draft = this.#draft;
    if (!draft) return;
    if (depth > draft.depth) readAttributes(draft, element, depth === draft.depth + 1);
    if (depth !== draft.depth) return;
    const bases = [...this.#path, element].flatMap(({ base }) => base ?? []);
    const entry = isImplied ? null : toEntry(draft, element.attributes.get("rdf:about") ?? "", bases);
    if (entry) this.#add(entry);
    this.#draft = null;
  }

  #endField({ name, text }: Field, { name: tag, attributes }: Element): void {
    this.#field = null;
    const type = attributes.get("type");
    // RSS has HTML in its texts; Atom says so, and its nested elements (XHTML) were read as text.
    const isAtom = this.#path[0]?.name === "feed";
    const isDeclared = type === "html" || type === "text/html";
    const isHtml = isAtom || tag.startsWith("media:") ? isDeclared : tag !== "link";
    if (!this.#draft && name === "link") this.#link = text.trim().slice(0, MAX_ATTRIBUTE);
    else if (!this.#draft) this.title = text.trim().slice(0, 300);
    else if (!this.#draft.fields.has(name)) this.#draft.fields.set(name, { text: text.trim(), isHtml });
  }
}

const draftAt = (depth: number): Draft => ({
  depth,
  fields: new Map(),
  link: "",
  image: "",
  thumbnail: "",
  cover: "",
  shown: "",
});

const PICTURE_NAME = /\.(?:jpe?g|png|gif|webp)(?:[?#]|$)/i;

/** What an entry says by attributes: links of Atom, and pictures. */
function readAttributes(draft: Draft, { name, attributes }: Element, isChild: boolean): void {
  const address = attributes.get("url") ?? "";
  const [medium, type] = [attributes.get("medium"), attributes.get("type")];
  const isNamedSo = medium === undefined && type === undefined && PICTURE_NAME.test(address);
  const isPicture = medium === "image" || (type ?? "").startsWith("image/") || isNamedSo;
  if (name === "media:thumbnail") draft.thumbnail ||= address;
  if (name === "itunes:image") draft.cover ||= attributes.get("href") ?? "";
  if (name === "img") draft.shown ||= pictureSources(attributes)[0] ?? "";
  if ((name === "enclosure" || name === "media:content") && isPicture) draft.image ||= address;
  const rel = attributes.get("rel") ?? "alternate";
  if (name !== "link" || !isChild) return;
  if (rel === "alternate") draft.link ||= attributes.get("href") ?? "";
  if (rel === "enclosure" && isPicture) draft.image ||= attributes.get("href") ?? "";
}

const NOTHING: EntryText = { text: "", isHtml: false };

function toEntry(draft: Draft, about: string, bases: readonly string[]): Entry | null {
  const { fields, link: href } = draft;
  const guid = fields.get("id")?.text ?? "";
  const link = href || fields.get("link")?.text || (/^https?:/i.test(guid) ? guid : "");
  const id = guid || link || about;
  if (id === "") return null;
  const texts = [fields.get("summary"), fields.get("content"), fields.get("described")];
  return {
    id,
    title: fields.get("title") ?? NOTHING,
    link: link || about,
    summary: texts.find((one) => one !== undefined && one.text !== "") ?? NOTHING,
    content: fields.get("content") ?? NOTHING,
    author: fields.get("author")?.text ?? "",
    image: draft.image || draft.thumbnail || draft.cover || draft.shown,
    bases,
    at: dateIn(fields.get("published")?.text) ?? dateIn(fields.get("updated")?.text),
  };
}

/** RFC 822 or ISO 8601. */
function dateIn(text: string | undefined): number | null {
  const at = text === undefined || text.length > MAX_DATE ? Number.NaN : Date.parse(text);
  return Number.isNaN(at) ? null : at;
}
