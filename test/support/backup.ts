import { env } from "cloudflare:workers";

/** A copy of the whole database, as D1 would restore it: KV and the files keep what they have. */
export interface Backup {
  restore(): Promise<void>;
}

const TABLES = `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE '!'
  AND name NOT LIKE '!_cf!_%' ESCAPE '!' AND name <> 'd1_migrations'`;

export async function backUp(): Promise<Backup> {
  const db = env.DB;
  const { results: tables } = await db.prepare(TABLES).all<{ name: string }>();
  const { results: triggers } = await db
    .prepare("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
    .all<{ name: string; sql: string }>();
  const kept = await Promise.all(
    tables.map(async ({ name }) => {
      // Without generated columns.
      const { results: columns } = await db.prepare(`PRAGMA table_info(${name})`).all<{ name: string }>();
      const list = columns.map((column) => column.name).join(", ");
      const { results } = await db.prepare(`SELECT ${list} FROM ${name}`).all();
      return { name, rows: results };
    }),
  );
  return {
    async restore() {
      await db.batch([
        db.prepare("PRAGMA defer_foreign_keys = on"),
        // Triggers would count the rows a second time.
        ...triggers.map(({ name }) => db.prepare(`DROP TRIGGER ${name}`)),
        ...kept.map(({ name }) => db.prepare(`DELETE FROM ${name}`)),
        ...kept.flatMap(({ name, rows }) => rows.map((row) => insertion(name, row))),
        ...triggers.map(({ sql }) => db.prepare(sql)),
      ]);
    },
  };
}

function insertion(table: string, row: Readonly<Record<string, unknown>>): D1PreparedStatement {
  const columns = Object.keys(row);
  const places = columns.map(() => "?").join(", ");
  return env.DB.prepare(`INSERT INTO ${table} (${columns.join(", ")}) VALUES (${places})`).bind(...Object.values(row));
}
