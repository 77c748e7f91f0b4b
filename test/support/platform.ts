import { env } from "cloudflare:workers";
import { z } from "zod";
import { SANDBOX } from "./sandbox.ts";

/** Raw requests to the simulated platforms, and a login by hand. */

export const FACEBOOK_APP = { id: "100000000000001", secret: "sandbox-facebook-secret" };
export const X_APP = { id: "sandbox-x-client", secret: "sandbox-x-secret" };
export const FERN = "104000000000001";
export const BIKES = "2244990001";

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  /** Null when it is not JSON. */
  json: unknown;
}

/** `https://HOST/PATH` as the sandbox serves it. */
export async function send(address: string, init: RequestInit = {}): Promise<Answer> {
  const url = `${SANDBOX}/${address.replace("https://", "")}`;
  const response = await env.SANDBOX.fetch(new Request(url, { redirect: "manual", ...init }));
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: parsed(text) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const GRAPH = "https://graph.facebook.com";

/** A call of the Graph API; `params` go into the query or, of a POST, into a form. */
export function graph(
  method: "GET" | "POST" | "DELETE",
  path: string,
  token: string,
  params: Record<string, string> = {},
): Promise<Answer> {
  const form = new URLSearchParams({ access_token: token, ...params });
  const address = `${GRAPH}${path}`;
  return method === "POST" ? send(address, { method, body: form }) : send(`${address}?${form}`, { method });
}

const PAGE_REDIRECT = "https://any.test/connect/callback/facebook";

/** A code for Fern & Oak, by the consent form, with every scope that publishing and commenting need. */
export function facebookCode(challenge: Record<string, string> = {}): Promise<string> {
  const scope =
    "pages_show_list,pages_manage_posts,pages_read_engagement,pages_manage_engagement,pages_read_user_content,pages_manage_metadata,pages_messaging,read_insights";
  const query = { client_id: FACEBOOK_APP.id, redirect_uri: PAGE_REDIRECT, state: "s", scope, ...challenge };
  const form = [...decided(query), ["page", FERN], ...scope.split(",").map((name) => ["scope", name])];
  return codeOf("https://www.facebook.com/v27.0/dialog/oauth", form);
}

/** The exchange of a code for the person's token. */
export function facebookLogin(code: string, proof: Record<string, string> = {}): Promise<Answer> {
  const client = { client_id: FACEBOOK_APP.id, client_secret: FACEBOOK_APP.secret };
  return graph("GET", "/v27.0/oauth/access_token", "", { ...client, redirect_uri: PAGE_REDIRECT, code, ...proof });
}

/** The page token of Fern & Oak. */
export async function facebookPage(): Promise<string> {
  const user = await facebookLogin(await facebookCode());
  const accounts = await graph(
    "GET",
    "/v27.0/me/accounts",
    z.object({ access_token: z.string() }).parse(user.json).access_token,
  );
  const Accounts = z.object({ data: z.array(z.object({ access_token: z.string() })) });
  const [page] = Accounts.parse(accounts.json).data;
  if (!page) throw new Error("No page was granted.");
  return page.access_token;
}

const X_SCOPES = "tweet.read tweet.write users.read media.write offline.access tweet.moderate.write";
export const X_REDIRECT = "https://any.test/connect/callback/twitter";
export const VERIFIER = "a-verifier-that-is-long-enough-for-the-rules-of-pkce";

/** The S256 challenge of `VERIFIER`. */
export async function challengeOf(verifier: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier));
  return btoa(String.fromCharCode(...new Uint8Array(digest)))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}

/** An authorization code of Acme Bikes, by the consent form. */
export async function xCode(method = "S256"): Promise<string> {
  const challenge = await challengeOf(VERIFIER);
  const query = {
    response_type: "code",
    client_id: X_APP.id,
    redirect_uri: X_REDIRECT,
    scope: X_SCOPES,
    state: "s",
    code_challenge: challenge,
    code_challenge_method: method,
  };
  const form = [...decided(query), ["account", BIKES]];
  return codeOf("https://x.com/i/oauth2/authorize", form);
}

export const X_BASIC = `Basic ${btoa(`${X_APP.id}:${X_APP.secret}`)}`;
const XTokens = z.object({ access_token: z.string(), refresh_token: z.string() });

export async function xLogin(): Promise<z.infer<typeof XTokens>> {
  const body = new URLSearchParams({
    grant_type: "authorization_code",
    code: await xCode(),
    redirect_uri: X_REDIRECT,
    code_verifier: VERIFIER,
  });
  const answer = await send("https://api.x.com/2/oauth2/token", {
    method: "POST",
    headers: { Authorization: X_BASIC },
    body,
  });
  return XTokens.parse(answer.json);
}

/** A call of X's API; a body is sent as JSON. */
export function x(method: string, path: string, token: string, body?: unknown): Promise<Answer> {
  return send(`https://api.x.com${path}`, {
    method,
    headers: {
      Authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { "Content-Type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

/** The fields of a consent form: what the app requests, and what the person decides. */
export const decided = (query: Readonly<Record<string, string>>, decision = "allow"): string[][] => [
  ...Object.entries(query).map(([name, value]) => [`query.${name}`, value]),
  ["decision", decision],
];

/** The code with which a consent form sends the browser back. */
export async function codeOf(address: string, form: string[][]): Promise<string> {
  const answer = await send(address, { method: "POST", body: new URLSearchParams(form) });
  const code = URL.parse(answer.headers.get("location") ?? "")?.searchParams.get("code");
  if (!code) throw new Error(`The consent page answered ${answer.status}: ${answer.text.slice(0, 300)}`);
  return code;
}
