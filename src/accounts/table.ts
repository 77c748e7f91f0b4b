import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { ProjectId, TokenId, UserId } from "../core/ids.ts";
import type { Permission } from "../core/permissions.ts";
import { instant, json } from "../db/columns.ts";

export const usersTable = sqliteTable("users", {
  id: integer("id").$type<UserId>().primaryKey({ autoIncrement: true }),
  email: text("email").notNull().unique(),
  name: text("name").notNull(),
  createdAt: instant("created_at").notNull(),
});

export const projectsTable = sqliteTable(
  "projects",
  {
    id: integer("id").$type<ProjectId>().primaryKey({ autoIncrement: true }),
    userId: integer("user_id")
      .$type<UserId>()
      .notNull()
      .references(() => usersTable.id),
    name: text("name").notNull(),
    timeZone: text("time_zone").notNull().default("UTC"),
    // A test project's platform calls go to the sandbox, never to a real platform.
    isTest: integer("is_test", { mode: "boolean" }).notNull(),
    createdAt: instant("created_at").notNull(),
    /** The number of the database that has its content (docs/decisions/0064). */
    database: integer("database").notNull().default(0),
    /** Grows while the copy of this row in that database is outdated; null: it is not, or there is none. */
    copyDue: integer("copy_due"),
    /** Since when it is being deleted: no request finds it any more (projects/deletion/). */
    deletingAt: instant("deleting_at"),
    /**
     * Since when it is being moved to another database: its requests and its work wait (projects/moving/).
     */
    movingAt: instant("moving_at"),
  },
  (table) => [
    uniqueIndex("projects_by_name").on(table.userId, table.name),
    // For the operator's commands, which name projects of all users.
    index("projects_named").on(table.name, table.id),
    index("projects_to_copy").on(table.id).where(sql`copy_due IS NOT NULL`),
    index("projects_moving").on(table.id).where(sql`moving_at IS NOT NULL`),
  ],
);

/** The column of the project that owns a row, in a table with an index that begins with it. */
export const ofProject = () => ownerColumn().references(() => projectsTable.id);

/**
 * The same in a table without such an index: a foreign key would read the whole table when a project goes.
 * Its rows are deleted before the project, and once more when no delivery can write any (projects/deletion/).
 */
export const ofProjectUnchecked = () => ownerColumn();

const ownerColumn = () => integer("project_id").$type<ProjectId>().notNull();

/** The operator's command, a form of the console, the device flow, or OAuth. */
export type TokenVia = "operator" | "console" | "terminal" | "app";

/**
 * The authoritative record of access tokens; requests read the copy in KV. The token itself is not stored
 * anywhere.
 */
export const tokensTable = sqliteTable(
  "tokens",
  {
    id: integer("id").$type<TokenId>().primaryKey({ autoIncrement: true }),
    projectId: ofProject(),
    name: text("name").notNull(),
    hash: text("hash").notNull().unique(),
    hint: text("hint").notNull(),
    /** Identifies the key of its checksum (core/tokens.ts). */
    checksumKey: text("checksum_key").notNull(),
    permissions: json("permissions").$type<readonly Permission[]>().notNull(),
    expiresAt: instant("expires_at"),
    createdAt: instant("created_at").notNull(),
    /** The e-mail address of the member who created it in the console; null: the operator did. */
    createdBy: text("created_by"),
    /**
     * How it was given: those of terminals and apps end with the membership of the person who allowed them.
     */
    via: text("via").$type<TokenVia>().notNull().default("console"),
    /** Whether a person must confirm what it spends (spending/confirm.ts). */
    moneyNeedsPerson: integer("money_needs_person", { mode: "boolean" }).notNull().default(false),
    /** To within minutes: the limiter object notes it. */
    lastUsedAt: instant("last_used_at"),
    revokedAt: instant("revoked_at"),
  },
  (table) => [
    // For tokens whose key no longer exists.
    index("tokens_by_checksum_key").on(table.checksumKey).where(sql`revoked_at IS NULL`),
    index("tokens_by_project").on(table.projectId, table.id),
    // For the sweep, which deletes tokens long after they were revoked.
    index("tokens_revoked").on(table.revokedAt).where(sql`revoked_at IS NOT NULL`),
    index("tokens_expired").on(table.expiresAt).where(sql`expires_at IS NOT NULL`),
  ],
);
