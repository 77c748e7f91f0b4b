import { z } from "zod";
import type { AccountContext, AppContext, Failure, FailureReason, Unknown } from "./platform.ts";
import { type Answered, type CallRequest, type Lost, parseBody } from "./request.ts";

/**
 * One call to X's API v2, and what its errors mean for us.
 *
 * - Errors come in five shapes (problem, problem with `errors`, partial error inside a 200, v1 `{errors:[{code}]}`, a
 *   gateway's page), and `type` is often `about:blank`: they are sorted by status, type, title and words of `detail`.
 * - A 5xx or a lost answer to a POST does not say whether the post is up. A "duplicate content" 403 may mean our own.
 * - There is no Retry-After: `x-*-limit*-reset` headers carry epoch seconds.
 */
export const API = "https://api.x.com/2";

export type Asked<T> = { readonly kind: "ok"; readonly value: T } | Failure;

export function call(
  context: AppContext & Pick<AccountContext, "credentials">,
  request: Omit<CallRequest, "url"> & { readonly path: string },
): Promise<Answered | Lost> {
  const { path, headers, ...rest } = request;
  const authorization = `Bearer ${context.credentials.accessToken}`;
  return context.send({ ...rest, url: `${API}/${path}`, headers: { ...headers, authorization } });
}

/** What an answer means for a call that must not be repeated blindly: an unclear answer stays unknown. */
export function judge<S extends z.ZodType>(
  answer: Answered | Lost,
  schema: S,
  now: number,
): Asked<z.output<S>> | Unknown {
  if (answer.kind === "lost") return { kind: "unknown", message: `X's answer was lost: ${answer.message}` };
  if (answer.status < 200 || answer.status >= 300) return classify(answer, now);
  const value = parseBody(schema, answer);
  if (value !== null) return { kind: "ok", value };
  const problem = problemOf(answer);
  if (problem.type === null && problem.detail === null)
    return unknown("X answered in a form that it does not document.");
  return classify(answer, now);
}

/** The same for a call that may be repeated: an unclear answer is passing trouble. */
export function settle<T>(outcome: Asked<T> | Unknown): Asked<T> {
  return outcome.kind === "unknown" ? { kind: "failed", reason: "down", message: outcome.message } : outcome;
}

/** Whether X says that the thing does not exist (404, or a partial error inside a 200). */
export function isGone(answer: Answered): boolean {
  return answer.status === 404 || (answer.status === 200 && /resource-not-found/.test(problemOf(answer).type ?? ""));
}

/** Whether X says that the post to reply to is not there: for the items of a thread it may only not be there yet. */
export function isParentMissing(answer: Answered): boolean {
  const { code, detail } = problemOf(answer);
  return code === 385 || (answer.status === 403 && /deleted or not visible/i.test(detail ?? ""));
}

// --- errors -----------------------------------------------------------------------------------------------------

const words = z.string().optional().catch(undefined);
const ErrorBody = z.object({
  title: words,
  type: words,
  detail: words,
  reason: words,
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
  readonly reason: string | null;
  readonly period: string | null;
  readonly parameters: readonly string[];
}

function problemOf(answer: Answered): Problem {
  const body = parseBody(ErrorBody, answer);
  const first = body?.errors?.[0];
  return {
    type: body?.type ?? first?.type ?? null,
    title: body?.title ?? first?.title ?? null,
    detail: [body?.detail, first?.detail, first?.message].filter((text) => text !== undefined).join(" ") || null,
    code: first?.code ?? null,
    reason: body?.reason ?? null,
    period: body?.period ?? null,
    parameters: body?.errors?.flatMap((error) => Object.keys(error.parameters ?? {})) ?? [],
  };
}

type Verdict = FailureReason | "unclear";

interface Row {
  readonly status?: number;
  readonly type?: RegExp;
  readonly code?: readonly number[];
  readonly words?: RegExp;
  readonly parameter?: string;
  readonly verdict: Verdict;
  readonly advice: string;
}

/** Read from top to bottom; the first row whose named marks all fit decides. `words` looks at title and detail. */
const ROWS: readonly Row[] = [
  { status: 401, verdict: "token_expired", advice: "X no longer accepts the connection." },
  { code: [89], verdict: "token_expired", advice: "X no longer accepts the connection." },
  { status: 402, verdict: "blocked", advice: "Our account at X has no credits left; posts wait for the operator." },
  {
    type: /\/credits/,
    verdict: "blocked",
    advice: "Our account at X has no credits left; posts wait for the operator.",
  },
  { type: /usage-capped/, verdict: "throttled", advice: "The posting volume of our plan at X is used up." },
  { words: /UsageCapExceeded/, verdict: "throttled", advice: "The posting volume of our plan at X is used up." },
  { status: 429, verdict: "throttled", advice: "X's limit is used up." },
  { code: [88], verdict: "throttled", advice: "X's limit is used up." },
  { type: /client-forbidden/, verdict: "blocked", advice: "X has not enabled this call for our app." },
  {
    type: /unsupported-authentication/,
    verdict: "blocked",
    advice: "X does not take this kind of login for this call.",
  },
  {
    type: /oauth1-permissions/,
    verdict: "disconnected",
    advice: "The connection lacks a permission.",
  },
  {
    code: [64, 326],
    verdict: "disconnected",
    advice: "X has locked or suspended the account. Sign in at x.com first.",
  },
  { type: /user-suspended/, verdict: "disconnected", advice: "X has suspended the account. Sign in at x.com first." },
  {
    words: /suspended|account is (temporarily )?locked/i,
    status: 403,
    verdict: "disconnected",
    advice: "X has locked or suspended the account. Sign in at x.com first.",
  },
  {
    words: /duplicate content/i,
    status: 403,
    verdict: "unclear",
    advice: "X says that this account has already posted exactly this text.",
  },
  { code: [187], verdict: "unclear", advice: "X says that this account has already posted exactly this text." },
  { words: /deleted or not visible/i, status: 403, verdict: "rejected", advice: "The post to reply to is gone." },
  { code: [385], verdict: "rejected", advice: "The post to reply to is gone." },
  {
    words: /reply to this conversation is not allowed|only reply to or quote/i,
    verdict: "rejected",
    advice: "X lets this account reply only to people who mentioned it.",
  },
  {
    words: /\bscopes?\b/i,
    status: 403,
    verdict: "disconnected",
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
    advice: "X does not let this account post a video of this length.",
  },
  {
    parameter: "media.media_ids",
    verdict: "rejected",
    advice: "X does not accept the uploaded media. Try again with another file.",
  },
  {
    words: /media IDs are invalid/i,
    verdict: "rejected",
    advice: "X does not accept the uploaded media. Try again with another file.",
  },
  { words: /too long/i, verdict: "rejected", advice: "The text is too long for X." },
  { words: /invalid URL/i, verdict: "rejected", advice: "X does not accept a link in the text." },
  { words: /cashtag/i, verdict: "rejected", advice: "X allows one cashtag ($NAME) in a post." },
  { type: /not-authorized-for-resource/, verdict: "rejected", advice: "X does not allow this account to do that." },
  { type: /internal-error/, verdict: "unclear", advice: "X had a passing error." },
  { status: 404, verdict: "rejected", advice: "X does not find it." },
  { status: 408, verdict: "unclear", advice: "X did not finish in time." },
  { status: 409, verdict: "down", advice: "X is still busy with the same thing." },
];

function classify(answer: Answered, now: number): Failure | Unknown {
  const problem = problemOf(answer);
  const row = ROWS.find((one) => fits(one, answer.status, problem)) ?? fallback(answer.status);
  const detail = problem.detail?.slice(0, 300);
  const message = detail
    ? `${row.advice} X's words: “${detail}” (${answer.status})`
    : `${row.advice} (status ${answer.status})`;
  if (row.verdict === "unclear") return unknown(message);
  if (row.verdict !== "throttled") return { kind: "failed", reason: row.verdict, message };
  // A plan that is used up for the month is for the operator, not for waiting.
  if (problem.period?.toLowerCase() === "monthly") return { kind: "failed", reason: "blocked", message };
  const untilMidnight = problem.period?.toLowerCase() === "daily" ? secondsToMidnight(now) : null;
  const retryAfterSeconds = untilMidnight ?? resetSeconds(answer.headers, now);
  return { kind: "failed", reason: "throttled", message, ...(retryAfterSeconds === null ? {} : { retryAfterSeconds }) };
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

function fallback(status: number): Pick<Row, "verdict" | "advice"> {
  if (status >= 500) return { verdict: "unclear", advice: "X had a passing error." };
  if (status >= 300 && status < 400) return { verdict: "down", advice: "X sent us elsewhere." };
  return { verdict: "rejected", advice: "X refused this." };
}

const LIMITS = ["x-rate-limit", "x-app-limit-24hour", "x-user-limit-24hour"];

/** Seconds until the latest of the limits that are used up (or of the plain one, where none says so). */
function resetSeconds(headers: Headers, now: number): number | null {
  const resetOf = (limit: string) => Number.parseInt(headers.get(`${limit}-reset`) ?? "", 10);
  const exhausted = LIMITS.filter((limit) => headers.get(`${limit}-remaining`) === "0");
  const resets = (exhausted.length > 0 ? exhausted : LIMITS.slice(0, 1)).map(resetOf).filter(Number.isFinite);
  return resets.length === 0 ? null : Math.max(1, Math.ceil(Math.max(...resets) - now / 1000));
}

function secondsToMidnight(now: number): number {
  const day = 24 * 60 * 60;
  return day - (Math.floor(now / 1000) % day);
}

export function unknown(message: string): Unknown {
  return { kind: "unknown", message };
}
