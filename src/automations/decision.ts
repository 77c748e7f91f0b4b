import type { AutomationId } from "../core/ids.ts";
import { MINUTE, SECOND } from "../core/time.ts";
import type { ReadComment } from "../platforms/commenting.ts";
import type { BotKeywords } from "./bot-keywords.ts";
import { ANSWERABLE_MS, CLOCK_SLACK_MS } from "./jobs.ts";
import { isChosenAtRandom } from "./match.ts";
import { type ReplyPart, type ReplyReason, SKIPS, type Skip } from "./stored.ts";
import type { Automation } from "./table.ts";

/**
 * The decision of an automation on a comment. Pure: the same comment is always decided alike.
 *
 * Only comments on the post itself are answered, never answers to comments. So no answer of a bot leads to
 * another one.
 */
export interface Decision {
  readonly automationId: AutomationId;
  readonly commentId: string;
  readonly outcome: "waiting" | "skipped";
  readonly reason: ReplyReason | null;
  readonly message: string;
  readonly keyword: string | null;
  /** `platform:id` of the commenter if each person gets only one answer; null otherwise. */
  readonly onceFor: string | null;
  /** The answers to send; null for one that is not wanted. */
  readonly parts: ReplyParts;
  /** Epoch milliseconds. */
  readonly dueAt: number;
}

export interface ReplyParts {
  readonly comment: ReplyPart | null;
  readonly message: ReplyPart | null;
}

/** The facts about the platform that matter. */
export interface Abilities {
  /** Completes "… on". */
  readonly platform: string;
  /**
   * Milliseconds after a comment in which its author can get a direct message; null for no limit. Absent on
   * platforms without messages.
   */
  readonly messageWindowMs?: number | null;
}

export interface DecisionContext {
  readonly abilities: Abilities;
  /** Shared by all comments and bots that are decided together. */
  readonly keywords: BotKeywords;
  readonly now: number;
}

/** A message is sent at least this long before its window closes. */
const WINDOW_MARGIN_MS = 10 * MINUTE;

const NONE: ReplyParts = { comment: null, message: null };

/**
 * Null for a comment that does not concern the automation: written before it was created, or by the channel
 * itself.
 */
export async function decide(
  bot: Automation,
  comment: ReadComment,
  { abilities, keywords, now }: DecisionContext,
): Promise<Decision | null> {
  if (comment.isOwn === true || comment.createdAt < bot.activeSince - CLOCK_SLACK_MS) return null;
  const base = { automationId: bot.id, commentId: comment.id, onceFor: null, keyword: null } as const;
  const skip = (reason: Skip, keyword: string | null = null): Decision => {
    return { ...base, keyword, outcome: "skipped", reason, message: SKIPS[reason], parts: NONE, dueAt: now };
  };
  if (!comment.isTopLevel) return skip("in_a_thread");
  if (comment.createdAt < now - ANSWERABLE_MS) return skip("too_old");
  const keyword = bot.triggerType === "keywords" ? await keywords.first(bot, comment.text) : null;
  if (bot.triggerType === "keywords" && keyword === null) return skip("no_keyword");
  if (bot.frequency === "randomly" && !(await isChosenAtRandom(bot.id, comment.id))) return skip("not_chosen", keyword);
  if (bot.frequency === "once" && comment.author === null) return skip("author_unknown", keyword);
  const onceFor = bot.frequency === "once" && comment.author ? `${abilities.platform}:${comment.author.id}` : null;
  const parts = partsOf(bot, abilities);
  if (parts.comment === null && parts.message?.state === "not_sent") {
    const { message } = parts.message;
    return { ...base, keyword, outcome: "skipped", reason: "unsupported_by_platform", message, parts, dueAt: now };
  }
  const dueAt = dueTime(bot, comment, parts.message?.state === "waiting" ? abilities.messageWindowMs : null, now);
  return { ...base, keyword, onceFor, outcome: "waiting", reason: null, message: ABOUT_TO, parts, dueAt };
}

const ABOUT_TO = "The answer is about to be sent.";

/** The answers that the automation sends on such a platform. */
export function partsOf({ responseType }: Pick<Automation, "responseType">, abilities: Abilities): ReplyParts {
  const isPrivate = responseType !== "comment";
  return {
    comment: responseType === "direct_message" ? null : { state: "waiting" },
    message: isPrivate
      ? abilities.messageWindowMs === undefined
        ? noMessages(abilities)
        : { state: "waiting" }
      : null,
  };
}

function noMessages({ platform }: Abilities): ReplyPart {
  return { state: "not_sent", code: "unsupported_by_platform", message: noMessagesSentence(platform) };
}

export function noMessagesSentence(platform: string): string {
  return `There are no direct messages on ${platform}.`;
}

function dueTime(
  { delaySeconds }: Automation,
  { createdAt }: ReadComment,
  windowMs: number | null | undefined,
  now: number,
): number {
  const requested = createdAt + delaySeconds * SECOND;
  const last = windowMs == null ? requested : createdAt + windowMs - WINDOW_MARGIN_MS;
  return Math.max(now, Math.min(requested, last));
}
