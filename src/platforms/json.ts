import { z } from "zod";

/**
 * Parses the JSON of platforms. Some send ids as numbers above 2^53 (TikTok, and the logins of Instagram and
 * Threads), which `JSON.parse` rounds to another id.
 */

/** An integer of sixteen digits or more, outside quotes as far as a cheap check can tell. */
const LONG_INTEGER = /(?:^|[:,[\s])-?\d{16}/;

/**
 * The text as JSON; an integer that a number cannot hold exactly becomes the string of its digits. Null if
 * the text is not JSON.
 */
export function parseJson(text: string): unknown {
  try {
    // With a reviver, parsing takes several times as long.
    return LONG_INTEGER.test(text) ? JSON.parse(text, keepDigits) : JSON.parse(text);
  } catch {
    return null;
  }
}

function keepDigits(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (typeof value !== "number" || Number.isSafeInteger(value)) return value;
  const source = context?.source ?? "";
  return /^-?\d+$/.test(source) ? source : value;
}

/** An id of a platform, which may be sent as a string or as a number. */
export const PlatformId = z.union([z.string().min(1), z.int()]).transform(String);
