import { is, type SQL, sql } from "drizzle-orm";
import { getTableConfig, SQLiteTable } from "drizzle-orm/sqlite-core";
import type { ProjectId } from "../core/ids.ts";
import * as schema from "../db/schema.ts";

/**
 * Which rows of each table belong to a project: the one place that knows, for the export and for the deletion
 * (decisions/0063). A table with the column `project_id` needs nothing here; every other one is in `REACHED`
 * or in `SHARED`, which a test checks.
 */
export interface StoredTable {
  readonly name: string;
  readonly table: SQLiteTable;
  /** The columns of its primary key. */
  readonly key: readonly string[];
  readonly columns: readonly StoredColumn[];
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
      return [name, { name, table, key: key.map((column) => column.name), columns: stored }];
    }),
);

function kindOf(dataType: string): StoredColumn["kind"] {
  if (dataType === "boolean") return "boolean";
  return dataType === "json" || dataType === "custom" ? "json" : "plain";
}

type Where = (projectId: ProjectId) => SQL;

const OWN: Where = (projectId) => sql`project_id = ${projectId}`;

/** Rows that another row of the project names: its column, then the table and the column of that row. */
function through(column: string, table: string, named = "id", of: Where = OWN): Where {
  return (projectId) =>
    sql`${sql.identifier(column)} IN (SELECT ${sql.identifier(named)} FROM ${sql.identifier(table)} WHERE ${of(projectId)})`;
}

/** A key such as `comments:42` or `drop:post:42` of a project's post, channel or automation. */
const TASKS: readonly (readonly [table: string, kinds: readonly string[]])[] = [
  ["channels", ["refresh", "watch", "reconnected", "subscribe", "insights", "returned", "drop:channel"]],
  ["posts", ["permalink", "comments", "drop:post"]],
  ["automations", ["enroll", "drop:automation"]],
];

/** The part of the key that names the row; what follows its id (a purpose) does not matter. */
const taskOf: Where = (projectId) =>
  sql.join([sql`key = ${`digest:${projectId}`}`, ...tasksOfRows(projectId)], sql` OR `);

const tasksOfRows = (projectId: ProjectId): readonly SQL[] =>
  TASKS.flatMap(([table, kinds]) =>
    kinds.map((kind) => {
      const id = sql`CAST(substr(key, ${kind.length + 2}) AS INTEGER)`;
      const owner = sql`(SELECT project_id FROM ${sql.identifier(table)} WHERE id = ${id})`;
      return sql`(key LIKE ${`${kind}:%`} AND ${owner} = ${projectId})`;
    }),
  );

const jobKeys = through("waiter", "jobs", "key");

/** Tables without the column, from the rows that are reached to those that reach them. */
const REACHED: Readonly<Record<string, Where>> = {
  rate_waits: (projectId) =>
    sql`(${jobKeys(projectId)} OR waiter IN (SELECT key FROM ${sql.identifier("recurring")} WHERE ${taskOf(projectId)}))`,
  recurring: taskOf,
  job_steps: through("job_key", "jobs", "key"),
  file_parts: through("file_id", "files"),
  file_uses: through("post_id", "posts"),
  publications: through("post_id", "posts"),
  post_costs: through("post_id", "posts"),
  comments: through("post_id", "posts"),
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
  rate_limits: "a platform's, for all projects that use the account; until it ends",
  rate_buckets: "the same",
  sweep_notes: "the sweep's",
  account_databases: "which databases have an account",
  adoptions: "a right over all projects, for 90 days",
  project_deletions: "the list of what is gone, for 30 days",
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
  return REACHED[name] ?? (columns.some((column) => column.name === "project_id") ? OWN : null);
}

/**
 * The tables of a project in the order of deletion: rows before those that they name. Counters are last but
 * for the project, because triggers write them when counted rows go.
 */
export function inOrderOfDeletion(): readonly StoredTable[] {
  const last = ["posts", "channels", "automations", "files", "jobs", "connect_sessions"];
  const counters = ["post_counts", "channel_counts", "automation_counts", "campaign_totals", "file_bytes"];
  const placed = [...Object.keys(REACHED), ...last, ...counters, "projects"];
  const own = [...TABLES.values()].filter((table) => rowsOf(table) !== null).map(({ name }) => name);
  const others = own.filter((name) => !placed.includes(name));
  const names = [...Object.keys(REACHED), ...others, ...last, ...counters, "projects"];
  return names.flatMap((name) => TABLES.get(name) ?? []);
}
