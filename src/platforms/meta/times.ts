/**
 * Epoch milliseconds of a time as Graph writes it, `2026-09-20T08:15:30+0000`: an offset without a colon,
 * which ISO 8601 parsers may refuse. NaN where it cannot be read.
 */
export function graphTime(text: string | null | undefined): number {
  return Date.parse((text ?? "").replace(/([+-]\d\d)(\d\d)$/, "$1:$2"));
}
