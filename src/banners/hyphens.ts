/** Approximate hyphenation of words that are longer than a line, for Latin, Greek and Cyrillic. */

/** Shorter words are not hyphenated. */
const LONG_WORD = /\p{L}{10,}/gu;
/** The minimum number of letters at either end. */
const END = 3;

/** The parts between possible hyphens; joined, they are the word. */
export function syllablesOf(word: string): readonly string[] {
  const parts = word.replace(LONG_WORD, (long) => {
    const letters = Array.from(long);
    const begins = new Set(Array.from(letters.map(base).join("").matchAll(SYLLABLE), ({ index }) => index));
    const mayBreak = (at: number) => at >= END && at <= letters.length - END && begins.has(at);
    return letters.map((letter, at) => (mayBreak(at) ? `\n${letter}` : letter)).join("");
  });
  return parts.split("\n");
}

/** Lower case without the accent, as one UTF-16 unit. */
function base(letter: string): string {
  const small = letter.toLowerCase();
  return small === "й" ? small : small.normalize("NFD").slice(0, 1);
}

const VOWELS = "aeiouyæœøəıαεηιουωаеёиоуыэюяіѣү";
/** The start of a syllable: the consonant before a vowel, or consonants that form one sound. */
const SYLLABLE = new RegExp(`(?:sch|[cpst]h|qu|[^${VOWELS}])(?=[${VOWELS}])`, "g");
