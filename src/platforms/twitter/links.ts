import twitterText from "twitter-text";

/**
 * The links that X sees in a text: the same as `twitter-text` finds, in time linear in the text.
 *
 * twitter-text retries every dotted run from each of its characters: a hundred thousand characters `a.a.a.`
 * cost it minutes. Here each run of domain characters, dots, `-` and `_` is read once, and then processed
 * from its end. For each dot it records how far the labels after it are valid, and which of their dots is the
 * last with a top-level domain after it. The character classes are read from twitter-text's own expressions,
 * and a test compares both implementations.
 */

export interface Link {
  /** In UTF-16 code units. */
  readonly start: number;
  readonly length: number;
}

const { regexen } = twitterText;
const ALL_UNITS = Array.from({ length: 256 }, (_, page) =>
  String.fromCharCode(...Array.from({ length: 256 }, (_, unit) => page * 256 + unit)),
).join("");

/** For each UTF-16 code unit, whether the expression matches it. */
function unitsOf(expression: string): Uint8Array {
  const table = new Uint8Array(ALL_UNITS.length);
  for (const { 0: run, index } of ALL_UNITS.matchAll(new RegExp(`(?:${expression})+`, "gi"))) {
    table.fill(1, index, index + run.length);
  }
  return table;
}

const IN_DOMAIN = unitsOf(regexen.validDomainChars.source);
const BEFORE_LINK = unitsOf(regexen.validUrlPrecedingChars.source);
/** Without a protocol, only labels of these characters count. */
const IN_BARE_DOMAIN = unitsOf(`[\\-a-z0-9${regexen.latinAccentChars.source}]`);

const TOP_LEVEL = new RegExp(
  `${regexen.validGTLD.source}|${regexen.validCCTLD.source}|${regexen.validPunycode.source}`,
  "iy",
);
const PROTOCOL = /https?:\/\//iy;
const PORT_PATH_QUERY = new RegExp(
  `(?::${regexen.validPortNumber.source})?(/${regexen.validUrlPath.source}*)?` +
    `(?:\\?${regexen.validUrlQueryChars.source}*[a-z0-9\\-_&=#/])?`,
  "iy",
);
const DEFAULT_PROTOCOL = "https://";
const MAX_LINK = 4096;
const MAX_LABEL = 63;
/** More than a link can contain. A longer run is split here, which bounds the memory used. */
const MAX_DOTS = MAX_LINK / 2;
const MAX_TCO_SLUG = 40;
const PRINTABLE = /^[\x20-\x7e]*$/;
const [DASH, DOT, UNDERSCORE] = [0x2d, 0x2e, 0x5f];

/** The links of a text in order, found lazily. The text must be composed (NFC), as X has it. */
export function* findLinks(text: string): Generator<Link> {
  if (!text.includes(".")) return;
  const runs = new Runs(text);
  for (let at = 0; at < text.length; ) {
    const match = matchAt(text, at, runs);
    if (match !== null) yield* linksOf(text, match);
    at = match?.end ?? at + 1;
  }
}

interface Match {
  /** The character before the link, which belongs to the match; empty at the beginning of the text. */
  readonly before: string;
  readonly start: number;
  readonly protocol: string;
  readonly domain: Domain;
  readonly path: string | undefined;
  readonly end: number;
}

function matchAt(text: string, at: number, runs: Runs): Match | null {
  const after = BEFORE_LINK[text.charCodeAt(at)] ? linkAt(text, at + 1, runs) : null;
  if (after !== null) return { before: text.charAt(at), ...after };
  const first = at === 0 ? linkAt(text, 0, runs) : null;
  return first && { before: "", ...first };
}

function linkAt(text: string, start: number, runs: Runs): Omit<Match, "before"> | null {
  if (!IN_DOMAIN[text.charCodeAt(start)]) return null;
  PROTOCOL.lastIndex = start;
  const protocol = PROTOCOL.exec(text)?.[0] ?? "";
  const domain = runs.domainAt(start + protocol.length);
  if (domain === null) return null;
  PORT_PATH_QUERY.lastIndex = domain.end;
  const path = PORT_PATH_QUERY.exec(text)?.[1];
  return { start, protocol, domain, path, end: PORT_PATH_QUERY.lastIndex };
}

interface Dot {
  readonly at: number;
  /** End of the top-level domain after this dot, -1 if there is none. */
  readonly topLevelEnd: number;
  /** The last underscore before it: a domain may have none in the last label before the top-level domain. */
  readonly underscore: number;
  /** The last dot of the longest domain that continues after this one; null if none does. */
  last: Dot | null;
  next: Dot | null;
}

interface Domain {
  readonly start: number;
  readonly first: Dot;
  readonly end: number;
}

/** Reads a text's dotted runs from left to right, each once. */
class Runs {
  readonly #text: string;
  #from = 0;
  #end = 0;
  #dot: Dot | null = null;

  constructor(text: string) {
    this.#text = text;
  }

  /** The longest domain that begins here. Positions must be queried in ascending order. */
  domainAt(start: number): Domain | null {
    if (start < this.#from || start >= this.#end) this.#read(start);
    while (this.#dot !== null && this.#dot.at < start) this.#dot = this.#dot.next;
    const first = this.#dot;
    if (first === null || !isLabel(this.#text, start, first.at)) return null;
    const last = first.last ?? (first.topLevelEnd >= 0 && first.underscore < start ? first : null);
    return last && { start, first, end: last.topLevelEnd };
  }

  #read(from: number): void {
    const text = this.#text;
    const dots: Dot[] = [];
    let underscore = -1;
    let at = from;
    for (; at < text.length && dots.length < MAX_DOTS; at += 1) {
      const unit = text.charCodeAt(at);
      if (unit === DOT) dots.push({ at, topLevelEnd: topLevelEnd(text, at + 1), underscore, last: null, next: null });
      else if (unit === UNDERSCORE) underscore = at;
      else if (unit !== DASH && !IN_DOMAIN[unit]) break;
    }
    let next: Dot | null = null;
    for (const dot of dots.reverse()) {
      dot.next = next;
      if (next !== null && isLabel(text, dot.at + 1, next.at)) {
        dot.last = next.last ?? (next.topLevelEnd >= 0 && next.underscore < dot.at ? next : null);
      }
      next = dot;
    }
    this.#from = from;
    this.#end = at;
    this.#dot = next;
  }
}

/** Within a run: whether the characters form a label, which neither begins nor ends with `-` or `_`. */
function isLabel(text: string, from: number, to: number): boolean {
  return from < to && !!IN_DOMAIN[text.charCodeAt(from)] && !!IN_DOMAIN[text.charCodeAt(to - 1)];
}

function topLevelEnd(text: string, at: number): number {
  // The shortest top-level domain has two characters.
  if (!IN_DOMAIN[text.charCodeAt(at)] || text.charCodeAt(at + 1) === DOT) return -1;
  TOP_LEVEL.lastIndex = at;
  return TOP_LEVEL.test(text) ? TOP_LEVEL.lastIndex : -1;
}

function linksOf(text: string, { before, start, protocol, domain, path, end }: Match): readonly Link[] {
  if ((protocol || DEFAULT_PROTOCOL).length + (end - start) > MAX_LINK) return [];
  const name = text.slice(domain.start, domain.end);
  const bares = protocol === "" || name.startsWith("xn--") ? bareDomains(text, domain) : null;
  if (bares?.length === 0 || !name.split(".").every(fitsDns)) return [];
  if (protocol !== "") {
    const [tco, slug = ""] = regexen.validTcoUrl.exec(text.slice(start, end)) ?? [];
    return slug.length > MAX_TCO_SLUG ? [] : [{ start, length: tco?.length ?? end - start }];
  }
  if (regexen.invalidUrlWithoutProtocolPrecedingChars.test(before)) return [];
  const rest = path === undefined ? 0 : end - domain.end;
  let from = 0;
  return (bares ?? []).map((bare, index, all) => {
    // twitter-text searches for each by its letters, from the end of the previous one.
    const at = name.indexOf(bare, from);
    from = at + bare.length;
    return { start: domain.start + at, length: bare.length + (index === all.length - 1 ? rest : 0) };
  });
}

/** The parts of a domain that count as links without a protocol, in order. */
function bareDomains(text: string, domain: Domain): string[] {
  const found: string[] = [];
  let from = domain.start;
  for (let dot: Dot | null = domain.first; dot !== null && dot.at < domain.end; ) {
    const start = bareStart(text, from, dot.at);
    let last: Dot | null = start < dot.at && dot.topLevelEnd >= 0 ? dot : null;
    let end: Dot = dot;
    for (let next: Dot | null = dot.next; start < dot.at && next !== null && next.at < domain.end; next = next.next) {
      if (bareStart(text, end.at + 1, next.at) > end.at + 1) break;
      if (next.topLevelEnd >= 0) last = next;
      end = next;
    }
    if (last !== null) found.push(text.slice(start, last.topLevelEnd));
    from = last?.topLevelEnd ?? end.at + 1;
    dot = (last ?? end).next;
  }
  return found;
}

/** The start of the bare-domain characters that reach up to `to`. */
function bareStart(text: string, from: number, to: number): number {
  let start = to;
  while (start > from && IN_BARE_DOMAIN[text.charCodeAt(start - 1)]) start -= 1;
  return start;
}

/**
 * Whether a label has 1 to 63 characters in its ASCII form (RFC 3490), where other full stops are separators
 * as well.
 */
function fitsDns(label: string): boolean {
  if (PRINTABLE.test(label)) return label.length >= 1 && label.length <= MAX_LABEL;
  // Even a character of two UTF-16 units encodes to at least one letter.
  if (label.length > 2 * MAX_LABEL) return false;
  const parts = label.split(/[\u3002\uff0e\uff61]/);
  return parts.reduce((length, part) => length + asciiLength(part), parts.length - 1) <= MAX_LABEL;
}

/** Length of a label in Punycode (RFC 3492, section 6.3), with its `xn--`. */
function asciiLength(label: string): number {
  if (PRINTABLE.test(label)) return label.length;
  const points = Array.from(label, (char) => char.codePointAt(0) ?? 0);
  const rising = points.filter((point) => point >= 0x80).sort((a, b) => a - b);
  const basic = points.length - rising.length;
  let length = "xn--".length + basic + (basic > 0 ? 1 : 0);
  let [handled, floor, delta, bias] = [basic, 0x80, 0, 72];
  for (const next of new Set(rising)) {
    delta += (next - floor) * (handled + 1);
    for (const point of points) {
      if (point < next) delta += 1;
      if (point !== next) continue;
      length += digitsOf(delta, bias);
      bias = adapted(delta, handled + 1, handled === basic);
      delta = 0;
      handled += 1;
    }
    delta += 1;
    floor = next + 1;
  }
  return length;
}

function digitsOf(delta: number, bias: number): number {
  let [digits, rest] = [1, delta];
  for (let weight = 36; ; weight += 36) {
    const threshold = Math.min(26, Math.max(1, weight - bias));
    if (rest < threshold) return digits;
    rest = Math.floor((rest - threshold) / (36 - threshold));
    digits += 1;
  }
}

function adapted(delta: number, count: number, isFirst: boolean): number {
  let rest = Math.floor(delta / (isFirst ? 700 : 2));
  rest += Math.floor(rest / count);
  let weight = 0;
  for (; rest > 455; weight += 36) rest = Math.floor(rest / 35);
  return weight + Math.floor((36 * rest) / (rest + 38));
}
