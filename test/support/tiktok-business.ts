import { z } from "zod";
import { type Answer, decided, send } from "./platform.ts";
import { sandbox } from "./sandbox.ts";
import { BAKERY } from "./tiktok.ts";

/** Raw requests to the simulated API for Business of TikTok. */

export const BUSINESS_APP = { client_id: "sandbox-tiktok-business", client_secret: "sandbox-tiktok-business-secret" };
const BUSINESS_REDIRECT = "https://any.test/connect/callback/tiktok/comments/";
export const ALL_BUSINESS = [
  "user.info.basic",
  "user.info.username",
  "user.info.stats",
  "video.list",
  "comment.list",
  "comment.list.manage",
];
const API = "https://business-api.tiktok.com/open_api/v1.3";

interface Choice {
  /** The account, by its id in the main app of the other product. */
  readonly account?: string;
  readonly ticked?: readonly string[];
  readonly decision?: "allow" | "deny";
  readonly query?: Readonly<Record<string, string>>;
}

/** Where the consent page sends the browser; null where it sends it nowhere. */
export async function businessConsent({
  account = BAKERY,
  ticked = ALL_BUSINESS,
  decision = "allow",
  query = {},
}: Choice = {}): Promise<URLSearchParams | null> {
  const requested = {
    client_key: BUSINESS_APP.client_id,
    response_type: "code",
    scope: ALL_BUSINESS.join(","),
    redirect_uri: BUSINESS_REDIRECT,
    state: "s",
    ...query,
  };
  const body = new URLSearchParams([
    ...decided(requested, decision),
    ["account", account],
    ...ticked.map((scope) => ["scope", scope]),
  ]);
  const answer = await send("https://www.tiktok.com/v2/auth/authorize", { method: "POST", body });
  const location = answer.headers.get("location");
  return location === null ? null : new URL(location).searchParams;
}

const Envelope = z.object({ code: z.number(), message: z.string(), request_id: z.string(), data: z.unknown() });

/** Code and data of an answer; its status is 200, whatever it says. */
export function businessSaid({ status, json }: Answer) {
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(json)}`);
  const { code, data } = Envelope.parse(json);
  return { code, data };
}

/** A call in which the app proves itself. */
export const asApp = async (path: string, fields: object) =>
  businessSaid(
    await send(`${API}/tt_user/${path}/`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(fields),
    }),
  );

export const BusinessToken = z.looseObject({
  access_token: z.string(),
  refresh_token: z.string(),
  open_id: z.string(),
  scope: z.string(),
});

export const codeGrant = (auth_code: string) => ({
  ...BUSINESS_APP,
  grant_type: "authorization_code",
  auth_code,
  redirect_uri: BUSINESS_REDIRECT,
});

export async function businessLogin(choice: Choice = {}) {
  const code = (await businessConsent(choice))?.get("code") ?? "";
  return BusinessToken.parse((await asApp("oauth2/token", codeGrant(code))).data);
}

/** A caller of the account's: GET with a query, lists as JSON in it, POST with a body. */
export function businessCaller({ access_token, open_id }: z.output<typeof BusinessToken>) {
  const headers = { "Access-Token": access_token };
  return {
    id: open_id,
    async get(path: string, query: Readonly<Record<string, unknown>> = {}) {
      const asText = Object.entries({ business_id: open_id, ...query }).map(([name, value]): [string, string] => [
        name,
        typeof value === "string" ? value : JSON.stringify(value),
      ]);
      return businessSaid(await send(`${API}/business/${path}/?${new URLSearchParams(asText)}`, { headers }));
    },
    async post(path: string, body: object) {
      const init = { method: "POST", headers: { ...headers, "Content-Type": "application/json" } };
      const text = JSON.stringify({ business_id: open_id, ...body });
      return businessSaid(await send(`${API}/business/${path}/`, { ...init, body: text }));
    },
  };
}

const Made = z.looseObject({ id: z.string() });

/** A public video of the account, and a comment under a post, as the world makes them: their ids. */
export const newVideo = async (account_id = BAKERY) =>
  Made.parse(await sandbox.control("POST", "posts", { platform: "tiktok", account_id, text: "A video" })).id;
export const newComment = async (post_id: string, text: string, author = "lea") =>
  Made.parse(await sandbox.control("POST", "comments", { platform: "tiktok", post_id, author, text })).id;

export const calmBusiness = () =>
  sandbox.settings({
    tiktok_business_calls_per_minute: 1_000_000,
    tiktok_business_app_calls_per_minute: 1_000_000,
    tiktok_business_order_name: "sort_order",
    tiktok_business_times: "text",
    tiktok_business_comment_lag_ms: 0,
    tiktok_business_short_pages: false,
  });
