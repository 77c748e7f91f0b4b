import { z } from "zod";
import { MINUTE } from "../../core/time.ts";
import type { Problem, RefusalTable, Row } from "../refusals.ts";
import { type Answered, type Lost, parseBody } from "../request.ts";

/**
 * LinkedIn's refusals.
 *
 * - One form, `{status, serviceErrorCode, code, message}`; every field is optional. Invalid input adds
 *   `errorDetails.inputErrors`. The order is status, code, service code, words.
 * - LinkedIn sends neither rate limit headers nor Retry-After. A daily limit resets at midnight UTC.
 * - LinkedIn may refuse a new token as revoked for a moment.
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

interface LinkedInError {
  readonly codes: readonly string[];
  readonly serviceCode: number | null;
  readonly message: string | null;
}

/** LinkedIn's error; null if the body does not have its form and so comes from a gateway. */
function errorOf(answer: Answered): LinkedInError | null {
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

/** A token that is refused as revoked may be inactive for this long after it was issued. */
const ACTIVATION_MS = MINUTE;
const ACTIVATION_SECONDS = 5;
const REVOKED = 65_601;

/** Our own codes: a token that is not active yet; an error with any code. */
const ACTIVATING = "activating";
const ANY = "any";
/** Statuses of invalid input. */
const INVALID = [400, 422];

const ORGANIZATION_PERMISSIONS = /organization(?: or events)? permissions must be used/i;
const UPLOAD_AGAIN = "LinkedIn no longer accepts the uploaded file. Post it again.";
const NOT_READY = "LinkedIn still processes the uploaded file.";
const VERSION =
  "LinkedIn no longer serves the configured API version. The operator of this service must raise LINKEDIN_VERSION.";
const TOO_LONG = "The text is too long for LinkedIn.";

const ROWS: readonly Row[] = [
  [ACTIVATING, "down", "The new connection is not active at LinkedIn yet.", { at: [401], wait: ACTIVATION_SECONDS }],
  ["DUPLICATE_POST", "duplicate", "LinkedIn says that this account has already posted exactly this text."],
  [/is a duplicate of urn:li:/i, "duplicate", "LinkedIn says that this account has already posted exactly this text."],
  [["65600", "65601", "65602"], "token_expired", "LinkedIn no longer accepts the connection.", { at: [401] }],
  [401, "token_expired", "LinkedIn no longer accepts the connection."],
  [426, "blocked", VERSION],
  [["NONEXISTENT_VERSION", "VERSION_MISSING"], "blocked", VERSION],
  [
    { status: 429, words: /\bAPPLICATION DAY\b/ },
    "throttled",
    "This service has reached LinkedIn's daily limit. It resets at midnight UTC.",
    { wait: "midnight", limit: "app" },
  ],
  [
    { status: 429, words: /\bDAY\b/ },
    "throttled",
    "The account has reached LinkedIn's daily limit. It resets at midnight UTC.",
    { wait: "midnight", limit: "account" },
  ],
  [
    { status: 429, words: /creation rate limit exceeded/i },
    "throttled",
    "LinkedIn accepts about one comment a minute from a person.",
    { wait: 75 },
  ],
  [429, "throttled", "LinkedIn limits the rate of this service's requests.", { wait: 300 }],
  // Seen with 400, where the token has the permissions of a person only.
  [
    { status: [400, 403], words: ORGANIZATION_PERMISSIONS },
    "permission_missing",
    "The connection lacks the permission to act as the page (w_organization_social). Allow everything in the login; the app of this service needs the Community Management API.",
  ],
  [
    { status: 403, words: /\[\/author\]/ },
    "permission_missing",
    "The person who connected this page may not post as it. Ask an administrator of the page for the role of content administrator.",
  ],
  [
    403,
    "permission_missing",
    "The connection lacks the permission for this. Reconnect the account and allow everything.",
  ],
  [404, "rejected", "LinkedIn does not find the object: it was deleted."],
  [408, "unclear", "LinkedIn did not finish in time."],
  [409, "down", "LinkedIn is still busy with the same thing."],
  [["MEDIA_ASSET_WAITING_UPLOAD", "MEDIA_ASSET_PROCESSING"], "down", NOT_READY, { wait: 20 }],
  [
    "MEDIA_ASSET_PROCESSING_FAILED",
    "rejected",
    "LinkedIn could not process the file. Try another one.",
    { code: "media_invalid" },
  ],
  [["INVALID_IMAGE_ID", "INVALID_VIDEO_ID", "EXPIRED_UPLOAD_URL"], "rejected", UPLOAD_AGAIN, { code: "media_invalid" }],
  [/not owned by the author/i, "rejected", UPLOAD_AGAIN, { code: "media_invalid" }],
  ["FIELD_LENGTH_TOO_LONG", "rejected", TOO_LONG, { code: "content_invalid" }],
  ["INVALID_VALUE_BLANK_FIELD", "rejected", "The text must not be blank.", { code: "content_invalid" }],
  // Invalid input has many codes.
  [{ status: INVALID, code: ANY }, "rejected", "LinkedIn refused this."],
];

/** The refusals of calls with a token that was issued at `givenAt`; null if unknown. */
export function linkedinTable(givenAt: number | null): RefusalTable {
  return {
    title: "LinkedIn",
    problemOf(answer, now) {
      const error = answer.status >= 200 && answer.status < 300 ? null : errorOf(answer);
      const isNew = givenAt !== null && now - givenAt < ACTIVATION_MS;
      return error && toProblem(error, answer, isNew);
    },
    rows: ROWS,
    documentedAt: INVALID,
    waitSeconds: (_headers, _now, wait) => wait,
    heldBack: [],
  };
}

/** The refusals of calls without a token. */
export const LINKEDIN = linkedinTable(null);

function toProblem({ codes, serviceCode, message }: LinkedInError, answer: Answered, isNew: boolean): Problem {
  const { status, headers } = answer;
  const reference = headers.get("x-li-uuid") ?? headers.get("x-li-request-id");
  const marks = [String(status), codes[0], reference && `reference ${reference}`].filter(Boolean);
  return {
    codes: [
      ...(isNew && serviceCode === REVOKED ? [ACTIVATING] : []),
      ...(serviceCode === null ? [] : [`${serviceCode}`]),
      ...codes,
      ...(codes.length > 0 ? [ANY] : []),
    ],
    text: message ?? "",
    quote: message,
    mark: marks.join(", "),
  };
}

/** Whether LinkedIn says that it does not exist. */
export function isGone(answer: Answered | Lost): boolean {
  return answer.kind === "answered" && answer.status === 404 && errorOf(answer) !== null;
}

/** What a refusal says if it is about the request, and not about what exists already. */
const ABOUT_REQUEST = /invalid|validation|required|not (?:found|allowed|supported|permitted)|closed|disabled|deleted/i;

/**
 * Whether LinkedIn says that the same thing exists: its own 409, or a 422 that is not about the request. A
 * page of a gateway proves nothing, whatever its status.
 */
export function isExisting(answer: Answered | Lost): boolean {
  const error = answer.kind === "answered" && (answer.status === 409 || answer.status === 422) ? errorOf(answer) : null;
  if (answer.kind === "lost" || error === null) return false;
  const { codes, message } = error;
  return answer.status === 409 || ![...codes, message ?? ""].some((words) => ABOUT_REQUEST.test(words));
}

/** Whether LinkedIn refuses a token that was just issued. */
export function isActivating(answer: Answered | Lost): boolean {
  return answer.kind === "answered" && errorOf(answer)?.serviceCode === REVOKED;
}
