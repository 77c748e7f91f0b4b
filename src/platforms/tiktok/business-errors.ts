import { z } from "zod";
import type { Dialect } from "../answers.ts";
import type { Duplicate, Failure, SaidCode, Unknown } from "../context.ts";
import { quoting } from "../outcomes.ts";
import { outcomeOf, retryAfter, type Verdict } from "../refusals.ts";
import { type Answered, parseBody } from "../request.ts";

/**
 * What refusals of TikTok's API for Business mean for us. Every answer has status 200: the number in `code`
 * decides, 0 is success. Its names and classes are those of the Marketing API, which shares it; what they are
 * about, comments or ads, is told by `Wording`.
 */
const words = z.string().optional().catch(undefined);
const Item = z.object({ error_code: z.number(), error_message: words });
const Partly = z.object({ error_list: z.array(Item).min(1) });
const Answer = z.object({ code: z.number(), message: words, request_id: words, data: z.unknown().optional() });
/** What was carried out of a batch in part is, in a batch of one, refused: its item says why. */
const PARTLY = 20001;
const Refused = Answer.transform(({ data, ...answer }) => {
  const [item] = answer.code === PARTLY ? (Partly.safeParse(data).data?.error_list ?? []) : [];
  return item ? { ...answer, code: item.error_code, message: item.error_message } : answer;
});

type Entry = readonly [Verdict, advice: string, code?: SaidCode];

const MINUTE = 60;

/** What a connection to this API is for, as sentences name it. */
interface Wording {
  /** Plural: "comments". */
  readonly title: string;
  /** What helps where TikTok does not let the account do it. */
  readonly right: string;
  /** What may be gone. */
  readonly gone: string;
}

const REFUSED: Entry = ["rejected", "TikTok did not take this."];
const PASSING: Entry = ["unclear", "TikTok had a passing error."];

/** "Nothing changed": what was asked for is so already. */
export const NO_UPDATE = 40012;

function entriesFor({ title, right, gone }: Wording): ReadonlyMap<number, Entry> {
  const reconnect: Entry = ["token_expired", `TikTok no longer accepts the connection for ${title}.`];
  const over: Entry = ["disconnected", `TikTok has ended the connection for ${title}.`];
  const scope = `TikTok was not allowed to give what ${title} need. Leave everything ticked when you connect.`;
  const operator = `TikTok does not let our app for ${title} do this. Tell the operator of this service.`;
  const login = "TikTok did not accept the login, or it took too long. Start again.";
  const blocked = "TikTok has blocked this. Sign in at TikTok and see what it asks for.";
  return new Map<number, Entry>([
    ...entries(REFUSED, 40000, 40002, 40009, 40011, 40061, 40502),
    ...entries(["permission_missing", right], 40001, 40003),
    ...entries(["blocked", operator], 40006, 40051, 40101, 40108, 40113, 40117, 40118, 40124, 40125, 41001, 41002),
    ...entries(["rejected", gone], 40007, 40300),
    ...entries(["duplicate", "TikTok says that it has this already."], 40050),
    ...entries(["throttled", "TikTok asks this service to slow down."], 40100, 40132, 51021, 61000),
    ...entries(reconnect, 40102, 40104, 40105),
    ...entries(over, 40103, 40106, 40107, 40114, 40301, 40302, 40309),
    ...entries(["rejected", login], 40110),
    ...entries(["permission_missing", scope], 40130, 40131),
    ...entries(["down", "TikTok was changing the same thing at that moment."], 40202),
    ...entries(["rejected", blocked, "account_restricted"], 41000),
    ...entries(["down", "TikTok is being maintained."], 60001),
  ]);
}

function entries(entry: Entry, ...codes: readonly number[]): (readonly [number, Entry])[] {
  return codes.map((code) => [code, entry]);
}

function dialectOf(wording: Wording): Dialect {
  const table = entriesFor(wording);
  return {
    title: "TikTok",
    refusal(answer) {
      const said = parseBody(Refused, answer);
      return said === null || said.code === 0 || said.code === NO_UPDATE ? null : classify(table, said, answer);
    },
    documents: (answer) => answer.status === 200 && table.has(parseBody(Refused, answer)?.code ?? 0),
    waitSeconds: retryAfter,
    heldBack: [],
  };
}

export const TIKTOK_BUSINESS = dialectOf({
  title: "comments",
  right: "TikTok does not let this account do that by an app. Make it a business account in TikTok's settings.",
  gone: "TikTok does not have the comment, or its video, any more.",
});

export const TIKTOK_ADS = dialectOf({
  title: "ads",
  right:
    "TikTok does not let this login do that with the ad account. Its owner must allow it in TikTok Ads Manager; then connect again, with that ad account ticked.",
  gone: "TikTok does not have the ad account, or what was made in it, any more.",
});

function classify(
  table: ReadonlyMap<number, Entry>,
  { code: number, message, request_id }: z.output<typeof Refused>,
  { headers }: Answered,
): Failure | Unknown | Duplicate {
  const [verdict, advice, code] = table.get(number) ?? byRange(number);
  const reference = request_id ? `, reference ${request_id}` : "";
  const sentence = `${quoting(advice, "TikTok", message)} (${number}${reference})`;
  return outcomeOf(verdict, sentence, { code, retryAfterSeconds: retryAfter(headers) ?? MINUTE });
}

/**
 * For codes that are not in the table: those from 40000 on are about the request, those from 50000 on about
 * TikTok.
 */
function byRange(code: number): Entry {
  return code >= 40_000 && code < 50_000 ? REFUSED : PASSING;
}
