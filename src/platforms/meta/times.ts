/**
 * Parses Graph's times, `2026-09-20T08:15:30+0000`, into epoch milliseconds. The offset has no colon, which
 * ISO 8601 parsers may refuse. NaN if unreadable.
 */
export function graphTime(text: string | null | undefined): number {
  return Date.parse((text ?? "").replace(/([+-]\d\d)(\d\d)$/, "$1:$2"));
}
