import { z } from "zod";
import { interpretRead, type ReadResult } from "../answers.ts";
import type { AppContext, AppCredentials, Credentials, Failure } from "../context.ts";
import { PlatformId } from "../json.ts";
import { addressWith, type Granted, type GrantedAccount, type RedirectLogin, type Renewal } from "../login.ts";
import { graphTable } from "../meta/errors.ts";
import { get, graphClient } from "../meta/graph.ts";
import { down } from "../outcomes.ts";
import type { RefusalTable } from "../refusals.ts";
import { parseBody } from "../request.ts";
import { ORIGIN, THREADS } from "./api.ts";
import { appSetup, requestAppToken } from "./app-setup.ts";

/**
 * Login at Threads. One login returns one profile.
 *
 * - The app's id and secret belong to its Threads use case, not to the Meta app. Token URLs have no version.
 * - A code is exchanged for a token of one hour, and that for a token of sixty days. There is no refresh
 *   token: a working token that is at least a day old is exchanged for a newer one.
 * - Only `debug_token` returns the granted permissions.
 * - Refusals of a code have their own flat form.
 */
const AUTHORIZE = "https://threads.net/oauth/authorize";
export const REQUIRED_SCOPES = ["threads_basic", "threads_content_publish"];
/** Optional permissions to read comments of others and to answer them. */
export const REPLY_SCOPES = ["threads_read_replies", "threads_manage_replies"];
export const INSIGHTS_SCOPE = "threads_manage_insights";
const SCOPES = [...REQUIRED_SCOPES, "threads_delete", ...REPLY_SCOPES, INSIGHTS_SCOPE];
/** Meta reviews it separately, and refuses a login that requests it too early: `THREADS_LOCATION`. */
const LOCATION_SCOPE = "threads_location_tagging";
const scopesWith = (options: AppCredentials["options"]): readonly string[] =>
  options?.location === "yes" ? [...SCOPES, LOCATION_SCOPE] : SCOPES;
const DAY_SECONDS = 24 * 60 * 60;
/** The lifetime if the answer omits it. */
const LONG_SECONDS = 60 * DAY_SECONDS;
/** Threads requires a day; an hour more allows for clocks that differ. */
const MIN_AGE_SECONDS = DAY_SECONDS + 3600;

const Short = z.object({ access_token: z.string().min(1) });
const Long = z.object({ access_token: z.string().min(1), expires_in: z.number().positive().optional() });
const Me = z.object({
  id: PlatformId,
  username: z.string(),
  name: z.string().optional(),
  threads_profile_picture_url: z.string().optional(),
});
const Debugged = z.object({ data: z.object({ scopes: z.array(z.string()) }) });

const GRAPH = graphTable(THREADS);
const FlatError = z.object({ error_type: z.string(), error_message: z.string() });
/** The code of a flat refusal, which has only words. */
const FLAT = "flat";

/** For the exchange of a code, whose refusals are flat. */
const EXCHANGE_TABLE: RefusalTable = {
  ...GRAPH,
  problemOf(answer, now) {
    const problem = GRAPH.problemOf(answer, now);
    const error = problem === null && answer.status < 500 ? parseBody(FlatError, answer) : null;
    return error ? { codes: [FLAT], text: error.error_message, quote: error.error_message, mark: null } : problem;
  },
  rows: [
    ...GRAPH.rows,
    [{ code: FLAT, words: /redirect_uri/i }, "blocked", "Threads does not accept our redirect address."],
    [
      { code: FLAT, words: /authorization code|verification code/i },
      "rejected",
      "The login expired or was already used. Start again.",
    ],
    [
      { code: FLAT, words: /platform app|client.?id|secret/i },
      "blocked",
      "Threads does not accept our app's credentials.",
    ],
    [FLAT, "blocked", "Threads did not understand our login request."],
  ],
};

export const oauth: RedirectLogin = {
  app: "threads",
  scopes: [...SCOPES, LOCATION_SCOPE],
  scopesWith,
  setup: appSetup,
  pkce: false,

  authorizeUrl: (app, { redirectUri, state }) =>
    addressWith(AUTHORIZE, {
      client_id: app.id,
      redirect_uri: redirectUri,
      scope: scopesWith(app.options).join(","),
      response_type: "code",
      state,
    }),

  async exchange(context, { code, redirectUri }) {
    const { id: client_id, secret: client_secret } = context.app;
    const form = {
      client_id,
      client_secret,
      grant_type: "authorization_code",
      redirect_uri: redirectUri,
      // Threads appends this to the redirect URL.
      code: code.replace(/#_$/, ""),
    };
    const answer = await context.send({ method: "POST", url: `${ORIGIN}/oauth/access_token`, form });
    const short = interpretRead(EXCHANGE_TABLE, answer, Short, context.now);
    if (short.kind === "failed") return short;
    const long = await exchangeToken(context, "access_token", {
      grant_type: "th_exchange_token",
      client_secret,
      access_token: short.value.access_token,
    });
    if (long.kind === "failed") return long;
    const credentials = { ...long.value, scopes: await grantedScopes(context, long.value.accessToken) };
    return findProfile(context, credentials);
  },
};

/** Documented as a GET only, so secrets are in the query. */
async function exchangeToken(
  context: AppContext,
  path: string,
  query: Readonly<Record<string, string>>,
): Promise<ReadResult<Omit<Credentials, "scopes">>> {
  const answer = await context.send({ method: "GET", url: `${ORIGIN}/${path}`, query });
  const token = interpretRead(GRAPH, answer, Long, context.now);
  if (token.kind === "failed") return token;
  const { access_token: accessToken, expires_in = LONG_SECONDS } = token.value;
  return { kind: "ok", value: { accessToken, refreshToken: null, expiresAt: context.now + expires_in * 1000 } };
}

/** The granted permissions. If Threads omits them, the requested ones: a missing one shows in use. */
async function grantedScopes(context: AppContext, token: string): Promise<readonly string[]> {
  const own = await requestAppToken(context);
  const requested = scopesWith(context.app.options);
  if (own.kind === "failed") return requested;
  const query = { input_token: token };
  const known = await graphClient(THREADS, context, own.value.access_token).read(get("debug_token", query), Debugged);
  return known.kind === "ok" ? known.value.data.scopes : requested;
}

async function findProfile(context: AppContext, credentials: Credentials): Promise<Granted | Failure> {
  const fields = "id,username,name,threads_profile_picture_url";
  const answer = await graphClient(THREADS, context, credentials.accessToken).read(get("me", { fields }), Me);
  if (answer.kind === "failed") return answer;
  const { id, username, name, threads_profile_picture_url: pictureUrl = null } = answer.value;
  const missing = REQUIRED_SCOPES.filter((scope) => !credentials.scopes.includes(scope));
  const account: GrantedAccount = {
    id,
    name: name || username,
    username,
    pictureUrl,
    attributes: credentials.scopes.includes(LOCATION_SCOPE) ? { places: true } : {},
    grants: missing.length === 0 ? { publish: credentials } : {},
    unusableReason:
      missing.length === 0
        ? null
        : `Missing permissions: ${missing.join(", ")}. Connect again and leave everything selected.`,
  };
  return { kind: "granted", accounts: [account] };
}

const DEAD = {
  kind: "failed",
  reason: "disconnected",
  message: "Threads has revoked this connection. Reconnect the account.",
} as const satisfies Failure;

export const renewal = {
  by: "access_token",
  minAgeSeconds: MIN_AGE_SECONDS,
  async refresh(context) {
    const { accessToken: access_token, scopes } = context.credentials;
    const query = { grant_type: "th_refresh_token", access_token };
    const renewed = await exchangeToken(context, "refresh_access_token", query);
    if (renewed.kind === "ok") return { kind: "refreshed", credentials: { ...renewed.value, scopes } };
    switch (renewed.reason) {
      case "token_expired":
      case "disconnected":
        return DEAD;
      case "rejected":
        // The token may still work: it may be too young, or the request wrong.
        return down(renewed.message);
      default:
        return renewed;
    }
  },
} satisfies Renewal;
