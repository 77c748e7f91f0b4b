import { z } from "zod";
import { type Answer, challengeOf, codeOf, decided, send, VERIFIER } from "./platform.ts";
import { sandbox } from "./sandbox.ts";

/** Raw requests to the simulated Instagram, and logins by hand. */

export const APP = { client_id: "100000000000002", client_secret: "sandbox-instagram-secret" };
export const LOGIN_APP = { client_id: "200000000000002", client_secret: "sandbox-instagram-login-secret" };
export const REDIRECT = "https://any.test/connect/callback/instagram";
export const FERN = "17841400000000001";
export const FERN_PAGE = "105000000000001";
export const HARBOUR = "17841400000000002";
export const SCOPES = [
  "pages_show_list",
  "pages_read_engagement",
  "instagram_basic",
  "instagram_content_publish",
  "instagram_manage_comments",
  "instagram_manage_contents",
  "instagram_manage_messages",
  "instagram_manage_insights",
];
const LOGIN_SCOPES = ["basic", "content_publish", "manage_comments", "manage_messages", "manage_insights"].map(
  (name) => `instagram_business_${name}`,
);

export const CALM = {
  instagram_require_appsecret_proof: false,
  instagram_listing_lag_ms: 0,
  instagram_short_pages: false,
  instagram_quota_total: 100,
  instagram_containers_per_day: 400,
  instagram_second_publish: "refused",
  instagram_late_publish_ms: 0,
  instagram_unreadable: false,
  instagram_error_status: "code",
  instagram_image_formats: "jpeg",
  instagram_prolongs: true,
  instagram_exchange: "flat",
  processing_ms: 0,
};
export const settings = (changed: Record<string, unknown>) => sandbox.settings(changed);
export const calmInstagram = () => settings(CALM);

const Token = z.looseObject({ access_token: z.string() });
export const tokenIn = ({ json }: Answer): string => Token.parse(json).access_token;

/** A code of Facebook's dialog, for these accounts and scopes. */
export async function facebookCode(accounts: readonly string[] = [FERN], scopes = SCOPES): Promise<string> {
  const query = {
    client_id: APP.client_id,
    redirect_uri: REDIRECT,
    response_type: "code",
    state: "s",
    scope: scopes.join(","),
    code_challenge: await challengeOf(VERIFIER),
    code_challenge_method: "S256",
  };
  const ticked = [...accounts.map((id) => ["account", id]), ...scopes.map((scope) => ["scope", scope])];
  return codeOf("https://www.facebook.com/v27.0/dialog/oauth", [...decided(query), ...ticked]);
}

export const exchange = (fields: Record<string, string>): Promise<Answer> =>
  send("https://graph.facebook.com/v27.0/oauth/access_token", {
    method: "POST",
    body: new URLSearchParams({ ...APP, ...fields }),
  });

/** The person's long token, by Facebook Login. */
export async function personToken(accounts?: readonly string[], scopes?: string[]): Promise<string> {
  const grant = { redirect_uri: REDIRECT, code: await facebookCode(accounts, scopes), code_verifier: VERIFIER };
  const short = tokenIn(await exchange(grant));
  return tokenIn(await exchange({ grant_type: "fb_exchange_token", fb_exchange_token: short }));
}

/** A code of Instagram's own dialog, and with what its address ends. */
export async function instagramCode(account = FERN): Promise<{ readonly code: string; readonly mark: string }> {
  const query = {
    client_id: LOGIN_APP.client_id,
    redirect_uri: REDIRECT,
    response_type: "code",
    state: "s",
    scope: LOGIN_SCOPES.join(","),
  };
  const ticked = LOGIN_SCOPES.map((scope) => ["scope", scope]);
  const body = new URLSearchParams([...decided(query), ["account", account], ...ticked]);
  const answer = await send("https://www.instagram.com/oauth/authorize", { method: "POST", body });
  const url = new URL(answer.headers.get("location") ?? "https://nowhere.test");
  return { code: url.searchParams.get("code") ?? "", mark: url.hash };
}

export const exchangeAtInstagram = (fields: Record<string, string>): Promise<Answer> =>
  send("https://api.instagram.com/oauth/access_token", {
    method: "POST",
    body: new URLSearchParams({ ...LOGIN_APP, grant_type: "authorization_code", redirect_uri: REDIRECT, ...fields }),
  });

/** The account's long token, by Instagram Login. */
export async function accountToken(account = FERN): Promise<string> {
  const short = tokenIn(await exchangeAtInstagram({ code: (await instagramCode(account)).code }));
  const query = { grant_type: "ig_exchange_token", client_secret: LOGIN_APP.client_secret, access_token: short };
  return tokenIn(await send(`https://graph.instagram.com/access_token?${new URLSearchParams(query)}`));
}

export type Login = "facebook" | "instagram";

/** A call of the Graph API on the login's host; `params` go into the query or, of a POST, into a form. */
export function graph(
  { login, token }: { readonly login: Login; readonly token: string },
  method: "GET" | "POST" | "DELETE",
  path: string,
  params: Record<string, string> = {},
): Promise<Answer> {
  const address = `https://graph.${login}.com/v27.0/${path}`;
  const headers = { Authorization: `Bearer ${token}` };
  if (method === "POST") return send(address, { method, headers, body: new URLSearchParams(params) });
  return send(`${address}?${new URLSearchParams(params)}`, { method, headers });
}

export const idIn = ({ json }: Answer): string => z.looseObject({ id: z.string() }).parse(json).id;
export const media = (name: string): string => sandbox.media(name);
