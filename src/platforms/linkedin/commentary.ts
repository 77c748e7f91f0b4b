import { foldText, isSimilarText, type Likeness } from "../similar-text.ts";

/**
 * LinkedIn's "little text", the format of a post's commentary only (linkedin.md §3.2). Pure.
 *
 * A literal reserved character needs a backslash. Without it LinkedIn creates the post, and cuts its text
 * there without an error. Hashtags (`#` and letters or digits) and mentions, `@[Acme
 * Bikes](urn:li:organization:9001)`, stay unescaped.
 */

// Bounded, so that many unclosed brackets match in linear time.
const MENTION = String.raw`@\[[^\][\\\n]{1,200}\]\(urn:li:(?:person|organization|organizationBrand):[\w-]{1,64}\)`;
// Not inside a word or an address; digits alone are not a hashtag.
const HASHTAG = String.raw`(?<![\p{L}\p{N}\p{M}_&/=?#])#(?=[\p{N}\p{M}]{0,100}\p{L})[\p{L}\p{N}\p{M}]+`;
const TOKEN = new RegExp(`${MENTION}|${HASHTAG}|[|{}@[\\]()<>#\\\\*_~]`, "gu");

/** Escapes a text, so that LinkedIn shows it as written. */
export function toCommentary(text: string): string {
  return text.replace(TOKEN, (token) => (token.length === 1 ? `\\${token}` : token));
}

const READ =
  /\\([|{}@[\]()<>#\\*_~])|\{hashtag\|\\?#\|([^|{}]{1,200})\}|@\[([^\][\n]{1,200})\]\(urn:li:[^()\s]{1,100}\)/g;

/** The visible text of a commentary: hashtags and mentions by their names. */
export function fromCommentary(commentary: string): string {
  return commentary.replace(READ, (_, escaped?: string, tag?: string, name?: string) =>
    tag === undefined ? (escaped ?? name ?? "") : `#${tag}`,
  );
}

/** Whether a commentary that LinkedIn shows is our text. */
export function likeness(sent: string, shown: string): Likeness {
  const ours = foldText(fromCommentary(toCommentary(sent)));
  const theirs = foldText(fromCommentary(shown));
  if (ours === theirs) return "same";
  // LinkedIn may have cut it.
  const isBeginning = theirs !== "" && ours.startsWith(theirs);
  return isBeginning || isSimilarText(ours, theirs) ? "similar" : "different";
}
