import type { Check, ErrorCode, LimitKind } from "../../../core/errors.ts";

/** Codes that no form causes: they are about tokens, methods and bodies of the API. */
type CodeOfApi =
  | "unauthenticated"
  | "token_expired"
  | "token_revoked"
  | "malformed_json"
  | "method_not_allowed"
  | "not_found"
  | "unexpected";

/** The texts of a language other than English. */
export interface ProblemTexts {
  readonly checks: Readonly<Record<Exclude<Check["kind"], LimitKind>, string>> &
    Readonly<Record<LimitKind, (limit: string) => string>>;
  readonly codes: Readonly<Record<Exclude<ErrorCode, CodeOfApi>, string>>;
  /** Around the API's sentence. */
  readonly original: (sentence: string) => string;
}
