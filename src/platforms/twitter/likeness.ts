import { toNfc } from "../../core/text.ts";
import { foldText, isSimilarText, type Likeness } from "../similar-text.ts";
import { findLinks } from "./links.ts";

/**
 * Whether a text that X shows is the one that we sent (twitter.md §3.8). X replaces every link by one of its
 * own (t.co), with the original in an entity. It appends a link to the media, and escapes `&`, `<` and `>`.
 * Pure.
 */

export interface Sent {
  readonly text: string;
  readonly hasMedia: boolean;
}

interface LinkEntity {
  readonly url: string;
  readonly expanded_url?: string | undefined;
  readonly media_key?: string | undefined;
}

export interface Shown {
  /** The id of the post that shows it. */
  readonly id: string;
  readonly text: string;
  readonly links: readonly LinkEntity[];
  /** Whether X shows only the beginning. */
  readonly isCut: boolean;
}

/** Returns a function that compares a text shown by X with the sent one. */
export function likenessTo(sent: Sent): (shown: Shown) => Likeness {
  const ours = comparable(sent.text);
  const bare = foldText(withoutLinks(sent.text));
  return (shown) => {
    const raw = unescaped(shown.text);
    const theirs = comparable(restored(raw, sent, ours, shown));
    if (theirs === ours) return "same";
    // The same except for its links: X may show a link in another form, or omit its target.
    if (foldText(withoutLinks(raw)) === bare) return "similar";
    return isSimilarText(shown.isCut ? ours.slice(0, theirs.length) : ours, theirs) ? "similar" : "different";
  };
}

const TCO = /https?:\/\/t\.co\/\w+/gi;
const LAST_TCO = /https?:\/\/t\.co\/\w+$/i;

/** Restores the original links and removes the media link. */
function restored(raw: string, sent: Sent, ours: string, { id, links }: Shown): string {
  const entities = new Map(links.map((link) => [link.url, link]));
  const own = new Set(sent.text.match(TCO));
  let hasMediaLink = false;
  const result = raw.replace(TCO, (url) => {
    const link = entities.get(url);
    if (own.has(url)) return url;
    if (sent.hasMedia && link && leadsToMedia(link, id, ours)) {
      hasMediaLink = true;
      return "";
    }
    return link?.expanded_url ?? url;
  });
  if (!sent.hasMedia || hasMediaLink) return result;
  // Only if no entity describes the last link can it be the media link.
  const last = LAST_TCO.exec(raw.trimEnd())?.[0] ?? "";
  const isExpanded = own.has(last) || entities.get(last)?.expanded_url !== undefined;
  return isExpanded ? result : result.trimEnd().replace(LAST_TCO, "");
}

/** A link to another post's media, or one in the text itself, is part of the text. */
function leadsToMedia({ media_key, expanded_url = "" }: LinkEntity, id: string, ours: string): boolean {
  if (new RegExp(`/status/${id}/(?:photo|video)/`).test(expanded_url)) return true;
  return media_key !== undefined && (expanded_url === "" || !ours.includes(comparable(expanded_url)));
}

/** The text as it was written: X escapes three characters. */
export function unescaped(text: string): string {
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}

/**
 * X completes `Example.com` to `http://example.com/`: the parts that it may add or change are removed on both
 * sides. X knows newer top-level domains than our list, so this applies to anything that looks like a link.
 */
function comparable(text: string): string {
  const folded = foldText(replaceLinks(toNfc(text), canonical).toLowerCase());
  return folded.replace(/https?:\/\//g, "").replace(/\/(?= |$)/g, "");
}

/** As a browser writes it: a domain in Punycode, a path percent-encoded. */
function canonical(link: string): string {
  return URL.parse(/^https?:/i.test(link) ? link : `http://${link}`)?.href ?? link;
}

function withoutLinks(text: string): string {
  return replaceLinks(text, () => " ").replace(/https?:\/\/\S*/gi, " ");
}

function replaceLinks(text: string, replacement: (link: string) => string): string {
  let result = "";
  let at = 0;
  for (const { start, length } of findLinks(text)) {
    result += text.slice(at, start) + replacement(text.slice(start, start + length));
    at = start + length;
  }
  return result + text.slice(at);
}
