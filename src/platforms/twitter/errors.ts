import { z } from "zod";
import type { Problem, RefusalTable, Row } from "../refusals.ts";
import { type Answered, parseBody } from "../request.ts";
import { limitOf, resetSeconds } from "./limits.ts";

/**
 * The meaning of X's refusals.
 *
 * - Errors come in four formats of X (problem, problem with `errors`, partial error inside a 200, v1
 *   `{errors:[{code}]}`), and `type` is often `about:blank`. They are classified by status, type, title and
 *   words of `detail`.
 * - A partial error beside the requested data is no refusal.
 * - There is no Retry-After: `x-*-limit*-reset` headers contain epoch seconds.
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

interface XError {
  readonly type: string | null;
  readonly title: string | null;
  readonly detail: string | null;
  readonly code: number | null;
  /** The period of a cap, in lower case. */
  readonly period: string | null;
  readonly parameters: readonly string[];
}

/** X's error; null if the body has none of X's formats and so comes from a gateway. */
export function errorOf(answer: Answered): XError | null {
  const body = parseBody(ErrorBody, answer);
  const first = body?.errors?.[0];
  const error = {
    type: body?.type ?? first?.type ?? null,
    title: body?.title ?? first?.title ?? null,
    detail: [body?.detail, first?.detail, first?.message].filter((text) => text !== undefined).join(" ") || null,
    code: first?.code ?? null,
  };
  if (Object.values(error).every((value) => value === null)) return null;
  const parameters = body?.errors?.flatMap(({ parameters = {} }) => Object.keys(parameters)) ?? [];
  return { ...error, period: body?.period?.toLowerCase() ?? null, parameters };
}

const NO_CREDITS = "This service has no credits left at X. The post waits until the operator adds some.";
const SUSPENDED = "X has suspended the account. Appeal at x.com first.";
const LOCKED = "X has locked the account for now. Sign in at x.com and unlock it; the post waits until then.";
const LOCKED_SECONDS = 30 * 60;
const DUPLICATE = "This account has already posted this text at X.";
const PLAN_USED_UP = "This service's plan at X has no posts left.";

/** Words are matched against title and detail. */
const ROWS: readonly Row[] = [
  [{ status: 403, words: /duplicate content/i }, "duplicate", DUPLICATE],
  ["187", "duplicate", DUPLICATE],
  [401, "token_expired", "X no longer accepts the connection."],
  ["89", "token_expired", "X no longer accepts the connection.", { at: [200, 400, 401, 403] }],
  [402, "blocked", NO_CREDITS, { limit: "app" }],
  [["credits", "credits-depleted"], "blocked", NO_CREDITS, { at: [200, 400, 402, 403], limit: "app" }],
  // Waiting for the next month does not help: the operator must change the plan.
  ["monthly", "blocked", PLAN_USED_UP, { at: [200, 400, 429], limit: "app" }],
  ["daily", "throttled", PLAN_USED_UP, { at: [200, 400, 429], wait: "midnight", limit: "app" }],
  ["usage-capped", "throttled", PLAN_USED_UP, { at: [200, 400, 429], limit: "app" }],
  [/UsageCapExceeded/, "throttled", PLAN_USED_UP, { at: [200, 400, 429], limit: "app" }],
  [429, "throttled", "X's rate limit is reached."],
  ["88", "throttled", "X's rate limit is reached.", { at: [200, 400, 429] }],
  [
    "client-forbidden",
    "blocked",
    "X has not enabled this call for the app of this service. The post waits until the operator enables it.",
  ],
  [
    "unsupported-authentication",
    "blocked",
    "X does not accept this kind of login for this call. Contact the operator of this service.",
  ],
  ["oauth1-permissions", "permission_missing", "The connection lacks a permission."],
  // The same credentials work again as soon as the account is unlocked. A locked account is no rate limit:
  // each of its posts retries separately.
  ["326", "throttled", LOCKED, { code: "account_restricted", wait: LOCKED_SECONDS, limit: null }],
  [
    { status: 403, words: /temporarily locked|account is locked/i },
    "throttled",
    LOCKED,
    { code: "account_restricted", wait: LOCKED_SECONDS, limit: null },
  ],
  ["64", "disconnected", SUSPENDED],
  ["user-suspended", "disconnected", SUSPENDED],
  [{ status: 403, words: /suspended/i }, "disconnected", SUSPENDED],
  [{ status: 403, words: /deleted or not visible/i }, "rejected", "The post to reply to was deleted."],
  ["385", "rejected", "The post to reply to was deleted."],
  [
    /reply to this conversation is not allowed|only reply to or quote/i,
    "rejected",
    "X lets this account reply only to people who mentioned it.",
  ],
  [
    /permission to DM/i,
    "rejected",
    "X does not let this account message this person: they accept no messages from it.",
  ],
  [
    { status: 403, words: /operation is not permitted/i },
    "rejected",
    "X does not permit this. The recipient may not accept messages from this account.",
  ],
  [
    { status: 403, words: /\bscopes?\b/i },
    "permission_missing",
    "The connection lacks a permission. Reconnect and allow everything.",
  ],
  [
    { status: 403, words: /not permitted to perform this action/i },
    "rejected",
    "X does not permit this post: it may be too long, its video too long, or the feature not part of the account.",
  ],
  [
    /longer than 2 minutes/i,
    "rejected",
    "X does not let this account post a video of this length.",
    { code: "media_invalid" },
  ],
  [
    "media.media_ids",
    "rejected",
    "X does not accept the uploaded media. Try again with another file.",
    { code: "media_invalid" },
  ],
  [
    /media IDs are invalid/i,
    "rejected",
    "X does not accept the uploaded media. Try again with another file.",
    { code: "media_invalid" },
  ],
  [/too long/i, "rejected", "The text is too long for X.", { code: "content_invalid" }],
  [/invalid URL/i, "rejected", "X does not accept a link in the text.", { code: "content_refused" }],
  [/cashtag/i, "rejected", "X allows one cashtag ($NAME) in a post.", { code: "content_invalid" }],
  ["not-authorized-for-resource", "rejected", "X does not allow this account to do that."],
  ["internal-error", "unclear", "X had a temporary error."],
  [404, "rejected", "X does not find the object. It may have been deleted."],
  [408, "unclear", "X did not finish in time."],
  [409, "down", "X is still processing the same request."],
  // A success with an error in place of the result is one of X's formats.
  [{ status: [200, 400] }, "rejected", "X refused this."],
];

export const X: RefusalTable = {
  title: "X",
  problemOf(answer) {
    const isSuccess = answer.status >= 200 && answer.status < 300;
    const error = isSuccess && hasResult(answer.body) ? null : errorOf(answer);
    return error && toProblem(error, answer.status);
  },
  rows: ROWS,
  documentedAt: [200, 400, 403],
  waitSeconds: (headers, now, wait) => wait ?? resetSeconds(headers, now),
  limitOf,
  heldBack: [],
};

/** Whether a body has the result, or the end of a list, whatever else it contains. */
function hasResult(body: unknown): boolean {
  return body instanceof Object && ("data" in body || "meta" in body);
}

function toProblem({ type, title, detail, code, period, parameters }: XError, status: number): Problem {
  const codes = [period, ...(type?.split("/") ?? []), code === null ? null : `${code}`, ...parameters];
  return {
    codes: codes.filter((one) => one !== null),
    text: `${title ?? ""} ${detail ?? ""}`,
    quote: detail,
    mark: detail === null ? `status ${status}` : `${status}`,
  };
}
