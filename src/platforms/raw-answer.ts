import type { RawAnswer } from "../core/failures.ts";
import type { Answered, CallRequest, Lost, Send } from "./request.ts";

/** Converts a platform's answer into what the timeline may show of it. */

const MAX_BODY = 2_048;
/**
 * Masked before it is cut, so that the end of the kept text shows no half of a secret. Only this much of a
 * longer text is masked.
 */
const MAX_MASKED = 4 * MAX_BODY;
const MAX_MASKED_HEADER = 1_024;
const MAX_HEADER = 500;
/** Headers that are shown of one answer: platforms send up to a dozen. */
const MAX_HEADERS = 30;
const MAX_PATH = 2_048;

/** Limits, usage, and what the platform's own support needs. */
const HEADERS_OF_INTEREST =
  /^(?:retry-after|content-type|date|x-.*(?:limit|usage|request-id|trace|transaction|uuid|log-?id).*)$/;

/** `secrets`: values that must not be shown even if they do not look like secrets. */
export function toRawAnswer(call: CallRequest, answer: Answered | Lost, secrets: readonly string[]): RawAnswer {
  const { origin, pathname } = new URL(call.url);
  const mask = maskOf(secrets);
  const about = { method: call.method, url: mask(`${origin}${pathname.slice(0, MAX_PATH)}`, { isAddress: true }) };
  if (answer.kind === "lost") return { ...about, status: null, headers: {}, body: null };
  const kept = [...answer.headers].filter(([name]) => HEADERS_OF_INTEREST.test(name.toLowerCase()));
  const shown = kept.slice(0, MAX_HEADERS).map(([name, value]) => {
    return [name.toLowerCase(), mask(value.slice(0, MAX_MASKED_HEADER)).slice(0, MAX_HEADER)] as const;
  });
  return {
    ...about,
    status: answer.status,
    headers: Object.fromEntries(shown),
    body: mask(answer.text.slice(0, MAX_MASKED)).slice(0, MAX_BODY),
  };
}

/** Adds to each answer the form that the timeline shows. */
export function showingAnswers(send: Send, secrets: readonly string[]): Send {
  return async (call) => {
    const answer = await send(call);
    return { ...answer, toRaw: () => toRawAnswer(call, answer, secrets) };
  };
}

const MASK = "•••";
/**
 * The value of a field, parameter, header or scheme whose name marks it as secret, however its quotes are
 * escaped.
 */
const NAMED =
  /((?:token|secret|password|passwd|signature|sig|code|verifier|challenge|assertion|credential|proof|authorization|cookie|upload_id|session|jwt|key)s?(?:[_-]?\w{1,20})?[\\"']*\s*[:=]\s*[\\"']*(?:(?:bearer|basic|oauth|bot)\s+)?|(?:bearer|basic|oauth)\s+)([^\s"'&,;<>{}\\]{6,})/gi;
/** A JWT of any length, or its beginning: base64 of `{"`, or of a brace and white space. */
const JWT = /(?:eyJ|eyAi|ewog|ewkJ|ew0K)[\w-]{4,}(?:\.[\w-]*){0,4}/g;
/**
 * Long runs, longer than any word, number or identifier in a post: secrets if they mix letters and digits.
 */
const OPAQUE = /[\w~+=-]{41,}/g;
const isMixed = (run: string): boolean => /\d/.test(run) && /[A-Za-z]/.test(run);
/** A number or a short word of a sentence; a longer word beside a code or a key is the platform's. */
const HARMLESS = /^(?:\d{1,9}|[A-Za-z]{1,11})[.)\]]*$/;
const WORD_OF_PLATFORM = /^[A-Za-z]+(?:[_.-][A-Za-z]+){0,6}$/;
const IS_SECRET_NAME =
  /token|secret|password|passwd|signature|bearer|basic|oauth|verifier|assertion|credential|cookie/i;
/** Shorter secrets would match in any text. */
const SHORTEST_KNOWN = 8;
/** Limit for nested escapes (JSON in JSON, encoded percent signs): real answers do not nest deeper. */
const MAX_LAYERS = 4;
const ESCAPED = /(?<!\\)\\+(?:u00([0-9a-f]{2})|(["\\/]))|%(?:25)*([0-9a-f]{2})/gi;

/**
 * Masks secrets in a text, both as it stands and with its escapes removed: a secret may be in JSON in JSON,
 * or percent-encoded twice. If only an unescaped form shows a secret, that form is kept, masked.
 */
function maskOf(secrets: readonly string[]): (text: string, options?: { readonly isAddress: boolean }) => string {
  // A secret that is longer than what is shown cannot stand in it as a whole.
  const known = [...new Set(secrets.map((secret) => secret.slice(0, MAX_MASKED)).flatMap(formsOf))]
    .filter((secret) => secret.length >= SHORTEST_KNOWN)
    .sort((a, b) => b.length - a.length);
  const masked = (text: string): string => known.reduce((shown, secret) => shown.replaceAll(secret, MASK), text);
  const alsoLooks = (text: string): string =>
    masked(text)
      .replace(NAMED, (whole, name: string, value: string) => (isHarmless(name, value) ? whole : `${name}${MASK}`))
      .replace(JWT, MASK)
      .replace(OPAQUE, (run) => (isMixed(run) ? MASK : run));
  return (text, { isAddress } = { isAddress: false }) => {
    const mask = isAddress ? masked : alsoLooks;
    let shown = mask(withoutCutSecret(text, known));
    let plain = shown;
    for (let layer = 0; layer < MAX_LAYERS; layer++) {
      const next = withoutEscapes(plain);
      if (next === plain) break;
      plain = mask(withoutCutSecret(next, known));
      if (count(plain) > count(next)) shown = plain;
    }
    return shown;
  };
}

function isHarmless(name: string, value: string): boolean {
  return HARMLESS.test(value) || (!IS_SECRET_NAME.test(name) && WORD_OF_PLATFORM.test(value));
}

/** A text that was cut off may end with the beginning of a secret. */
function withoutCutSecret(text: string, known: readonly string[]): string {
  for (const secret of known) {
    const length = overlapOf(text, secret);
    if (length >= SHORTEST_KNOWN) return `${text.slice(0, -length)}${MASK}`;
  }
  return text;
}

/**
 * The length of the longest beginning of the secret, but not all of it, with which the text ends: linear
 * (Knuth, Morris and Pratt), because a hostile server chooses both.
 */
function overlapOf(text: string, secret: string): number {
  const end = text.slice(-(secret.length - 1));
  const borders = bordersOf(secret.slice(0, end.length));
  let length = 0;
  for (let at = 0; at < end.length; at++) {
    while (length > 0 && (length === borders.length || secret[length] !== end[at])) length = borders[length - 1] ?? 0;
    if (secret[length] === end[at]) length += 1;
  }
  return length;
}

/** For each beginning of the text, the longest shorter one with which it ends. */
function bordersOf(text: string): readonly number[] {
  const borders = [0];
  let length = 0;
  for (let at = 1; at < text.length; at++) {
    while (length > 0 && text[length] !== text[at]) length = borders[length - 1] ?? 0;
    if (text[length] === text[at]) length += 1;
    borders.push(length);
  }
  return text === "" ? [] : borders;
}

/**
 * Removes one layer of escapes. Any number of backslashes before a quote is one escape, because each level of
 * JSON doubles them.
 */
function withoutEscapes(text: string): string {
  return text.replace(ESCAPED, (whole, unicode?: string, plain?: string, percent?: string) => {
    const hex = unicode ?? percent;
    if (hex === undefined) return plain ?? whole;
    const code = Number.parseInt(hex, 16);
    return code >= 0x20 && code < 0x7f ? String.fromCharCode(code) : whole;
  });
}

function count(text: string): number {
  return text.split(MASK).length;
}

/** The encodings of a secret in forms, addresses, JSON and headers. */
function formsOf(secret: string): string[] {
  const encoded = encodeURIComponent(secret.toWellFormed());
  const json = JSON.stringify(secret).slice(1, -1);
  return [secret, encoded, encodeURIComponent(encoded), json, secret.replaceAll("/", "\\/"), btoa(encoded)];
}
