import { z } from "zod";
import { AnswerProblem } from "../core/answer-problems.ts";

/** One attempt to deliver a message, as stored. */
export const Try = z.object({
  /** When it started, in epoch milliseconds. */
  at: z.number(),
  /** The duration in milliseconds. */
  ms: z.number(),
  /** Null if no response arrived. */
  status: z.number().nullable(),
  /** The beginning of the response body; null if no response arrived. */
  answer: z.string().nullable(),
  /** Why the attempt failed; null if it succeeded. */
  problem: AnswerProblem.nullable(),
});
export type Try = z.infer<typeof Try>;

export const Tries = z.array(Try).readonly();

/**
 * The limit of stored attempts; older ones are dropped. A message has eight attempts, and may be replayed.
 */
const MAX_TRIES = 16;

export function withTry(tries: readonly Try[], last: Try): readonly Try[] {
  return [...tries, last].slice(-MAX_TRIES);
}
