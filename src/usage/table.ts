import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { PostId, ProjectId } from "../core/ids.ts";
import type { PlatformName } from "../platforms/names.ts";

/** Who is called: a platform, the servers of the models, or what makes pictures fit. */
export type UsedService = PlatformName | "models" | "pictures";

/** The numbers of an operation, in the order in which `usage.lines` stores them. */
export const USAGE_NUMBERS = ["calls", "units", "bytes", "inputTokens", "outputTokens", "micros"] as const;

/**
 * What a project has used in a calendar month (UTC) of a service: one row, counted in the transactions of the
 * acts themselves. All operations share it, so that a count costs one written row. Clustered by its key
 * (WITHOUT ROWID).
 */
export const usageTable = sqliteTable(
  "usage",
  {
    projectId: integer("project_id").$type<ProjectId>().notNull(),
    /** E.g. `2026-11`. */
    month: text("month").notNull(),
    service: text("service").$type<UsedService>().notNull(),
    /** The sum of the lines: what was charged, or may be charged for calls without an answer. */
    micros: integer("micros").notNull(),
    /**
     * The numbers of each operation: a line of the platform's price list, or our own word for a free call or
     * a call of a model.
     */
    lines: text("lines").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.projectId, table.month, table.service] }),
    index("usage_by_month").on(table.month),
  ],
);

/** What a post has cost at its platform. Clustered by its key (WITHOUT ROWID). */
export const postCostsTable = sqliteTable("post_costs", {
  postId: integer("post_id").$type<PostId>().primaryKey(),
  /** The units and micros of each operation. */
  lines: text("lines").notNull(),
});

/**
 * The most that platforms may charge a project in a month, if its operator has set it; otherwise the
 * configuration's value (`MAX_PLATFORM_COST`) applies.
 */
export const costCeilingsTable = sqliteTable("cost_ceilings", {
  projectId: integer("project_id").$type<ProjectId>().primaryKey(),
  mostMicros: integer("most_micros").notNull(),
});

/** The shares of the ceiling that the project was notified of. Clustered by its key (WITHOUT ROWID). */
export const costNoticesTable = sqliteTable(
  "cost_notices",
  {
    projectId: integer("project_id").$type<ProjectId>().notNull(),
    month: text("month").notNull(),
    percent: integer("percent").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.projectId, table.month, table.percent] }),
    index("cost_notices_by_month").on(table.month),
  ],
);
