import { z } from "@hono/zod-openapi";
import { type AppError, absent, invalid } from "../core/errors.ts";
import {
  type AutomationId,
  type CampaignId,
  type ChannelId,
  type CommentId,
  type ConversationId,
  type DeliveryId,
  type FeedId,
  type ImportId,
  idOf,
  type PostId,
  type SeriesId,
  type WebhookId,
} from "../core/ids.ts";
import { isReachable, type PageOf, REACH } from "../core/page.ts";
import { grouped } from "../core/sentences.ts";

/** `limit` and `page` in a query: strict integers, never "1.5", "abc" or "0". */
export const LimitQuery = wholeNumber(1, 100)
  .optional()
  .default(10)
  .openapi({ type: "integer", minimum: 1, maximum: 100, default: 10, example: 10, description: "Items per page." });

const PageQuery = wholeNumber(1, 1_000_000)
  .optional()
  .default(1)
  .openapi({ type: "integer", minimum: 1, default: 1, example: 1, description: "Page number." });

/** A whole number in a query: digits only. */
export function wholeNumber(min: number, max: number) {
  const words = `must be a whole number from ${min} to ${grouped(max)}`;
  return z
    .string()
    .regex(/^\d{1,9}$/, { error: words, abort: true })
    .transform((text) => Number.parseInt(text, 10))
    .refine((value) => value >= min && value <= max, words);
}

/** The id of a channel in a query. */
export const ChannelIdQuery = z
  .string()
  .regex(/^[1-9]\d{0,14}$/, "must be the id of a channel")
  .transform((text) => idOf<ChannelId>(Number(text)))
  .openapi({ type: "integer", minimum: 1, example: 12 });

/** The position after which a list continues, ordered by id: `next_cursor` of the previous page. */
export const IdCursorQuery = z
  .string()
  .regex(/^(?:[1-9]\d{0,14})?$/, "must be a next_cursor of this list, or empty to start")
  .optional()
  .openapi({
    example: "",
    description: "Instead of `page`: empty to start, then `next_cursor` of the previous page. Fast at any depth.",
  });

/** The id in a cursor; null at the start. */
export function idOfCursor(cursor: string): number | null {
  return cursor === "" ? null : Number(cursor);
}

/** For schemas of queries with both `page` and `cursor`: refuses a request that sends both. */
export function refuseBoth(
  { cursor, page }: { readonly cursor?: string | undefined; readonly page?: number | undefined },
  context: z.core.$RefinementCtx,
): void {
  if (cursor === undefined || page === undefined) return;
  const message = "must not be sent together with page: use one of them.";
  context.addIssue({ code: "custom", path: ["cursor"], message });
}

/** A page number without a default, for use next to a cursor. */
export const PageBesideCursor = PageQuery.unwrap().openapi({
  type: "integer",
  minimum: 1,
  example: 1,
  description: `Page number, from 1. Within ${grouped(REACH)} rows of either end of the list; use \`cursor\` between them. Pages far from both ends are limited to a few per second.`,
});

/** The page, unless it is too far from both ends of its list. */
export function reached<Page>(found: Page | null): Page {
  if (found) return found;
  throw tooFar();
}

export function tooFar(): AppError {
  const sentence = `page must be within ${grouped(REACH)} rows of the start or the end of the list. Use cursor to read the pages between.`;
  return invalid({ page: [sentence] });
}

/**
 * The pagination object of spec 2.6, its keys in that order. With `cursor`, those that need a page number are
 * absent, and the last two are present: one schema, so that generated clients read each key.
 */
export function pageView<Item extends z.ZodType>(item: Item, name: string) {
  const numbered = { description: "Absent with `cursor`." };
  return z
    .object({
      current_page: z.int().optional().openapi(numbered),
      data: z.array(item),
      first_page_url: z.string().optional().openapi(numbered),
      from: z.int().optional().openapi(numbered),
      last_page: z.int().optional().openapi(numbered),
      last_page_url: z.string().optional().openapi(numbered),
      next_page_url: z.string().nullable(),
      path: z.string(),
      per_page: z.int(),
      prev_page_url: z.string().nullable(),
      to: z.int().optional().openapi(numbered),
      total: z.int().optional().openapi(numbered),
      total_is_capped: z
        .literal(true)
        .optional()
        .openapi({ description: `Present if more rows match than \`total\`, which counts up to ${grouped(REACH)}.` }),
      next_cursor: z
        .string()
        .nullable()
        .optional()
        .openapi({ description: "With `cursor`: the `cursor` of the next page; null on the last." }),
      prev_cursor: z
        .string()
        .nullable()
        .optional()
        .openapi({ description: "With `cursor`: always null, because cursors only move forward." }),
    })
    .openapi(name);
}

/** `url` is the request's absolute address: page URLs keep its other query parameters. */
export function paginate<T, V>(url: URL, found: PageOf<T>, view: (item: T) => V) {
  const { page, limit, total } = found;
  const lastPage = Math.max(1, Math.ceil(total / limit));
  const path = `${url.origin}${url.pathname}`;
  const address = (number: number): string => {
    const query = new URLSearchParams(url.search);
    query.set("page", String(number));
    return `${path}?${query}`;
  };
  const reach = { total, isCapped: found.isCapped ?? false };
  const link = (number: number) => (isReachable({ page: number, limit }, reach) ? address(number) : null);
  const isLast = page >= lastPage && !reach.isCapped;
  const first = found.items.length === 0 ? 0 : (page - 1) * limit + 1;
  return {
    current_page: page,
    data: found.items.map(view),
    first_page_url: address(1),
    from: first,
    last_page: lastPage,
    last_page_url: address(lastPage),
    next_page_url: (page < lastPage ? link(page + 1) : null) ?? (isLast ? null : cursorAddress(url, found.nextCursor)),
    path,
    per_page: limit,
    prev_page_url: page > 1 ? link(Math.min(page - 1, lastPage)) : null,
    to: first === 0 ? 0 : first + found.items.length - 1,
    total,
    ...(found.isCapped ? { total_is_capped: true as const } : {}),
  };
}

/** Far from both ends of a long list, and beyond a capped total, pages continue by cursor. */
function cursorAddress(url: URL, cursor: string | null | undefined): string | null {
  if (!cursor) return null;
  const query = new URLSearchParams(url.search);
  query.delete("page");
  query.set("cursor", cursor);
  return `${url.origin}${url.pathname}?${query}`;
}

/** The only page of a list of one, for the document. */
export function examplePage<T>(operation: string, item: T) {
  const url = new URL(`https://belfry.example/api/v1/social/${operation}`);
  return paginate(url, { items: [item], page: 1, limit: 10, total: 1 }, (one) => one);
}

/**
 * An id in a path, which `readPathId` reads. It is documented as an integer, but any other text gets a 404,
 * not a 422.
 */
export function pathId(name: string) {
  return z.string().openapi({ type: "integer", minimum: 1, example: 42, param: { name, in: "path" } });
}

/** The id of a post in a path: a string in the specification. */
export function postPathId(name: "post_id" | "postId") {
  return z.string().openapi({ example: "42", param: { name, in: "path" } });
}

interface Ids {
  readonly post: PostId;
  readonly channel: ChannelId;
  readonly "comment automation": AutomationId;
  readonly campaign: CampaignId;
  readonly webhook: WebhookId;
  readonly delivery: DeliveryId;
  readonly import: ImportId;
  readonly series: SeriesId;
  readonly comment: CommentId;
  readonly feed: FeedId;
  readonly conversation: ConversationId;
}

/**
 * The id of a resource in a path: a positive integer. An impossible id gets a 404, never a 500.
 */
export function readPathId<Thing extends keyof Ids>(thing: Thing, text: string): Ids[Thing] {
  const id = Number(text);
  if (!/^[1-9]\d{0,15}$/.test(text) || !Number.isSafeInteger(id)) throw absent(thing, text);
  return idOf<Ids[Thing]>(id);
}
