import { expect } from "vitest";
import { z } from "zod";
import { setSandboxClock } from "./clock.ts";
import { type Answer, codeOf, decided, send } from "./platform.ts";
import { sandbox } from "./sandbox.ts";

/** Raw requests to the simulated Threads, and logins by hand. */

export const APP = { client_id: "444000222000001", client_secret: "sandbox-threads-secret" };
export const FERN = "26000000000000001";
export const ACME = "26000000000000002";
export const REDIRECT = "https://any.test/connect/callback/threads";
export const SCOPES =
  "threads_basic,threads_content_publish,threads_delete,threads_read_replies,threads_manage_replies,threads_manage_insights";
const ORIGIN = "https://graph.threads.net";

/** An authorization code of the profile, by the consent form. */
export function threadsCode(account = FERN, scope = SCOPES): Promise<string> {
  const query = { client_id: APP.client_id, redirect_uri: REDIRECT, scope, response_type: "code", state: "s" };
  const form = [...decided(query), ["account", account], ...scope.split(",").map((name) => ["scope", name])];
  return codeOf("https://threads.net/oauth/authorize", form);
}

/** A call without a version, its parameters in the query, or of a POST in a form. */
export function tokenCall(method: "GET" | "POST", path: string, params: Record<string, string>): Promise<Answer> {
  const form = new URLSearchParams(params);
  if (method === "GET") return send(`${ORIGIN}${path}?${form}`);
  return send(`${ORIGIN}${path}`, { method, body: form });
}

export const redeem = (code: string, more: Record<string, string> = {}, method: "GET" | "POST" = "POST") => {
  const login = { ...APP, grant_type: "authorization_code", redirect_uri: REDIRECT, code };
  return tokenCall(method, "/oauth/access_token", { ...login, ...more });
};

export const tokenIn = ({ json }: Answer) => z.object({ access_token: z.string() }).parse(json).access_token;
export const idIn = ({ json }: Answer) => z.object({ id: z.string() }).parse(json).id;

export const exchangeToken = (token: string) => {
  const { client_secret } = APP;
  return tokenCall("GET", "/access_token", { grant_type: "th_exchange_token", client_secret, access_token: token });
};

/** A long-lived token of the profile. */
export async function threadsLogin(account = FERN, scope = SCOPES): Promise<string> {
  return tokenIn(await exchangeToken(tokenIn(await redeem(await threadsCode(account, scope)))));
}

/** A call of the API; `params` go into the query or, of a POST, into a form. */
export function api(
  method: "GET" | "POST" | "DELETE",
  path: string,
  token: string,
  params: Record<string, string> = {},
): Promise<Answer> {
  const form = new URLSearchParams({ access_token: token, ...params });
  const address = `${ORIGIN}/v1.0/${path}`;
  return method === "POST" ? send(address, { method, body: form }) : send(`${address}?${form}`, { method });
}

/** What a profile does with its token. */
export function actingWith(token: string) {
  const create = (params: Record<string, string>) => api("POST", "me/threads", token, params);
  const text = (words: string, more: Record<string, string> = {}) =>
    create({ media_type: "TEXT", text: words, ...more });
  const publish = (creation_id: string) => api("POST", "me/threads_publish", token, { creation_id });
  return {
    create,
    text,
    publish,
    published: async (words: string, more: Record<string, string> = {}) =>
      idIn(await publish(idIn(await text(words, more)))),
    status: async (id: string) => (await api("GET", id, token, { fields: "status,error_message" })).json,
  };
}

/** The sandbox's time, from now. */
export const clock = setSandboxClock;

/** No processing and no lag, and all else as it is by default. */
export async function calmThreads(): Promise<void> {
  await clock(0);
  await sandbox.settings({
    processing_ms: 0,
    threads_listing_lag_ms: 0,
    threads_second_publish: "lost",
    threads_publish_race: 0,
    threads_late_publish_ms: 0,
    threads_reply_lag_ms: 0,
    threads_text_readback: "exact",
    threads_error_names: "code",
    threads_posts_per_day: 250,
    threads_replies_per_day: 1000,
    threads_deletes_per_day: 100,
    threads_calls_per_hour: 48_000,
  });
}

/** A refusal in Graph's form, for `toMatchObject`. */
export const failing = (code: number | string, error_subcode?: number) => ({
  status: expect.any(Number),
  json: { error: expect.objectContaining({ code, ...(error_subcode === undefined ? {} : { error_subcode }) }) },
});

/** What is not found, though it may be there. */
export const LOST = failing(24, 4_279_009);
