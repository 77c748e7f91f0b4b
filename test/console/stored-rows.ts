import { env } from "cloudflare:workers";

/** Writes a row that no form accepts. Returns its id. */
export async function insert(table: string, row: Readonly<Record<string, unknown>>, key = "rowid"): Promise<unknown> {
  const names = Object.keys(row);
  const places = names.map(() => "?").join(", ");
  const sql = `INSERT INTO ${table} (${names.join(", ")}) VALUES (${places}) RETURNING ${key} AS id`;
  const inserted = await env.DB.prepare(sql)
    .bind(...Object.values(row))
    .first<{ id: number }>();
  return inserted?.id;
}
