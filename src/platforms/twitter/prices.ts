import { z } from "zod";
import { toNfc } from "../../core/text.ts";
import { type Charge, microsOf, type Price, type PricedAct, type PricedContent, type Pricing } from "../pricing.ts";
import type { CallRequest } from "../request.ts";
import { findLinks } from "./links.ts";

/**
 * X's pay-per-use prices (docs/platforms/twitter.md has the facts).
 *
 * - A write costs its price for each request, whether or not X carries it out; a read for each object that is
 *   returned.
 * - X charges one object once per UTC day. That is no firm promise, so each read counts.
 * - Customers do not own our app at X: the lower price for an owner's own posts never applies.
 */
const SOURCE = "https://docs.x.com/x-api/getting-started/pricing, text of 2026-08-13";

const listed = (operation: string, title: string, micros: number, per: Price["per"] = "request") =>
  ({
    operation,
    title,
    micros,
    currency: "USD",
    per,
    validFrom: "2026-04-20",
    source: SOURCE,
  }) as const satisfies Price;

const PRICES = {
  post_create: listed("post_create", "a post", 15_000),
  post_create_with_link: listed("post_create_with_link", "a post with a link", 200_000),
  post_create_summoned: listed("post_create_summoned", "an answer to someone who mentioned the account", 10_000),
  post_delete: listed("post_delete", "the deletion of a post", 10_000),
  content_manage: listed("content_manage", "hiding a reply, or showing it again", 5_000),
  media_metadata: listed("media_metadata", "an alt text", 5_000),
  message_create: listed("message_create", "a direct message", 15_000),
  post_read: listed("post_read", "a post that is read", 5_000, "resource"),
  user_read: listed("user_read", "an account that is read", 10_000, "resource"),
  message_read: listed("message_read", "a direct message that is read", 10_000, "resource"),
} as const;

function charge(operation: keyof typeof PRICES, units = 1): Charge {
  return { operation, units, micros: units * PRICES[operation].micros };
}

/** Whether X sees a link, by the parser of the weighted length. */
function hasLink(text: string): boolean {
  return findLinks(toNfc(text)).next().done !== true;
}

const create = (text: string): Charge => charge(hasLink(text) ? "post_create_with_link" : "post_create");

/** Marks a reply to another person's post: X takes one only from an account that this person mentioned. */
export const SUMMONED = "post_create_summoned" satisfies keyof typeof PRICES;

function costOf({ items, firstComment }: PricedContent): Charge[] {
  const alts = items.reduce((sum, { altTexts }) => sum + altTexts, 0);
  return [
    ...items.map(({ text }) => create(text)),
    ...(alts > 0 ? [charge("media_metadata", alts)] : []),
    ...(firstComment === null ? [] : [create(firstComment)]),
  ];
}

function costOfAct({ kind, text, altTexts = 0 }: PricedAct): [Charge, ...Charge[]] {
  if (kind === "message") return [charge("message_create")];
  const own = kind === "answer" && !hasLink(text) ? charge(SUMMONED) : create(text);
  return [own, ...Array.from({ length: altTexts }, () => charge("media_metadata"))];
}

const Created = z.object({ text: z.string().catch("") });

function mostOf(call: CallRequest): readonly Charge[] {
  const path = new URL(call.url).pathname.replace(/^\/2\//, "");
  if (call.method === "POST") return writesOf(path, call);
  if (call.method === "PUT") return /^tweets\/\d+\/hidden$/.test(path) ? [charge("content_manage")] : [];
  if (call.method === "DELETE") return /^(tweets|dm_events)\/\d+$/.test(path) ? [charge("post_delete")] : [];
  return call.method === "GET" ? readsOf(path, call.query ?? {}) : [];
}

function writesOf(path: string, { json, chargedAs }: CallRequest): readonly Charge[] {
  if (path === "media/metadata") return [charge("media_metadata")];
  if (/^dm_conversations\/with\/\d+\/messages$/.test(path)) return [charge("message_create")];
  if (path !== "tweets") return [];
  const { text = "" } = Created.safeParse(json).data ?? {};
  return costOfAct({ kind: chargedAs === SUMMONED ? "answer" : "post", text });
}

/** The page size if a call names none. */
const USUAL_PAGE = 10;

function readsOf(path: string, query: NonNullable<CallRequest["query"]>): readonly Charge[] {
  if (/^users\/(me|\d+|by\/username\/\w+)$/.test(path)) return [charge("user_read")];
  if (path === "tweets") return [charge("post_read", String(query.ids ?? "").split(",").length)];
  const size = Number(query.max_results ?? USUAL_PAGE);
  if (/dm_events$/.test(path)) {
    const hasSenders = query.expansions === "sender_id";
    // A conversation with one person has two senders at most.
    const senders = path.includes("/with/") ? Math.min(size, 2) : size;
    return [charge("message_read", size), ...(hasSenders ? [charge("user_read", senders)] : [])];
  }
  if (!/^(users\/\d+\/(tweets|mentions)|tweets\/search\/recent)$/.test(path)) return [];
  const expansions = String(query.expansions ?? "").split(",");
  // Each post may refer to another one, and each has its author.
  const posts = expansions.some((one) => one.startsWith("referenced_")) ? 2 * size : size;
  return [charge("post_read", posts), ...(expansions.includes("author_id") ? [charge("user_read", posts)] : [])];
}

/** The smallest pages that X takes. */
function smallestPage(path: string): number {
  if (path.endsWith("search/recent")) return 10;
  return path.endsWith("dm_events") ? 1 : 5;
}

function within(call: CallRequest, micros: number): CallRequest {
  const size = Number(call.query?.max_results ?? USUAL_PAGE);
  const perItem = microsOf(mostOf(call).filter(isRead)) / size;
  if (call.query?.max_results === undefined || perItem === 0) return call;
  const page = Math.max(smallestPage(new URL(call.url).pathname), Math.floor(micros / perItem));
  return page >= size ? call : { ...call, query: { ...call.query, max_results: page } };
}

const isRead = ({ operation }: Charge): boolean =>
  Object.values(PRICES).some((price) => price.operation === operation && price.per === "resource");

const count = z
  .array(z.unknown())
  .transform((list) => list.length)
  .catch(0);
const Read = z.object({
  data: z.union([z.array(z.unknown()).transform((list) => list.length), z.object({}).transform(() => 1)]).catch(0),
  includes: z.object({ posts: count, tweets: count, users: count }).catch({ posts: 0, tweets: 0, users: 0 }),
});

/** X refuses these before it does anything that has a price. */
const UNPAID: ReadonlySet<number> = new Set([401, 402, 429]);

function chargesOf(call: CallRequest, { status, body }: { readonly status: number; readonly body: unknown }) {
  const most = mostOf(call);
  if (UNPAID.has(status)) return [];
  if (call.method !== "GET") return most;
  if (status !== 200) return [];
  const { data = 0, includes } = Read.safeParse(body).data ?? {};
  const { posts = 0, tweets = 0, users = 0 } = includes ?? {};
  const returned = new Map([
    ["post_read", data + posts + tweets],
    ["message_read", data],
    ["user_read", most.length === 1 ? data : users],
  ]);
  return most.flatMap(({ operation, units, micros }) => {
    const read = Math.min(units, returned.get(operation) ?? 0);
    return read > 0 ? [{ operation, units: read, micros: (micros / units) * read }] : [];
  });
}

export const pricing: Pricing = { prices: Object.values(PRICES), costOf, costOfAct, mostOf, within, chargesOf };
