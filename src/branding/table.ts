import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { projectsTable } from "../accounts/table.ts";
import type { ProjectId } from "../core/ids.ts";
import { instant } from "../db/columns.ts";

/** How the pages for a project's own users look: connecting, and approving as a client. */
export const brandingsTable = sqliteTable(
  "brandings",
  {
    projectId: integer("project_id")
      .$type<ProjectId>()
      .primaryKey()
      .references(() => projectsTable.id),
    /** Null: the project's name. */
    name: text("name"),
    /** As `#rrggbb`. */
    color: text("color"),
    /** An e-mail address, or the https address of a page. */
    support: text("support"),
    returnLabel: text("return_label"),
    updatedAt: instant("updated_at").notNull(),
    /** The file name of the logo in its address: a hash of its bytes with the ending of its type. */
    logoName: text("logo_name"),
    /** Base64, last in the row: pages read the columns before it. */
    logo: text("logo"),
  },
  (table) => [index("brandings_by_logo").on(table.logoName)],
);
