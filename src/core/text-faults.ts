/**
 * What makes a text from outside unusable. UTF-8 cannot encode half of a surrogate pair, and databases and
 * platforms cut a text at U+0000: such a text is refused, never replaced.
 */
export type TextFault = "lone_surrogate" | "null_character";

export function faultOf(text: string): TextFault | null {
  if (text.includes("\0")) return "null_character";
  return text.isWellFormed() ? null : "lone_surrogate";
}

export interface FaultyText {
  readonly path: readonly PropertyKey[];
  /** Whether it is the last name of the path itself. */
  readonly isName: boolean;
  readonly fault: TextFault;
}

/** The texts within a value of JSON, without the names of its keys. */
export function* textsIn(
  value: unknown,
  path: readonly PropertyKey[] = [],
): Generator<{ readonly path: readonly PropertyKey[]; readonly text: string }> {
  if (typeof value === "string") yield { path, text: value };
  if (typeof value !== "object" || value === null) return;
  for (const [name, part] of Object.entries(value)) yield* textsIn(part, [...path, name]);
}

/** The unusable texts within a value of JSON, names of keys included, in order. */
export function* faultyTexts(value: unknown, path: readonly PropertyKey[] = []): Generator<FaultyText> {
  if (typeof value === "string") {
    const fault = faultOf(value);
    if (fault) yield { path, isName: false, fault };
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* faultyTexts(item, [...path, index]);
  } else if (typeof value === "object" && value !== null) {
    for (const [name, part] of Object.entries(value)) {
      const at = [...path, name];
      const fault = faultOf(name);
      if (fault) yield { path: at, isName: true, fault };
      yield* faultyTexts(part, at);
    }
  }
}

/** The canonical name of a charset that can be read; null for others. */
export function charsetNamed(label: string): string | null {
  try {
    return new TextDecoder(label.trim()).encoding;
  } catch {
    return null;
  }
}

/** A byte that is not UTF-8, and the number of bytes before it. */
export interface BadByte {
  readonly byte: number;
  readonly at: number;
}

/** The text, without a byte order mark; or the first byte that does not belong to UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | BadByte {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    return firstBadByte(bytes);
  }
}

const REPLACED = "\ufffd";
const REPLACED_BYTES = [0xef, 0xbf, 0xbd];

/** A replacement character that the bytes do not have stands for bytes that are not UTF-8. */
function firstBadByte(bytes: Uint8Array): BadByte {
  const text = new TextDecoder("utf-8", { fatal: false, ignoreBOM: true }).decode(bytes);
  const encoder = new TextEncoder();
  let at = 0;
  for (const [index, part] of text.split(REPLACED).entries()) {
    if (index > 0) {
      if (!REPLACED_BYTES.every((byte, offset) => bytes[at + offset] === byte)) break;
      at += REPLACED_BYTES.length;
    }
    at += encoder.encode(part).length;
  }
  return { byte: bytes[at] ?? 0, at };
}

/** Whether percent-encoded bytes of an address or a form are not UTF-8. A percent sign alone is a text. */
export function hasBrokenEscapes(encoded: string): boolean {
  for (const [run] of encoded.matchAll(/(?:%[\da-f]{2})+/gi)) {
    try {
      decodeURIComponent(run);
    } catch {
      return true;
    }
  }
  return false;
}
