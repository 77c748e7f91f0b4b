import { z } from "zod";
import type { SeenComment } from "../comments/store.ts";
import type { Caller } from "../core/caller.ts";
import type { Journal } from "../jobs/journal.ts";
import type { ChatFailure } from "../models/chat.ts";
import { platformTitle } from "../platforms/facts.ts";
import type { TextRules } from "../platforms/rules.ts";
import type { Post } from "../posts/store.ts";
import type { Deps } from "../service/deps.ts";
import { countedChat } from "../usage/counted-chat.ts";
import { modelQuotaExceeded } from "../usage/model-calls.ts";
import { askModel, judgeReply, type Reply, type ReplyRequest, Written, writeReply } from "./ai-reply.ts";
import type { Automation } from "./table.ts";

/**
 * The texts of an answer, decided once: the same texts are sent, looked up and logged, whatever changes
 * meanwhile.
 */
const Texts = z.object({
  comment: z.string().nullable(),
  message: z.string().nullable(),
  /** Why the model's texts are not used, if a model was to write them. */
  note: z.string().nullable(),
});
export type Texts = z.output<typeof Texts>;

export interface Wording {
  readonly automation: Pick<Automation, "usesAi" | "aiSettings" | "name" | "commentReply" | "directMessage">;
  readonly post: Pick<Post, "caption" | "thread" | "channelType">;
  readonly comment: Pick<SeenComment, "text" | "authorName">;
  /** The platform's rules; null for an answer that is not wanted. */
  readonly rules: { readonly comment: TextRules | null; readonly message: TextRules | null };
}

const STEP = "texts";
const MODEL_CALL = "model";
/** Whether a model was called, or its answer if that was not checked yet. */
const Requested = z.union([z.boolean(), Written]);
const TRIES = "model_tries";
/** A model without capacity is retried, because that costs nothing. */
const MODEL_TRIES = 3;

/** The part of the journal that is needed. */
export type TextJournal = Pick<
  Journal,
  "read" | "write" | "writeWithNext" | "checkpoint" | "retriesOf" | "retryWithBackoff"
>;

/**
 * A model is called at most once for a comment: if a delivery dies during the call, the automation's own
 * texts are used.
 */
export async function decideTexts(
  deps: Pick<Deps, "chatFor">,
  journal: TextJournal,
  wording: Wording,
  project: { readonly isTest: boolean },
): Promise<Texts> {
  const known = journal.read(STEP, Texts);
  if (known) return known;
  const texts = await makeTexts(deps, journal, wording, project);
  // What a model wrote was paid for, and cannot be made again. The bot's own texts are stored with the intent
  // to send them.
  if (wording.automation.usesAi) await journal.write(STEP, texts);
  else journal.writeWithNext(STEP, texts);
  return texts;
}

/** Replaces the texts before any of them may have been sent, so what is sent next is what is looked up. */
export async function rewriteTexts(journal: Journal, texts: Texts): Promise<void> {
  await journal.write(STEP, texts);
}

async function makeTexts(
  deps: Pick<Deps, "chatFor">,
  journal: TextJournal,
  wording: Wording,
  project: { readonly isTest: boolean },
): Promise<Texts> {
  if (!wording.automation.usesAi) return fixed(wording, null);
  const requested = journal.read(MODEL_CALL, Requested) ?? false;
  if (requested === true) return fixed(wording, "The model's answer was lost.");
  const request = requestOf(wording);
  if (requested !== false) return judged(requested, request, wording);
  await journal.checkpoint();
  await journal.write(MODEL_CALL, true);
  const outcome = await askModel(deps.chatFor(project), request);
  if (outcome.kind === "answered") {
    try {
      return judged(outcome.written, request, wording);
    } catch (error) {
      // The answer has been paid for: the next delivery checks it again, without another call.
      await journal.write(MODEL_CALL, outcome.written);
      throw error;
    }
  }
  // A server without capacity has not been paid; any other failure is unconfirmed.
  if (outcome.reason !== "throttled") return fixed(wording, outcome.message);
  await journal.write(MODEL_CALL, false);
  return waitForModel(journal, wording, outcome);
}

function judged(written: Written, request: ReplyRequest, wording: Wording): Texts {
  return inWords(judgeReply(written, request), wording);
}

/** The model's texts if they are usable, otherwise the automation's own. */
function inWords(reply: Exclude<Reply, ChatFailure>, wording: Wording): Texts {
  if (reply.kind === "unusable") return fixed(wording, reply.reason);
  const own = fixed(wording, null);
  return { comment: reply.comment ?? own.comment, message: reply.message ?? own.message, note: null };
}

function waitForModel(journal: TextJournal, wording: Wording, { message, retryAfterSeconds = 30 }: ChatFailure): Texts {
  const tries = journal.retriesOf(TRIES);
  if (tries >= MODEL_TRIES) return fixed(wording, message);
  return journal.retryWithBackoff(TRIES, { code: "rate_limited", message }, { retryAfterSeconds });
}

/** The automation's own texts. Pure. */
function fixed({ automation, rules }: Wording, note: string | null): Texts {
  return {
    comment: rules.comment ? automation.commentReply : null,
    message: rules.message ? automation.directMessage : null,
    note,
  };
}

/** The result of `decideTexts` without storing anything, for the trial. Errors: `quota_exceeded`. */
export async function previewTexts(deps: Deps, wording: Wording, caller: Caller): Promise<Texts> {
  if (!wording.automation.usesAi) return fixed(wording, null);
  const trial = { projectId: caller.projectId, automationId: null, isTrial: true };
  const chat = countedChat(deps, trial, deps.chatFor(caller));
  const outcome = await writeReply(chat, requestOf(wording));
  if (outcome.kind === "failed" && outcome.reason === "over_quota") throw modelQuotaExceeded(outcome);
  return outcome.kind === "failed" ? fixed(wording, outcome.message) : inWords(outcome, wording);
}

function requestOf({ automation, post, comment, rules }: Wording): ReplyRequest {
  return {
    settings: automation.aiSettings ?? {},
    bot: { name: automation.name, commentReply: automation.commentReply, directMessage: automation.directMessage },
    post: { caption: post.caption || (post.thread[0]?.message ?? "") },
    comment: { text: comment.text, authorName: comment.authorName },
    wants: rules,
    platformTitle: platformTitle(post.channelType),
  };
}
