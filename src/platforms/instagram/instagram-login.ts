import { z } from "zod";
import { interpretRead } from "../answers.ts";
import type { AccountContext, AppContext, Credentials, Failure } from "../context.ts";
import { PlatformId } from "../json.ts";
import { lenient } from "../lists.ts";
import { addressWith, type CodeGrant, type Granted, type RedirectLogin, type Refreshed } from "../login.ts";
import { graphTable } from "../meta/errors.ts";
import { get, graphClient } from "../meta/graph.ts";
import { rejected } from "../outcomes.ts";
import type { RefusalTable } from "../refusals.ts";
import { parseBody } from "../request.ts";
import { VIA_INSTAGRAM } from "./api.ts";

/**
 * Instagram Login: one professional account without a Page. Its token is exchanged for one of sixty days,
 * which can be exchanged for the next one after a day.
 *
 * - The code is exchanged on a separate host, whose refusals differ from Graph's. The documentation shows the
 *   answer flat or in a list, and its permissions as a list or a text.
 * - The account's id is `user_id`, which may be a number above 2^53. `id` is valid within our app only: it
 *   names the person where Instagram reports that our app was removed.
 * - Permissions are stored under the names of Facebook Login, so that requirements have one name.
 */
const AUTHORIZE = "https://www.instagram.com/oauth/authorize";
const EXCHANGE = "https://api.instagram.com/oauth/access_token";
const GRAPH = "https://graph.instagram.com";
const TABLE = graphTable(VIA_INSTAGRAM);

const REQUIRED_SCOPES = ["instagram_business_basic", "instagram_business_content_publish"];
const SCOPES = [
  ...REQUIRED_SCOPES,
  "instagram_business_manage_comments",
  "instagram_business_manage_messages",
  "instagram_business_manage_insights",
];

export const instagramUrl: RedirectLogin["authorizeUrl"] = (app, { redirectUri, state }) =>
  addressWith(AUTHORIZE, {
    client_id: app.id,
    redirect_uri: redirectUri,
    response_type: "code",
    scope: SCOPES.join(","),
    state,
  });

const Short = z.object({
  access_token: z.string().min(1),
  permissions: z
    .union([z.array(z.string()), z.string().transform((text) => text.split(/[\s,]+/).filter((one) => one !== ""))])
    .optional(),
});
const ShortAnswer = z.union([
  Short,
  z.object({ data: z.tuple([Short], z.unknown()) }).transform(({ data }) => data[0]),
]);
const Long = z.object({ access_token: z.string().min(1), expires_in: z.number().positive() });
const Me = z.object({
  id: lenient(PlatformId),
  user_id: PlatformId,
  username: z.string().nullish(),
  name: z.string().nullish(),
  profile_picture_url: z.string().nullish(),
});

export async function exchangeCode(context: AppContext, { code, redirectUri }: CodeGrant): Promise<Granted | Failure> {
  const form = {
    client_id: context.app.id,
    client_secret: context.app.secret,
    grant_type: "authorization_code",
    redirect_uri: redirectUri,
    // Instagram may append this mark to the address.
    code: code.replace(/#_$/, ""),
  };
  const answer = await context.send({ method: "POST", url: EXCHANGE, form });
  const short = interpretRead(EXCHANGE_TABLE, answer, ShortAnswer, context.now);
  if (short.kind === "failed") return short;
  const granted = short.value.permissions ?? SCOPES;
  const missing = REQUIRED_SCOPES.filter((scope) => !granted.includes(scope));
  if (missing.length > 0) {
    const message = `Missing permissions: ${missing.join(", ")}. Connect again and leave everything switched on.`;
    return rejected(message);
  }
  const query = {
    grant_type: "ig_exchange_token",
    client_secret: context.app.secret,
    access_token: short.value.access_token,
  };
  const credentials = await longToken(context, "access_token", query, granted.map(plainName));
  if ("kind" in credentials) return credentials;
  const fields = "id,user_id,username,name,account_type,profile_picture_url";
  const graph = graphClient(VIA_INSTAGRAM, context, credentials.accessToken);
  const me = await graph.read(get("me", { fields }), Me);
  if (me.kind === "failed") return me;
  const { user_id: id, id: login = id, username = null, name, profile_picture_url: pictureUrl = null } = me.value;
  const account = { id, login, name: name || username || id, username, pictureUrl, attributes: { login: "instagram" } };
  return { kind: "granted", accounts: [{ ...account, grants: { publish: credentials }, unusableReason: null }] };
}

/** Exchanges a working token that is at least a day old for the next one. */
export async function refreshToken(context: AccountContext): Promise<Refreshed | Failure> {
  const { accessToken, scopes } = context.credentials;
  const query = { grant_type: "ig_refresh_token", access_token: accessToken };
  const credentials = await longToken(context, "refresh_access_token", query, scopes);
  return "kind" in credentials ? credentials : { kind: "refreshed", credentials };
}

/** Documented as a GET only, so token and secret are in the query. */
async function longToken(
  context: AppContext,
  path: string,
  query: Readonly<Record<string, string>>,
  scopes: readonly string[],
): Promise<Credentials | Failure> {
  const answer = await context.send({ method: "GET", url: `${GRAPH}/${path}`, query });
  const long = interpretRead(TABLE, answer, Long, context.now);
  if (long.kind === "failed") return long;
  const { access_token: accessToken, expires_in } = long.value;
  return { accessToken, refreshToken: null, expiresAt: context.now + expires_in * 1000, scopes };
}

const plainName = (scope: string): string => scope.replace(/^instagram_business_/, "instagram_");

const ExchangeError = z.object({
  error_type: z.string(),
  code: z.coerce.number().optional(),
  error_message: z.string().optional(),
});

/** All refusals of the exchange have the same type and code; only the words separate the app's fault. */
const REFUSED = "exchange";
const EXCHANGE_TABLE: RefusalTable = {
  ...TABLE,
  problemOf(answer, now) {
    const error = parseBody(ExchangeError, answer);
    if (error === null) return TABLE.problemOf(answer, now);
    const codes = error.code === 429 ? ["exchange/429"] : [REFUSED];
    return { codes, text: error.error_message ?? "", quote: error.error_message ?? null, mark: null };
  },
  rows: [
    ...TABLE.rows,
    ["exchange/429", "throttled", "Instagram's rate limit is reached."],
    [
      { code: REFUSED, words: /client|platform app|redirect/i },
      "blocked",
      "Instagram does not accept our app's id, secret or redirect address.",
    ],
    [REFUSED, "rejected", "The login expired or was already used. Start again."],
  ],
};
