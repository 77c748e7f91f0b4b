export type Row = Record<string, SqlStorageValue>;

/**
 * SQL with typed rows. Statements between two awaits are applied together or not at all (the object's
 * storage).
 */
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

  /** The next number of a sequence; sequences outlive a reset, so that an id is never given out twice. */
  next(sequence: string, first: number): number {
    const row = this.first<{ value: number }>(
      `INSERT INTO sequences (name, value) VALUES (?1, ?2)
       ON CONFLICT (name) DO UPDATE SET value = value + 1 RETURNING value`,
      sequence,
      first,
    );
    return row?.value ?? first;
  }

  /** Adds a column to a table that was made before it was thought of. */
  ensureColumn({ table, name, type }: { table: string; name: string; type: string }): void {
    const columns = this.all<{ name: string }>(`SELECT name FROM pragma_table_info('${table}')`);
    if (!columns.some((column) => column.name === name)) this.run(`ALTER TABLE ${table} ADD COLUMN ${name} ${type}`);
  }

  /** Every table but the sequences, empty. */
  clear(): void {
    const tables = this.all<{ name: string }>(
      `SELECT name FROM sqlite_master WHERE type = 'table'
       AND name NOT LIKE 'sqlite_%' AND name NOT LIKE '\\_cf%' ESCAPE '\\' AND name <> 'sequences'`,
    );
    for (const { name } of tables) this.run(`DELETE FROM "${name}"`);
  }
}
