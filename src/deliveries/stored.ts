import { z } from "zod";

/** One attempt to deliver a message, as it is kept. */
export const Try = z.object({
  /** When it began, epoch milliseconds. */
  at: z.number(),
  /** How long it took. */
  ms: z.number(),
  /** Null when no answer came. */
  status: z.number().nullable(),
  /** The beginning of the answer's body; null when no answer came. */
  answer: z.string().nullable(),
  /** Why it counts as failed, in a sentence; null for a delivery. */
  error: z.string().nullable(),
});
export type Try = z.infer<typeof Try>;

export const Tries = z.array(Try).readonly();

/** Of more, the oldest are forgotten: a message has eight attempts, and may be replayed. */
const MAX_TRIES = 16;

export function withTry(tries: readonly Try[], last: Try): readonly Try[] {
  return [...tries, last].slice(-MAX_TRIES);
}
