export type Row = Record<string, SqlStorageValue>;

/** SQL with typed rows. Statements between two awaits are applied atomically (Durable Object storage). */
export class Database {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  all<R extends Row>(query: string, ...values: SqlStorageValue[]): R[] {
    return this.#sql.exec<R>(query, ...values).toArray();
  }

  first<R extends Row>(query: string, ...values: SqlStorageValue[]): R | null {
    return this.all<R>(query, ...values)[0] ?? null;
  }

  run(query: string, ...values: SqlStorageValue[]): void {
    this.#sql.exec(query, ...values);
  }

  /** Inserts a row and returns it as stored, with its defaults. */
  insert<R extends Row>(table: string, row: Row): R {
    return this.#write<R>("INSERT", table, row);
  }

  /** Inserts a row, or replaces the one with the same key. */
  replace(table: string, row: Row): void {
    this.#write("INSERT OR REPLACE", table, row);
  }

  #write<R extends Row>(verb: string, table: string, row: Row): R {
    const columns = Object.keys(row);
    const places = columns.map(() => "?");
    const query = `${verb} INTO ${table} (${columns.join(", ")}) VALUES (${places.join(", ")}) RETURNING *`;
    return this.#sql.exec<R>(query, ...Object.values(row)).one();
  }

  /** Updates the named columns of the row with this id. */
  update(table: string, id: SqlStorageValue, changes: Row): void {
    const places = Object.keys(changes).map((column) => `${column} = ?`);
    this.run(`UPDATE ${table} SET ${places.join(", ")} WHERE id = ?`, ...Object.values(changes), id);
  }

  /** The next number of a sequence. Sequences survive a reset, so an id is never reused. */
  next(sequence: string, first: number): number {
    const row = this.first<{ value: number }>(
      `INSERT INTO sequences (name, value) VALUES (?1, ?2)
       ON CONFLICT (name) DO UPDATE SET value = value + 1 RETURNING value`,
      sequence,
      first,
    );
    return row?.value ?? first;
  }

  /** Empties every table except the sequences. */
  clear(): void {
    const tables = this.all<{ name: string }>(
      `SELECT name FROM sqlite_master WHERE type = 'table'
       AND name NOT LIKE 'sqlite_%' AND name NOT LIKE '\\_cf%' ESCAPE '\\' AND name <> 'sequences'`,
    );
    for (const { name } of tables) this.run(`DELETE FROM "${name}"`);
  }
}

/** A condition and its values: all rows, or those that have this value in one of the columns. */
export function having(value: string | undefined, ...columns: readonly string[]) {
  if (value === undefined) return { condition: "1", values: [] };
  return { condition: `(${columns.map((column) => `${column} = ?`).join(" OR ")})`, values: columns.map(() => value) };
}
