import { happens, oneOf, type Random, whole } from "../support/random.ts";

/** Texts and values that trip parsers, matchers and stores. */

const INHERITED = [
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "valueOf",
  "prototype",
  "__defineGetter__",
] as const;

/** A key that every object of JavaScript has, or seems to have. */
export const inheritedKey = (random: Random): string => oneOf(random, INHERITED);

const TEXTS = [
  "",
  " ",
  "\u0000",
  "a\u0000b",
  "\ud800",
  "\udfff\ud800",
  "\u202e\u2066abc",
  "\ufeff",
  "\u200d\u200b",
  "👩‍👩‍👧‍👦🏳️‍🌈",
  "İıſßﬁ",
  "'; DROP TABLE posts; --",
  "%00%ff%c0%af",
  "../../etc/passwd",
  "$" + "{7*7}{{7*7}}",
  "<script>alert(1)</script>",
  "true",
  "null",
  "NaN",
  "0x10",
  "1e3",
  "-1",
  "１２",
  "javascript:alert(1)",
  "http://[::1",
  "https://user:pass@127.0.0.1:1/",
  "//",
] as const;

const DATES = [
  "0000-00-00 00:00",
  "0000-01-01 00:00",
  "9999-12-31 23:59",
  "2030-02-30 10:00",
  "2030-13-01 10:00",
  "2030-03-31 02:30",
  "2029-10-28 02:30",
  "2030-01-01 24:00",
  "+275760-09-13 00:00",
  "-271821-04-20 00:00",
  "2030-01-01T10:00:00Z",
] as const;

const ZONES = [
  "Europe/berlin",
  "+02:00",
  "Etc/GMT+12",
  "UTC ",
  "GMT0",
  "Pacific/Apia",
  "Mars/Base",
  "a/".repeat(31),
] as const;

export const oddText = (random: Random): string =>
  oneOf(random, [oneOf(random, TEXTS), oneOf(random, DATES), oneOf(random, ZONES), inheritedKey(random)]);

const MARKS = ["\u0315\u0300", "\u0301", "\u0f71\u0f72", "\u200d", "\ufe0f"] as const;
const UNITS = [
  "a",
  "a.",
  "a b ",
  "#tag ",
  "https://t.co/a ",
  "é",
  "🚲",
  "@b",
  "\n",
  "\\",
  '"',
  "a,",
  "ﷺ",
  "﷽",
] as const;

/** A text of about so many characters, of a kind that is dear to weigh. */
export function longText(random: Random, length: number): string {
  const unit = happens(random, 0.3) ? `a${oneOf(random, MARKS).repeat(whole(random, 1, 200))}` : oneOf(random, UNITS);
  return unit.repeat(Math.ceil(length / unit.length)).slice(0, length);
}

/** Numbers as they may stand in JSON, which JavaScript cannot write itself. */
const NUMBERS = [
  "1e400",
  "-1e400",
  "1e-400",
  "-0",
  "0.1",
  "1.0",
  "1E2",
  "9007199254740993",
  "-9007199254740993",
  "123456789012345678901234567890",
  "2147483648",
  "4294967296",
  `1${"0".repeat(400)}`,
  `0.${"3".repeat(5_000)}`,
] as const;

/** A value in whose place `withRaw` writes a piece of JSON as it is. */
const RAW = "\u0001raw:";
const raw = (json: string): string => `${RAW}${json}\u0001`;

/** The JSON text of a value that may hold raw pieces. */
export function withRaw(value: unknown): string {
  const text = JSON.stringify(value) ?? "null";
  return text.replace(/"\\u0001raw:((?:[^"\\]|\\.)*?)\\u0001"/g, (_, piece: string) => JSON.parse(`"${piece}"`));
}

/** Nesting that no parser should have to follow. */
function nesting(random: Random): string {
  const depth = oneOf(random, [20, 500, 4_000, 9_000, 100_000]);
  const open = oneOf(random, ["[", '{"a":', '{"__proto__":']);
  const close = open === "[" ? "]" : "}";
  return `${open.repeat(depth)}0${close.repeat(depth)}`;
}

/** A value of a wrong type, or an extreme one of the right type. */
export function oddValue(random: Random): unknown {
  switch (whole(random, 0, 9)) {
    case 0:
      return null;
    case 1:
      return happens(random, 0.5);
    case 2:
    case 3:
      return raw(oneOf(random, NUMBERS));
    case 4:
      return [];
    case 5:
      return {};
    case 6:
      return raw(`{"${inheritedKey(random)}":{"x":1}}`);
    case 7:
      return Array.from({ length: whole(random, 1, 300) }, () => oddText(random));
    case 8:
      return raw(nesting(random));
    default:
      return oddText(random);
  }
}
