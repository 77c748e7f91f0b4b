import type { AutomationId } from "../core/ids.ts";
import { MINUTE, SECOND } from "../core/time.ts";
import type { ReadComment } from "../platforms/commenting.ts";
import type { BotKeywords } from "./bot-keywords.ts";
import { ANSWERABLE_MS, CLOCK_SLACK_MS } from "./jobs.ts";
import { isChosenAtRandom } from "./match.ts";
import { type Leg, type ReplyReason, SKIPS, type Skip } from "./stored.ts";
import type { Automation } from "./table.ts";

/**
 * What an automation makes of a comment. Pure: the same comment is decided alike whenever it is seen.
 *
 * Only comments on the post itself are answered, never what is said in answer to a comment: so no answer of
 * ours, nor of another bot to ours, ever leads to a further one.
 */
export interface Verdict {
  readonly automationId: AutomationId;
  readonly commentId: string;
  readonly outcome: "waiting" | "skipped";
  readonly reason: ReplyReason | null;
  readonly message: string;
  readonly keyword: string | null;
  /** Whose first answer it is to be, as `platform:id`, where each person gets one; null elsewhere. */
  readonly onceFor: string | null;
  /** The answers that are to be given; null for one that is not wanted. */
  readonly legs: Legs;
  /** Epoch milliseconds. */
  readonly dueAt: number;
}

export interface Legs {
  readonly comment: Leg | null;
  readonly message: Leg | null;
}

/** What of the platform matters. */
export interface Abilities {
  /** Completes "… on". */
  readonly platform: string;
  /**
   * How long after a comment its author can be written to, milliseconds: null = for ever. Absent where there
   * are no messages.
   */
  readonly messageWindowMs?: number | null;
}

export interface Circumstances {
  readonly abilities: Abilities;
  /** One for all comments and bots that are decided on together. */
  readonly keywords: BotKeywords;
  readonly now: number;
}

/** So long before the window for a message closes it is sent at the latest. */
const WINDOW_MARGIN_MS = 10 * MINUTE;

const NONE: Legs = { comment: null, message: null };

/**
 * Null for a comment that is none of the automation's business: of before it was made, or of the channel
 * itself.
 */
export async function decide(
  bot: Automation,
  comment: ReadComment,
  { abilities, keywords, now }: Circumstances,
): Promise<Verdict | null> {
  if (comment.isOwn === true || comment.createdAt < bot.activeSince - CLOCK_SLACK_MS) return null;
  const base = { automationId: bot.id, commentId: comment.id, onceFor: null, keyword: null } as const;
  const skip = (reason: Skip, keyword: string | null = null): Verdict => {
    return { ...base, keyword, outcome: "skipped", reason, message: SKIPS[reason], legs: NONE, dueAt: now };
  };
  if (!comment.isTopLevel) return skip("in_a_thread");
  if (comment.createdAt < now - ANSWERABLE_MS) return skip("too_old");
  const keyword = bot.triggerType === "keywords" ? await keywords.first(bot, comment.text) : null;
  if (bot.triggerType === "keywords" && keyword === null) return skip("no_keyword");
  if (bot.frequency === "randomly" && !(await isChosenAtRandom(bot.id, comment.id))) return skip("not_chosen", keyword);
  if (bot.frequency === "once" && comment.author === null) return skip("author_unknown", keyword);
  const onceFor = bot.frequency === "once" && comment.author ? `${abilities.platform}:${comment.author.id}` : null;
  const legs = legsOf(bot, abilities);
  if (legs.comment === null && legs.message?.state === "not_sent") {
    const { message } = legs.message;
    return { ...base, keyword, outcome: "skipped", reason: "unsupported_by_platform", message, legs, dueAt: now };
  }
  const dueAt = dueTime(bot, comment, legs.message?.state === "waiting" ? abilities.messageWindowMs : null, now);
  return { ...base, keyword, onceFor, outcome: "waiting", reason: null, message: ABOUT_TO, legs, dueAt };
}

const ABOUT_TO = "It is about to be answered.";

/** The answers that the automation gives on such a platform. */
export function legsOf({ responseType }: Pick<Automation, "responseType">, abilities: Abilities): Legs {
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

function noMessages({ platform }: Abilities): Leg {
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
  const asked = createdAt + delaySeconds * SECOND;
  const last = windowMs == null ? asked : createdAt + windowMs - WINDOW_MARGIN_MS;
  return Math.max(now, Math.min(asked, last));
}
