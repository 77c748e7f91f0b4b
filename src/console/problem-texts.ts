import { type AnswerKind, type AnswerParts, type AnswerProblem, answerSentence } from "../core/answer-problems.ts";
import type { Check, Said, Sentences, Warning } from "../core/checks.ts";
import type { AppError, ErrorCode, FieldErrors, Problem } from "../core/errors.ts";
import type { FailureCode } from "../core/failures.ts";
import type { LanguageCode } from "../pages/languages.ts";
import { filled, type ProblemTexts, problemsIn } from "../pages/texts.ts";
import { PageProblem } from "./definition.ts";

/**
 * The refusals of the API's functions in the language of a page: by the check of a field, otherwise by the
 * code, followed by the API's own sentence, which is English.
 */

/** Codes that no form causes: they are about tokens, methods and bodies of the API. */
type CodeOfApi =
  | "unauthenticated"
  | "token_expired"
  | "token_revoked"
  | "confirmation_needed"
  | "malformed_json"
  | "method_not_allowed"
  | "unexpected";

/** A text with at most these parts. */
type TextOf<Parts extends readonly unknown[]> =
  | string
  | ((values: { readonly [At in keyof Parts & `${number}`]: string | number }) => string);

/** What a language has to say: the compiler compares it with locales/. */
interface SentencesOfApi {
  readonly checks: Readonly<Record<Exclude<Check["kind"], Said["kind"]>, TextOf<[limit: string]>>>;
  readonly sentences: { readonly [Name in keyof Sentences]: TextOf<Sentences[Name]> };
  /** Why an address gave no usable answer. */
  readonly answers: { readonly [Kind in AnswerKind]: TextOf<AnswerParts<Kind>> };
  readonly codes: Readonly<Record<Exclude<ErrorCode, CodeOfApi>, string>>;
  /** What has failed or waits: a post, a campaign, a generation. */
  readonly failures: Readonly<Record<FailureCode, string>>;
  /** Around the API's sentence. */
  readonly original: TextOf<[sentence: string]>;
}

const sentencesIn = (language: LanguageCode): SentencesOfApi | null => problemsIn(language);

type Rooms = "checks" | "sentences" | "answers" | "codes" | "failures";
type None<Name extends never> = Name;
/** Sentences in locales/ that the API does not have: there are none. */
export type Superfluous = None<
  { [Room in Rooms]: Exclude<keyof ProblemTexts[Room], keyof SentencesOfApi[Room]> }[Rooms]
>;

interface Shown {
  /** About the whole form. */
  readonly problem: string;
  readonly errors: FieldErrors;
}

/** At most so many sentences are above the form. */
const MOST_SHOWN = 5;

export function inLanguage(error: AppError, language: LanguageCode): Shown {
  const { code, message, details } = error;
  const { errors = {} } = details;
  const texts = sentencesIn(language);
  if (texts === null || error instanceof PageProblem) return { problem: message, errors };
  const known =
    details.problems ??
    Object.entries(errors).flatMap(([field, sentences]) => sentences.map((one) => ({ field, code, message: one })));
  if (known.length === 0) return { problem: translated(texts, language, { code, message }), errors };
  const found = known.map((one) => ({ field: one.field, sentence: translated(texts, language, one) }));
  const byField = Map.groupBy(found, ({ field }) => field);
  const sentences = [...byField].map(([field, all]) => [field, all.map(({ sentence }) => sentence)] as const);
  return {
    problem: [...new Set(found.map(({ sentence }) => sentence))].slice(0, MOST_SHOWN).join(" "),
    errors: Object.fromEntries(sentences),
  };
}

/** A warning of the API's functions, in the language of a page. */
export function warningIn({ field, message, check }: Warning, language: LanguageCode): string {
  const texts = sentencesIn(language);
  return texts === null ? message : `${field}: ${checkText(texts, language, check)}`;
}

/** Why a row of a file is refused, in the language of a page; the column stands beside it. */
export function rowProblemIn({ code, message, check }: Problem & { readonly code: ErrorCode }, language: LanguageCode) {
  const texts = sentencesIn(language);
  if (texts === null) return message;
  return check ? checkText(texts, language, check) : translated(texts, language, { code, message });
}

/** Why an address gave no usable answer, in the language of a page. */
export function answerIn({ kind, parts }: AnswerProblem, language: LanguageCode): string {
  const texts = sentencesIn(language);
  return texts === null ? answerSentence({ kind, parts }) : filled(texts.answers[kind], numbered(parts, language));
}

/** The values of a message: its parts by number, of which numbers are as the language writes them. */
const numbered = (parts: readonly (string | number)[], language: LanguageCode) =>
  Object.fromEntries(parts.map((part, at) => [at, typeof part === "number" ? part.toLocaleString(language) : part]));

interface Translatable extends Problem {
  readonly field?: string;
  readonly code: ErrorCode;
}

function translated(texts: SentencesOfApi, language: LanguageCode, { field, code, message, check }: Translatable) {
  if (check) return `${field}: ${checkText(texts, language, check)}`;
  const byCode: Partial<Record<ErrorCode, string>> = texts.codes;
  return [byCode[code] ?? "", filled(texts.original, { 0: message })].join(" ").trim();
}

function checkText({ checks, sentences }: SentencesOfApi, language: LanguageCode, check: Check): string {
  if ("parts" in check) return filled(sentences[check.kind], numbered(check.parts, language));
  return filled(checks[check.kind], numbered("limit" in check ? [check.limit] : [], language));
}
