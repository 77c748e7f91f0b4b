import { grouped } from "../core/sentences.ts";

/**
 * A value and its limit, for a sentence about a value that exceeds it. Both are rounded, but to as many
 * digits as show the difference: 1079×1350 is "0.799", not "0.8", where 0.8 is the limit. Pure.
 */
export interface Compared {
  readonly found: string;
  readonly limit: string;
}

const FEWEST_DIGITS = 2;
const MOST_DIGITS = 12;

/** Two different numbers, to the same number of digits. The unit follows them. */
export function compared(found: number, limit: number, unit = ""): Compared {
  let digits = FEWEST_DIGITS;
  while (digits < MOST_DIGITS && !isShown(found, limit, digits)) digits += 1;
  return { found: `${rounded(found, digits)}${unit}`, limit: `${rounded(limit, digits)}${unit}` };
}

function isShown(found: number, limit: number, digits: number): boolean {
  const order = Math.sign(found - limit);
  return Math.sign(Number(found.toFixed(digits)) - Number(limit.toFixed(digits))) === order;
}

/** A number with at most so many digits after the point; "any" for one without a bound. */
export function rounded(value: number, digits = FEWEST_DIGITS): string {
  return Number.isFinite(value) ? String(Number(value.toFixed(digits))) : "any";
}

const KB = 1024;
const MB = 1024 * KB;

/** Two different sizes: in kilobytes or megabytes, or in bytes if those are equal. */
export function comparedBytes(found: number, limit: number): Compared {
  const shown = { found: megabytes(found), limit: megabytes(limit) };
  if (Math.sign(shown.found.bytes - shown.limit.bytes) === Math.sign(found - limit)) {
    return { found: shown.found.text, limit: shown.limit.text };
  }
  return { found: `${grouped(found)} bytes`, limit: `${grouped(limit)} bytes` };
}

/** With the bytes that the text stands for. */
function megabytes(bytes: number): { readonly text: string; readonly bytes: number } {
  if (bytes < MB) {
    const count = Math.ceil(bytes / KB);
    return { text: `${count} KB`, bytes: count * KB };
  }
  const count = rounded(bytes / MB);
  return { text: `${count} MB`, bytes: Number(count) * MB };
}
