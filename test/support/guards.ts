/**
 * A guard (`requireStill`) fails when its row is gone. Every text of a guard that a test gives to D1 runs
 * once more beforehand, with its values, over tables without rows: it must fail there too. No statement holds
 * a guard within the SET of an UPDATE, where it would not run without a row.
 */

/** The value by which a batch fails (db/client.ts); each guard is bound to it. */
const CHANGED = "changed_since_it_was_read";
/** Those of a move refuse what others write (moving/stand-still.ts); they are no guard of a batch. */
const TRIGGER = /^\s*create trigger\b/i;
/** What ends a statement with an error on purpose. */
const RAISES = /\braise\s*\(|\bjson_extract\s*\([^,]*,\s*\(?\s*CASE\b/i;

/** Guards that hold without rows, by a part of their text: they bound a number, and are about no row. */
const BOUNDS: readonly (readonly [part: RegExp, reason: string])[] = [
  [/count\(\*\) FROM webhooks/, "the webhooks of a project"],
  [/count\(\*\) FROM memberships/, "the projects that a person owns"],
  [
    /NOT EXISTS \(SELECT memberships\.project_id AS id FROM memberships/,
    "the projects that only this person owns; an account may have none",
  ],
  [/FROM campaign_totals/, "what campaigns may spend; the writes beside it are about the campaign as it was read"],
  [/FROM generation_days/, "the generations of a day and the bytes of files"],
  [/count\(\*\) = \? AND coalesce\(max\(id\)/, "the queue of a channel may be empty; the channel is guarded beside it"],
];

export interface Given {
  readonly query: string;
  readonly values: readonly unknown[];
}

const known = new Set<string>();
let tables: ReadonlySet<string> | null = null;
let flaws: string[] = [];

/** Runs the guards among the statements over tables without rows, each text once in a runtime. */
export async function attackGuards(database: D1Database, statements: readonly Given[]): Promise<void> {
  for (const { query, values } of statements) {
    if (known.has(query)) continue;
    known.add(query);
    const isGuard = values.includes(CHANGED) || (RAISES.test(query) && !TRIGGER.test(query));
    if (!isGuard) continue;
    if (!/^\s*select\b/i.test(query)) flaws.push(`A guard is no statement of its own: ${query}`);
    else if (!BOUNDS.some(([part]) => part.test(query))) await requireFailing(database, { query, values });
  }
}

async function requireFailing(database: D1Database, guard: Given): Promise<void> {
  const outcome = await withoutRows(database, guard);
  if (!outcome.includes(CHANGED)) flaws.push(`Without its row, a guard ${outcome}: ${guard.query}`);
}

async function withoutRows(database: D1Database, { query, values }: Given): Promise<string> {
  tables ??= new Set(await namesOfTables(database));
  const named = [...new Set(query.match(/\b[a-z_]+\b/g))].filter((name) => tables?.has(name));
  const empty = named.map((name) => `${name} AS (SELECT * FROM main.${name} WHERE 0)`).join(", ");
  try {
    await database
      .prepare(empty === "" ? query : `WITH ${empty} ${query}`)
      .bind(...values)
      .all();
    return "holds";
  } catch (error) {
    return `fails with ${String(error)}`;
  }
}

async function namesOfTables(database: D1Database): Promise<string[]> {
  const { results } = await database
    .prepare("SELECT name FROM sqlite_master WHERE type = 'table'")
    .all<{ name: string }>();
  return results.map(({ name }) => name);
}

/** The flaws since the last call. */
export function guardFlaws(): readonly string[] {
  const found = flaws;
  flaws = [];
  return found;
}
