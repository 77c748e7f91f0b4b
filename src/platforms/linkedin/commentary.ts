import { foldText, isSimilarText, type Likeness } from "../similar-text.ts";

/**
 * LinkedIn's "little text", the form of a post's commentary and of nothing else (linkedin.md §3.2). Pure.
 *
 * A reserved character that stands for itself needs a backslash. Without it the post is made all the same,
 * and its text silently ends there. Left as they are: hashtags (`#` and letters or digits) and mentions,
 * `@[Acme Bikes](urn:li:organization:9001)`.
 */

// Bounded, so that many unclosed brackets are matched in linear time.
const MENTION = String.raw`@\[[^\][\\\n]{1,200}\]\(urn:li:(?:person|organization|organizationBrand):[\w-]{1,64}\)`;
// Not within a word or an address; a tag of digits only is none.
const HASHTAG = String.raw`(?<![\p{L}\p{N}\p{M}_&/=?#])#(?=[\p{N}\p{M}]{0,100}\p{L})[\p{L}\p{N}\p{M}]+`;
const TOKEN = new RegExp(`${MENTION}|${HASHTAG}|[|{}@[\\]()<>#\\\\*_~]`, "gu");

/** A text as it must be sent, to be shown as it was written. */
export function toCommentary(text: string): string {
  return text.replace(TOKEN, (token) => (token.length === 1 ? `\\${token}` : token));
}

const READ =
  /\\([|{}@[\]()<>#\\*_~])|\{hashtag\|\\?#\|([^|{}]{1,200})\}|@\[([^\][\n]{1,200})\]\(urn:li:[^()\s]{1,100}\)/g;

/** A commentary as LinkedIn gives it back, as people see it: tags and mentions by their names. */
export function fromCommentary(commentary: string): string {
  return commentary.replace(READ, (_, escaped?: string, tag?: string, name?: string) =>
    tag === undefined ? (escaped ?? name ?? "") : `#${tag}`,
  );
}

/** Whether a commentary that LinkedIn shows is the text that we sent. */
export function likeness(sent: string, shown: string): Likeness {
  const ours = foldText(fromCommentary(toCommentary(sent)));
  const theirs = foldText(fromCommentary(shown));
  if (ours === theirs) return "same";
  // LinkedIn may have cut it.
  const isBeginning = theirs !== "" && ours.startsWith(theirs);
  return isBeginning || isSimilarText(ours, theirs) ? "similar" : "different";
}
