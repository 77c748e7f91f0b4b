import { z } from "zod";
import { interpretRead, type ReadResult } from "../answers.ts";
import type { AccountContext, Failure } from "../context.ts";
import { PlatformId } from "../json.ts";
import { lenient, readable, readList } from "../lists.ts";
import { okAs } from "../outcomes.ts";
import type { CallRequest } from "../request.ts";
import type { Webhooks } from "../webhooks.ts";
import { API } from "./api.ts";
import { X } from "./errors.ts";

/**
 * Subscriptions to replies at X: one webhook of our app for all accounts, and a subscription for each account
 * (twitter.md §4.4). Both are listed before one is created, so that a repeat changes nothing.
 *
 * The calls use the app's own bearer token, X_BEARER_TOKEN: a refusal of it says nothing about an account.
 */

const Webhook = z.object({ id: PlatformId, url: z.string(), valid: lenient(z.boolean()) });
const Registered = z.object({ data: readable(Webhook).nullish() });
const Made = z.object({ data: Webhook });
const Done = z.unknown().transform(() => true as const);

const Subscription = z.object({
  event_type: z.string(),
  filter: z.object({ user_id: PlatformId.optional() }).optional().catch(undefined),
  webhook_id: PlatformId.optional().catch(undefined),
});
// The source documents of the contract do not define the form of the list: both forms used elsewhere are
// read.
const Subscriptions = z.object({
  data: z
    .union([
      readable(Subscription),
      z.object({ subscriptions: readable(Subscription) }).transform((one) => one.subscriptions),
    ])
    .optional(),
  meta: z.object({ next_token: z.string().optional() }).optional().catch(undefined),
});

const EVENT = "post.reply.create";
const MAX_PAGES = 20;

export const subscribe: Webhooks["subscribe"] = async (context, { url }) => {
  const { consumer_secret, bearer } = context.app.options ?? {};
  // Without them no event of X could be verified: replies are found by reading.
  if (!consumer_secret || !bearer) return { kind: "subscribed" };
  const webhook = await findOrRegister(context, url);
  if (webhook.kind === "failed") return webhook;
  return findOrSubscribe(context, webhook.value);
};

/** The id of the webhook with this address, which X has verified. */
async function findOrRegister(context: AccountContext, url: string): Promise<ReadResult<string>> {
  let found = await findRegistered(context, url);
  if (found.kind === "failed") return found;
  if (found.value === null) {
    const made = await call(context, { method: "POST", path: "webhooks", json: { url } }, Made);
    if (made.kind === "ok") return { kind: "ok", value: made.value.data.id };
    // Another account's connection may have registered it meanwhile.
    found = await findRegistered(context, url);
    if (found.kind === "failed" || found.value === null) return made;
  }
  const { id, valid } = found.value;
  // X stops sending to an address that failed verification, until a new verification is requested.
  const proof = valid === false ? await call(context, { method: "PUT", path: `webhooks/${id}` }, Done) : null;
  return proof?.kind === "failed" ? proof : { kind: "ok", value: id };
}

async function findRegistered(
  context: AccountContext,
  url: string,
): Promise<ReadResult<z.output<typeof Webhook> | null>> {
  const registered = await call(context, { method: "GET", path: "webhooks" }, Registered);
  if (registered.kind === "failed") return registered;
  return { kind: "ok", value: registered.value.data?.find((webhook) => webhook.url === url) ?? null };
}

async function findOrSubscribe(
  context: AccountContext,
  webhook_id: string,
): Promise<{ readonly kind: "subscribed" } | Failure> {
  const user_id = context.account.id;
  const listed = await readList<z.output<typeof Subscription>, Failure>(MAX_PAGES, async (pagination_token) => {
    const query = { pagination_token };
    const page = await call(context, { method: "GET", path: "activity/subscriptions", query }, Subscriptions);
    if (page.kind === "failed") return page;
    const next = page.value.meta?.next_token ?? null;
    return { kind: "page", items: page.value.data ?? [], isLast: next === null, next };
  });
  if (listed.kind === "failed") return listed;
  const isThere = listed.items.some(
    (one) => one.event_type === EVENT && one.filter?.user_id === user_id && one.webhook_id === webhook_id,
  );
  if (isThere) return { kind: "subscribed" };
  const json = { event_type: EVENT, filter: { user_id }, tag: `account-${user_id}`, webhook_id };
  return okAs(await call(context, { method: "POST", path: "activity/subscriptions", json }, Done), "subscribed");
}

/** Calls that may be repeated: existing objects are looked up before one is created. */
async function call<S extends z.ZodType>(
  context: AccountContext,
  { path, ...call }: Pick<CallRequest, "method" | "query" | "json"> & { readonly path: string },
  schema: S,
): Promise<ReadResult<z.output<S>>> {
  const headers = { authorization: `Bearer ${context.app.options?.bearer ?? ""}` };
  const result = interpretRead(X, await context.send({ ...call, url: `${API}/${path}`, headers }), schema, context.now);
  return result.kind === "failed" ? ofTheApp(result) : result;
}

/** A failure that does not concern the account: neither its connection nor its rate limits. */
function ofTheApp({ limit: _, ...failure }: Failure): Failure {
  switch (failure.reason) {
    case "token_expired":
    case "disconnected":
    case "permission_missing":
    case "rejected":
      return {
        ...failure,
        reason: "blocked",
        message: `X does not let this service's app subscribe to replies. ${failure.message}`,
      };
    default:
      return failure;
  }
}
