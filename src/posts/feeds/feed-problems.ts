import { z } from "zod";
import { AnswerProblem, answerSentence } from "../../core/answer-problems.ts";
import { ERROR_CODES } from "../../core/errors.ts";

/** Why a reading failed or a feed was stopped, as stored; the API's sentences are made from it. */

/** `refused`: create-post's refusal of an entry. */
const Refusal = z.object({ kind: z.literal("refused"), code: z.enum(ERROR_CODES), message: z.string() });

export const FeedProblem = z.union([AnswerProblem, Refusal]);
export type FeedProblem = z.output<typeof FeedProblem>;

/** `unit`: what failed `count` times in a row; `once` where one answer is enough. */
export const FeedStop = z.object({
  unit: z.enum(["once", "readings", "entries"]),
  count: z.int(),
  last: FeedProblem,
});
export type FeedStop = z.output<typeof FeedStop>;

export const problemSentence = (problem: FeedProblem): string =>
  problem.kind === "refused" ? problem.message : answerSentence(problem);

export function stopSentence({ unit, count, last }: FeedStop): string {
  const sentence = problemSentence(last);
  if (unit === "readings") return `${count} readings of the feed failed in a row. The last one: ${sentence}`;
  if (unit === "entries") return `${count} entries of the feed were refused in a row. The last one: ${sentence}`;
  return sentence;
}
