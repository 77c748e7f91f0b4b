import { toNfc } from "../../core/text.ts";
import { foldText, isSimilarText, type Likeness } from "../similar-text.ts";
import { findLinks } from "./links.ts";

/**
 * Whether a text that X shows is the one that we sent (twitter.md §3.8). X replaces every link by one of its
 * own (t.co), whose entity tells the one it stands for; appends a link to the media; and escapes `&`, `<` and
 * `>`. Pure.
 */

export interface Sent {
  readonly text: string;
  readonly hasMedia: boolean;
}

export interface LinkEntity {
  readonly url: string;
  readonly expanded_url?: string | undefined;
  readonly media_key?: string | undefined;
}

export interface Shown {
  /** Of the post that shows it. */
  readonly id: string;
  readonly text: string;
  readonly links: readonly LinkEntity[];
  /** Whether X shows the beginning only. */
  readonly isCut: boolean;
}

/** Tells for each text that X shows whether it is the one that was sent. */
export function likenessTo(sent: Sent): (shown: Shown) => Likeness {
  const ours = comparable(sent.text);
  const bare = foldText(withoutLinks(sent.text));
  return (shown) => {
    const raw = unescaped(shown.text);
    const theirs = comparable(restored(raw, sent, ours, shown));
    if (theirs === ours) return "same";
    // The same but for its links: X may show one in another form, or not tell what it stands for.
    if (foldText(withoutLinks(raw)) === bare) return "similar";
    return isSimilarText(shown.isCut ? ours.slice(0, theirs.length) : ours, theirs) ? "similar" : "different";
  };
}

const TCO = /https?:\/\/t\.co\/\w+/gi;
const LAST_TCO = /https?:\/\/t\.co\/\w+$/i;

/** X's links undone, and the one to the media left out. */
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
  // Only where no entity tells what the last link is can it be the one to the media.
  const last = LAST_TCO.exec(raw.trimEnd())?.[0] ?? "";
  const isTold = own.has(last) || entities.get(last)?.expanded_url !== undefined;
  return isTold ? result : result.trimEnd().replace(LAST_TCO, "");
}

/** A link to another post's media, or one that the text itself holds, is part of the text. */
function leadsToMedia({ media_key, expanded_url = "" }: LinkEntity, id: string, ours: string): boolean {
  if (new RegExp(`/status/${id}/(?:photo|video)/`).test(expanded_url)) return true;
  return media_key !== undefined && (expanded_url === "" || !ours.includes(comparable(expanded_url)));
}

/** As it was written: X shows three characters escaped. */
export function unescaped(text: string): string {
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}

/**
 * X completes `Example.com` to `http://example.com/`: what it may add or change is left out on both sides. X
 * knows newer top-level domains than our list, so this holds for whatever looks like a link.
 */
function comparable(text: string): string {
  const folded = foldText(replaceLinks(toNfc(text), canonical).toLowerCase());
  return folded.replace(/https?:\/\//g, "").replace(/\/(?= |$)/g, "");
}

/** As a browser writes it: the letters of a domain in Punycode, those of a path escaped. */
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
