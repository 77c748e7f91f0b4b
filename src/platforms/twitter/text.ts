/// <reference path="./twemoji-parser.d.ts" />
import emojiModule from "twemoji-parser/dist/lib/regex.js";
import twitterText from "twitter-text";
import { type Checked, said } from "../../core/checks.ts";
import { toNfc } from "../../core/text.ts";
import type { AccountAttributes } from "../context.ts";
import type { TextRules } from "../rules.ts";
import { findLinks } from "./links.ts";

/**
 * Text as X counts it: `twitter-text`, configuration 3. A link counts 23 whatever its length, an emoji
 * sequence 2, most scripts 1, Chinese, Japanese and Korean 2.
 *
 * twitter-text's own `parseTweet` is not called: it takes quadratic time for a text without white space (a
 * minute in one request). This implementation is linear for any text, and a test compares both.
 */
const EMOJI = emojiModule instanceof RegExp ? emojiModule : emojiModule.default;
const LINK_WEIGHT = 23;
const EMOJI_WEIGHT = 2;
const COUNTED = 100_000;
/** Premium allows 25,000, and no unit that counts as one has more than eight UTF-16 units. */
const LONGEST = 200_000;
const NAMED_CASHTAGS = 3;

/**
 * The length of a text as X counts it. Far beyond any account's limit it is no longer exact: a text of more
 * than 200,000 UTF-16 units returns its number of units, and counting stops at 100,000.
 */
export function weightedLength(text: string): number {
  if (text.length > LONGEST) return text.length;
  const composed = toNfc(text);
  const links = findLinks(composed);
  let link = links.next().value;
  EMOJI.lastIndex = 0;
  let emoji = EMOJI.exec(composed);
  let weight = 0;
  for (let at = 0; at < composed.length && weight <= COUNTED; ) {
    while (link && link.start < at) link = links.next().value;
    while (emoji && emoji.index < at) emoji = EMOJI.exec(composed);
    if (link?.start === at) {
      weight += LINK_WEIGHT;
      at += link.length;
    } else if (emoji?.index === at) {
      weight += EMOJI_WEIGHT;
      at += emoji[0].length;
    } else {
      const point = composed.codePointAt(at) ?? 0;
      weight += isLight(point) ? 1 : 2;
      at += point > 0xffff ? 2 : 1;
    }
  }
  return weight;
}

function isLight(point: number): boolean {
  return (
    point <= 0x10ff ||
    (point >= 0x2000 && point <= 0x200d) ||
    (point >= 0x2010 && point <= 0x201f) ||
    (point >= 0x2032 && point <= 0x2037)
  );
}

export function hasPremium({ subscription_type: plan }: AccountAttributes): boolean {
  return typeof plan === "string" && plan.startsWith("Premium");
}

/** Rules for the text of posts, including replies. */
export function postText(attributes: AccountAttributes): TextRules {
  return {
    max: hasPremium(attributes) ? 25_000 : 280,
    measure: weightedLength,
    unit: "characters as X counts them",
    problems: textProblems,
    also: ["must have at most one cashtag", "must not have byte order marks or special control characters"],
  };
}

export function textProblems(text: string): readonly Checked[] {
  const problems: Checked[] = [];
  const names: string[] = [];
  for (const match of text.matchAll(twitterText.regexen.validCashtag)) {
    if (names.push(`$${match[3]}`) > NAMED_CASHTAGS) break;
  }
  if (names.length > 1) {
    const more = names.length > NAMED_CASHTAGS ? ", …" : "";
    const named = `${names.slice(0, NAMED_CASHTAGS).join(", ")}${more}`;
    problems.push(said(`must have at most one cashtag on X, not ${named}.`, "cashtags", named));
  }
  if (twitterText.hasInvalidCharacters(text)) {
    const message = "must not have characters that X refuses: byte order marks or special control characters.";
    problems.push(said(message, "characters_refused"));
  }
  return problems;
}
