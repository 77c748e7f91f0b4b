import { type SQL, sql } from "drizzle-orm";

/**
 * Lists that are read from indexes alone (docs/decisions/0042). An index keeps ordered streams: one for each
 * (type, state), for each (channel, state), and so on. A recursive query merges them. It holds the first
 * entry of every stream, takes the first of those, and reads the next entry of that stream. So it reads one
 * entry per stream, and two per entry taken.
 */
export interface Merged extends Source {
  /** A query of the two columns that identify a stream. */
  readonly named: SQL;
  /** The columns of `q` that order the index: a time and then an id, or an id alone. */
  readonly at: string | null;
  /** The time range, epoch milliseconds; null leaves a side open. */
  readonly span: { readonly from: number | null; readonly to: number | null };
  /** A second table with streams of the same names; null or absent if there is none. */
  readonly also?: OtherSource | null;
}

/** An index of a table. */
export interface Source {
  readonly table: "posts" | "posts_at_rest" | "channels";
  readonly index: string;
  /** A condition: the entry `q` belongs to the stream `a`, `b`. */
  readonly isOf: SQL;
  /** The id of `q`, a column of the index. */
  readonly id: string;
  /** A further condition on `q` that the index does not distinguish; null or absent: every entry matches. */
  readonly rest?: SQL | null;
}

export interface OtherSource extends Source {
  /** A condition: it may have entries of these streams. */
  readonly isUsed: SQL;
}

/** The position of an entry; its time is 0 if ids alone define the order. */
export interface StreamPosition {
  readonly at: number;
  readonly id: number;
}

/** A part of the merged streams: `skip` entries are skipped, then `take` are taken. */
export interface Part {
  /** Only entries after this position; null: from the first entry. */
  readonly since: StreamPosition | null;
  readonly skip: number;
  readonly take: number;
  /** From the oldest entry instead of the newest. */
  readonly isAscending?: boolean;
}

/** A query of `id` and `entry`, ordered by `entry`; `readEntry` turns an entry into a position. */
export function walk(streams: Merged, part: Part): SQL {
  const { skip, take } = part;
  // A recursive query returns rows in the order of its queue, so the skipped rows come first.
  const rest = skip === 0 ? sql`` : sql` LIMIT ${take} OFFSET ${skip}`;
  return sql`${merge(streams, part)} SELECT ${ENTRY_ID} AS id, entry FROM walk WHERE entry IS NOT NULL${rest}`;
}

/**
 * A query of `id` and `entry` of the matching entries among the first `take`, from `skip` on, at most
 * `limit`. The JSON column `scanned` holds how many match, how many entries exist, and the last of them. If
 * no entry remains, one row without an id carries it. The query reads two rows per entry, whether it matches
 * or not.
 */
export function scan(
  streams: Merged,
  { since, take, skip, limit }: Omit<Part, "isAscending"> & { readonly limit: number },
): SQL {
  // Only the page becomes a list: a list of all matches would cost one row for each.
  const page = sql`substr(seen.entries, ${skip * QUOTED + 1}, ${limit * QUOTED})`;
  return sql`SELECT CAST(substr(fits.value, ${AT_DIGITS + 1}, ${ID_DIGITS}) AS INTEGER) AS id, fits.value AS entry,
      json_array(seen.fitting, seen.there, seen.at) AS scanned
    FROM (${merge(streams, { since, skip: 0, take })} SELECT count(*) AS there, min(entry) AS at,
      count(*) FILTER (WHERE ${FITS}) AS fitting, group_concat('"' || entry || '",', '') FILTER (WHERE ${FITS}) AS entries
      FROM walk WHERE entry IS NOT NULL) AS seen
    LEFT JOIN json_each('[' || rtrim(${page}, ',') || ']') AS fits`;
}

/** A query of one row: how many of the newest `skip` entries exist, and the last of them. */
export function passedEntries(streams: Merged, skip: number): SQL {
  return sql`${merge(streams, { since: null, skip, take: 0 })}
    SELECT count(*) AS passed, min(entry) AS entry FROM walk WHERE entry IS NOT NULL`;
}

/** A query of the entries after a position (null: all of them): one row each, unordered, at most `max`. */
export function someEntries(
  streams: Merged,
  { since, max }: { readonly since: StreamPosition | null; readonly max: number },
): SQL {
  const entriesOf = (source: Source) => {
    const { lower, upper, before } = boundsOf(streams, source);
    const limits = sql`${lower}${isInside(streams, since) ? before(since) : upper}`;
    return sql`SELECT 1 FROM stream CROSS JOIN ${indexOf(source)} WHERE ${source.isOf}${limits}`;
  };
  const entries = sql.join(sourcesOf(streams).map(entriesOf), sql` UNION ALL `);
  return sql`WITH stream(a, b) AS (${streams.named}) ${entries} LIMIT ${max}`;
}

function merge(streams: Merged, part: Part): SQL {
  const { skip, take, isAscending = false } = part;
  const direction = sql.raw(isAscending ? "ASC" : "DESC");
  const own = entriesOfSource(streams, streams, part);
  const also = streams.also ? entriesOfSource(streams, streams.also, part) : null;
  const of = (name: "start" | "next") =>
    also ? sql`CASE s WHEN 1 THEN ${also[name]} ELSE ${own[name]} END` : own[name];
  // Where the second table has nothing, its streams are not begun.
  const others = streams.also ? sql` UNION ALL SELECT a, b, 1 FROM named WHERE ${streams.also.isUsed}` : sql``;
  return sql`WITH RECURSIVE named(a, b) AS NOT MATERIALIZED (${streams.named}), stream(a, b, s) AS (SELECT a, b, 0 FROM named${others}),
      walk(a, b, entry, s) AS (
      SELECT a, b, ${of("start")}, s FROM stream
      UNION ALL SELECT a, b, ${of("next")}, s FROM walk WHERE entry IS NOT NULL
      ORDER BY 3 ${direction} NULLS LAST LIMIT ${skip + take})`;
}

/** The first entry of a stream, and the one that follows `entry`. */
function entriesOfSource(streams: Merged, source: Source, { since, isAscending = false }: Part) {
  const { at } = streams;
  const { isOf, id, rest = null } = source;
  const { lower, upper, before, after } = boundsOf(streams, source);
  const order = sql.raw(
    [at, id].flatMap((column) => (column === null ? [] : [`${column} ${isAscending ? "ASC" : "DESC"}`])).join(", "),
  );
  const place = sql.raw(`printf('${ENTRY}', ${at ?? "0"}, ${id})`);
  const fits = sourcesOf(streams).every((one) => (one.rest ?? null) === null) ? null : (rest ?? sql`1`);
  const entry = fits === null ? place : sql`${place} || CASE WHEN ${fits} THEN '1' ELSE '0' END`;
  const first = (limits: SQL) =>
    sql`(SELECT ${entry} FROM ${indexOf(source)} WHERE ${isOf}${limits} ORDER BY ${order} LIMIT 1)`;
  // A position replaces the bound on its side: the index seeks one bound per side.
  const following = (position: SqlPlace) =>
    isAscending ? first(sql`${upper}${after(position)}`) : first(sql`${lower}${before(position)}`);
  const start =
    since !== null && (isAscending || isInside(streams, since)) ? following(since) : first(sql`${lower}${upper}`);
  return { start, next: following({ at: ENTRY_AT, id: ENTRY_ID }) };
}

const sourcesOf = (streams: Merged): readonly Source[] => (streams.also ? [streams, streams.also] : [streams]);

type SqlPlace = StreamPosition | { readonly at: SQL; readonly id: SQL };

function boundsOf({ at, span: { from, to } }: Merged, { id }: Source) {
  const key = sql.raw(at === null ? id : `(${at}, ${id})`);
  const place = (time: number | SQL, own: SQL) => (at === null ? own : sql`(${time}, ${own})`);
  const time = sql.raw(at ?? "0");
  return {
    lower: from === null ? sql`` : sql` AND ${time} >= ${from}`,
    upper: to === null ? sql`` : sql` AND ${time} < ${to}`,
    before: (one: SqlPlace) => sql` AND ${key} <= ${place(one.at, sql`${one.id} - 1`)}`,
    after: (one: SqlPlace) => sql` AND ${key} >= ${place(one.at, sql`${one.id} + 1`)}`,
  };
}

/** Whether the position is before the end of the range, and so the tighter bound. */
function isInside({ span: { to } }: Merged, since: StreamPosition | null): since is StreamPosition {
  return since !== null && (to === null || since.at < to);
}

const indexOf = ({ table, index }: Source): SQL => sql.raw(`${table} AS q INDEXED BY ${index}`);

/** The position that an entry encodes. */
export function readEntry(entry: string): StreamPosition {
  return { at: Number(entry.slice(0, AT_DIGITS)), id: Number(entry.slice(AT_DIGITS, AT_DIGITS + ID_DIGITS)) };
}

/**
 * An entry as one text value that sorts correctly: its time, its id and, for streams with a further
 * condition, whether it matches.
 */
const AT_DIGITS = 15;
const ID_DIGITS = 16;
const ENTRY = `%0${AT_DIGITS}d%0${ID_DIGITS}d`;
/** The length of an entry with its flag, in quotes and with a comma. */
const QUOTED = AT_DIGITS + ID_DIGITS + 4;
const FITS = sql.raw(`substr(entry, ${AT_DIGITS + ID_DIGITS + 1}) <> '0'`);
// The plus lets the index compare the pair: a cast has its own type affinity, which differs from the
// column's.
const ENTRY_AT = sql.raw(`+CAST(substr(entry, 1, ${AT_DIGITS}) AS INTEGER)`);
const ENTRY_ID = sql.raw(`+CAST(substr(entry, ${AT_DIGITS + 1}, ${ID_DIGITS}) AS INTEGER)`);
