import { is, type SQL, sql } from "drizzle-orm";
import { getTableConfig, SQLiteTable } from "drizzle-orm/sqlite-core";
import type { ProjectId } from "../core/ids.ts";
import * as schema from "../db/schema.ts";

/**
 * Which rows of each table belong to a project: the one place that knows, for the export, the deletion and
 * the move to another database (decisions/0063, 0072). A table with the column `project_id` needs nothing
 * here; every other one is in `REACHED` or in `SHARED`, which a test checks.
 */
export interface StoredTable {
  readonly name: string;
  readonly table: SQLiteTable;
  /** The columns of its primary key. */
  readonly key: readonly string[];
  readonly columns: readonly StoredColumn[];
  /** The columns that are written; the others are generated. */
  readonly written: readonly string[];
}

export interface StoredColumn {
  readonly name: string;
  /** How its value is stored: `json` may be a text that is not JSON. */
  readonly kind: "json" | "boolean" | "plain";
}

export const TABLES: ReadonlyMap<string, StoredTable> = new Map(
  Object.values(schema)
    .filter((value) => is(value, SQLiteTable))
    .map((table) => {
      const { name, columns, primaryKeys } = getTableConfig(table);
      const [composite] = primaryKeys;
      const key = composite ? composite.columns : columns.filter(({ primary }) => primary);
      const stored = columns.map((column) => ({ name: column.name, kind: kindOf(column.dataType) }));
      const written = columns.filter(({ generated }) => generated === undefined).map((column) => column.name);
      return [name, { name, table, key: key.map((column) => column.name), columns: stored, written }];
    }),
);

/** The table of this name. Throws if there is none. */
export function tableOf(name: string): StoredTable {
  const table = TABLES.get(name);
  if (!table) throw new Error(`There is no table ${name}.`);
  return table;
}

function kindOf(dataType: string): StoredColumn["kind"] {
  if (dataType === "boolean") return "boolean";
  return dataType === "json" || dataType === "custom" ? "json" : "plain";
}

type Where = (projectId: ProjectId) => SQL;

const OWN: Where = (projectId) => sql`project_id = ${projectId}`;

/** Rows that another row of the project names: by a column, which is the key of that row. */
interface Reach {
  readonly column: string;
  readonly table: string;
  readonly named: string;
  /** Another table of which the row may be. */
  readonly also?: string;
}

const through = (column: string, table: string, named = "id"): Reach => ({ column, table, named });

const ownersOf = ({ table, also }: Reach): readonly string[] => (also === undefined ? [table] : [table, also]);

function reachedBy(reach: Reach): Where {
  const { column, named } = reach;
  const owners = (projectId: ProjectId) =>
    ownersOf(reach).map(
      (table) => sql`SELECT ${sql.identifier(named)} FROM ${sql.identifier(table)} WHERE ${OWN(projectId)}`,
    );
  return (projectId) => sql`${sql.identifier(column)} IN (${sql.join([...owners(projectId)], sql` UNION ALL `)})`;
}

/** A key such as `comments:42` or `drop:post:42` of a project's post, channel or automation. */
const TASKS: readonly (readonly [table: string, kinds: readonly string[]])[] = [
  [
    "channels",
    [
      "refresh",
      "watch",
      "reconnected",
      "subscribe",
      "insights",
      "collect",
      "messages",
      "returned",
      "unchecked",
      "drop:channel",
    ],
  ],
  ["posts", ["permalink", "comments", "drop:post"]],
  ["automations", ["enroll", "drop:automation"]],
  ["imports", ["import"]],
  ["series", ["series"]],
  ["feeds", ["feed"]],
];

/** The part of the key that names the row; what follows its id (a purpose) does not matter. */
const taskOf: Where = (projectId) =>
  sql.join([sql`key = ${`digest:${projectId}`}`, ...tasksOfRows(projectId, "key")], sql` OR `);

const tasksOfRows = (projectId: ProjectId, column: "key" | "waiter"): readonly SQL[] =>
  TASKS.flatMap(([table, kinds]) =>
    kinds.map((kind) => {
      const key = sql.identifier(column);
      const id = sql`CAST(substr(${key}, ${kind.length + 2}) AS INTEGER)`;
      const owner = sql`(SELECT project_id FROM ${sql.identifier(table)} WHERE id = ${id})`;
      return sql`(${key} LIKE ${`${kind}:%`} AND ${owner} = ${projectId})`;
    }),
  );

/** A job of the project waits, or a task of one of its rows. */
const waitsOf: Where = (projectId) => {
  const isJob = sql`EXISTS (SELECT 1 FROM ${sql.identifier("jobs")} WHERE key = waiter AND +project_id = ${projectId})`;
  return sql.join([isJob, ...tasksOfRows(projectId, "waiter")], sql` OR `);
};

/** Tables without the column, from the rows that are reached to those that reach them. */
const REACHED: Readonly<Record<string, Where | Reach>> = {
  rate_waits: waitsOf,
  recurring: taskOf,
  job_steps: through("job_key", "jobs", "key"),
  file_parts: through("file_id", "files"),
  file_uses: through("post_id", "posts"),
  publications: { ...through("post_id", "posts"), also: "posts_at_rest" },
  post_costs: { ...through("post_id", "posts"), also: "posts_at_rest" },
  automation_targets: through("automation_id", "automations"),
  replied_authors: through("automation_id", "automations"),
  campaign_days: through("campaign_id", "campaigns"),
  grants: through("channel_id", "channels"),
  oauth_states: through("token_hash", "connect_sessions", "token_hash"),
  connect_choices: through("token_hash", "connect_sessions", "token_hash"),
};

/** Tables whose rows belong to no project: people, and what accounts share over all projects. */
export const SHARED: Readonly<Record<string, string>> = {
  users: "owns projects",
  people: "a person may be a member of several projects",
  sessions: "a person's",
  sign_in_codes: "a person's",
  passkeys: "a person's",
  identities: "a person's",
  used_challenges: "a person's",
  allowances: "counts of a day at most, which begin again where a project moves to",
  rate_limits: "a platform's, for all projects that use the account; until it ends",
  rate_buckets: "the same",
  rate_leases: "what a database holds of the pace of an app",
  sweep_notes: "the sweep's",
  operator_alerts: "what operators are notified of",
  missed_rules: "what platforms said, without anything of a post or a project",
  account_databases: "which databases have an account",
  adoptions: "a right over all projects, for 90 days",
  deauthorizations: "a person's at a platform, who may have accounts in several projects",
  project_deletions: "the list of what is gone, for 30 days",
  project_moves: "the journal of a move, which is the service's",
};

/** Tables of the directory, empty elsewhere; only `projects` have copies (accounts/copies.ts). */
const DIRECTORY: ReadonlySet<string> = new Set([
  "projects",
  "tokens",
  "memberships",
  "invitations",
  "sign_in_links",
  "access_requests",
]);

/** Whether the rows of a project in this table are in the directory. */
export const isInDirectory = ({ name }: StoredTable): boolean => DIRECTORY.has(name);

/** The condition on a table that its row belongs to the project; null for a shared table. */
export function rowsOf({ name, columns }: StoredTable): Where | null {
  if (name === "projects") return (projectId) => sql`id = ${projectId}`;
  const reached = REACHED[name];
  if (reached) return typeof reached === "function" ? reached : reachedBy(reached);
  return columns.some((column) => column.name === "project_id") ? OWN : null;
}

/**
 * The same for a row that is at hand, as text: `of` is its name in the statement. It costs one look-up,
 * however many rows the project has: the plus rules out that SQLite finds the project's rows instead by an
 * index. Null for tables whose rows are found only by `rowsOf`.
 */
export function isRowOf({ name, columns }: StoredTable, of: string, projectId: ProjectId): string | null {
  const id = Number(projectId);
  const reached = REACHED[name];
  if (reached === undefined)
    return columns.some((column) => column.name === "project_id") ? `+${of}.project_id = ${id}` : null;
  if (typeof reached === "function") return null;
  const { column, named } = reached;
  const owned = ownersOf(reached).map(
    (table) =>
      `EXISTS (SELECT 1 FROM ${table} AS owner WHERE owner.${named} = ${of}.${column} AND +owner.project_id = ${id})`,
  );
  return `(${owned.join(" OR ")})`;
}

/** Counters, which triggers write when counted rows come or go. */
export const COUNTERS: readonly string[] = [
  "post_counts",
  "channel_counts",
  "automation_counts",
  "campaign_totals",
  "file_bytes",
];

/**
 * The tables of a project in the order of deletion: rows before those that they name. Counters are last but
 * for the project, because triggers write them when counted rows go.
 */
export function inOrderOfDeletion(): readonly StoredTable[] {
  const last = ["posts", "posts_at_rest", "channels", "automations", "files", "jobs", "connect_sessions"];
  const placed = [...Object.keys(REACHED), ...last, ...COUNTERS, "projects"];
  const own = [...TABLES.values()].filter((table) => rowsOf(table) !== null).map(({ name }) => name);
  const others = own.filter((name) => !placed.includes(name));
  return tablesOf([...Object.keys(REACHED), ...others, ...last, ...COUNTERS, "projects"]);
}

/** A condition for the rows of any table that a statement has at hand: by `isRowOf`, else by `rowsOf`. */
export function belongsTo(table: StoredTable, projectId: ProjectId): SQL {
  const own = isRowOf(table, table.name, projectId);
  return own === null ? (rowsOf(table)?.(projectId) ?? sql`0`) : sql.raw(own);
}

/**
 * What moves with a project to another database, in the order of copying: rows after those that they name,
 * and counters last, because triggers count what is copied. The directory keeps its own. Places in a line
 * (`rate_waits`) are left: who waits joins again.
 */
export function inOrderOfCopying(): readonly StoredTable[] {
  const moved = inOrderOfDeletion().filter((table) => !isInDirectory(table) && table.name !== "rate_waits");
  const isCounter = ({ name }: StoredTable) => COUNTERS.includes(name);
  return [...moved.filter((table) => !isCounter(table)).toReversed(), ...moved.filter(isCounter)];
}

const tablesOf = (names: readonly string[]): readonly StoredTable[] => names.flatMap((name) => TABLES.get(name) ?? []);
