import { interpretRead } from "../answers.ts";
import type { CommentActs } from "../commenting.ts";
import type { AccountContext, Failure } from "../context.ts";
import { okAs } from "../outcomes.ts";
import { Done, request } from "./api.ts";
import { errorOf, YOUTUBE } from "./errors.ts";

/**
 * Acts on other people's comments under a channel's videos: 50 units each. A comment held for review is
 * hidden; a rejected one never comes back, which is how the owner of a video deletes it.
 */
async function moderate(
  context: AccountContext,
  id: string,
  moderationStatus: "heldForReview" | "published" | "rejected",
): Promise<{ readonly kind: "done" } | Failure> {
  const call = { method: "POST", path: "comments/setModerationStatus", query: { id, moderationStatus } } as const;
  const answer = await request(context, call);
  // A rejected comment does not exist any more.
  const isGone =
    moderationStatus === "rejected" &&
    answer.kind === "answered" &&
    answer.status === 404 &&
    (errorOf(answer)?.reasons.includes("commentNotFound") ?? false);
  if (isGone) return { kind: "done" };
  return okAs(interpretRead(YOUTUBE, answer, Done, context.now), "done");
}

export const acts = {
  hide: (context, { id }, isOn) => moderate(context, id, isOn ? "heldForReview" : "published"),
  like: "YouTube's API cannot like comments.",
  remove: (context, { id }) => moderate(context, id, "rejected"),
} satisfies CommentActs;
