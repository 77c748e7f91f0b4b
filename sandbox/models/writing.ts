// Generated post content about a topic: a text for each usual field name, with the topic's own words.

import { languageOf, topicsOf } from "./languages";

const HOOK_WORDS = 6;
const BODY_LETTERS = 120;
const SCRIPT_LETTERS = 150;

/** The text of a field by its name; null for an unknown name. `index`: its position in a list. */
export function writtenFor(name: string, topic: string, index: number): string | null {
  const bare = topic
    .replace(/\[[^\]]*\]/g, " ")
    .replace(/\s+/g, " ")
    .trim();
  const { closing, action } = languageOf(bare);
  const topics = topicsOf(bare);
  const about = topics.join(", ") || cut(bare, 60);
  const kind = KINDS.find(([pattern]) => pattern.test(name))?.[1];
  switch (kind) {
    case "hook":
      return `${capital(withoutTail(cut(bare.split(" ").slice(0, HOOK_WORDS).join(" "), 56)))}!`;
    case "body":
      return cut(bare, BODY_LETTERS);
    case "call":
      return `${action}!`;
    case "short":
      return capital(cut(topics[0] ?? about, 20));
    case "hashtag":
      return topics[index] ?? topics[0] ?? "sandbox";
    case "script":
      return cut(`${bare}${/[.!?]$/.test(bare) ? "" : "."} ${closing}`, SCRIPT_LETTERS);
    case "picture":
      return `${about}, seen ${VIEWS[index % VIEWS.length]}, in warm morning light`;
    default:
      return null;
  }
}

/** The number of entries in a list with that name. */
export function entriesOf(name: string, topic: string): number {
  if (/hashtag/i.test(name)) return Math.max(1, topicsOf(topic).length);
  return /scene/i.test(name) ? 3 : 1;
}

type Kind = "hook" | "body" | "call" | "short" | "hashtag" | "script" | "picture";

const KINDS: readonly (readonly [RegExp, Kind])[] = [
  [/^(hook|headline|title)$/i, "hook"],
  [/^(body|text|caption)$/i, "body"],
  [/^call_to_action$/i, "call"],
  [/^(label|eyebrow)$/i, "short"],
  [/hashtag/i, "hashtag"],
  [/script|voice/i, "script"],
  [/image|film|video|scene|speaker|picture|prompt/i, "picture"],
];

const VIEWS = ["from close by", "from above", "across the street"];

/** Removes trailing short words and punctuation before the exclamation mark. */
const withoutTail = (text: string) => text.replace(/(?:[\s.,;:!?]+\p{L}{1,3})*[\s.,;:!?]*$/u, "") || text;

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** Cuts a text at a word boundary. */
function cut(text: string, letters: number): string {
  if ([...text].length <= letters) return text;
  const part = [...text].slice(0, letters).join("");
  return part.replace(/\s+\S*$/, "") || part;
}
