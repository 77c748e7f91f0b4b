/**
 * Between which letters a word may be broken that is longer than a line: roughly, and in Latin, Greek and
 * Cyrillic alike.
 */

/** Shorter words are not broken here. */
const LONG_WORD = /\p{L}{10,}/gu;
/** Letters that stay together at either end. */
const END = 3;

/** What may be divided by hyphens; together they are the word. */
export function syllablesOf(word: string): readonly string[] {
  const parts = word.replace(LONG_WORD, (long) => {
    const letters = Array.from(long);
    const begins = new Set(Array.from(letters.map(base).join("").matchAll(SYLLABLE), ({ index }) => index));
    const mayBreak = (at: number) => at >= END && at <= letters.length - END && begins.has(at);
    return letters.map((letter, at) => (mayBreak(at) ? `\n${letter}` : letter)).join("");
  });
  return parts.split("\n");
}

/** Small and without its accent, as one UTF-16 unit. */
function base(letter: string): string {
  const small = letter.toLowerCase();
  return small === "й" ? small : small.normalize("NFD").slice(0, 1);
}

const VOWELS = "aeiouyæœøəıαεηιουωаеёиоуыэюяіѣү";
/** What begins one: the consonant before a vowel, or those that are one sound. */
const SYLLABLE = new RegExp(`(?:sch|[cpst]h|qu|[^${VOWELS}])(?=[${VOWELS}])`, "g");
