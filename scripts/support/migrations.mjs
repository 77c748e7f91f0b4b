import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { Refusal } from "./command.mjs";
import { ROOT } from "./paths.mjs";
import { wrangler } from "./wrangler.mjs";

/** Brings the local database of this state directory up to date. Costs a few milliseconds when it is. */
export async function migrate(directory) {
  if (await isUpToDate(directory)) return;
  const { code, output } = await wrangler(
    ["d1", "migrations", "apply", "belfry", "--local", "--persist-to", directory],
    {
      env: { CI: "true" },
    },
  );
  if (code !== 0) throw new Refusal(`The migrations could not be applied:\n${output}`);
}

/** The SQLite file that wrangler keeps the local database in; null before there is one. */
export function localDatabase(directory) {
  const folder = join(directory, "v3", "d1", "miniflare-D1DatabaseObject");
  if (!existsSync(folder)) return null;
  const name = readdirSync(folder).find((file) => /^[0-9a-f]{64}\.sqlite$/.test(file));
  return name ? join(folder, name) : null;
}

/** Reads wrangler's own record of what was applied. */
async function isUpToDate(directory) {
  const file = localDatabase(directory);
  if (!file) return false;
  const { DatabaseSync } = await import("node:sqlite");
  const database = new DatabaseSync(file, { timeout: 2000 });
  try {
    const applied = new Set(
      database
        .prepare("SELECT name FROM d1_migrations")
        .all()
        .map(({ name }) => name),
    );
    return readdirSync(join(ROOT, "migrations"))
      .filter((name) => name.endsWith(".sql"))
      .every((name) => applied.has(name));
  } catch {
    // No record yet.
    return false;
  } finally {
    database.close();
  }
}
