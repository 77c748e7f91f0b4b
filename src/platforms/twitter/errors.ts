import { z } from "zod";
import type { Dialect } from "../answers.ts";
import type { Duplicate, Failure, LimitScope, SaidCode, Unknown } from "../context.ts";
import { quoting, throttled, unknown } from "../outcomes.ts";
import type { Verdict } from "../refusals.ts";
import { type Answered, parseBody } from "../request.ts";
import { limitOf, resetSeconds } from "./limits.ts";

/**
 * What X's refusals mean for us.
 *
 * - Errors come in four shapes of X's own (problem, problem with `errors`, partial error inside a 200, v1
 *   `{errors:[{code}]}`), and `type` is often `about:blank`: they are sorted by status, type, title and words
 *   of `detail`.
 * - A partial error beside what was asked for is no refusal.
 * - There is no Retry-After: `x-*-limit*-reset` headers carry epoch seconds.
 */

const words = z.string().optional().catch(undefined);
const ErrorBody = z.object({
  title: words,
  type: words,
  detail: words,
  period: words,
  errors: z
    .array(
      z.object({
        code: z.number().optional().catch(undefined),
        message: words,
        detail: words,
        title: words,
        type: words,
        parameters: z.record(z.string(), z.unknown()).optional().catch(undefined),
      }),
    )
    .optional()
    .catch(undefined),
});

interface Problem {
  readonly type: string | null;
  readonly title: string | null;
  readonly detail: string | null;
  readonly code: number | null;
  /** Of a cap, in lower case. */
  readonly period: string | null;
  readonly parameters: readonly string[];
}

/** X's error; null when the body has none of X's forms and so comes from something on the way. */
export function problemOf(answer: Answered): Problem | null {
  const body = parseBody(ErrorBody, answer);
  const first = body?.errors?.[0];
  const problem = {
    type: body?.type ?? first?.type ?? null,
    title: body?.title ?? first?.title ?? null,
    detail: [body?.detail, first?.detail, first?.message].filter((text) => text !== undefined).join(" ") || null,
    code: first?.code ?? null,
  };
  if (Object.values(problem).every((value) => value === null)) return null;
  const parameters = body?.errors?.flatMap((error) => Object.keys(error.parameters ?? {})) ?? [];
  return { ...problem, period: body?.period?.toLowerCase() ?? null, parameters };
}

interface Row {
  readonly status?: number;
  /** With which statuses it is documented, where `status` does not say; left out: 400 and 403. */
  readonly at?: readonly number[];
  readonly type?: RegExp;
  readonly code?: readonly number[];
  readonly words?: RegExp;
  readonly parameter?: string;
  readonly verdict: Verdict;
  /** For what the verdict alone does not say (Failure). */
  readonly says?: SaidCode;
  /** For a wait whose end X does not tell. */
  readonly retryAfterSeconds?: number;
  /** Of a limit, where the headers do not tell whose it is; else the account's. */
  readonly limit?: LimitScope;
  readonly advice: string;
}

const NO_CREDITS = "This service has used up its credits at X: the post waits until its operator has added some.";
const SUSPENDED = "X has suspended the account. Appeal at x.com first.";
const LOCKED = "X has locked the account for now. Sign in at x.com and unlock it; the post waits until then.";
const LOCKED_SECONDS = 30 * 60;
const DUPLICATE = "X says that this account has already posted exactly this text.";
const PLAN_USED_UP = "The posting volume of this service's plan at X is used up.";

/**
 * Read from top to bottom; the first row whose named marks all fit decides. `words` looks at title and
 * detail.
 */
const ROWS: readonly Row[] = [
  { words: /duplicate content/i, status: 403, verdict: "duplicate", advice: DUPLICATE },
  { code: [187], verdict: "duplicate", advice: DUPLICATE },
  { status: 401, verdict: "token_expired", advice: "X no longer accepts the connection." },
  { code: [89], at: [401, 403], verdict: "token_expired", advice: "X no longer accepts the connection." },
  { status: 402, verdict: "blocked", advice: NO_CREDITS },
  { type: /\/credits/, at: [402, 403], verdict: "blocked", advice: NO_CREDITS },
  { type: /usage-capped/, at: [429], verdict: "throttled", limit: "app", advice: PLAN_USED_UP },
  { words: /UsageCapExceeded/, at: [429], verdict: "throttled", limit: "app", advice: PLAN_USED_UP },
  { status: 429, verdict: "throttled", advice: "X's limit is used up." },
  { code: [88], at: [429], verdict: "throttled", advice: "X's limit is used up." },
  {
    type: /client-forbidden/,
    verdict: "blocked",
    advice:
      "X has not enabled this call for our app: the post waits until the operator of this service has seen to it.",
  },
  {
    type: /unsupported-authentication/,
    verdict: "blocked",
    advice: "X does not take this kind of login for this call: the operator of this service must see to it.",
  },
  { type: /oauth1-permissions/, verdict: "permission_missing", advice: "The connection lacks a permission." },
  // Locked is not disconnected: the same credentials work again as soon as the person has unlocked the
  // account.
  { code: [326], verdict: "throttled", says: "account_restricted", retryAfterSeconds: LOCKED_SECONDS, advice: LOCKED },
  {
    words: /temporarily locked|account is locked/i,
    status: 403,
    verdict: "throttled",
    says: "account_restricted",
    retryAfterSeconds: LOCKED_SECONDS,
    advice: LOCKED,
  },
  { code: [64], verdict: "disconnected", advice: SUSPENDED },
  { type: /user-suspended/, verdict: "disconnected", advice: SUSPENDED },
  { words: /suspended/i, status: 403, verdict: "disconnected", advice: SUSPENDED },
  { words: /deleted or not visible/i, status: 403, verdict: "rejected", advice: "The post to reply to is gone." },
  { code: [385], verdict: "rejected", advice: "The post to reply to is gone." },
  {
    words: /reply to this conversation is not allowed|only reply to or quote/i,
    verdict: "rejected",
    advice: "X lets this account reply only to people who mentioned it.",
  },
  {
    words: /permission to DM/i,
    verdict: "rejected",
    advice: "X does not let this account write to this person: they take no direct messages from it.",
  },
  {
    words: /operation is not permitted/i,
    status: 403,
    verdict: "rejected",
    advice: "X does not permit this: whoever is written to may take no direct messages from this account.",
  },
  {
    words: /\bscopes?\b/i,
    status: 403,
    verdict: "permission_missing",
    advice: "The connection lacks a permission. Allow everything asked when you connect.",
  },
  {
    words: /not permitted to perform this action/i,
    status: 403,
    verdict: "rejected",
    advice:
      "X does not permit this post: it may be too long, its video too long, or the feature not part of the account.",
  },
  {
    words: /longer than 2 minutes/i,
    verdict: "rejected",
    says: "media_invalid",
    advice: "X does not let this account post a video of this length.",
  },
  {
    parameter: "media.media_ids",
    verdict: "rejected",
    says: "media_invalid",
    advice: "X does not accept the uploaded media. Try again with another file.",
  },
  {
    words: /media IDs are invalid/i,
    verdict: "rejected",
    says: "media_invalid",
    advice: "X does not accept the uploaded media. Try again with another file.",
  },
  { words: /too long/i, verdict: "rejected", says: "content_invalid", advice: "The text is too long for X." },
  {
    words: /invalid URL/i,
    verdict: "rejected",
    says: "content_refused",
    advice: "X does not accept a link in the text.",
  },
  {
    words: /cashtag/i,
    verdict: "rejected",
    says: "content_invalid",
    advice: "X allows one cashtag ($NAME) in a post.",
  },
  { type: /not-authorized-for-resource/, verdict: "rejected", advice: "X does not allow this account to do that." },
  { type: /internal-error/, verdict: "unclear", advice: "X had a passing error." },
  { status: 404, verdict: "rejected", advice: "X does not find it." },
  { status: 408, verdict: "unclear", advice: "X did not finish in time." },
  { status: 409, verdict: "down", advice: "X is still busy with the same thing." },
];

export const X: Dialect = {
  title: "X",
  refusal(answer, now) {
    const isSuccess = answer.status >= 200 && answer.status < 300;
    const problem = isSuccess && hasSought(answer.body) ? null : problemOf(answer);
    return problem && classify(problem, answer, now);
  },
  documents(answer) {
    const { status } = answer;
    const problem = problemOf(answer);
    // A success that holds an error in place of what was asked for is one of X's forms.
    if (problem === null || status === 400 || status === 200) return problem !== null;
    const row = ROWS.find((one) => fits(one, status, problem));
    return row !== undefined && (row.status === status || (row.at ?? [403]).includes(status));
  },
  waitSeconds: resetSeconds,
  heldBack: [],
};

/** Whether a body has what was asked for, or the end of a list, whatever stands beside it. */
function hasSought(body: unknown): boolean {
  return body instanceof Object && ("data" in body || "meta" in body);
}

function classify(problem: Problem, { status, headers }: Answered, now: number): Failure | Unknown | Duplicate {
  const row = ROWS.find((one) => fits(one, status, problem)) ?? fallback(status);
  const message = sentence(row.advice, problem, status);
  if (row.verdict === "unclear") return unknown(message);
  if (row.verdict === "duplicate") return { kind: "duplicate", message };
  const said = row.says === undefined ? {} : { code: row.says };
  if (row.verdict !== "throttled") return { kind: "failed", reason: row.verdict, message, ...said };
  // Waiting for the next month is no use: the operator must change the plan.
  if (problem.period === "monthly") return { kind: "failed", reason: "blocked", message };
  const untilMidnight = problem.period === "daily" ? secondsToMidnight(now) : null;
  // A locked account is no allowance: each of its posts asks for itself whether the person has unlocked it.
  const limit = row.says === undefined ? (row.limit ?? limitOf(headers)) : null;
  return throttled(message, row.retryAfterSeconds ?? untilMidnight ?? resetSeconds(headers, now), row.says, limit);
}

/** Our sentence, and X's own words where there are any. */
function sentence(advice: string, { detail }: Problem, status: number): string {
  return `${quoting(advice, "X", detail)} (${detail === null ? `status ${status}` : status})`;
}

function fits(row: Row, status: number, problem: Problem): boolean {
  return (
    (row.status === undefined || row.status === status) &&
    (row.type === undefined || row.type.test(problem.type ?? "")) &&
    (row.code === undefined || (problem.code !== null && row.code.includes(problem.code))) &&
    (row.words === undefined || row.words.test(`${problem.title ?? ""} ${problem.detail ?? ""}`)) &&
    (row.parameter === undefined || problem.parameters.includes(row.parameter))
  );
}

function fallback(status: number): Omit<Row, "status"> {
  if (status >= 500) return { verdict: "unclear", advice: "X had a passing error." };
  if (status >= 300 && status < 400) return { verdict: "down", advice: "X sent us elsewhere." };
  return { verdict: "rejected", advice: "X refused this." };
}

function secondsToMidnight(now: number): number {
  const day = 24 * 60 * 60;
  return day - (Math.floor(now / 1000) % day);
}
