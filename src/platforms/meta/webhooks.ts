import { z } from "zod";
import { hmac, isHmac } from "../../core/hmac.ts";
import { fromHex } from "../../core/tokens.ts";
import type { AccountContext, Failure } from "../context.ts";
import { PlatformId } from "../json.ts";
import { readable } from "../lists.ts";
import type { WebhookAddress, Webhooks } from "../webhooks.ts";
import { type GraphApi, type GraphClient, get, graphClient, post, Success } from "./graph.ts";
import { appToken } from "./token-facts.ts";

/**
 * Webhooks of all Meta products: the verification of the URL, the signature, and the set-up.
 *
 * - Meta verifies the URL by a GET with our verify token, and expects its challenge in the answer.
 * - The raw body is signed. Meta writes non-ASCII characters as `\uXXXX`, so a re-encoded body has another
 *   signature.
 * - There are two subscriptions: the app's, with the URL and fields, and one for each Page or account.
 */
type Handshake = Pick<Webhooks, "handshake" | "verify">;

export const metaHandshake: Handshake = {
  async handshake(query, { verifyToken }) {
    const [mode, token, challenge] = ["hub.mode", "hub.verify_token", "hub.challenge"].map((name) => query.get(name));
    if (mode !== "subscribe" || !token || !challenge || verifyToken === "") return null;
    return (await isSame(token, verifyToken)) ? { contentType: "text/plain", body: challenge } : null;
  },
  async verify(body, headers, { app }) {
    const hex = /^sha256=([0-9a-f]{64})$/i.exec(headers.get("x-hub-signature-256") ?? "")?.[1];
    if (hex === undefined || app.secret === "") return false;
    return isHmac(app.secret, body, fromHex(hex));
  },
};

/** In constant time, also for texts of different length. */
async function isSame(one: string, other: string): Promise<boolean> {
  return isHmac(other, new TextEncoder().encode(one), await hmac(other, other));
}

/** An event of an account; `value` is unparsed. */
export interface Change {
  readonly accountId: string;
  readonly field: string;
  readonly value: unknown;
  /** When it was sent, epoch milliseconds; null if Meta omits it. */
  readonly sentAt: number | null;
}

const LAST_TIME = 8.64e15;

/** Epoch milliseconds. Meta writes seconds or milliseconds, which differ in size. Null for other values. */
export const Moment = z
  .union([
    z.number(),
    z
      .string()
      .regex(/^\d{1,16}$/)
      .transform(Number),
  ])
  .transform((value) => (value > 1e11 ? value : value * 1000))
  .pipe(z.number().positive().max(LAST_TIME))
  .nullish()
  .catch(null)
  .transform((value) => value ?? null);

export const Body = z.object({ object: z.string(), entry: z.array(z.unknown()) });
const Entry = z.object({ id: PlatformId, time: Moment });
const Changes = z.object({ changes: z.array(z.unknown()) });
const OneChange = z.object({ field: z.string(), value: z.unknown() });

/**
 * The events of a body about objects of this kind, in order; none for any other body. They are in
 * `entry[].changes[]` or, with Instagram Login, directly in `entry[]`.
 */
export function changesOf(body: unknown, object: string): readonly Change[] {
  const parsed = Body.safeParse(body);
  if (!parsed.success || parsed.data.object !== object) return [];
  return parsed.data.entry.flatMap((sent) => {
    const entry = Entry.safeParse(sent).data;
    if (!entry) return [];
    const listed = Changes.safeParse(sent).data?.changes ?? [sent];
    return listed.flatMap((one) => {
      const change = OneChange.safeParse(one).data;
      return change ? { ...change, accountId: entry.id, sentAt: entry.time } : [];
    });
  });
}

export interface Subscription {
  readonly object: "page" | "instagram";
  readonly fields: readonly string[];
}

const Field = z.union([z.string(), z.object({ name: z.string() }).transform(({ name }) => name)]);
const AppSubscriptions = z.object({
  data: readable(
    z.object({
      object: z.string(),
      callback_url: z.string().nullish(),
      active: z.boolean().nullish(),
      fields: readable(Field).catch([]),
    }),
  ),
});

/** Subscribes the app. Writes only missing fields; null if it is set up. Fields set up by others stay. */
export async function subscribeApp(
  api: GraphApi,
  context: AccountContext,
  { object, fields: wanted }: Subscription,
  { url, verifyToken }: WebhookAddress,
): Promise<Failure | null> {
  const graph = graphClient(api, context, appToken(context));
  const path = `${context.app.id}/subscriptions`;
  const known = await graph.read(get(path), AppSubscriptions);
  if (known.kind === "failed") return asOurs(known);
  const here = known.value.data.find((one) => one.object === object && one.callback_url === url);
  const fields = here?.fields ?? [];
  if (here?.active !== false && wanted.every((field) => fields.includes(field))) return null;
  const form = {
    object,
    callback_url: url,
    fields: [...new Set([...fields, ...wanted])].join(","),
    verify_token: verifyToken,
  };
  const made = await graph.read(post(path, form), Success);
  return made.kind === "failed" ? asOurs(made) : null;
}

/** Refusals of the app's own calls concern the operator, not the account. */
function asOurs(failure: Failure): Failure {
  if (failure.reason === "throttled" || failure.reason === "down") return failure;
  return { kind: "failed", reason: "blocked", message: failure.message };
}

/** Subscribes a Page or an account to events. */
export async function subscribeNode(
  graph: GraphClient,
  node: string,
  fields: readonly string[],
): Promise<{ readonly kind: "subscribed" } | Failure> {
  const answer = await graph.read(post(`${node}/subscribed_apps`, { subscribed_fields: fields.join(",") }), Success);
  return answer.kind === "failed" ? answer : { kind: "subscribed" };
}
