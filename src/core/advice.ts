import { ERRORS, type ErrorCode } from "./errors.ts";
import { type CodeAbout, FAILURES, type FailureCode, type Retry } from "./failures.ts";

type Code = ErrorCode | FailureCode;

/** A code that is in both lists means the same there. */
const CODES: Readonly<Record<Code, CodeAbout>> = { ...FAILURES, ...ERRORS };

/** What a program needs beside a code: the next step, whether to send again, and the page about the code. */
export interface Advice {
  readonly fix: string;
  readonly again: Retry;
  readonly docs_url: string;
}

/** Goes into every error response and every failed post. `origin` is the service's public origin. */
export function adviceOn(code: Code, origin: string): Advice {
  const { remedy, retry } = CODES[code];
  return { fix: remedy, again: retry, docs_url: `${origin}/docs/errors#${code}` };
}
