import { foldText, isSimilarText, type Likeness } from "../similar-text.ts";

// Bounded, so that a text with many unclosed `@[` is matched in linear time.
const MENTION = /@\[\d{1,25}(?::\d{0,3}(?::([^\]]{0,100}))?)?\]/g;
/** Replaces an unknown name: a noncharacter, which is removed from the sent text. */
const HOLE = "\uFDD0";
const LONGEST_NAME = 100;

/**
 * Whether a text that Facebook shows equals the sent text (facebook.md §3.9). White space and invisible
 * characters may be missing, and a mention, `@[104]` or `@[104:1:Name]`, may be replaced by a name. Pure.
 */
export function likeness(sent: string, seen: string): Likeness {
  const shown = foldText(seen);
  if (foldText(sent) === shown) return "same";
  const plain = sent.replaceAll(HOLE, "");
  const expanded = foldText(plain.replace(MENTION, (_, name?: string) => name || HOLE));
  const holes = holesIn(expanded, shown);
  // The words around the names must match, because names alone match any text.
  if (holes?.every((size) => size > 0 && size <= LONGEST_NAME) && /[\p{L}\p{N}]/u.test(expanded)) return "same";
  const mayMatch = holesIn(foldText(plain.replace(MENTION, HOLE)), shown) !== null;
  // Facebook may show nothing of a text that has only white space and links.
  const isBare = shown === "" || isSimilarText(expanded.replaceAll(HOLE, " "), shown);
  return mayMatch || isBare ? "similar" : "different";
}

/** The length of the text in each hole of the pattern, in order; null when the pattern does not fit. */
function holesIn(pattern: string, text: string): number[] | null {
  const [first = "", ...rest] = pattern.split(HOLE);
  const last = rest.pop();
  if (last === undefined) return first === text ? [] : null;
  const end = text.length - last.length;
  if (!text.startsWith(first) || !text.endsWith(last) || first.length > end) return null;
  const sizes: number[] = [];
  let at = first.length;
  for (const piece of rest) {
    const found = indexOf(text, piece, at);
    if (found < 0 || found + piece.length > end) return null;
    sizes.push(found - at);
    at = found + piece.length;
  }
  return [...sizes, end - at];
}

/** Next position of the piece, or -1. Linear (Knuth, Morris and Pratt), which `String.indexOf` is not. */
function indexOf(text: string, piece: string, from: number): number {
  const borders = new Uint32Array(piece.length + 1);
  for (let at = 1, border = 0; at < piece.length; at += 1) {
    while (border > 0 && piece[at] !== piece[border]) border = borders[border] ?? 0;
    if (piece[at] === piece[border]) border += 1;
    borders[at + 1] = border;
  }
  let matched = 0;
  for (let at = from; at < text.length && matched < piece.length; at += 1) {
    while (matched > 0 && text[at] !== piece[matched]) matched = borders[matched] ?? 0;
    if (text[at] === piece[matched]) matched += 1;
    if (matched === piece.length) return at + 1 - matched;
  }
  return piece.length === 0 ? from : -1;
}
