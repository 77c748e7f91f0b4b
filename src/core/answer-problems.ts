import { z } from "zod";

/**
 * Why a user-supplied address gave no usable answer. Rows store the name and its parts: the API's sentence is
 * made from them here, the console's in the language of its page (console/problem-texts.ts).
 */

type Part = string | number;

const SENTENCES = {
  unreachable: () => "It cannot be reached.",
  slow_answer: (seconds: Part) => `No answer within ${seconds} s.`,
  cut_off: () => "The response was cut off.",
  excess_bytes: () => "It sends more bytes than it announces.",
  invalid_redirect: () => "It redirects to an invalid address.",
  many_redirects: (most: Part) => `It redirects more than ${most} times.`,
  /** `why`: the sentence of media/address.ts, in English. */
  address_refused: (why: Part) => String(why),
  file_deleted: () => "The file does not exist or was deleted. Upload it again.",
  // Of webhooks.
  unsigned: () => "The signing secret is unreadable. Rotate it.",
  gone: (status: Part) => `The address reports that it is permanently gone (${status}).`,
  redirects: (status: Part) =>
    `The address redirects (${status}), and redirects are not followed. Enter the final address.`,
  answers: (status: Part) => `It answers ${status}.`,
  // Of feeds.
  feed_gone: () => "The feed's server says that the feed is gone.",
  feed_status: (status: Part) => `Its server answers ${status}.`,
  feed_too_large: (megabytes: Part) => `It is larger than ${megabytes} MB.`,
  feed_unreadable: () => "It cannot be read.",
  feed_nested: () => "Its elements are nested too deeply.",
  no_feed: () => "It is no RSS or Atom feed.",
} as const satisfies Readonly<Record<string, (...parts: Part[]) => string>>;

export type AnswerKind = keyof typeof SENTENCES;
export type AnswerParts<Kind extends AnswerKind> = Parameters<(typeof SENTENCES)[Kind]>;

const KINDS = Object.keys(SENTENCES).filter((name): name is AnswerKind => Object.hasOwn(SENTENCES, name));

/** As stored. */
export const AnswerProblem = z.object({
  kind: z.enum(KINDS),
  parts: z.array(z.union([z.string(), z.number()])),
});
export type AnswerProblem = z.output<typeof AnswerProblem>;

export function answerProblem<Kind extends AnswerKind>(kind: Kind, ...parts: AnswerParts<Kind>): AnswerProblem {
  return { kind, parts: [...parts] };
}

export function answerSentence({ kind, parts }: AnswerProblem): string {
  const say: (...parts: Part[]) => string = SENTENCES[kind];
  return say(...parts);
}
