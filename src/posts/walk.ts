import { type SQL, sql } from "drizzle-orm";
import { channelIds } from "../channels/reference.ts";
import type { ProjectId } from "../core/ids.ts";
import { isOpen, type PostFilter, type Span } from "./filter.ts";
import type { PostState } from "./table.ts";

/**
 * The order of get-posts, out of indexes alone (docs/decisions/0015). Each index keeps streams in order: one a (type, state),
 * one a (channel, state), and so on. The walk merges them: it holds the newest entry of every stream, takes the newest of
 * those, and looks up what follows it in its stream. So it reads one entry a stream and two for each that it takes, from any
 * point on, however many posts there are.
 */

/** By when posts were made, or by when they went live. Of two at one instant the one with the higher id is newer. */
export type Order = "created" | "published";

/** The place of a post in an order. */
export interface Position {
  readonly order: Order;
  readonly at: number;
  readonly id: number;
}

/** Streams of an index, and what of a filter they leave to be asked of each row. */
export interface Streams {
  readonly order: Order;
  readonly index: string;
  /** A query of two columns that tell the streams apart. */
  readonly named: SQL;
  /** Whether the entry `q` is of the stream `a`, `b`. */
  readonly isOf: SQL;
  /** Between which times of the order. */
  readonly span: Span;
  /** Null: every entry of the streams is wanted. */
  readonly rest: SQL | null;
}

/** By time of publication where that is asked for, unless the few posts of one external id are. */
export function orderOf({ externalId, published }: PostFilter): Order {
  return externalId === null && !isOpen(published) ? "published" : "created";
}

/** The streams that leave the least to be asked of rows. */
export function chooseStreams(projectId: ProjectId, filter: PostFilter): Streams {
  const { externalId, created, published } = filter;
  if (externalId !== null) {
    return {
      order: "created",
      index: "posts_by_external_id",
      named: sql`VALUES (0, 0)`,
      isOf: sql`q.project_id = ${projectId} AND q.external_id = ${externalId} AND q.deleted_at IS NULL`,
      span: created,
      rest: all([
        isOfTypes(filter),
        isInStates(filter),
        isOfChannels(projectId, filter),
        within("published_at", published),
      ]),
    };
  }
  if (orderOf(filter) === "published") {
    return {
      order: "published",
      index: "posts_by_publication",
      named: sql`VALUES ${tuples(filter.channels.map((type) => [type, ""]))}`,
      isOf: sql`q.project_id = ${projectId} AND q.channel_type = a AND q.published_at IS NOT NULL AND q.deleted_at IS NULL`,
      span: published,
      rest: all([isInStates(filter), isOfChannels(projectId, filter), within("created_at", created)]),
    };
  }
  if (filter.channelId !== null || filter.userRef !== null) return channelStreams(projectId, filter);
  const { states, channels } = filter;
  const ofProject = sql`q.project_id = ${projectId} AND q.channel_type = a`;
  if (states === null) {
    return {
      order: "created",
      index: "posts_by_type",
      named: sql`VALUES ${tuples(channels.map((type) => [type, ""]))}`,
      isOf: sql`${ofProject} AND q.deleted_at IS NULL`,
      span: created,
      rest: null,
    };
  }
  return {
    order: "created",
    index: "posts_by_type_state",
    named: sql`VALUES ${tuples(channels.flatMap((type) => states.map((state) => [type, state])))}`,
    isOf: sql`${ofProject} AND q.state = b AND q.state IN ${names(LISTED)}`,
    span: created,
    rest: null,
  };
}

// The states of the partial indexes, in the very words that those are declared in: else SQLite cannot use them.
const UNPUBLISHED: readonly PostState[] = ["draft", "scheduled", "queued", "failed"];
const LISTED: readonly PostState[] = [...UNPUBLISHED, "published"];

/** The channels are the project's own, so that their posts are. */
function channelStreams(projectId: ProjectId, filter: PostFilter): Streams {
  const { states, created: span } = filter;
  const channels = sql`(${namedChannels(projectId, filter)}) AS channel`;
  if (states?.every((state) => UNPUBLISHED.includes(state))) {
    return {
      order: "created",
      index: "posts_unpublished",
      named: sql`SELECT channel.id, state.column1 FROM ${channels}, (VALUES ${tuples(states.map((state) => [state]))}) AS state`,
      isOf: sql`q.channel_id = a AND q.state = b AND q.state IN ${names(UNPUBLISHED)}`,
      span,
      rest: null,
    };
  }
  return {
    order: "created",
    index: "posts_by_channel",
    named: sql`SELECT channel.id, 0 FROM ${channels}`,
    isOf: sql`q.channel_id = a AND q.deleted_at IS NULL`,
    span,
    rest: isInStates(filter),
  };
}

/** Rows of names from our own lists, as literals: forty streams of parameters are more than D1 takes. */
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
  const isNamed = filter.channelId !== null || filter.userRef !== null;
  return isNamed ? sql`posts.channel_id IN (${namedChannels(projectId, filter)})` : null;
}

function isOfTypes({ channels }: PostFilter): SQL {
  return sql`posts.channel_type IN ${names(channels)}`;
}

function isInStates({ states }: PostFilter): SQL | null {
  return states === null ? null : sql`posts.state IN ${names(states)}`;
}

function within(column: "created_at" | "published_at", { from, to }: Span): SQL | null {
  const time = sql.raw(`posts.${column}`);
  return all([from === null ? null : sql`${time} >= ${from}`, to === null ? null : sql`${time} < ${to}`]);
}

function all(conditions: readonly (SQL | null)[]): SQL | null {
  const given = conditions.filter((condition) => condition !== null);
  return given.length === 0 ? null : sql.join(given, sql` AND `);
}

/** A part of a walk: `skip` entries are passed over, and `take` taken. */
export interface Part {
  /** Only what comes after it; null: from the newest on. */
  readonly since: Position | null;
  readonly skip: number;
  readonly take: number;
}

/**
 * A query of `id` and `entry`, of which `readEntry` makes a position: entries of the merged streams, to be ordered by `entry`.
 * What is skipped are the newest, for a recursive query gives its rows in the order in which its queue gives them.
 */
export function walk({ order, index, named, isOf, span }: Streams, { since, skip, take }: Part): SQL {
  const column = columnOf(order);
  const at = sql.raw(column);
  const newest = (until: SQL) => sql`(SELECT ${sql.raw(`printf('${ENTRY}', ${column}, q.tie_id)`)} FROM posts AS q
    INDEXED BY ${sql.raw(index)} WHERE ${isOf}${span.from === null ? sql`` : sql` AND ${at} >= ${span.from}`}${until}
    ORDER BY ${at} DESC, q.tie_id DESC LIMIT 1)`;
  const after = (time: SQL, id: SQL) => newest(sql` AND (${at}, q.tie_id) <= (${time}, ${id} - 1)`);
  const isInside = since !== null && (span.to === null || since.at < span.to);
  const end = span.to === null ? sql`` : sql` AND ${at} < ${span.to}`;
  const first = isInside ? after(sql`${since.at}`, sql`${since.id}`) : newest(end);
  return sql`WITH RECURSIVE stream(a, b) AS (${named}), walk(a, b, entry) AS (
      SELECT a, b, ${first} FROM stream
      UNION ALL SELECT a, b, ${after(ENTRY_AT, ENTRY_ID)} FROM walk WHERE entry IS NOT NULL
      ORDER BY 3 DESC LIMIT ${skip + take})
    SELECT ${ENTRY_ID} AS id, entry FROM walk WHERE entry IS NOT NULL${
      skip === 0 ? sql`` : sql` LIMIT ${take} OFFSET ${skip}`
    }`;
}

/** A query of the entries of all streams, one row each, in no order and at most so many. */
export function someEntries({ order, index, named, isOf, span: { from, to } }: Streams, max: number): SQL {
  const at = sql.raw(columnOf(order));
  return sql`WITH stream(a, b) AS (${named}) SELECT 1 FROM stream CROSS JOIN posts AS q INDEXED BY ${sql.raw(index)}
    WHERE ${isOf}${from === null ? sql`` : sql` AND ${at} >= ${from}`}${to === null ? sql`` : sql` AND ${at} < ${to}`}
    LIMIT ${max}`;
}

/** The place that an entry stands for. */
export function readEntry({ order }: Streams, entry: string): Position {
  return { order, at: Number(entry.slice(0, AT_DIGITS)), id: Number(entry.slice(AT_DIGITS)) };
}

function columnOf(order: Order): string {
  return order === "created" ? "q.created_at" : "q.published_at";
}

/** An entry in one value, in whose order texts sort: its time and its id. */
const AT_DIGITS = 15;
const ENTRY = `%0${AT_DIGITS}d%016d`;
// The plus keeps the pair comparable by the index: a cast has a type of its own, which is not quite the column's.
const ENTRY_AT = sql.raw(`+CAST(substr(entry, 1, ${AT_DIGITS}) AS INTEGER)`);
const ENTRY_ID = sql.raw(`+CAST(substr(entry, ${AT_DIGITS + 1}) AS INTEGER)`);
