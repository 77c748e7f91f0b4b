import { z } from "zod";
import type { Pace } from "../context.ts";
import { PlatformId } from "../json.ts";
import type { MessageOutcome, MessageTarget } from "../messaging.ts";
import type { Row } from "../refusals.ts";
import type { Answered, Lost } from "../request.ts";
import { errorOf } from "./errors.ts";
import { type GraphClient, post } from "./graph.ts";

/**
 * Private replies: the one message that a Page or an account may send to a commenter within seven days. Both
 * products work alike, except for the sender.
 *
 * - A second message for a comment is refused, which proves that one was sent, perhaps manually.
 * - The sources disagree about error numbers: only 10900, 1545133 and 2534023 certainly mean "already sent";
 *   the others may also mean "not reachable".
 */
export const WINDOW_SECONDS = 7 * 24 * 3600;
/** The documented limit for posts and reels, of a Page or an account. */
export const PACE: Pace = { most: 750, perSeconds: 3600, scope: "account" };

const TOO_LATE = "{title} allows a message to the author within 7 days of the comment only.";
const USED_OR_UNREACHABLE =
  "{title} allows no message for this comment. It was already answered by one, or the author accepts no messages from this {account}.";
const NO_SUCH_COMMENT = "{title} does not find a comment that can be answered by a message. It may have been deleted.";
const SPENT = "{title} reports that this comment was already answered by a message.";
const TEXT = "{title} does not accept the text of the message.";

/** Rows by number alone, whether code or subcode. */
export const PRIVATE_REPLY_ROWS: readonly Row[] = [
  ["551", "rejected", "{title} reports that the author cannot receive messages now."],
  ["10900", "duplicate", SPENT],
  ["10902", "rejected", "{title} does not allow a message for this comment."],
  ["10903", "rejected", USED_OR_UNREACHABLE],
  ["1545133", "duplicate", SPENT],
  ["2018001", "rejected", "{title} does not find the author of the comment."],
  ["2018278", "rejected", TOO_LATE],
  ["2018292", "rejected", NO_SUCH_COMMENT],
  ["2534014", "rejected", USED_OR_UNREACHABLE],
  ["2534015", "rejected", TEXT, { code: "content_invalid" }],
  ["2534022", "rejected", TOO_LATE],
  ["2534023", "duplicate", SPENT],
  ["2534039", "rejected", USED_OR_UNREACHABLE],
  ["2534040", "rejected", TOO_LATE],
  ["2534044", "rejected", TOO_LATE],
];

/** Either of them proves that it was sent. */
export const Sent = z
  .object({ message_id: PlatformId.nullish(), recipient_id: PlatformId.nullish() })
  .refine(({ message_id, recipient_id }) => (message_id ?? recipient_id ?? null) !== null);

/** `sender`: the Page or account whose token the client uses. */
export async function replyPrivately(
  graph: GraphClient,
  sender: string,
  { comment }: MessageTarget,
  text: string,
): Promise<MessageOutcome> {
  const form = { recipient: JSON.stringify({ comment_id: comment.id }), message: JSON.stringify({ text }) };
  const answer = await graph.request(post(`${sender}/messages`, form));
  const outcome = graph.interpretWrite(answer, Sent);
  if (outcome.kind === "ok") return { kind: "sent", id: outcome.value.message_id ?? null };
  const isMisnamed = outcome.kind === "failed" && outcome.reason === "permission_missing" && isAboutPerson(answer);
  return isMisnamed ? { ...outcome, reason: "rejected" } : outcome;
}

/** 10 is a missing permission; with a messenger subcode it concerns only this person or comment. */
export function isAboutPerson(answer: Answered | Lost): boolean {
  const subcode = errorOf(answer)?.error_subcode ?? 0;
  return [2018, 2534].includes(Math.floor(subcode / 1000));
}
