import type { Advertising, Boost, Made } from "../../../src/platforms/advertising.ts";
import type { AccountContext, Json } from "../../../src/platforms/context.ts";
import { facebook } from "../../../src/platforms/facebook/index.ts";
import { instagram } from "../../../src/platforms/instagram/index.ts";
import type { CallRequest } from "../../../src/platforms/request.ts";
import { accountContext, NOW, type Scripted, scriptedSend } from "../../scripted-send.ts";
import { DAY } from "../../support/times.ts";

/** A boost at Meta whose answers are scripted, and what is sent for it. */

export const HOST = "https://graph.facebook.com/v27.0";
const IG = { id: "17841", username: "acme", attributes: { login: "facebook", page_id: "104" } };

export const BOOST: Boost = {
  reference: "b-7f3",
  name: "Summer sale",
  post: { id: "104_122", secondaryId: null, permalink: null },
  postType: "post",
  adAccountId: "act_330",
  objective: "engagement",
  budgetType: "lifetime",
  budgetMinor: 3000,
  currency: "EUR",
  days: 3,
  countries: ["US"],
  interests: [],
  audiences: [],
  startAt: NOW,
  endAt: NOW + 3 * DAY,
};
export const MADE: Made = { campaign: "c1", adset: "s1", creative: "r1", ad: "a1" };
export const READY: Json = { promotedId: "104_122", sponsor: null };
export const NAME = "b-7f3 Summer sale";

export const ok = (body: unknown): Scripted => ({ body });
export const id = (value: string): Scripted => ok({ id: value });
export const DONE = ok({ success: true });
export const refused = (code: number, error_subcode?: number, more: object = {}): Scripted => ({
  status: 400,
  body: { error: { code, error_subcode, message: "Invalid parameter", type: "OAuthException", ...more } },
});
export const list = (...data: readonly object[]): Scripted => ok({ data });
export const node = (status: string, more: object = {}): Scripted => ok({ status, configured_status: status, ...more });
export const GONE = refused(100, 33);

export type Answers = readonly (Scripted | "lost")[];
type Act<T> = (ads: Advertising, context: AccountContext) => Promise<T>;

/** One act of facebook's adapter, with what it sent. */
export async function run<T>(act: Act<T>, ...answers: Answers) {
  const { send, calls } = scriptedSend(...answers);
  return { outcome: await act(facebook.ads, accountContext(send)), sent: calls.map(shown), calls };
}

/** The same of Instagram's. */
export async function runAtInstagram<T>(act: Act<T>, ...answers: Answers) {
  const { send, calls } = scriptedSend(...answers);
  return { outcome: await act(instagram.ads, accountContext(send, IG)), sent: calls.map(shown), calls };
}

type Values = Readonly<Record<string, unknown>>;

/** Without what every call has. */
function shown({ method, url, query, form }: CallRequest): readonly [call: string, values: Values] {
  const { appsecret_proof: _proof, locale: _locale, ...values }: Values = { ...(query ?? form) };
  return [`${method} ${url.replace(`${HOST}/`, "")}`, values];
}

/** What the first call carried, and the targeting in it. */
export function formOf(sent: readonly (readonly [string, Values])[], index = 0) {
  const values = sent[index]?.[1] ?? {};
  const { targeting = "null", ...others } = values;
  return { form: others, targeting: JSON.parse(String(targeting)) };
}

/** Makes one object of the boost. */
export function createObject(object: string, boost: Partial<Boost> = {}, made: Made = MADE, progress: Json = READY) {
  return (ads: Advertising, context: AccountContext) =>
    ads.createObject(context, { ...BOOST, ...boost }, { object, made, progress });
}
