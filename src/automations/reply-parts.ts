import { sql } from "drizzle-orm";
import { actAs } from "../acting/acting.ts";
import { afterOthers, paced } from "../acting/paced-act.ts";
import { MESSAGE_STEP, sendMessage } from "../acting/send-message.ts";
import { COMMENT_STEP, type Commented, writeComment } from "../acting/write-comment.ts";
import { healthOf } from "../channels/health.ts";
import { isBeingAnswered } from "../comments/act-store.ts";
import { keepOwnComment, markAnswered, toAnswered } from "../comments/store.ts";
import { type BotMessage, recordBotMessage } from "../conversations/other-messages.ts";
import { SECOND } from "../core/time.ts";
import type { Statement } from "../db/client.ts";
import { JobFailed } from "../jobs/outcomes.ts";
import type { Commenting } from "../platforms/commenting.ts";
import type { Messaging } from "../platforms/messaging.ts";
import type { Capability } from "../platforms/names.ts";
import type { TextRules } from "../platforms/rules.ts";
import type { Answering } from "./answering.ts";
import { noMessagesSentence } from "./decision.ts";
import { findOtherMessages, findWrittenTo, isWrittenTo } from "./other-messages.ts";
import { isOver } from "./reply-ends.ts";
import { type Reply, recordPart } from "./reply-store.ts";
import { SKIPS } from "./stored.ts";
import { rewriteTexts, type Texts } from "./texts.ts";

/** The two ways to answer. In a `reply` job each is sent, waits or fails independently of the other. */

/** Null if the answer is no longer wanted. Other outcomes are thrown. */
export async function answerInPublic(
  answering: Answering,
  comments: Commenting | undefined,
  texts: Texts,
  isRepeat = false,
): Promise<Commented | null> {
  const { deps, journal, actor, reply, comment, post, ownIds } = answering;
  const text = requireText(texts.comment, texts.note);
  const [live] = post.platformPosts;
  if (!comments || !live)
    throw new JobFailed("unsupported_by_platform", `There are no comments on ${post.channelType}.`);
  const act = comments.allowance ?? "comments";
  const acting = await actAs({ deps, journal, isPatient: isPatient(answering, "replies"), act }, actor, "replies");
  requireLength(text, comments.text(actor.channel.attributes));
  const over = isOver(reply.id);
  const turn = paced(acting, comments.pace, turnOf(reply), over);
  const busy = isBeingAnswered(post.id, comment.commentId, Date.now());
  return writeComment({
    ...acting,
    comments,
    target: { post: live, comment: toAnswered(comment) },
    text,
    endsDoubt: true,
    taken: new Set([...post.platformPosts.map(({ id }) => id), ...ownIds]),
    // The turn of the act that was refused as a repeat serves the one in its place.
    intent: isRepeat ? { unless: over } : afterOthers(acting, turn, { busy, over }),
    repeated: async () => {
      const other = { ...texts, comment: addressed(text, comment.authorName, comments.text(actor.channel.attributes)) };
      await rewriteTexts(journal, other);
      return answerInPublic(answering, comments, other, true);
    },
    settles: ({ id }) => {
      const now = Date.now();
      return [
        recordPart(deps.db, { id: reply.id, part: "comment" }, { state: "sent", text, id, at: now }, journal.hasLease),
        keepOwnComment(deps.db, post, { id, text, author: actor.channel.accountId, at: now }, journal.hasLease),
        markAnswered(deps.db, reply, now, journal.hasLease),
      ];
    },
  });
}

/** The same answer for another person, where a platform takes no text of an account twice. */
function addressed(text: string, name: string | null, rules: TextRules): string {
  const other = `@${name} ${text}`;
  if (name !== null && !text.startsWith("@") && rules.measure(other) <= rules.max) return other;
  throw new JobFailed("duplicate", "The platform accepts no text twice, and the channel used this text before.");
}

/** As `answerInPublic`. */
export async function answerInPrivate(
  answering: Answering,
  messages: Messaging | undefined,
  texts: Texts,
): Promise<void> {
  const { deps, journal, actor, reply, comment, post } = answering;
  const text = requireText(texts.message, texts.note);
  const [live] = post.platformPosts;
  if (!messages || !live) throw new JobFailed("unsupported_by_platform", noMessagesSentence(post.channelType));
  const patience = isPatient(answering, "messages");
  const acting = await actAs({ deps, journal, isPatient: patience, act: "messages" }, actor, "messages");
  requireLength(text, messages.text);
  const { windowSeconds } = messages;
  if (windowSeconds !== null && !journal.isUnconfirmed(MESSAGE_STEP))
    requireWindow(comment.createdAt + windowSeconds * SECOND);
  const over = messages.refusesRepeat ? sql`(${isOver(reply.id)} OR ${isWrittenTo(reply)})` : isOver(reply.id);
  const sent = await sendMessage({
    ...acting,
    messages,
    target: { post: live, comment: toAnswered(comment) },
    text,
    others: () => findOtherMessages(deps.db, reply, actor.channel.id, comment.authorId),
    intent: paced(acting, messages.pace, turnOf(reply), over),
    settles: ({ id }) => {
      const part = { state: "sent", text, id, at: Date.now() } as const;
      return [
        recordPart(deps.db, { id: reply.id, part: "message" }, part, journal.hasLease),
        // The public answer has marked it already.
        ...(journal.isDone(COMMENT_STEP) ? [] : [markAnswered(deps.db, reply, part.at, journal.hasLease)]),
        ...recordInConversation(answering, { text, platformId: id, at: part.at }),
      ];
    },
  });
  if (sent !== null || !messages.refusesRepeat || !(await findWrittenTo(deps.db, reply))) return;
  throw new JobFailed(
    "duplicate",
    "Another automation has sent the author a message, and the platform allows one message per comment.",
  );
}

/**
 * A login that has ended is waited for: the account owner may repeat it at any time. A permission that was
 * never given is not.
 */
function isPatient({ actor }: Answering, capability: Capability): boolean {
  return healthOf(actor.channel, actor.grants, capability, Date.now()).code !== "permission_missing";
}

/** Thrown out of a part that has nothing to say. */
class NoText extends JobFailed {
  constructor(note: string | null) {
    super("content_invalid", note === null ? SKIPS.no_text : `${note} ${SKIPS.no_text}`);
  }
}

function requireText(text: string | null, note: string | null): string {
  if (text === null || text.trim() === "") throw new NoText(note);
  return text;
}

function requireLength(
  text: string,
  { max, measure, unit }: Pick<ReturnType<Commenting["text"]>, "max" | "measure" | "unit">,
) {
  const length = measure(text);
  if (length <= max) return;
  throw new JobFailed("content_invalid", `The answer has ${length} ${unit}; ${max} are allowed here.`);
}

function requireWindow(closesAt: number): void {
  if (Date.now() < closesAt) return;
  throw new JobFailed(
    "deadline_passed",
    "The platform no longer allows a message to the author: the comment is too old.",
  );
}

/** A channel that collects its messages shows those of bots too. */
function recordInConversation(
  { deps, journal, actor: { channel }, comment: { authorId: personId } }: Answering,
  message: Pick<BotMessage, "text" | "platformId" | "at">,
): readonly Statement[] {
  if (channel.messagesSince === null || personId === null) return [];
  return recordBotMessage(deps.db, { ...message, channelId: channel.id, personId }, journal.hasLease);
}

/** At an account, bots take turns. */
const turnOf = ({ projectId, automationId }: Reply) => ({ projectId, party: `bot:${automationId}` });
