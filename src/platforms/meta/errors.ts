import { z } from "zod";
import type { Duplicate, Failure, FailureReason, Unknown } from "../platform.ts";
import { type Answered, type Lost, parseBody } from "../request.ts";

/**
 * What an answer of Meta's Graph API means for us.
 *
 * - The HTTP status is not reliable: nearly every refusal is a 400. Errors are sorted by `code` and `error_subcode`;
 *   the 13666xx, 1404xxx and 1609xxx numbers turn up as either.
 * - Codes 1 and 2 do not say whether the call was carried out; 506 and 1366051 say that it was, earlier.
 * - Only Graph's error object is Facebook's word. A page without one comes from a gateway on the way: trouble, no
 *   refusal.
 * - `message` may quote a token, `error_user_msg` may not.
 */

export type Asked<T> = { readonly kind: "ok"; readonly value: T } | Failure;

/** For calls that may be repeated: what is unclear is passing trouble. */
export function settle<T>(outcome: Asked<T> | Unknown | Duplicate): Asked<T> {
  if (outcome.kind === "ok" || outcome.kind === "failed") return outcome;
  return { kind: "failed", reason: "down", message: outcome.message };
}

/** For calls that must not be repeated. `failed`: surely not carried out. */
export function judge<S extends z.ZodType>(
  answer: Answered | Lost,
  schema: S,
): Asked<z.output<S>> | Unknown | Duplicate {
  if (answer.kind === "lost") return { kind: "unknown", message: `Facebook's answer was lost: ${answer.message}` };
  const error = graphError(answer);
  if (error) return classify(error, answer);
  if (answer.status < 200 || answer.status > 299) return classifyPage(answer);
  const value = parseBody(schema, answer);
  if (value !== null) return { kind: "ok", value };
  return { kind: "unknown", message: "Facebook answered in a form that it does not document." };
}

const GraphError = z.object({
  error: z
    .object({
      code: z.coerce.number(),
      type: z.string().optional(),
      fbtrace_id: z.string().optional(),
      error_subcode: z.coerce.number().optional(),
      message: z.string().optional(),
      error_user_msg: z.string().optional(),
      is_transient: z.boolean().optional(),
    })
    // Gateways write `{"error":{"code":403,"message":…}}` too; these are Graph's own marks.
    .refine(({ type, fbtrace_id, error_subcode }) => (type ?? fbtrace_id ?? error_subcode) !== undefined),
});
type GraphError = z.output<typeof GraphError>["error"];

function graphError(answer: Answered): GraphError | null {
  return parseBody(GraphError, answer)?.error ?? null;
}

/** Whether Graph says that the object is missing, deleted or not visible to us. */
export function isGone(answer: Answered | Lost): boolean {
  const error = answer.kind === "answered" ? graphError(answer) : null;
  return error?.code === 100 && error.error_subcode === 33;
}

/** Whether Graph refuses the value, or the name, of this parameter. */
export function isAboutParameter(answer: Answered | Lost, name: string): boolean {
  const error = answer.kind === "answered" ? graphError(answer) : null;
  return error?.code === 100 && (error.message ?? "").toLowerCase().includes(name);
}

/**
 * Whether a refusal speaks of the request itself: its file, its text, its link, a policy, a check that the person must
 * pass. Those are our listed rejections. Any other may as well mean "not any more": Facebook has carried it out
 * already, or lost the object.
 */
export function isAboutRequest(answer: Answered | Lost): boolean {
  const error = answer.kind === "answered" ? graphError(answer) : null;
  const [verdict] = (error && listed(error)) ?? [];
  return verdict === "rejected" && error !== null && error.code !== 803 && error.error_subcode !== 33;
}

type Verdict = FailureReason | "unclear" | "duplicate";
type Entry = readonly [verdict: Verdict, advice: string, waitSeconds?: number];

const HOURS = 3600;
const BY_HAND = "Open facebook.com with the account that manages the Page and follow what it asks, then try again.";
const PERMISSION = "The connection lacks a permission or a role on the Page. Allow everything asked when you connect.";

/** By `code/subcode`, by a subcode that is a number of its own, or by `code`; the first that is listed decides. */
const VERDICTS: Readonly<Record<string, Entry>> = {
  "1": ["unclear", "Facebook had an unknown error."],
  "2": ["unclear", "Facebook had a passing service error."],
  "3": ["blocked", "Facebook has not enabled this call for our app."],
  "4": ["throttled", "Facebook's limit for our app is used up."],
  "10": ["permission_missing", PERMISSION],
  "17": ["throttled", "Facebook's limit for this account is used up."],
  "32": ["throttled", "Facebook's limit for this Page is used up."],
  "100/33": ["rejected", "Facebook does not find this Page or post, or no longer shows it to us."],
  "100/36007": ["rejected", "The login took too long. Start again."],
  "100/36008": ["blocked", "Facebook does not accept our redirect address."],
  "100/36009": ["rejected", "This login was used already. Start again."],
  "101": ["blocked", "Facebook does not accept our app's credentials."],
  "102": ["token_expired", `Facebook ended the session.`],
  "104": ["blocked", "Facebook does not accept our app secret proof."],
  "190": ["token_expired", `Facebook no longer accepts the connection.`],
  "190/458": ["disconnected", `The app was removed from the Facebook account.`],
  "190/459": ["disconnected", BY_HAND],
  "190/460": ["disconnected", `The password of the Facebook account was changed.`],
  "190/464": ["disconnected", BY_HAND],
  "190/492": ["disconnected", `The person who connected the Page no longer has a role on it.`],
  "190/2069032": ["disconnected", `Facebook asks for a Page's own connection.`],
  "191": ["blocked", "Facebook does not accept our redirect address."],
  "200/2069030": ["rejected", "Facebook does not support this on the new Pages."],
  "200/2069031": ["rejected", "Facebook does not support this on the new Pages."],
  "341": ["throttled", "Facebook's daily limit for our app is used up."],
  "368": ["throttled", "Facebook has paused posting for this Page because of its policies.", 3 * HOURS],
  "368/1346003": ["rejected", "Facebook takes this text for abusive."],
  "389": ["rejected", "Facebook could not fetch the media file. Check that its address is open to everyone."],
  "506": ["duplicate", "Facebook says that this post repeats the one before it."],
  "613": ["throttled", "Facebook's limit for this call is used up."],
  "803": ["rejected", "Facebook does not know this Page or post."],
  "2500": ["rejected", "Facebook did not understand the request."],
  "2635": ["blocked", "Facebook has retired the API version that we use."],
  "1349125": ["rejected", "Facebook does not accept the file's format."],
  "1363040": ["rejected", "Facebook wants another aspect ratio (9:16)."],
  "1363047": ["unclear", "Facebook's video service is unavailable."],
  "1363127": ["rejected", "Facebook wants a higher resolution (at least 540×960)."],
  "1363128": ["rejected", "Facebook wants another duration (3 to 90 seconds)."],
  "1363129": ["rejected", "Facebook wants another frame rate (24 to 60 a second)."],
  "1366046": ["rejected", "Facebook takes photos as JPEG, PNG, GIF, TIFF or BMP of at most 4 MB."],
  // The photos are ours alone: if they were posted, then by a call of ours whose answer was lost.
  "1366051": ["duplicate", "Facebook says that these photos were posted already."],
  "1404006": ["rejected", `Facebook asks for a security check. ${BY_HAND}`],
  "1404078": ["rejected", `Facebook asks for the Page publishing authorization. ${BY_HAND}`],
  "1404102": ["rejected", "Facebook says that this goes against its Community Standards."],
  "1404112": ["throttled", "Facebook has limited this account for a while.", 3 * HOURS],
  "1609005": ["rejected", "Facebook could not read the link in the post."],
  "1609008": ["rejected", "Facebook does not allow this facebook.com link in a post."],
  "1609010": ["unclear", "Facebook's link service is unavailable."],
  "2061006": ["rejected", "Facebook does not accept the link in the post."],
  "2069019": ["rejected", "Facebook does not accept the file."],
  "4854002": ["rejected", `Facebook asks to confirm the identity. ${BY_HAND}`],
};

function listed({ code, error_subcode: subcode }: GraphError): Entry | undefined {
  return VERDICTS[`${code}/${subcode}`] ?? (subcode && subcode > 999 ? VERDICTS[subcode] : undefined) ?? VERDICTS[code];
}

/** The advice for an error number that Facebook reports outside an error answer (video processing). */
export function adviceFor(code: number): string | null {
  return VERDICTS[code]?.[1] ?? null;
}

function classify(error: GraphError, answer: Answered): Failure | Unknown | Duplicate {
  const [verdict, advice, waitSeconds] = listed(error) ?? byRange(error, answer.status);
  const message = sentence(advice, error);
  if (verdict === "unclear") return { kind: "unknown", message };
  if (verdict === "duplicate") return { kind: "duplicate", message };
  if (verdict !== "throttled") return { kind: "failed", reason: verdict, message };
  const retryAfterSeconds = regainSeconds(answer.headers) ?? waitSeconds;
  return { kind: "failed", reason: "throttled", message, ...(retryAfterSeconds ? { retryAfterSeconds } : {}) };
}

function byRange({ code, message, is_transient }: GraphError, status: number): readonly [Verdict, string] {
  if (code >= 200 && code <= 299) return ["permission_missing", PERMISSION];
  if (code >= 80_000 && code <= 80_099) return ["throttled", "Facebook's limit for this Page is used up."];
  // Only the words tell a missing or wrong proof from any other bad parameter.
  if (code === 100 && message?.includes("appsecret_proof"))
    return ["blocked", "Facebook does not accept our app secret proof."];
  if (status >= 500 || is_transient) return ["unclear", "Facebook had a passing error."];
  return ["rejected", "Facebook refused this."];
}

/**
 * A page without Graph's error object, from something on the way. Whether the call had gone through by then is not
 * known: a filter may look at answers as well and put its 403 in the place of a success. Only who asks for a login
 * (401, 407) or counts calls (429) does so before passing anything on.
 */
function classifyPage({ status }: Answered): Failure | Unknown {
  const message = `Facebook could not be reached properly: something on the way answered with status ${status}.`;
  if (status === 429) return { kind: "failed", reason: "throttled", message };
  if (status === 401 || status === 407) return { kind: "failed", reason: "down", message };
  return { kind: "unknown", message };
}

function sentence(advice: string, { code, error_subcode, message, error_user_msg }: GraphError): string {
  const words = error_user_msg ?? (message && !/token|secret|EAA/i.test(message) ? message : null);
  const number = error_subcode ? `${code}/${error_subcode}` : `${code}`;
  return words
    ? `${advice} Facebook's words: “${words.slice(0, 300)}” (${number})`
    : `${advice} (Facebook error ${number})`;
}

const UsageHeader = z.record(z.string(), z.array(z.object({ estimated_time_to_regain_access: z.number().optional() })));

/** Facebook has no Retry-After; the usage header tells the minutes, and 0 where it does not know. */
function regainSeconds(headers: Headers): number | null {
  try {
    const usage = UsageHeader.parse(JSON.parse(headers.get("x-business-use-case-usage") ?? "{}"));
    const minutes = Object.values(usage)
      .flat()
      .map((use) => use.estimated_time_to_regain_access ?? 0);
    return Math.max(0, ...minutes) * 60 || null;
  } catch {
    return null;
  }
}
