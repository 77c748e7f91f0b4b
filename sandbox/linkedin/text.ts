// LinkedIn's "little text" format. An unescaped reserved character silently truncates the text there.

import { z } from "zod";

const RESERVED = "|{}@[]()<>#\\*_~";
const MENTION = /@\[([^\][\n]+)\]\((urn:li:[a-zA-Z]+:[\w-]+)\)/y;
const TAG_TEMPLATE = /\{hashtag\|\\?#\|([^|{}\n]+)\}/y;
const TAG = /#([\p{L}\p{N}\p{M}]+)/uy;

export interface LittleText {
  /** As users see it. */
  readonly plain: string;
  /** As a read returns it. */
  readonly template: string;
}

/** `nameOf`: the name that a mention must contain to be valid. */
export function readLittleText(commentary: string, nameOf: (urn: string) => string | null): LittleText {
  let plain = "";
  let template = "";
  const put = (shown: string, given: string) => {
    plain += shown;
    template += given;
  };
  for (let at = 0; at < commentary.length; ) {
    const char = commentary.charAt(at);
    const next = commentary.charAt(at + 1);
    const token = tokenAt(commentary, at, nameOf);
    if (token) put(token.shown, token.given);
    else if (char === "\\" && next !== "" && RESERVED.includes(next)) put(next, `\\${next}`);
    else if (RESERVED.includes(char)) break;
    else put(char, char);
    at += token?.length ?? (char === "\\" ? 2 : 1);
  }
  return { plain, template };
}

interface Token {
  readonly shown: string;
  readonly given: string;
  readonly length: number;
}

function tokenAt(text: string, at: number, nameOf: (urn: string) => string | null): Token | null {
  const mention = matchAt(MENTION, text, at);
  if (mention) {
    const [whole, name = "", urn = ""] = mention;
    const isKnown = nameOf(urn) === name;
    return { shown: name, given: isKnown ? whole : escaped(name), length: whole.length };
  }
  const tag = matchAt(TAG_TEMPLATE, text, at) ?? matchAt(TAG, text, at);
  return tag ? { shown: `#${tag[1]}`, given: `{hashtag|\\#|${tag[1]}}`, length: tag[0].length } : null;
}

function matchAt(expression: RegExp, text: string, at: number): RegExpExecArray | null {
  expression.lastIndex = at;
  return expression.exec(text);
}

export function escaped(text: string): string {
  return Array.from(text, (char) => (RESERVED.includes(char) ? `\\${char}` : char)).join("");
}

/** Length as LinkedIn counts it, as far as known. */
export const lengthOf = (text: string): number => text.length;

const Strings = z.record(z.string(), z.unknown());
/** An object from a JSON column. */
export const objectOf = (json: string): Record<string, unknown> => Strings.parse(JSON.parse(json));
