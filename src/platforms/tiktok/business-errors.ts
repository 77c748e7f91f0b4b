import { z } from "zod";
import { type RefusalTable, type Row, retryAfter } from "../refusals.ts";
import { parseBody } from "../request.ts";

/**
 * The meaning of refusals of TikTok's API for Business. Every answer has status 200: the number in `code`
 * decides, 0 is success. Names and classes are those of the Marketing API, which shares it. `Wording` says
 * whether they concern comments or ads.
 */
const words = z.string().optional().catch(undefined);
const Item = z.object({ error_code: z.number(), error_message: words });
const Partly = z.object({ error_list: z.array(Item).min(1) });
const Answer = z.object({ code: z.number(), message: words, request_id: words, data: z.unknown().optional() });
/** A partially completed batch; a batch of one is then refused, and its item says why. */
const PARTLY = 20001;
const Refused = Answer.transform(({ data, ...answer }) => {
  const [item] = answer.code === PARTLY ? (Partly.safeParse(data).data?.error_list ?? []) : [];
  return item ? { ...answer, code: item.error_code, message: item.error_message } : answer;
});

const MINUTE = 60;

/** The purpose of a connection to this API, in the words of the sentences. */
interface Wording {
  /** Plural: "comments". */
  readonly title: string;
  /** What to do if TikTok does not allow it for the account. */
  readonly right: string;
  /** The object that may have been deleted. */
  readonly gone: string;
}

const REFUSED = "TikTok refused this.";
/** Codes from 40000 on concern the request, those from 50000 on TikTok. */
const ABOUT_REQUEST = "40000-49999";

/** "Nothing changed": the value was set already. */
export const NO_UPDATE = 40012;

function rowsFor({ title, right, gone }: Wording): readonly Row[] {
  const scope = `Missing permissions for ${title}. Reconnect and leave everything selected.`;
  const operator = `TikTok does not allow our app for ${title} to do this. Contact the operator of this service.`;
  const login = "TikTok did not accept the login, or it expired. Start again.";
  const blocked = "TikTok has blocked this. Sign in at TikTok and follow its instructions.";
  const wait = MINUTE;
  return [
    [codes(40000, 40002, 40009, 40011, 40061, 40502), "rejected", REFUSED],
    [codes(40001, 40003), "permission_missing", right],
    [codes(40006, 40051, 40101, 40108, 40113, 40117, 40118, 40124, 40125, 41001, 41002), "blocked", operator],
    [codes(40007, 40300), "rejected", gone],
    [codes(40050), "duplicate", "TikTok already has this object."],
    [codes(40100, 40132, 51021, 61000), "throttled", "TikTok's rate limit is reached.", { wait }],
    [codes(40102, 40104, 40105), "token_expired", `TikTok no longer accepts the connection for ${title}.`],
    [
      codes(40103, 40106, 40107, 40114, 40301, 40302, 40309),
      "disconnected",
      `TikTok has ended the connection for ${title}.`,
    ],
    [codes(40110), "rejected", login],
    [codes(40130, 40131), "permission_missing", scope],
    [codes(40202), "down", "TikTok was changing the same object at the same time."],
    [codes(41000), "rejected", blocked, { code: "account_restricted" }],
    [codes(60001), "down", "TikTok is being maintained."],
    [ABOUT_REQUEST, "rejected", REFUSED, { at: [] }],
    [{}, "unclear", "TikTok had a temporary error.", { at: [] }],
  ];
}

function codes(...numbers: readonly number[]): readonly string[] {
  return numbers.map(String);
}

function tableOf(wording: Wording): RefusalTable {
  return {
    title: "TikTok",
    problemOf(answer) {
      const error = parseBody(Refused, answer);
      if (error === null || error.code === 0 || error.code === NO_UPDATE) return null;
      const { code, message, request_id } = error;
      const isAboutRequest = code >= 40_000 && code < 50_000;
      return {
        codes: isAboutRequest ? [`${code}`, ABOUT_REQUEST] : [`${code}`],
        text: "",
        quote: message ?? null,
        mark: request_id ? `${code}, reference ${request_id}` : `${code}`,
      };
    },
    rows: rowsFor(wording),
    documentedAt: [200],
    waitSeconds: retryAfter,
    heldBack: [],
  };
}

export const TIKTOK_BUSINESS = tableOf({
  title: "comments",
  right: "TikTok does not allow this for the account. Change it to a business account in TikTok's settings.",
  gone: "TikTok no longer has the comment or its video.",
});

export const TIKTOK_ADS = tableOf({
  title: "ads",
  right:
    "TikTok does not allow this login to do that with the ad account. Its owner must allow it in TikTok Ads Manager. Then connect again and select that ad account.",
  gone: "TikTok no longer has the ad account, or an object in it.",
});
