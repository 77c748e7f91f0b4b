import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { z } from "zod";
import { ROOT } from "./paths.ts";
import { type Bounded, LISTED } from "./statement-list.ts";

/**
 * No statement reads what it does not need: every text that the tests gave to D1 (run-reporter.ts) is
 * explained against the migrations. A statement that goes through a table or sorts rows that no list bounds,
 * or finds listed ids by the index of their project, stands in `LISTED` with its bound and reason.
 */
export const STATEMENTS = join(ROOT, "node_modules", ".cache", "belfry-statements.json");

/** What is wrong with the texts of the last run and with the tables, one paragraph each. */
export function checkStatements(): readonly string[] {
  const texts = existsSync(STATEMENTS) ? Texts.parse(JSON.parse(readFileSync(STATEMENTS, "utf8"))) : [];
  return [...findUnbounded(texts, LISTED), ...findUnindexedKeys()];
}

const Texts = z.array(z.string());

/** Foreign keys by which SQLite goes through a whole table when the row goes that they name. */
export function findUnindexedKeys(): readonly string[] {
  return new Schema().unindexedKeys().map((key) => `  The foreign key ${key} has no index that begins with it.`);
}

/** The same for these texts and this list. Texts with the same problem are one paragraph. */
export function findUnbounded(texts: readonly string[], listed: readonly Bounded[]): readonly string[] {
  const schema = new Schema();
  const found = texts.flatMap((text) => {
    const problems = schema.problemsOf(text).filter((problem) => !listed.some((one) => isListed(one, text, problem)));
    return problems.length === 0 ? [] : [{ problem: problems.join("\n  "), text: text.replace(/\s+/g, " ") }];
  });
  return [...Map.groupBy(found, ({ problem }) => problem)].map(([problem, [first, ...others]]) => {
    const more = others.length === 0 ? "" : `\n  (and ${others.length} others)`;
    return `  ${problem}\n  in: ${first?.text ?? ""}${more}`;
  });
}

function isListed({ text: part, step }: Bounded, text: string, problem: string): boolean {
  return step.test(problem) && (typeof part === "string" ? text.replace(/\s+/g, " ").includes(part) : part.test(text));
}

const Step = z.object({ id: z.number(), parent: z.number(), detail: z.string() });
type Step = z.output<typeof Step>;

/** Rows that a list of the statement bounds, or one row each. */
const IS_BOUNDED = /VIRTUAL TABLE|CONSTANT ROW|^SEARCH \S+ USING (INTEGER )?PRIMARY KEY \((rowid|id|key)=\?\)/;

/** The tables of the migrations, empty: SQLite plans by their indexes alone, as D1 does. */
class Schema {
  readonly #db = new DatabaseSync(":memory:");
  readonly #tables: ReadonlySet<string>;

  constructor() {
    const folder = join(ROOT, "migrations");
    for (const file of readdirSync(folder)
      .filter((name) => name.endsWith(".sql"))
      .sort()) {
      this.#db.exec(readFileSync(join(folder, file), "utf8").replaceAll("--> statement-breakpoint", ""));
    }
    // Of wrangler, which applies the migrations.
    this.#db.exec("CREATE TABLE d1_migrations (id INTEGER PRIMARY KEY, name TEXT, applied_at TEXT)");
    const names = this.#db.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all();
    this.#tables = new Set(names.map(({ name }) => String(name)));
  }

  unindexedKeys(): readonly string[] {
    const rows = this.#db.prepare(
      `SELECT own.name || '.' || reference."from" AS key FROM sqlite_master AS own
        CROSS JOIN pragma_foreign_key_list(own.name) AS reference WHERE own.type = 'table'
        AND NOT EXISTS (SELECT 1 FROM pragma_index_list(own.name) AS listed CROSS JOIN pragma_index_info(listed.name) AS part
          WHERE NOT listed.partial AND part.seqno = 0 AND part.name = reference."from")
        AND NOT EXISTS (SELECT 1 FROM pragma_table_info(own.name) AS part WHERE part.pk = 1 AND part.name = reference."from")`,
    );
    return rows.all().map(({ key }) => String(key));
  }

  problemsOf(text: string): readonly string[] {
    // Triggers come and go with a move.
    if (/^\s*(CREATE|DROP|PRAGMA)\b/i.test(text)) return [];
    const plan = z.array(Step).parse(this.#db.prepare(`EXPLAIN QUERY PLAN ${text}`).all());
    const steps = plan.map((step) => ({ ...step, detail: step.detail.replace(/\(subquery-\d+\)/g, "(subquery)") }));
    return [...new Set(steps.flatMap((step) => this.#problemOf(step, steps, text) ?? []))];
  }

  #problemOf({ id, parent, detail }: Step, steps: readonly Step[], text: string): string | null {
    const [, scanned] = /^SCAN (\S+)/.exec(detail) ?? [];
    if (scanned !== undefined) return this.#isTable(scanned, text) && !/VIRTUAL TABLE/.test(detail) ? detail : null;
    // An index that SQLite makes for one statement costs a scan.
    const [, indexed] = /^SEARCH (\S+) USING AUTOMATIC /.exec(detail) ?? [];
    if (indexed !== undefined) return this.#isTable(indexed, text) ? detail : null;
    if (detail.startsWith("USE TEMP B-TREE")) {
      const sources = steps.filter(
        (step) => step.parent === parent && step.id !== id && /^(SCAN|SEARCH) /.test(step.detail),
      );
      if (sources.every((source) => IS_BOUNDED.test(source.detail))) return null;
      return `${detail} over ${sources.map((source) => source.detail).join("; ")}`;
    }
    const [, name = "", by] = /^SEARCH (\S+) USING (?:COVERING )?INDEX \S+ \((project_id=\?[^)]*)\)/.exec(detail) ?? [];
    if (by === undefined || /\b(id|tie_id)=\?/.test(by) || !this.#isTable(name, text)) return null;
    return hasIdList(name, text) ? `${detail}, although ids are listed` : null;
  }

  /** Whether this name in a plan is of a table, and not of a subquery, whose own steps are judged. */
  #isTable(name: string, text: string): boolean {
    if (this.#tables.has(name)) return true;
    const named = new RegExp(
      `(?:FROM|JOIN|UPDATE|INTO|,)\\s+"?(\\w+)"?\\s+(?:AS\\s+)?"?${literal(name)}"?(?![\\w.(])`,
      "i",
    );
    return this.#tables.has(named.exec(text)?.[1] ?? "");
  }
}

const literal = (name: string): string => name.replace(/[^\w]/g, "\\$&");

/** Whether the statement has a list of ids for this table: by its name, or without one if it is alone. */
function hasIdList(name: string, text: string): boolean {
  const list = String.raw`\s+IN\s+\(SELECT value FROM json_each`;
  if (new RegExp(`"?\\b${literal(name)}"?\\."?id"?${list}`).test(text)) return true;
  const isAlone = (text.match(/\b(FROM|JOIN|UPDATE|INTO)\b\s+"?\w+/gi) ?? []).length <= 2;
  return isAlone && new RegExp(`(?<![\\w."])"?id"?${list}`).test(text);
}
