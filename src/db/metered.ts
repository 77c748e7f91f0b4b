import type { Meter } from "../core/meter.ts";

/**
 * Counts the calls through a D1 binding. One `batch` is one call. Row counts come from D1's own `meta`.
 * `raw()` has none, so it is served from `all()`: a query must therefore not select two columns of one name
 * (alias one of them).
 */
export function meteredD1(inner: D1Database, meter: Meter): D1Database {
  return new MeteredDatabase(inner, meter);
}

class MeteredDatabase implements D1Database {
  readonly #inner: D1Database;
  readonly #meter: Meter;

  constructor(inner: D1Database, meter: Meter) {
    this.#inner = inner;
    this.#meter = meter;
  }

  prepare(query: string): D1PreparedStatement {
    return new MeteredStatement(this.#inner.prepare(query), this.#meter);
  }

  async batch<T = unknown>(statements: D1PreparedStatement[]): Promise<D1Result<T>[]> {
    this.#meter.d1Calls++;
    const results = await this.#inner.batch<T>(statements.map(unwrap));
    for (const result of results) count(this.#meter, result.meta);
    return results;
  }

  exec(query: string): Promise<D1ExecResult> {
    this.#meter.d1Calls++;
    return this.#inner.exec(query);
  }

  withSession(bookmark?: D1SessionBookmark | D1SessionConstraint): D1DatabaseSession {
    return this.#inner.withSession(bookmark);
  }

  dump(): Promise<ArrayBuffer> {
    return this.#inner.dump();
  }
}

class MeteredStatement implements D1PreparedStatement {
  readonly inner: D1PreparedStatement;
  readonly #meter: Meter;

  constructor(inner: D1PreparedStatement, meter: Meter) {
    this.inner = inner;
    this.#meter = meter;
  }

  bind(...values: unknown[]): D1PreparedStatement {
    return new MeteredStatement(this.inner.bind(...values), this.#meter);
  }

  async first<T>(column?: string): Promise<T | null> {
    const { results } = await this.all<Record<string, T>>();
    const [row] = results;
    if (row === undefined) return null;
    // D1 returns the whole row without a column name, and one value with it.
    return column === undefined ? (row as T) : (row[column] ?? null);
  }

  run<T = Record<string, unknown>>(): Promise<D1Result<T>> {
    return this.#counted(this.inner.run<T>());
  }

  all<T = Record<string, unknown>>(): Promise<D1Result<T>> {
    return this.#counted(this.inner.all<T>());
  }

  raw<T = unknown[]>(options: { columnNames: true }): Promise<[string[], ...T[]]>;
  raw<T = unknown[]>(options?: { columnNames?: false }): Promise<T[]>;
  async raw<T = unknown[]>(options?: { columnNames?: boolean }): Promise<T[] | [string[], ...T[]]> {
    const { results } = await this.all<Record<string, unknown>>();
    // `raw` promises the row's values in column order.
    const rows = results.map((row) => Object.values(row) as T);
    if (!options?.columnNames) return rows;
    return [Object.keys(results[0] ?? {}), ...rows];
  }

  async #counted<T>(pending: Promise<D1Result<T>>): Promise<D1Result<T>> {
    this.#meter.d1Calls++;
    const result = await pending;
    count(this.#meter, result.meta);
    return result;
  }
}

function unwrap(statement: D1PreparedStatement): D1PreparedStatement {
  return statement instanceof MeteredStatement ? statement.inner : statement;
}

function count(meter: Meter, meta: D1Meta): void {
  meter.d1Statements++;
  meter.d1RowsRead += meta.rows_read;
  meter.d1RowsWritten += meta.rows_written;
}

/** Counts reads and writes of a KV namespace. */
export function meteredKv(inner: KVNamespace, meter: Meter): KVNamespace {
  return new Proxy(inner, {
    get(target, property) {
      const member: unknown = Reflect.get(target, property);
      if (typeof member !== "function") return member;
      return (...args: unknown[]) => {
        if (property === "get" || property === "getWithMetadata" || property === "list") meter.kvReads++;
        else meter.kvWrites++;
        return Reflect.apply(member, target, args);
      };
    },
  });
}

/** Counts the calls of a bucket as outgoing requests, including those of multipart uploads. */
export function meteredBucket(inner: R2Bucket, meter: Meter): R2Bucket {
  return counted(inner, meter);
}

const UPLOADS = new Set<PropertyKey>(["createMultipartUpload", "resumeMultipartUpload"]);

function counted<T extends object>(inner: T, meter: Meter): T {
  return new Proxy(inner, {
    get(target, property) {
      const member: unknown = Reflect.get(target, property);
      if (typeof member !== "function") return member;
      return (...args: unknown[]) => {
        // Resuming an upload makes no call yet.
        if (property !== "resumeMultipartUpload") meter.fetches++;
        const result: unknown = Reflect.apply(member, target, args);
        if (!UPLOADS.has(property)) return result;
        return result instanceof Promise
          ? result.then((upload) => counted(upload, meter))
          : counted(Object(result), meter);
      };
    },
  });
}
