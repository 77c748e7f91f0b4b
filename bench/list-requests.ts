import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { ROOT } from "../scripts/support/paths.ts";

/**
 * The API's lists with all their filters, from the OpenAPI document. A new list or filter is measured
 * automatically; if it has no value here, the command fails.
 */

export interface List {
  /** The name in the OpenAPI document. */
  readonly name: string;
  /** The path with ids filled in. */
  readonly path: string;
  readonly hasPages: boolean;
  readonly hasCursor: boolean;
  /** The maximum number of items per response. */
  readonly mostItems: number;
  /** The rows that a page reads beside those of its items: it ranks or searches that many. */
  readonly comparedRows: number;
  readonly filters: readonly Filter[];
}

export interface Filter {
  /** The query string; empty for the unfiltered list. */
  readonly query: string;
  /** Whether a counter stores the total. Other totals are counted per request, up to 10,000. */
  readonly isCounted: boolean;
}

/** Ids and values of the filled project, for filters. */
export interface Filled {
  readonly automationId: number;
  readonly webhookId: number;
  readonly channelId: number;
  /** A post with many comments. */
  readonly postId: number;
  /** A conversation with many messages. */
  readonly conversationId: number;
  /** A time within the period of its posts. */
  readonly middle: string;
}

const ALL_TYPES = "facebook,instagram,twitter,linkedin,youtube,tiktok";
/** A user with most posts on few channels, one with most channels, and one with some. */
export const USERS = { busy: "bench", many: "many", some: "user-7" };
export const EXTERNAL_ID = "every-third";
export const MEMBER = "ada@example.com";
/** A tag that a file of the library has, and a word in its title. */
export const RARE = "rare";

/** The measured values of each filter, by filter name. */
const VALUES: Readonly<Record<string, (filled: Filled) => readonly string[]>> = {
  user_id: () => Object.values(USERS),
  platform: () => ["facebook", ALL_TYPES],
  health: () => ["connected", "expiring", "reconnect_needed", "expiring,reconnect_needed"],
  channels: () => [ALL_TYPES, "facebook"],
  channel_type: () => ["twitter,threads"],
  channel_id: ({ channelId }) => [String(channelId)],
  external_id: () => [EXTERNAL_ID],
  created_from: ({ middle }) => [middle],
  created_to: ({ middle }) => [middle],
  published_from: ({ middle }) => [middle],
  published_to: ({ middle }) => [middle],
  from: ({ middle }) => [middle.slice(0, 10)],
  to: ({ middle }) => [middle.slice(0, 10)],
  metric: () => ["likes", "saves"],
  post_id: ({ postId }) => [String(postId)],
  assigned_to: () => [MEMBER],
  state: () => ["unanswered", "done"],
  search: () => [RARE],
  tag: () => [RARE],
  kind: () => ["image", "video"],
  include: () => ["content"],
  sort_by: () => ["asc"],
};
const STATES: Readonly<Record<string, readonly string[]>> = {
  "/social/get-posts": ["published", "failed", "draft,scheduled,queued,failed,published"],
  "/social/get-webhook-deliveries/{webhook_id}": ["waiting", "delivered", "failed"],
};
/** The rows that a page reads at most beside those of its items, as its description says. */
const COMPARED: Readonly<Record<string, number>> = {
  // Of 2,000 posts the place in the index, in the list of ids and in the order, and the numbers.
  "/social/get-top-posts": 4 * 2_000,
  // Of 2,000 files the place and the list of ids, the row, its tags, and the place for the next page.
  "/social/get-media": 5 * 2_000,
};
const OF_PAGES = ["limit", "page", "cursor"];

/**
 * Parameters that are not filters, or that have a counter. By list, because `user_id` has one only for
 * channels.
 */
const ALWAYS_COUNTED = ["include", "sort_by", "status", "platform", "channels", "channel_type"];
const COUNTED: Readonly<Record<string, readonly string[]>> = { "/social/get-channels": ["user_id"] };

/** At least one of these is required. */
const REQUIRED: Readonly<Record<string, readonly string[]>> = {
  "/social/get-posts": ["channels", "channel_type", "channel_id"],
};
/** Parameters of which a request has one at most. */
const EITHER = [
  ["channels", "channel_type"],
  ["post_id", "channel_id", "assigned_to"],
];
const exclude = (one: string, other: string) => EITHER.some((names) => names.includes(one) && names.includes(other));

const Named = z.object({
  name: z.string(),
  in: z.string(),
  schema: z.looseObject({ maximum: z.number().optional() }).optional(),
});
const Document = z.object({
  paths: z.record(z.string(), z.looseObject({ get: z.object({ parameters: z.array(Named).optional() }).optional() })),
});

/** Every operation that has a `limit` parameter. */
export function listsOf(filled: Filled): readonly List[] {
  const { paths } = Document.parse(JSON.parse(readFileSync(join(ROOT, "docs", "openapi.json"), "utf8")));
  return Object.entries(paths).flatMap(([name, { get }]): List[] => {
    const query = (get?.parameters ?? []).filter((parameter) => parameter.in === "query");
    const has = (wanted: string) => query.some((parameter) => parameter.name === wanted);
    if (!has("limit")) return [];
    const values = query
      .filter((parameter) => !OF_PAGES.includes(parameter.name))
      .map((parameter) => ({ name: parameter.name, values: valuesOf(name, parameter.name, filled) }));
    return [
      {
        name: name.replace(/^\/[a-z-]+\//, ""),
        path: `/api/v1${withIds(name, filled)}`,
        hasPages: has("page"),
        hasCursor: has("cursor"),
        mostItems: query.find((parameter) => parameter.name === "limit")?.schema?.maximum ?? 100,
        comparedRows: COMPARED[name] ?? 0,
        filters: filtersOf(name, values),
      },
    ];
  });
}

interface Values {
  readonly name: string;
  readonly values: readonly string[];
}

function valuesOf(path: string, name: string, filled: Filled): readonly string[] {
  const values = name === "status" ? STATES[path] : VALUES[name]?.(filled);
  if (values) return values;
  throw new Error(
    `${path} has a filter \`${name}\` that the bench has no value for: give it one in bench/list-requests.ts.`,
  );
}

function withIds(path: string, { automationId, webhookId, conversationId }: Filled): string {
  if (!path.includes("{")) return path;
  const ids = { automation: automationId, webhook: webhookId, conversation: conversationId };
  const [, id] = Object.entries(ids).find(([name]) => path.includes(name)) ?? [];
  if (id === undefined)
    throw new Error(`${path} has an id that the bench does not know: give it one in bench/list-requests.ts.`);
  return path.replace(/\{\w+\}/, String(id));
}

/** No filter, each filter alone, and each pair with different names. */
function filtersOf(path: string, filters: readonly Values[]): readonly Filter[] {
  const single = filters.flatMap(({ name, values }) => values.map((value) => ({ name, value })));
  const pairs = single.flatMap((one, at) =>
    single
      .slice(at + 1)
      .filter((other) => other.name !== one.name && !exclude(one.name, other.name))
      .map((other) => [one, other]),
  );
  const sets = [[], ...single.map((one) => [one]), ...pairs].map((set) => {
    const required = REQUIRED[path];
    const isComplete = required === undefined || set.some(({ name }) => required.includes(name));
    return isComplete ? set : [{ name: "channels", value: ALL_TYPES }, ...set];
  });
  const counted = [...ALWAYS_COUNTED, ...(COUNTED[path] ?? [])];
  const found = sets.map((set) => ({
    query: set.map(({ name, value }) => `${name}=${encodeURIComponent(value).replaceAll("%2C", ",")}`).join("&"),
    isCounted: set.every(({ name }) => counted.includes(name)),
  }));
  return [...new Map(found.map((filter) => [filter.query, filter])).values()];
}
