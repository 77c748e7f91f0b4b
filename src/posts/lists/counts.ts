import type { ProjectId } from "../../core/ids.ts";
import type { Db } from "../../db/client.ts";
import { isAmong } from "../../db/in-list.ts";
import { postCountsTable } from "../table.ts";

/** The posts of these projects by type and state, for a batch. */
export function selectPostCounts(db: Db, ids: readonly ProjectId[]) {
  return db.select().from(postCountsTable).where(isAmong(postCountsTable.projectId, ids));
}
