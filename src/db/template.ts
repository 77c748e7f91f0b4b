import { fillPlaceholders, type Placeholder, type Query, sql } from "drizzle-orm";
import type { RunnableQuery } from "drizzle-orm/runnable-query";
import type { Db } from "./client.ts";

/** The parts of a prepared query that do not depend on a database: its text, and how its rows are read. */
interface Prepared {
  getQuery(): Query;
  mapResult(response: unknown, isFromBatch?: boolean): unknown;
}

interface Preparable<Rows> extends RunnableQuery<Rows, "sqlite"> {
  prepare(): Prepared;
}

/**
 * A statement whose SQL text is built once per isolate: for statements of every request, where building the
 * text is our largest cost. `build` gets a placeholder for each value, and must build the same statement each
 * time. The result goes into a batch like any other statement. Pass the type of the values first: `template<{
 * id: PostId }>()((db, place) => …)`.
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

/** The template with values. It has the methods that Drizzle's `batch` calls on a query. */
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
