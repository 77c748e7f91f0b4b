import { type AnswerProblem, answerSentence } from "../core/answer-problems.ts";
import type { Check, Warning } from "../core/checks.ts";
import type { AppError, ErrorCode, FieldErrors, Problem } from "../core/errors.ts";
import type { LanguageCode } from "../pages/languages.ts";
import { PageProblem } from "./definition.ts";
import { PROBLEMS } from "./texts/problems/languages.ts";
import type { ProblemTexts } from "./texts/problems/shape.ts";

/**
 * The refusals of the API's functions in the language of a page: by the check of a field, otherwise by the
 * code, followed by the API's own sentence, which is English.
 */

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
  if (language === "en" || error instanceof PageProblem) return { problem: message, errors };
  const texts = PROBLEMS[language];
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
  return language === "en" ? message : `${field}: ${checkText(PROBLEMS[language], language, check)}`;
}

/** Why a row of a file is refused, in the language of a page; the column stands beside it. */
export function rowProblemIn({ code, message, check }: Problem & { readonly code: ErrorCode }, language: LanguageCode) {
  if (language === "en") return message;
  const texts = PROBLEMS[language];
  return check ? checkText(texts, language, check) : translated(texts, language, { code, message });
}

/** Why an address gave no usable answer, in the language of a page. */
export function answerIn({ kind, parts }: AnswerProblem, language: LanguageCode): string {
  if (language === "en") return answerSentence({ kind, parts });
  const say: (...parts: string[]) => string = PROBLEMS[language].answers[kind];
  return say(...parts.map((part) => shownIn(part, language)));
}

const shownIn = (part: string | number, language: LanguageCode): string =>
  typeof part === "number" ? part.toLocaleString(language) : part;

interface Translatable extends Problem {
  readonly field?: string;
  readonly code: ErrorCode;
}

function translated(texts: ProblemTexts, language: LanguageCode, { field, code, message, check }: Translatable) {
  if (check) return `${field}: ${checkText(texts, language, check)}`;
  const byCode: Partial<Record<ErrorCode, string>> = texts.codes;
  return [byCode[code] ?? "", texts.original(message)].join(" ").trim();
}

function checkText({ checks, sentences }: ProblemTexts, language: LanguageCode, check: Check): string {
  const shown = (part: string | number): string => shownIn(part, language);
  if ("limit" in check) return checks[check.kind](shown(check.limit));
  if (!("parts" in check)) return checks[check.kind];
  const say: (...parts: string[]) => string = sentences[check.kind];
  return say(...check.parts.map(shown));
}
