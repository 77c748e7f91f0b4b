/**
 * The states of a comment, and the order in which a list has them. Stored is the number, so that one index
 * lists what waits first.
 */
export const COMMENT_STATES = ["unanswered", "answered", "done"] as const;
export type CommentState = (typeof COMMENT_STATES)[number];

export const URGENCY = { unanswered: 2, answered: 1, done: 0 } as const satisfies Readonly<
  Record<CommentState, number>
>;

export function stateOf(urgency: number | null): CommentState {
  return COMMENT_STATES.find((state) => URGENCY[state] === urgency) ?? "done";
}
