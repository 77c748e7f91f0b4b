import { z } from "zod";

/**
 * JSON as platforms write it. Some give ids as numbers above 2^53 (TikTok, Instagram's and Threads' logins),
 * which `JSON.parse` rounds to another id.
 */

/** An integer of sixteen digits or more, outside quotes as far as that can be told cheaply. */
const LONG_INTEGER = /(?:^|[:,[\s])-?\d{16}/;

/**
 * The text as JSON, an integer that a number cannot hold exactly as the string of its digits; null where it
 * is no JSON.
 */
export function parseJson(text: string): unknown {
  try {
    // With a reviver parsing takes several times as long.
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

/** An id of a platform, which it may write as a string or as a number. */
export const PlatformId = z.union([z.string().min(1), z.int()]).transform(String);
