import { nextMidnight, SECOND } from "../core/time.ts";
import type { Duplicate, Failure, FailureReason, LimitScope, SaidCode, Unknown } from "./context.ts";
import { quoting, throttled, unknown } from "./outcomes.ts";
import type { Answered } from "./request.ts";

/**
 * Determines the meaning of a platform's refusal from a table of its adapter. The adapter also defines how an
 * error looks in its platform's answers (`problemOf`).
 *
 * - The first code of the problem that any row names is its code. Rows that name other codes do not match.
 * - Rows are read from top to bottom. The first row that matches decides.
 */
export interface RefusalTable {
  /** The display name of the platform, in sentences. */
  readonly title: string;
  /**
   * The platform's error in an answer of any status; null if the answer has none in the platform's format.
   */
  problemOf(answer: Answered, now: number): Problem | null;
  readonly rows: readonly Row[];
  /** Statuses with which the platform documents a row that names none itself. */
  readonly documentedAt: readonly number[];
  /** Seconds until the next attempt, from the headers and the row's own wait; null if neither gives it. */
  waitSeconds(headers: Headers, now: number, wait: number | null): number | null;
  /** The time zone of the midnight at which the platform's daily limits reset. */
  readonly zone?: string;
  /** Inserts the words of a product into a sentence of the table. */
  fill?(sentence: string): string;
  /** Whose limit is reached, if the row does not say. */
  limitOf?(headers: Headers): LimitScope;
  /** Statuses of a gateway's own page which prove that it did not forward the call; 429 always does. */
  readonly heldBack: readonly number[];
}

/** A platform's error, in the form that the table matches. */
export interface Problem {
  /** Codes, subcodes and names, the most specific first. */
  readonly codes: readonly string[];
  /** The text that rows match their words against. */
  readonly text: string;
  /** The platform's words for the account owner, shown with secrets masked; null if there are none. */
  readonly quote: string | null;
  /** Shown in parentheses after the sentence: the code, and the reference for the platform's support. */
  readonly mark: string | null;
}

/** A status, a code or one of several codes, words, or several of these together. */
type When =
  | number
  | string
  | readonly string[]
  | RegExp
  | {
      readonly status?: number | readonly number[];
      readonly code?: string | readonly string[];
      readonly words?: RegExp;
    };

/**
 * `unclear`: the platform may have carried out the call. `duplicate`: the platform already has the same
 * content.
 */
type RefusalReason = FailureReason | "unclear" | "duplicate";

export type Row = readonly [when: When, reason: RefusalReason, sentence: string, more?: RowDetails];

interface RowDetails {
  /** Statuses with which the platform documents the row; left out: those of `when`, else the table's. */
  readonly at?: readonly number[];
  /** More detail than the reason alone. */
  readonly code?: SaidCode;
  /** Seconds until the next attempt, or the midnight of the table's zone. */
  readonly wait?: number | "midnight";
  /** Whose limit is reached until then; null if no limit is. Of `blocked`: `app` if a plan is used up. */
  readonly limit?: LimitScope | null;
}

interface Refusal {
  readonly outcome: Failure | Unknown | Duplicate;
  /** Whether the platform documents this refusal, status and code together. */
  readonly isDocumented: boolean;
}

/** The platform's own refusal of the call; null if the answer contains none. */
export function readRefusal(table: RefusalTable, answer: Answered, now: number): Refusal | null {
  const problem = table.problemOf(answer, now);
  if (problem === null) return null;
  const { status } = answer;
  const row = findRow(table.rows, problem, status);
  const outcome = outcomeOf(table, row ?? fallback(table, status), problem, { answer, now });
  return { outcome, isDocumented: row !== undefined && isDocumented(table, row, status) };
}

/** The row of a problem; undefined if no row matches. Without a status, rows that name one do not match. */
export function findRow(
  rows: readonly Row[],
  { codes, text }: Pick<Problem, "codes" | "text">,
  status?: number,
): Row | undefined {
  const known = codes.find((code) => rows.some(([when]) => codesOf(when)?.includes(code)));
  return rows.find(
    ([when]) =>
      (codesOf(when)?.includes(known ?? "") ?? true) &&
      (statusesOf(when)?.includes(status ?? 0) ?? true) &&
      (wordsOf(when)?.test(text) ?? true),
  );
}

function codesOf(when: When): readonly string[] | undefined {
  if (typeof when === "string") return [when];
  if (Array.isArray(when)) return when;
  const code = typeof when === "object" && "code" in when ? when.code : undefined;
  return typeof code === "string" ? [code] : code;
}

function statusesOf(when: When): readonly number[] | undefined {
  if (typeof when === "number") return [when];
  const status = typeof when === "object" && "status" in when ? when.status : undefined;
  return typeof status === "number" ? [status] : status;
}

function wordsOf(when: When): RegExp | undefined {
  if (when instanceof RegExp) return when;
  return typeof when === "object" && "words" in when ? when.words : undefined;
}

function isDocumented({ documentedAt }: RefusalTable, [when, , , more]: Row, status: number): boolean {
  return (more?.at ?? statusesOf(when) ?? documentedAt).includes(status);
}

/** For a problem that no row names. */
function fallback({ title }: RefusalTable, status: number): Row {
  if (status >= 500) return [status, "unclear", `${title} had a temporary error.`];
  if (status >= 300 && status < 400) return [status, "down", `${title} answered with a redirect.`];
  return [status, "rejected", `${title} refused this.`];
}

function outcomeOf(
  table: RefusalTable,
  [, reason, sentence, { code, wait, limit } = {}]: Row,
  { quote, mark }: Problem,
  { answer, now }: { readonly answer: Answered; readonly now: number },
): Refusal["outcome"] {
  const { headers, secrets } = answer;
  const said = quoting(table.fill?.(sentence) ?? sentence, table.title, quote, secrets);
  const message = mark === null ? said : `${said} (${mark})`;
  if (reason === "unclear") return unknown(message);
  if (reason === "duplicate") return { kind: "duplicate", message };
  if (reason === "throttled") {
    const seconds = wait === "midnight" ? untilMidnight(table, now) : table.waitSeconds(headers, now, wait ?? null);
    return throttled(message, seconds, code, limit === undefined ? table.limitOf?.(headers) : limit);
  }
  return {
    kind: "failed",
    reason,
    message,
    ...(code ? { code } : {}),
    ...(typeof wait === "number" ? { retryAfterSeconds: wait } : {}),
    ...(reason === "blocked" && limit ? { limit } : {}),
  };
}

function untilMidnight({ zone = "UTC" }: RefusalTable, now: number): number {
  return Math.ceil((nextMidnight(now, zone) - now) / SECOND);
}

/** The Retry-After header, else the row's own wait. */
export function retryAfter(headers: Headers, _now: number, wait: number | null): number | null {
  const seconds = Number.parseInt(headers.get("retry-after") ?? "", 10);
  return Number.isFinite(seconds) && seconds > 0 ? seconds : wait;
}
