import type { AnswerKind, AnswerParts } from "../../../core/answer-problems.ts";
import type { Check, LimitKind, Said, Sentences } from "../../../core/checks.ts";
import type { ErrorCode } from "../../../core/errors.ts";
import type { FailureCode } from "../../../core/failures.ts";

/** Codes that no form causes: they are about tokens, methods and bodies of the API. */
type CodeOfApi =
  | "unauthenticated"
  | "token_expired"
  | "token_revoked"
  | "confirmation_needed"
  | "malformed_json"
  | "method_not_allowed"
  | "unexpected";

type Words<Parts extends readonly unknown[]> = { readonly [At in keyof Parts]: string };

/** The texts of a language other than English. */
export interface ProblemTexts {
  readonly checks: Readonly<Record<Exclude<Check["kind"], LimitKind | Said["kind"]>, string>> &
    Readonly<Record<LimitKind, (limit: string) => string>>;
  /** Of their parts, numbers as this language writes them. */
  readonly sentences: {
    readonly [Name in keyof Sentences]: (...parts: Words<Sentences[Name]>) => string;
  };
  /** Why an address gave no usable answer. */
  readonly answers: {
    readonly [Kind in AnswerKind]: (...parts: Words<AnswerParts<Kind>>) => string;
  };
  readonly codes: Readonly<Record<Exclude<ErrorCode, CodeOfApi>, string>>;
  /** What has failed or waits: a post, a campaign, a generation. */
  readonly failures: Readonly<Record<FailureCode, string>>;
  /** Around the API's sentence. */
  readonly original: (sentence: string) => string;
}
