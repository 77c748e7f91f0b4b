/** Whether a model's text repeats its instructions. Pure, and linear in the length of the text. */

/** A run of this many equal letters, some five words, is no coincidence. */
const LEAK_LETTERS = 25;
const CANARY_LETTERS = 8;
/** Words with which people and models describe instructions, and names inside the instructions. */
const GIVEAWAY =
  /\b(?:system|initial|hidden|original)[ -](?:prompt|instructions?)s?\b|\bmy (?:instructions|prompt|guidelines)\b|\b(?:response_tone|response_length|ai_personality|creativity_level|language_style|emoji_usage|public_reply|direct_message)\b/iu;

/**
 * Whether the text repeats a part of the instructions or their canary: as it is, backwards, or with other
 * characters between the letters. Parts of the bot's own texts are allowed. A translation or paraphrase is
 * not recognized.
 */
export function leaks(text: string, instructions: string, canary: string, own: readonly string[]): boolean {
  if (GIVEAWAY.test(text)) return true;
  const pieces = (letters: string) => windowsOf(letters, LEAK_LETTERS);
  const allowed = new Set(own.flatMap((one) => pieces(lettersOf(one))));
  const secret = new Set(pieces(lettersOf(instructions)).filter((piece) => !allowed.has(piece)));
  const marks = windowsOf(lettersOf(canary), CANARY_LETTERS);
  const letters = lettersOf(text);
  const backwards = [...letters].reverse().join("");
  return [letters, backwards].some(
    (one) => pieces(one).some((piece) => secret.has(piece)) || marks.some((mark) => one.includes(mark)),
  );
}

function lettersOf(text: string): string {
  return (
    text
      .normalize("NFKD")
      // Some characters stand for eighteen letters.
      .slice(0, 2 * text.length + 100)
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]/gu, "")
  );
}

function windowsOf(letters: string, length: number): string[] {
  const count = Math.max(0, letters.length - length + 1);
  return Array.from({ length: count }, (_, at) => letters.slice(at, at + length));
}
