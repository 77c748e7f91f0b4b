import type { Missed } from "../../alerts/missed-rules.ts";
import type { Cause, FailureCode } from "../../core/failures.ts";
import type { Post } from "../store.ts";

/**
 * A platform refused a post that our checks had passed: one of our rules is missing or has aged. What is kept
 * of it is the call, codes and the platform's words, and nothing of the post.
 */

/** Refusals of what a post is. A policy, a duplicate or a login is none of our rules. */
const ABOUT_RULES: ReadonlySet<FailureCode> = new Set([
  "platform_rejected",
  "content_invalid",
  "media_invalid",
  "unsupported_by_platform",
]);

const MAX_WORDS = 300;
const MAX_CODE = 60;
const MAX_OPERATION = 120;

/** Null if the cause is our own judgement, or nothing about rules. */
export function missedRuleOf(post: Post, { code, message, answer }: Cause): Missed | null {
  if (!ABOUT_RULES.has(code) || !answer || answer.status === null) return null;
  const said = wordsIn(answer.body ?? "");
  return {
    platform: post.channelType,
    operation: `${answer.method} ${pathWithoutIds(answer.url)}`.slice(0, MAX_OPERATION),
    code,
    platformCode: codesIn(answer.body ?? "")
      .join("/")
      .slice(0, MAX_CODE),
    words: withoutContent(said === "" ? message : said, textsOf(post)).slice(0, MAX_WORDS),
  };
}

/**
 * A path of the API without its version, so that a rule counts on over versions: what has digits is an id.
 */
function pathWithoutIds(url: string): string {
  const { pathname } = new URL(url);
  const isVersion = (part: string) => /^v?\d{1,2}(\.\d{1,2})?$/.test(part);
  const isWord = (part: string) => /^[A-Za-z_.:-]{0,60}\d?$/.test(part);
  return pathname
    .split("/")
    .filter((part) => !isVersion(part))
    .map((part) => (isWord(part) ? part : "{id}"))
    .join("/");
}

/** Texts and numbers of an answer by their keys, also if its end was cut off. */
const WORDS =
  /"(?:message|error_message|error_user_title|error_user_msg|detail|title|error_description|status)"\s{0,4}:\s{0,4}("(?:[^"\\]|\\.){1,500}")/g;
const CODES =
  /"(?:code|error_subcode|reason|error|serviceErrorCode|fail_reason)"\s{0,4}:\s{0,4}(?:"([\w.-]{1,40})"|(\d{1,9}))/g;
/** More than this of an answer repeats itself. */
const MAX_PARTS = 4;

function wordsIn(body: string): string {
  const parts = [...body.matchAll(WORDS)].map(([, text = ""]) => unquoted(text));
  // One word, such as `ERROR`, is a code.
  const sentences = parts.filter((part) => part.trim().includes(" "));
  return [...new Set(sentences)].slice(0, MAX_PARTS).join(" · ");
}

function unquoted(text: string): string {
  try {
    return String(JSON.parse(text));
  } catch {
    return "";
  }
}

const codesIn = (body: string): string[] =>
  [...new Set([...body.matchAll(CODES)].map(([, word, number]) => word ?? number ?? ""))].slice(0, MAX_PARTS);

/** Everything that the caller wrote. */
const textsOf = ({ caption, hashTags, thread, altTexts, extra, options, firstComment, mediaUrls }: Post): string =>
  JSON.stringify([caption, hashTags, thread, altTexts, extra, options, firstComment, mediaUrls]).toLowerCase();

/** What a platform repeats of a request: addresses, names, tags, quotations, numbers. */
const REPEATED =
  /https?:\/\/\S{1,500}|[\w.+-]{1,64}@[\w.-]{1,100}|[@#][\p{L}\p{N}_.]{1,100}|"[^"]{1,300}"|“[^”]{1,300}”|'[^']{1,300}'(?!\w)|‘[^’]{1,300}’/gu;
const WORD = /[\p{L}\p{N}][\p{L}\p{M}\p{N}_'’-]*/gu;

/** Words of refusals, which may stand in a post as well. */
const PLAIN: ReadonlySet<string> = new Set(
  `a about above account after all allowed an and any are as aspect at audio be been before below between bitrate body by bytes can cannot
  caption character characters code codec comment content could count create data description did does duration each empty error exceed exceeds
  exceeded expected failed field file files for format frame from has have height hours id if image images in invalid is it item items kilobytes
  large least length less limit link links list long longer many maximum may media megabytes minimum minute minutes missing more most must no not
  number of on one only or page parameter photo photos picture pictures pixels please post posts provided ratio rate reason refused rejected
  request required resolution second seconds short should size small supported tag tags text than that the there this title to too try type
  unable under unknown unsupported up upload uploaded url use user valid value video videos was we while width with within without wrong you
  your`.split(/\s+/),
);

/** The words with everything masked that may be of the post, and every number, which differ for each post. */
export function withoutContent(words: string, texts: string): string {
  const own = new Set(texts.match(WORD));
  return words
    .replaceAll(REPEATED, "…")
    .replaceAll(WORD, (word) => {
      const lower = word.toLowerCase();
      if (/^\p{N}+$/u.test(word)) return "#";
      return own.has(lower) && !PLAIN.has(lower) ? "…" : word;
    })
    .replaceAll(/…(?:\s+…)+/g, "…")
    .replaceAll(/\s+/g, " ")
    .trim();
}
