import { happens, oneOf, type Random, whole } from "../support/random.ts";
import { inheritedKey, longText, oddText, oddValue, withRaw } from "./odd.ts";

/** Ways to break a body of JSON. */

export interface Broken {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly what: string;
}

type Path = readonly (string | number)[];

const encoder = new TextEncoder();

/** The bytes in a buffer of their own, as a request takes them. */
const encode = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(encoder.encode(text));

export function jsonBytes(value: unknown): Uint8Array<ArrayBuffer> {
  return encode(JSON.stringify(value));
}

const FILES = [
  "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x02\x80\0\0\x01\xe0\x08\x06\0\0\0",
  "GIF89a\x40\x01\xc8\0\0\0\0;",
  "\0\0\0\x14ftypisom\0\0\0\0isom",
  "\0\0\0\x01moov\xff\xff\xff\xff\xff\xff\xff\xff",
  "\xff\xd8\xff\xe1\xff\xff",
  "RIFF\xff\xff\xff\xffWEBPVP8 ",
  "\x1a\x45\xdf\xa3\x01\xff\xff\xff\xff\xff\xff\xffwebm",
  "II*\0\xff\xff\xff\xff",
  "<!doctype html><script>alert(1)</script>",
  "<svg xmlns='http://www.w3.org/2000/svg'/>",
  "{}",
  "",
] as const;

/** The bytes of a small file: whole, damaged, or of an unknown format. */
export function aFile(random: Random): Uint8Array<ArrayBuffer> {
  const text = oneOf(random, FILES);
  const tail = happens(random, 0.3) ? "\0".repeat(whole(random, 1, 5_000)) : "";
  return Uint8Array.from(text + tail, (letter) => letter.charCodeAt(0));
}

const SIZES = [200, 256, 2_049, 5_001, 40_001, 100_001] as const;
/** Rare, for they take the time of many others. */
const HUGE = [500_000, 1_040_000] as const;

/** The body with something wrong in it, and what that is. */
export function breakBody(random: Random, body: unknown): Broken {
  return happens(random, 0.75) ? breakValue(random, body) : breakText(random, JSON.stringify(body));
}

function breakValue(random: Random, body: unknown): Broken {
  const places = placesIn(body);
  const place = places[whole(random, 0, places.length - 1)] ?? [];
  const change = (value: unknown, what: string, at: Path = place): Broken => ({
    bytes: encode(withRaw(replaced(body, at, value))),
    what: `${at.length === 0 ? "the body" : at.join(".")} ${what}`,
  });
  switch (whole(random, 0, 9)) {
    case 0:
      return change(undefined, "is missing");
    case 1:
    case 2:
      return change(oddValue(random), "is an odd value");
    case 3:
      return change(oddText(random), "is an odd text");
    case 4: {
      const length = happens(random, 0.12) ? oneOf(random, HUGE) : oneOf(random, SIZES);
      return change(longText(random, length), `is a text of ${length} characters`);
    }
    case 5: {
      const count = oneOf(random, [21, 101, 2_000, 9_990, 10_001, 60_000]);
      return change(
        Array.from({ length: count }, () => 0),
        `is ${count} values`,
      );
    }
    case 6: {
      const key = inheritedKey(random);
      return withKey(random, body, key, `has the inherited key ${key}`);
    }
    case 7: {
      const key = happens(random, 0.5) ? "captoin" : oddText(random);
      return withKey(random, body, key, "has an unknown field");
    }
    case 8:
      return change([oddValue(random), oddValue(random)], "is a list of odd values");
    default:
      return change(
        { [inheritedKey(random)]: oddValue(random), [oddText(random)]: oddValue(random) },
        "is an odd object",
      );
  }
}

/** One of the objects in the body with a key more, whatever that key means to JavaScript. */
function withKey(random: Random, body: unknown, key: string, what: string): Broken {
  const objects = placesIn(body).filter((path) => isObject(valueAt(body, path)));
  const path = objects[whole(random, 0, objects.length - 1)] ?? [];
  const own = valueAt(body, path);
  const changed = new Map(isObject(own) ? Object.entries(own) : []);
  changed.set(key, oddValue(random));
  const members = [...changed].map(([name, value]) => `${JSON.stringify(name)}:${withRaw(value)}`);
  // As text: in an object of JavaScript `__proto__` would be no key.
  const marker = "\u0002here";
  const text = withRaw(replaced(body, path, marker)).replace(JSON.stringify(marker), () => `{${members.join(",")}}`);
  return { bytes: encode(text), what: `${path.length === 0 ? "the body" : path.join(".")} ${what}` };
}

function breakText(random: Random, json: string): Broken {
  const at = whole(random, 0, json.length);
  const text = (value: string, what: string): Broken => ({ bytes: encode(value), what: `the body ${what}` });
  switch (whole(random, 0, 9)) {
    case 0:
      return text(json.slice(0, at), "is cut off");
    case 1:
      return text("", "is empty");
    case 2:
      return text(
        oneOf(random, ["null", "[]", "1", '"x"', "true", "[[1]]", "{", "}", "\ufeff{}", "undefined"]),
        "is no object",
      );
    case 3:
      return text(`\ufeff${json}`, "begins with a byte order mark");
    case 4:
      return text(`${json}${oneOf(random, ["}", " // end", "\u0000", json])}`, "goes on after its end");
    case 5:
      return text(
        json.replace(/^\{/, `{${'"caption_text":"x",'.repeat(whole(random, 1, 50))}`),
        "has a key several times",
      );
    case 6:
      return text(`${json}${" ".repeat(oneOf(random, [1_000, 1_048_576, 1_100_000]))}`, "is longer than allowed");
    case 7:
      return text(`{"a":${'{"a":'.repeat(50_000)}1${"}".repeat(50_001)}`, "is nested deeply");
    default: {
      const bytes = encode(json);
      for (let count = whole(random, 1, 5); count > 0; count--) {
        bytes[whole(random, 0, Math.max(0, bytes.length - 1))] = oneOf(random, [0xff, 0xc0, 0x80, 0xed, 0xf5, 0x00]);
      }
      return { bytes, what: "the body is not UTF-8" };
    }
  }
}

/** Every place of a value, the whole first. */
function placesIn(value: unknown, path: Path = []): Path[] {
  if (Array.isArray(value)) return [path, ...value.flatMap((part, index) => placesIn(part, [...path, index]))];
  if (!isObject(value)) return [path];
  return [path, ...Object.entries(value).flatMap(([key, part]) => placesIn(part, [...path, key]))];
}

function valueAt(value: unknown, [first, ...rest]: Path): unknown {
  if (first === undefined) return value;
  if (Array.isArray(value)) return valueAt(value[Number(first)], rest);
  return isObject(value) ? valueAt(value[String(first)], rest) : undefined;
}

function replaced(value: unknown, [first, ...rest]: Path, by: unknown): unknown {
  if (first === undefined) return by;
  if (Array.isArray(value)) return value.map((part, index) => (index === first ? replaced(part, rest, by) : part));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [key, key === first ? replaced(part, rest, by) : part]),
  );
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
