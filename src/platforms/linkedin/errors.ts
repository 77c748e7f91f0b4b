import { z } from "zod";
import { nextMidnight, SECOND } from "../../core/time.ts";
import type { Dialect } from "../answers.ts";
import type { Duplicate, Failure, LimitScope, SaidCode, Unknown } from "../context.ts";
import { quoting, throttled, unknown } from "../outcomes.ts";
import type { Verdict } from "../refusals.ts";
import { type Answered, type Lost, parseBody } from "../request.ts";

/**
 * What LinkedIn's refusals mean for us.
 *
 * - One shape, `{status, serviceErrorCode, code, message}`, of which every field may be missing; bad input
 *   adds `errorDetails.inputErrors`. Sorted by status, then code, then service code, then words.
 * - There are no rate headers and no Retry-After: a limit of a day ends at midnight UTC.
 * - A new token may be refused as revoked for a moment.
 */

const words = z.string().optional().catch(undefined);
const number = z.number().optional().catch(undefined);
const InputError = z.object({ code: words, description: words });
const ErrorBody = z.object({
  status: number,
  serviceErrorCode: number,
  code: words,
  message: words,
  errorDetails: z
    .object({ inputErrors: z.array(InputError).optional().catch(undefined) })
    .optional()
    .catch(undefined),
});

interface Problem {
  readonly codes: readonly string[];
  readonly serviceCode: number | null;
  readonly message: string | null;
}

/** LinkedIn's error; null when the body is not in its form and so comes from something on the way. */
function problemOf(answer: Answered): Problem | null {
  const body = parseBody(ErrorBody, answer);
  if (body === null) return null;
  const isOwn =
    body.code !== undefined ||
    body.serviceErrorCode !== undefined ||
    (body.status === answer.status && body.message !== undefined);
  if (!isOwn) return null;
  const inputs = body.errorDetails?.inputErrors ?? [];
  return {
    codes: [body.code, ...inputs.map(({ code }) => code)].flatMap((code) => code ?? []),
    serviceCode: body.serviceErrorCode ?? null,
    message: body.message ?? inputs.find(({ description }) => description)?.description ?? null,
  };
}

interface Row {
  readonly status?: number;
  /** With which statuses it is documented, where `status` does not say; left out: 400 and 422. */
  readonly at?: readonly number[];
  readonly code?: readonly string[];
  readonly service?: readonly number[];
  readonly words?: RegExp;
  readonly verdict: Verdict;
  /** For what the verdict alone does not say (Failure). */
  readonly says?: SaidCode;
  readonly retryAfterSeconds?: number | "midnight";
  /** Whose allowance is used up meanwhile, for others too. */
  readonly limit?: LimitScope;
  readonly advice: string;
}

const UPLOAD_AGAIN = "LinkedIn does not accept the uploaded file any more. Post it again.";
const NOT_READY = "LinkedIn is not ready with the uploaded file.";
const VERSION =
  "LinkedIn no longer serves the version of its API that is set here: the operator of this service must raise LINKEDIN_VERSION.";
const TOO_LONG = "The text is too long for LinkedIn.";

/** Read from top to bottom; the first row whose named marks all fit decides. */
const ROWS: readonly Row[] = [
  {
    code: ["DUPLICATE_POST"],
    verdict: "duplicate",
    advice: "LinkedIn says that this account has already posted exactly this text.",
  },
  {
    words: /is a duplicate of urn:li:/i,
    verdict: "duplicate",
    advice: "LinkedIn says that this account has already posted exactly this text.",
  },
  {
    service: [65_600, 65_601, 65_602],
    at: [401],
    verdict: "token_expired",
    advice: "LinkedIn no longer accepts the connection.",
  },
  { status: 401, verdict: "token_expired", advice: "LinkedIn no longer accepts the connection." },
  { status: 426, verdict: "blocked", advice: VERSION },
  { code: ["NONEXISTENT_VERSION", "VERSION_MISSING"], verdict: "blocked", advice: VERSION },
  {
    status: 429,
    words: /\bAPPLICATION DAY\b/,
    verdict: "throttled",
    retryAfterSeconds: "midnight",
    limit: "app",
    advice: "The calls that LinkedIn allows this service a day are used up: it goes on at midnight UTC.",
  },
  {
    status: 429,
    words: /\bDAY\b/,
    verdict: "throttled",
    retryAfterSeconds: "midnight",
    limit: "account",
    advice: "The calls that LinkedIn allows a day are used up: it goes on at midnight UTC.",
  },
  {
    status: 429,
    words: /creation rate limit exceeded/i,
    verdict: "throttled",
    retryAfterSeconds: 75,
    advice: "LinkedIn takes about one comment a minute from a person.",
  },
  { status: 429, verdict: "throttled", retryAfterSeconds: 300, advice: "LinkedIn asks us to slow down." },
  {
    status: 403,
    words: /\[\/author\]/,
    verdict: "permission_missing",
    advice:
      "Whoever connected it may not post as this page. Ask an administrator of the page for the role of content administrator.",
  },
  {
    status: 403,
    verdict: "permission_missing",
    advice: "LinkedIn did not give the connection the permission for this.",
  },
  { status: 404, verdict: "rejected", advice: "LinkedIn does not find it." },
  { status: 408, verdict: "unclear", advice: "LinkedIn did not finish in time." },
  { status: 409, verdict: "down", advice: "LinkedIn is still busy with the same thing." },
  {
    code: ["MEDIA_ASSET_WAITING_UPLOAD", "MEDIA_ASSET_PROCESSING"],
    verdict: "down",
    retryAfterSeconds: 20,
    advice: NOT_READY,
  },
  {
    code: ["MEDIA_ASSET_PROCESSING_FAILED"],
    verdict: "rejected",
    says: "media_invalid",
    advice: "LinkedIn could not process the file. Try another one.",
  },
  {
    code: ["INVALID_IMAGE_ID", "INVALID_VIDEO_ID", "EXPIRED_UPLOAD_URL"],
    verdict: "rejected",
    says: "media_invalid",
    advice: UPLOAD_AGAIN,
  },
  { words: /not owned by the author/i, verdict: "rejected", says: "media_invalid", advice: UPLOAD_AGAIN },
  { code: ["FIELD_LENGTH_TOO_LONG"], verdict: "rejected", says: "content_invalid", advice: TOO_LONG },
  {
    code: ["INVALID_VALUE_BLANK_FIELD"],
    verdict: "rejected",
    says: "content_invalid",
    advice: "LinkedIn wants a text that is not blank.",
  },
];

/** What is wrong with the input has many codes. */
const INVALID: readonly number[] = [400, 422];

/** As long as this after it was given, a token that is called revoked may only not be in effect yet. */
const ACTIVATION_MS = 60_000;
const ACTIVATION_SECONDS = 5;
const REVOKED = 65_601;

/**
 * LinkedIn's way to say no, to calls with a token that was given `givenAt` (null where that is not known).
 */
export function linkedinDialect(givenAt: number | null): Dialect {
  return {
    title: "LinkedIn",
    refusal(answer, now) {
      if (answer.status >= 200 && answer.status < 300) return null;
      const problem = problemOf(answer);
      if (problem === null) return null;
      const isNew = givenAt !== null && now - givenAt < ACTIVATION_MS;
      if (isNew && problem.serviceCode === REVOKED) {
        const message = "LinkedIn does not know the new connection yet.";
        return { kind: "failed", reason: "down", message, retryAfterSeconds: ACTIVATION_SECONDS };
      }
      return classify(problem, answer, now);
    },
    documents(answer) {
      const problem = problemOf(answer);
      if (problem === null) return false;
      const { status } = answer;
      if (INVALID.includes(status) && problem.codes.length > 0) return true;
      const row = ROWS.find((one) => fits(one, status, problem));
      return row !== undefined && (row.status === status || (row.at ?? INVALID).includes(status));
    },
    waitSeconds: () => null,
    heldBack: [],
  };
}

/** Of calls without a token. */
export const LINKEDIN = linkedinDialect(null);

function classify(problem: Problem, answer: Answered, now: number): Failure | Unknown | Duplicate {
  const {
    verdict,
    says,
    advice,
    retryAfterSeconds: wait,
    limit,
  } = ROWS.find((row) => fits(row, answer.status, problem)) ?? fallback(answer.status);
  const message = sentence(advice, problem, answer);
  const retryAfterSeconds = wait === "midnight" ? Math.ceil((nextMidnight(now, "UTC") - now) / SECOND) : wait;
  switch (verdict) {
    case "unclear":
      return unknown(message);
    case "duplicate":
      return { kind: "duplicate", message };
    case "throttled":
      return throttled(message, retryAfterSeconds ?? null, says, limit);
    default:
      return {
        kind: "failed",
        reason: verdict,
        message,
        ...(says === undefined ? {} : { code: says }),
        ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
      };
  }
}

function fits(row: Row, status: number, { codes, serviceCode, message }: Problem): boolean {
  return (
    (row.status === undefined || row.status === status) &&
    (row.code === undefined || row.code.some((code) => codes.includes(code))) &&
    (row.service === undefined || (serviceCode !== null && row.service.includes(serviceCode))) &&
    (row.words === undefined || row.words.test(message ?? ""))
  );
}

function fallback(status: number): Omit<Row, "status"> {
  if (status >= 500) return { verdict: "unclear", advice: "LinkedIn had a passing error." };
  if (status >= 300 && status < 400) return { verdict: "down", advice: "LinkedIn sent us elsewhere." };
  return { verdict: "rejected", advice: "LinkedIn refused this." };
}

/** Our sentence, LinkedIn's own words, and the reference that its support asks for. */
function sentence(advice: string, { codes, message }: Problem, { status, headers }: Answered): string {
  const reference = headers.get("x-li-uuid") ?? headers.get("x-li-request-id");
  const marks = [String(status), codes[0], reference && `reference ${reference}`].filter(Boolean);
  return `${quoting(advice, "LinkedIn", message)} (${marks.join(", ")})`;
}

/** Whether LinkedIn itself says that the thing does not exist. */
export function isGone(answer: Answered | Lost): boolean {
  return answer.kind === "answered" && answer.status === 404 && problemOf(answer) !== null;
}

/** Whether LinkedIn refuses a token that it has only just given. */
export function isActivating(answer: Answered | Lost): boolean {
  return answer.kind === "answered" && problemOf(answer)?.serviceCode === REVOKED;
}
