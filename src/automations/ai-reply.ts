import { z } from "zod";
import type { Chat, ChatFailure } from "../models/chat.ts";
import { cleaned, fitted } from "../models/text.ts";
import type { TextRules } from "../platforms/rules.ts";
import {
  type Limits,
  materialPrompt,
  maxCharacters,
  maxEmoji,
  type ReplyPromptInput,
  systemPrompt,
  temperatureOf,
} from "./ai-instructions.ts";
import { hasForeignContact } from "./contacts.ts";
import { disclosureFor, MAX_DISCLOSURE } from "./disclosure.ts";
import { leaks } from "./prompt-leaks.ts";

/**
 * A reply written by a language model. A commenter may try to control the model, so its answer is not
 * trusted: a text is sent only if it fits the platform, contains no contact except those of the bot's own
 * texts, and repeats nothing of its instructions. One unusable text withholds the other one too.
 */
export interface ReplyRequest extends ReplyPromptInput {
  /** The rules for each text on this platform; null if the text is not wanted. */
  readonly wants: { readonly comment: TextRules | null; readonly message: TextRules | null };
  readonly signal?: AbortSignal;
}

export type Reply =
  /** Null only if the text was not wanted. */
  | { readonly kind: "written"; readonly comment: string | null; readonly message: string | null }
  /** A sentence for the bot's owner, without quotes. Another attempt may succeed. */
  | { readonly kind: "unusable"; readonly reason: string }
  | ChatFailure;

/**
 * The model's answer before it is checked, and the mark by which a leak of its instructions is recognized.
 */
export const Written = z.object({ comment: z.string().nullable(), message: z.string().nullable(), canary: z.string() });
export type Written = z.output<typeof Written>;

/** Includes the reasoning of models that reason. */
const SPARE_TOKENS = 1_500;

/** One model call. Never throws. */
export async function writeReply(chat: Chat, request: ReplyRequest): Promise<Reply> {
  const outcome = await askModel(chat, request);
  return outcome.kind === "failed" ? outcome : judgeReply(outcome.written, request);
}

/** Only the call, because its answer has been paid for. Never throws. */
export async function askModel(
  chat: Chat,
  request: ReplyRequest,
): Promise<{ readonly kind: "answered"; readonly written: Written } | ChatFailure> {
  const limits = limitsOf(request);
  const canary = crypto.randomUUID().slice(0, 18);
  const outcome = await chat.generate({
    system: systemPrompt(request, limits, canary),
    prompt: materialPrompt(request),
    schema: Written.omit({ canary: true }),
    maxOutputTokens: SPARE_TOKENS + 2 * ((limits.comment ?? 0) + (limits.message ?? 0)),
    temperature: temperatureOf(request.settings),
    ...(request.signal ? { signal: request.signal } : {}),
  });
  return outcome.kind === "failed" ? outcome : { kind: "answered", written: { ...outcome.value, canary } };
}

/** Whether the model's answer may be sent. Pure. */
export function judgeReply(written: Written, request: ReplyRequest): Exclude<Reply, ChatFailure> {
  const limits = limitsOf(request);
  const prompt = { system: systemPrompt(request, limits, written.canary), canary: written.canary };
  const comment = checked(written.comment, { rules: request.wants.comment, max: limits.comment }, request, prompt);
  const message = checked(written.message, { rules: request.wants.message, max: limits.message }, request, prompt);
  if (comment.kind === "unusable") return comment;
  if (message.kind === "unusable") return message;
  return { kind: "written", comment: comment.text, message: message.text };
}

type Checked =
  | { readonly kind: "usable"; readonly text: string | null }
  | Extract<Reply, { readonly kind: "unusable" }>;

function checked(
  written: string | null,
  { rules, max }: { readonly rules: TextRules | null; readonly max: Limits["comment"] },
  { settings, bot, platformTitle, comment: { authorName, text: answered } }: ReplyRequest,
  { system, canary }: { readonly system: string; readonly canary: string },
): Checked {
  if (rules === null || max === null) return { kind: "usable", text: null };
  const whole = cleaned(written ?? "", maxEmoji(settings), authorName);
  const own = [bot.commentReply, bot.directMessage].filter((text) => text !== null);
  // Our own words: the filters below see only what the model wrote.
  const suffix = settings.disclose !== "no" ? ` ${disclosureFor([whole, answered, ...own])}` : "";
  const text = fitted(whole, (part) => [...part].length <= max && rules.measure(part + suffix) <= rules.max);
  if (text === "") return unusable("it was empty");
  if (HAS_TAGS.test(whole)) return unusable("it had parts of a conversation's markup");
  if (leaks(whole, system, canary, [...own, bot.name])) return unusable("it repeated its instructions");
  // The part that is cut off counts as well, and a cut may go through an address. The platform's own name is
  // allowed.
  if ([whole, text].some((one) => hasForeignContact(one, [...own, platformTitle]))) {
    return unusable(
      "it had a link, a handle, a tag, an e-mail address, a phone number or another app that the bot's own texts do not have",
    );
  }
  const disclosed = text + suffix;
  if ((rules.problems?.(disclosed) ?? []).length > 0) return unusable("the platform would not take it");
  return { kind: "usable", text: disclosed };
}

/** Role names of people, tools and models in a transcript, and any markup. */
const HAS_TAGS =
  /<\s*[|/!a-z]|\|\s*>|\[\s*(?:\/\s*)?(?:INST|SYS)|<<|^[^\S\n\r\u2028\u2029]*(?:#+[^\S\n\r\u2028\u2029]*)?(?:system|assistant|user|human|developer|tool)\s*:/imu;

/**
 * The bot's own length, or the platform's without the suffix if that is shorter. A platform with its own way
 * of counting is checked in `checked`.
 */
function limitOf({ settings }: ReplyRequest, rules: TextRules | null): number | null {
  const reserved = settings.disclose !== "no" ? MAX_DISCLOSURE : 0;
  return rules && Math.min(maxCharacters(settings), rules.max - reserved);
}

function limitsOf(request: ReplyRequest): Limits {
  return { comment: limitOf(request, request.wants.comment), message: limitOf(request, request.wants.message) };
}

function unusable(why: string): Extract<Reply, { readonly kind: "unusable" }> {
  return { kind: "unusable", reason: `What the language model wrote was not sent: ${why}.` };
}
