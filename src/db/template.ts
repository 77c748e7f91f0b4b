import { fillPlaceholders, type Placeholder, type Query, sql } from "drizzle-orm";
import type { RunnableQuery } from "drizzle-orm/runnable-query";
import type { Db } from "./client.ts";

/** Of a prepared query, what does not hang on a database: its text, and how its rows are read. */
interface Prepared {
  getQuery(): Query;
  mapResult(response: unknown, isFromBatch?: boolean): unknown;
}

interface Preparable<Rows> extends RunnableQuery<Rows, "sqlite"> {
  prepare(): Prepared;
}

/**
 * A statement whose SQL text is made once an isolate: for what every request runs, where making the text
 * costs more than anything else that we do. `build` gets a place for each value; what it makes must be the
 * same each time. Goes into a batch like any other statement. Called with the type of the values first:
 * `template<{ id: PostId }>()((db, place) => …)`.
 */
export function template<Values extends object>() {
  return <Rows>(build: (db: Db, place: (name: keyof Values & string) => Placeholder) => Preparable<Rows>) => {
    let known: Prepared | null = null;
    return (db: Db, values: Values): Filled<Rows> => {
      known ??= build(db, (name) => sql.placeholder(name)).prepare();
      return new Filled<Rows>(db, known, Object.fromEntries(Object.entries(values)));
    };
  };
}

/** The template with values. Its methods are those that drizzle's `batch` asks of a query. */
class Filled<Rows> implements RunnableQuery<Rows, "sqlite"> {
  declare readonly _: { readonly dialect: "sqlite"; readonly result: Rows };
  readonly #db: Db;
  readonly #prepared: Prepared;
  readonly #values: Record<string, unknown>;

  constructor(db: Db, prepared: Prepared, values: Record<string, unknown>) {
    this.#db = db;
    this.#prepared = prepared;
    this.#values = values;
  }

  _prepare(): this {
    return this;
  }

  get stmt(): D1PreparedStatement {
    return this.#db.$client.prepare(this.#prepared.getQuery().sql);
  }

  getQuery(): Query {
    const { sql: text, params } = this.#prepared.getQuery();
    return { sql: text, params: fillPlaceholders(params, this.#values) };
  }

  mapResult(response: unknown, isFromBatch?: boolean): unknown {
    return this.#prepared.mapResult(response, isFromBatch);
  }
}
