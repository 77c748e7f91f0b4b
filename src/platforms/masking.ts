/**
 * Masks secrets in what platforms answer, before people see it: in the body that the timeline shows, and in
 * the words that a sentence quotes (`maskQuote`). A refusal is shown with its secrets masked, never left out
 * because it may contain one.
 */

/**
 * Masked before it is cut, so that the end of the kept text shows no half of a secret. Only this much of a
 * longer text is masked.
 */
export const MAX_MASKED = 8_192;

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

type Mask = (text: string, options?: { readonly isAddress?: boolean; readonly isQuote?: boolean }) => string;

/**
 * Masks secrets in a text, both as it stands and with its escapes removed: a secret may be in JSON in JSON,
 * or percent-encoded twice. If only an unescaped form shows a secret, that form is kept, masked.
 */
export function maskOf(secrets: readonly string[]): Mask {
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
  const asQuote = (text: string): string => maskWords(alsoLooks(text));
  return (text, { isAddress = false, isQuote = false } = {}) => {
    const mask = isAddress ? masked : isQuote ? asQuote : alsoLooks;
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

/** The beginnings of tokens by which platforms mark them. */
const MARKED =
  /\b(?:(?:EAA|IGAA|IGQ[VW]|THAA|THQ[VW])[\w-]{3,}|(?:ya29\.|1\/\/0|act\.|rft\.|clt\.|GOCSPX-|AQ[A-Z])[\w.~+/=!-]{8,})/g;
/** In a sentence, a secret follows its name without a sign between them: “Malformed access token abc…”. */
const AFTER_NAME =
  /\b((?:tokens?|secrets?|passwords?|bearer|proof|signature|verifier|credentials?|assertion|key|code)\b[\s:=“”"'‘’([]{1,4})([\w.~+/=|-]{6,512})/gi;
/** A value of a query; one that is long or mixed may authorize. */
const IN_QUERY = /([?&][\w.[\]-]{1,64}=)([^\s&"'<>”]{12,2048})/g;
const USER_INFO = /(\bhttps?:\/\/)[^\s/@]{1,256}@/gi;
/** Shorter runs than in a body: words of people have none. */
const RUN = /[\w~+=-]{24,}/g;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether a run is a secret rather than a name such as `THREADS_API__LINK_LIMIT_EXCEEDED` or an id. */
function isOpaque(run: string): boolean {
  if (UUID.test(run) || !isMixed(run)) return false;
  const isHex = run.length >= 32 && /^[0-9a-f]+$/i.test(run);
  return isHex || (/[a-z]/.test(run) && /[A-Z]/.test(run));
}

function maskWords(text: string): string {
  return text
    .replace(MARKED, MASK)
    .replace(USER_INFO, `$1${MASK}@`)
    .replace(AFTER_NAME, (whole, name: string, value: string) => (isMixed(value) ? `${name}${MASK}` : whole))
    .replace(IN_QUERY, (whole, name: string, value: string) => (isMixed(value) ? `${name}${MASK}` : whole))
    .replace(RUN, (run) => (isOpaque(run) ? MASK : run));
}

/** The longest quote, after masking. */
const LONGEST_QUOTE = 300;

/** A platform's words for people, without secrets. `known`: values that must not be shown in any form. */
export function maskQuote(words: string, known: readonly string[] = []): string {
  return maskOf(known)(words.slice(0, MAX_MASKED), { isQuote: true }).slice(0, LONGEST_QUOTE);
}

const SECRET_FIELD = /token|secret|password|verifier|proof|assertion|signature|^code$/i;

/** The parts of a request that carry secrets. */
interface Sent {
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly form?: Readonly<Record<string, string>>;
  readonly json?: unknown;
}

/** The secrets that a call sends: a platform may quote each of them in its answer. */
export function secretsOf({ headers = {}, query = {}, form = {}, json }: Sent): readonly string[] {
  const bodies: readonly object[] = [query, form, json instanceof Object ? json : {}];
  const fields = bodies.flatMap((one) => Object.entries<unknown>({ ...one }));
  const named = fields.filter(([name]) => SECRET_FIELD.test(name)).map(([, value]) => value);
  const inHeaders = Object.entries(headers)
    .filter(([name]) => /^(?:authorization|dpop|cookie|access-token)$/i.test(name))
    .map(([, value]) => value.replace(/^\w+ /, ""));
  return [...named, ...inHeaders].filter((value) => typeof value === "string");
}
