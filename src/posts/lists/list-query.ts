import { type SQL, sql } from "drizzle-orm";
import { channelIds, hasMoreChannels, isChannelOf } from "../../channels/reference.ts";
import type { ProjectId } from "../../core/ids.ts";
import { type Merged, type OtherSource, readEntry, type Source, type StreamPosition } from "../../db/merge.ts";
import { numberOf, PLATFORM_NUMBERS } from "../../platforms/numbers.ts";
import type { PostState } from "../table.ts";
import { isOpen, type PostFilter, SHOWN_STATES, type Span } from "./filter.ts";

/**
 * Sorted by time of creation or of publication. Of two posts at the same instant, the one with the higher id
 * is newer.
 */
export type Order = "created" | "published";

/** The position of a post in an order. */
export interface Position extends StreamPosition {
  readonly order: Order;
}

/** Streams of an index of posts, and the parts of a filter that they do not cover. */
export interface Streams extends Merged {
  readonly order: Order;
  readonly rest: SQL | null;
  /** Whether `rest` reads the channel of each entry. */
  readonly readsChannels?: boolean;
}

/** By time of publication if the filter uses it, except for the few posts of one external id. */
export function orderOf({ externalId, published }: PostFilter): Order {
  return externalId === null && !isOpen(published) ? "published" : "created";
}

const BY_CREATION = { table: "posts", order: "created", at: "q.created_at", id: "q.tie_id" } as const;
const BY_PUBLICATION = { table: "posts", order: "published", at: "q.published_at", id: "q.tie_id" } as const;
const AT_REST = { table: "posts_at_rest", id: "q.id" } as const;

/**
 * The sources of a page of `limit` posts, tried in order until one has a result. The posts of a user are
 * streams of their channels. For a user with too many channels, the project's posts are searched instead. The
 * statement itself decides which applies: the other one has no streams.
 */
export function chooseStreams(projectId: ProjectId, filter: PostFilter, limit: number): readonly Streams[] {
  const { externalId, channelId, userRef, created, published } = filter;
  if (externalId !== null) {
    return [
      {
        ...BY_CREATION,
        index: "posts_by_external_id",
        named: sql`VALUES (0, 0)`,
        isOf: sql`q.project_id = ${projectId} AND q.external_id = ${externalId} AND q.deleted_at IS NULL`,
        span: created,
        rest: all([
          isOfTypes(filter),
          isInStates(filter),
          within("published_at", published),
          isOfChannels(projectId, filter),
        ]),
        also: atRest(projectId, filter, {
          index: "posts_at_rest_by_external_id",
          isOf: sql`q.project_id = ${projectId} AND q.external_id = ${externalId}`,
          rest: all([isOfNumbers(filter), within("published_at", published), isOfChannels(projectId, filter)]),
        }),
        readsChannels: userRef !== null,
      },
    ];
  }
  if (orderOf(filter) === "published") {
    return [
      {
        ...BY_PUBLICATION,
        index: "posts_by_publication",
        named: sql`VALUES ${tuples(filter.channels.flatMap((type) => (filter.states ?? SHOWN_STATES).map((state) => [type, state])))}`,
        isOf: sql`q.project_id = ${projectId} AND q.channel_type = a AND q.state = b AND q.published_at IS NOT NULL AND q.deleted_at IS NULL`,
        span: published,
        rest: all([within("created_at", created), isOfChannels(projectId, filter)]),
        also: atRest(projectId, filter, {
          index: "posts_at_rest_by_publication",
          isOf: sql`q.project_id = ${projectId} AND q.type = ${numberOf(sql`a`)} AND b = 'published'`,
          rest: all([within("created_at", created), isOfChannels(projectId, filter)]),
        }),
        readsChannels: userRef !== null,
      },
    ];
  }
  if (channelId !== null) return [channelStreams(projectId, filter)];
  if (userRef === null) return [projectStreams(projectId, filter)];
  const few = channelStreams(projectId, filter);
  const many = projectStreams(projectId, filter);
  const hasMany = hasMoreChannels(projectId, userRef, mostChannels(few, filter, limit));
  return [
    { ...few, named: sql`SELECT * FROM (${few.named}) LIMIT CASE WHEN ${hasMany} THEN 0 ELSE -1 END` },
    {
      ...many,
      named: sql`SELECT * FROM (${many.named}) LIMIT CASE WHEN ${hasMany} THEN -1 ELSE 0 END`,
      rest: isOfChannels(projectId, filter),
      also: many.also ? { ...many.also, rest: isOfChannels(projectId, filter) } : null,
      readsChannels: true,
    },
  ];
}

/**
 * How many channels may have streams of their own in a page that reads 12 x `limit` + 100 rows. A channel
 * costs three rows, plus two for each of its streams. A returned entry costs four, with its post and its
 * label; a searched entry two.
 */
function mostChannels(few: Streams, { states }: PostFilter, limit: number): number {
  const streams = few.index === "posts_unpublished" ? (states?.length ?? 1) : 1;
  const entries = few.rest === null ? 4 * limit : 3 * limit + 2 * scannedAtOnce(few, limit);
  return Math.floor((12 * limit + 80 - entries) / (3 + 2 * streams));
}

/**
 * How many entries a cursor page searches if the streams do not cover the whole filter. Pages continue to the
 * end.
 */
export function scannedAtOnce({ readsChannels = false }: Streams, limit: number): number {
  return readsChannels ? Math.max(2 * limit, 5) : Math.max(3 * limit, 20);
}

/** Streams over all channels of the project. */
function projectStreams(projectId: ProjectId, filter: PostFilter): Streams {
  const { states, channels, created: span } = filter;
  const resting = {
    index: "posts_at_rest_by_type",
    isOf: sql`q.project_id = ${projectId} AND q.type = ${numberOf(sql`a`)}`,
  };
  const isOf = sql`q.project_id = ${projectId} AND q.channel_type = a`;
  if (states === null) {
    return {
      ...BY_CREATION,
      index: "posts_by_type",
      named: sql`VALUES ${tuples(channels.map((type) => [type, ""]))}`,
      isOf: sql`${isOf} AND q.deleted_at IS NULL`,
      span,
      rest: null,
      also: atRest(projectId, filter, resting),
    };
  }
  return {
    ...BY_CREATION,
    index: "posts_by_type_state",
    named: sql`VALUES ${tuples(channels.flatMap((type) => states.map((state) => [type, state])))}`,
    isOf: sql`${isOf} AND q.state = b AND q.state IN ${names(LISTED)}`,
    span,
    rest: null,
    also: atRest(projectId, filter, { ...resting, isOf: sql`${resting.isOf} AND b = 'published'` }),
  };
}

// The states of the partial indexes, written exactly as in their declaration: SQLite cannot use them
// otherwise.
const UNPUBLISHED: readonly PostState[] = ["draft", "scheduled", "queued", "failed"];
const LISTED: readonly PostState[] = [...UNPUBLISHED, "published"];

/** The channels belong to the project, so their posts do too. */
function channelStreams(projectId: ProjectId, filter: PostFilter): Streams {
  const { states, created: span } = filter;
  const channels = sql`(${namedChannels(projectId, filter)}) AS channel`;
  if (states?.every((state) => UNPUBLISHED.includes(state))) {
    return {
      ...BY_CREATION,
      index: "posts_unpublished",
      named: sql`SELECT channel.id, state.column1 FROM ${channels}, (VALUES ${tuples(states.map((state) => [state]))}) AS state`,
      isOf: sql`q.channel_id = a AND q.state = b AND q.state IN ${names(UNPUBLISHED)}`,
      span,
      rest: null,
    };
  }
  return {
    ...BY_CREATION,
    index: "posts_by_channel",
    named: sql`SELECT channel.id, 0 FROM ${channels}`,
    isOf: sql`q.channel_id = a AND q.deleted_at IS NULL`,
    span,
    rest: isInStates(filter),
    also: atRest(projectId, filter, { index: "posts_at_rest_by_channel", isOf: sql`q.channel_id = a` }),
  };
}

/** The streams of posts at rest, which are published; null if the filter excludes these. */
function atRest(
  projectId: ProjectId,
  { states }: PostFilter,
  source: Pick<Source, "index" | "isOf" | "rest">,
): OtherSource | null {
  if (states !== null && !states.includes("published")) return null;
  const isUsed = sql`EXISTS (SELECT 1 FROM posts_at_rest WHERE posts_at_rest.project_id = ${projectId})`;
  return { ...AT_REST, ...source, isUsed };
}

/** Rows of names from our own lists, as literals: forty streams would exceed D1's limit of parameters. */
function tuples(rows: readonly (readonly string[])[]): SQL {
  return sql.raw(rows.map((row) => `(${row.map((name) => `'${name}'`).join(", ")})`).join(", "));
}

function names(list: readonly string[]): SQL {
  return sql.raw(`(${list.map((name) => `'${name}'`).join(", ")})`);
}

function namedChannels(projectId: ProjectId, { channels, channelId, userRef }: PostFilter): SQL {
  return channelIds(projectId, { platforms: channels, id: channelId, userRef });
}

function isOfChannels(projectId: ProjectId, filter: PostFilter): SQL | null {
  const { channelId, userRef } = filter;
  return all([
    channelId === null ? null : sql`q.channel_id IN (${namedChannels(projectId, filter)})`,
    userRef === null ? null : isChannelOf(userRef, sql`q.channel_id`),
  ]);
}

function isOfTypes({ channels }: PostFilter): SQL {
  return sql`q.channel_type IN ${names(channels)}`;
}

/** The same of posts at rest. */
function isOfNumbers({ channels }: PostFilter): SQL {
  return sql`q.type IN ${sql.raw(`(${channels.map((name) => PLATFORM_NUMBERS[name]).join(", ")})`)}`;
}

function isInStates({ states }: PostFilter): SQL | null {
  return states === null ? null : sql`q.state IN ${names(states)}`;
}

function within(column: "created_at" | "published_at", { from, to }: Span): SQL | null {
  const time = sql.raw(`q.${column}`);
  return all([from === null ? null : sql`${time} >= ${from}`, to === null ? null : sql`${time} < ${to}`]);
}

function all(conditions: readonly (SQL | null)[]): SQL | null {
  const given = conditions.filter((condition) => condition !== null);
  return given.length === 0 ? null : sql.join(given, sql` AND `);
}

/** The position of an entry. */
export function toPosition({ order }: Pick<Streams, "order">, entry: string): Position {
  return { order, ...readEntry(entry) };
}
