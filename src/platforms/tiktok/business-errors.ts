import { z } from "zod";
import type { Dialect } from "../answers.ts";
import type { Duplicate, Failure, FailureReason, SaidCode, Unknown } from "../context.ts";
import { quoting, throttled, unknown } from "../outcomes.ts";
import { type Answered, parseBody } from "../request.ts";

/**
 * What refusals of TikTok's API for Business mean for us. Every answer has status 200: the number in `code` decides, 0 is success. Its
 * names and classes are those of the Marketing API, which shares it.
 */
const words = z.string().optional().catch(undefined);
const Refused = z.object({ code: z.number(), message: words, request_id: words });

/** `unclear`: the call may have been carried out; `duplicate`: surely, an earlier one. */
type Verdict = FailureReason | "unclear" | "duplicate";
type Entry = readonly [Verdict, advice: string, code?: SaidCode];

const MINUTE = 60;

const RECONNECT: Entry = ["token_expired", "TikTok no longer accepts the connection for comments."];
const OVER: Entry = ["disconnected", "TikTok has ended the connection for comments."];
const SCOPE: Entry = [
  "permission_missing",
  "TikTok was not allowed to give what comments need. Leave everything ticked when you connect.",
];
const ACCOUNT: Entry = [
  "permission_missing",
  "TikTok does not let this account do that by an app. Make it a business account in TikTok's settings.",
];
const OPERATOR: Entry = [
  "blocked",
  "TikTok does not let our app for comments do this. Tell the operator of this service.",
];
const REFUSED: Entry = ["rejected", "TikTok did not take this."];
const GONE: Entry = ["rejected", "TikTok does not have the comment, or its video, any more."];
const PACE: Entry = ["throttled", "TikTok asks this service to slow down."];
const PASSING: Entry = ["unclear", "TikTok had a passing error."];

const ENTRIES: ReadonlyMap<number, Entry> = new Map([
  ...entries(REFUSED, 40000, 40002, 40009, 40011, 40012, 40061, 40502),
  ...entries(ACCOUNT, 40001, 40003),
  ...entries(OPERATOR, 40006, 40051, 40101, 40108, 40113, 40117, 40118, 40124, 40125, 41001, 41002),
  ...entries(GONE, 40007, 40300),
  ...entries(["duplicate", "TikTok says that it has this already."], 40050),
  ...entries(PACE, 40100, 40132, 51021, 61000),
  ...entries(RECONNECT, 40102, 40104, 40105),
  ...entries(OVER, 40103, 40106, 40107, 40114, 40301, 40302, 40309),
  ...entries(["rejected", "TikTok did not accept the login, or it took too long. Start again."], 40110),
  ...entries(SCOPE, 40130, 40131),
  ...entries(["down", "TikTok was changing the same thing at that moment."], 40202),
  ...entries(
    ["rejected", "TikTok has blocked this. Sign in at TikTok and see what it asks for.", "account_restricted"],
    41000,
  ),
  ...entries(["down", "TikTok is being maintained."], 60001),
]);

function entries(entry: Entry, ...codes: readonly number[]): (readonly [number, Entry])[] {
  return codes.map((code) => [code, entry]);
}

export const TIKTOK_BUSINESS: Dialect = {
  title: "TikTok",
  refusal(answer) {
    const said = parseBody(Refused, answer);
    return said === null || said.code === 0 ? null : classify(said, answer);
  },
  waitSeconds: (headers) => retryAfter(headers),
  heldBack: [],
};

function classify(
  { code: number, message, request_id }: z.output<typeof Refused>,
  { headers }: Answered,
): Failure | Unknown | Duplicate {
  const [verdict, advice, code] = ENTRIES.get(number) ?? byRange(number);
  const reference = request_id ? `, reference ${request_id}` : "";
  const sentence = `${quoting(advice, "TikTok", message)} (${number}${reference})`;
  if (verdict === "unclear") return unknown(sentence);
  if (verdict === "duplicate") return { kind: "duplicate", message: sentence };
  if (verdict === "throttled") return throttled(sentence, retryAfter(headers) ?? MINUTE);
  return { kind: "failed", reason: verdict, message: sentence, ...(code ? { code } : {}) };
}

/** For codes that are not in the table: those from 40000 on are about the request, those from 50000 on about TikTok. */
function byRange(code: number): Entry {
  return code >= 40_000 && code < 50_000 ? REFUSED : PASSING;
}

function retryAfter(headers: Headers): number | null {
  const seconds = Number.parseInt(headers.get("retry-after") ?? "", 10);
  return Number.isFinite(seconds) && seconds > 0 ? seconds : null;
}
