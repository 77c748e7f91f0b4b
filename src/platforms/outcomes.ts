import type { Failure, Unknown } from "./platform.ts";

/** The outcomes that adapters give most, and how a sentence quotes a platform. */

/** Final: the sentence says what is wrong. */
export function rejected(message: string): Failure {
  return { kind: "failed", reason: "rejected", message };
}

/** Passing trouble; nothing was done. */
export function down(message: string): Failure {
  return { kind: "failed", reason: "down", message };
}

/** `retryAfterSeconds` null: the platform does not tell when. */
export function throttled(message: string, retryAfterSeconds: number | null): Failure {
  return { kind: "failed", reason: "throttled", message, ...(retryAfterSeconds === null ? {} : { retryAfterSeconds }) };
}

export function unknown(message: string): Unknown {
  return { kind: "unknown", message };
}

const LONGEST_QUOTE = 300;

/** Our sentence, and the platform's own words where it has any. */
export function quoting(advice: string, title: string, words: string | null | undefined): string {
  return words ? `${advice} ${possessive(title)} words: “${words.slice(0, LONGEST_QUOTE)}”` : advice;
}

/** "X" → "X's", "Threads" → "Threads'". */
export function possessive(title: string): string {
  return title.endsWith("s") ? `${title}'` : `${title}'s`;
}
