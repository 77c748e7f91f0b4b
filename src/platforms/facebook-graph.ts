import { z } from "zod";
import type { AccountContext, AppContext, Failure, FailureReason, Unknown } from "./platform.ts";
import { type Answered, type Lost, parseBody } from "./request.ts";

/**
 * One call to Meta's Graph API, and what its errors mean for us.
 *
 * - The HTTP status is not reliable: nearly every refusal is a 400. Errors are sorted by `code` and `error_subcode`;
 *   the 13666xx, 1404xxx and 1609xxx numbers turn up as either.
 * - Codes 1, 2 and 506 (identical post in a row) do not say whether the call was carried out.
 * - `appsecret_proof` must be made from the very token of the call.
 * - Tokens travel in headers, so that they stay out of addresses. `message` may quote a token, `error_user_msg` may not.
 */

// v26.0 of 2026-07-29, checked 2026-11-20: developers.facebook.com/docs/graph-api/changelog
export const VERSION = "v26.0";
export const GRAPH = `https://graph.facebook.com/${VERSION}`;

export interface GraphCall {
  readonly token: string;
  readonly method: "GET" | "POST" | "DELETE";
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly form?: Readonly<Record<string, string>>;
  /** Binary parts; with them the form is sent as multipart. */
  readonly files?: Readonly<Record<string, Blob>>;
}

export function read(context: AccountContext, path: string, query: NonNullable<GraphCall["query"]>): GraphCall {
  return { token: context.credentials.accessToken, method: "GET", path, query };
}

export function post(context: AccountContext, path: string, form: NonNullable<GraphCall["form"]>): GraphCall {
  return { token: context.credentials.accessToken, method: "POST", path, form };
}

export const Success = z.object({ success: z.literal(true) });

export const Paging = z.object({ cursors: z.object({ after: z.string() }).optional(), next: z.string().optional() });

/** Undefined after the last page. A short page is not the last one; `next` is not called, for it carries the token. */
export function nextCursor(paging: z.output<typeof Paging> | undefined): string | undefined {
  if (paging?.next === undefined) return undefined;
  return paging.cursors?.after ?? URL.parse(paging.next)?.searchParams.get("after") ?? undefined;
}

export type Asked<T> = { readonly kind: "ok"; readonly value: T } | Failure;

/** A call that may be repeated: an unclear answer is passing trouble. */
export async function ask<S extends z.ZodType>(
  context: AppContext,
  call: GraphCall,
  schema: S,
): Promise<Asked<z.output<S>>> {
  return settle(await act(context, call, schema));
}

export function settle<T>(outcome: Asked<T> | Unknown): Asked<T> {
  return outcome.kind === "unknown" ? { kind: "failed", reason: "down", message: outcome.message } : outcome;
}

/** A call that must not be repeated: an unclear answer stays unknown. */
export async function act<S extends z.ZodType>(
  context: AppContext,
  call: GraphCall,
  schema: S,
): Promise<Asked<z.output<S>> | Unknown> {
  return judge(await callGraph(context, call), schema);
}

export async function callGraph(context: AppContext, call: GraphCall): Promise<Answered | Lost> {
  const proof = { appsecret_proof: await appSecretProof(context.app.secret, call.token) };
  const request = { method: call.method, url: `${GRAPH}/${call.path}` };
  const headers = { authorization: `Bearer ${call.token}` };
  if (call.method !== "POST") return context.send({ ...request, headers, query: { ...call.query, ...proof } });
  const form = { ...call.form, ...proof };
  if (!call.files) return context.send({ ...request, headers, form });
  const multipart = new FormData();
  for (const [name, value] of Object.entries(form)) multipart.set(name, value);
  for (const [name, file] of Object.entries(call.files)) multipart.set(name, file, name);
  return context.send({ ...request, headers, multipart });
}

export function judge<S extends z.ZodType>(answer: Answered | Lost, schema: S): Asked<z.output<S>> | Unknown {
  if (answer.kind === "lost") return { kind: "unknown", message: `Facebook's answer was lost: ${answer.message}` };
  const error = graphError(answer);
  if (error) return classify(error, answer);
  if (answer.status >= 200 && answer.status < 300) {
    const value = parseBody(schema, answer);
    if (value !== null) return { kind: "ok", value };
    return { kind: "unknown", message: "Facebook answered in a form that it does not document." };
  }
  return classifyStatus(answer);
}

const GraphError = z.object({
  error: z.object({
    code: z.coerce.number(),
    error_subcode: z.coerce.number().optional(),
    message: z.string().optional(),
    error_user_msg: z.string().optional(),
    is_transient: z.boolean().optional(),
  }),
});
type GraphError = z.output<typeof GraphError>["error"];

function graphError(answer: Answered): GraphError | null {
  return parseBody(GraphError, answer)?.error ?? null;
}

/** Whether Graph says that the object is missing, deleted or not visible to us. */
export function isGone(answer: Answered): boolean {
  const error = graphError(answer);
  return error?.code === 100 && error.error_subcode === 33;
}

type Verdict = FailureReason | "unclear";

const HOURS = 3600;
const BY_HAND = "Open facebook.com with the account that manages the Page and follow what it asks, then try again.";
const PERMISSION = "The connection lacks a permission or a role on the Page. Allow everything asked when you connect.";

/** By `code/subcode`, by a subcode that is a number of its own, or by `code`; the first that is listed decides. */
const VERDICTS: Readonly<Record<string, readonly [verdict: Verdict, advice: string, waitSeconds?: number]>> = {
  "1": ["unclear", "Facebook had an unknown error."],
  "2": ["unclear", "Facebook had a passing service error."],
  "3": ["blocked", "Facebook has not enabled this call for our app."],
  "4": ["throttled", "Facebook's limit for our app is used up."],
  "10": ["disconnected", PERMISSION],
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
  "506": ["unclear", "Facebook says that this post repeats the one before it."],
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
  "1366051": ["unclear", "Facebook says that these photos were posted already."],
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

/** The advice for an error number that Facebook reports outside an error answer (video processing). */
export function adviceFor(code: number): string | null {
  return VERDICTS[code]?.[1] ?? null;
}

function classify(error: GraphError, answer: Answered): Failure | Unknown {
  const { code, error_subcode: subcode } = error;
  const [verdict, advice, waitSeconds] =
    VERDICTS[`${code}/${subcode}`] ??
    (subcode && subcode > 999 ? VERDICTS[subcode] : undefined) ??
    VERDICTS[code] ??
    byRange(error, answer.status);
  const message = sentence(advice, error);
  if (verdict === "unclear") return { kind: "unknown", message };
  if (verdict !== "throttled") return { kind: "failed", reason: verdict, message };
  const retryAfterSeconds = regainSeconds(answer.headers) ?? waitSeconds;
  return { kind: "failed", reason: "throttled", message, ...(retryAfterSeconds ? { retryAfterSeconds } : {}) };
}

function byRange({ code, message, is_transient }: GraphError, status: number): readonly [Verdict, string] {
  if (code >= 200 && code <= 299) return ["disconnected", PERMISSION];
  if (code >= 80_000 && code <= 80_099) return ["throttled", "Facebook's limit for this Page is used up."];
  // Only the words tell a missing or wrong proof from any other bad parameter.
  if (code === 100 && message?.includes("appsecret_proof"))
    return ["blocked", "Facebook does not accept our app secret proof."];
  if (status >= 500 || is_transient) return ["unclear", "Facebook had a passing error."];
  return ["rejected", "Facebook refused this."];
}

/** No error object: a gateway's page. */
function classifyStatus({ status }: Answered): Failure | Unknown {
  const message = `Facebook answered with status ${status} and no reason.`;
  if (status === 401) return { kind: "failed", reason: "token_expired", message };
  if (status === 429) return { kind: "failed", reason: "throttled", message };
  if (status >= 500 || status === 408) return { kind: "unknown", message };
  return { kind: "failed", reason: "down", message };
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

async function appSecretProof(secret: string, token: string): Promise<string> {
  const text = new TextEncoder();
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", text.encode(secret), algorithm, false, ["sign"]);
  const signature = new Uint8Array(await crypto.subtle.sign("HMAC", key, text.encode(token)));
  return Array.from(signature, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
