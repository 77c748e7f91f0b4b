import { and, desc, eq, isNull, or, sql } from "drizzle-orm";
import type { CampaignId, ProjectId } from "../core/ids.ts";
import type { Db } from "../db/client.ts";
import { hasWords } from "../db/has-words.ts";
import { isAmong } from "../db/in-list.ts";
import { campaignsTable } from "./table.ts";

/** The newest campaigns whose names are searched. */
const SEARCHED = 500;

interface Sought {
  /** Words that the name has; empty for all campaigns. */
  readonly words: string;
  /** Campaigns that are found whatever their names, before the others. */
  readonly chosen: readonly CampaignId[];
  /** How many others. */
  readonly limit: number;
}
export type CampaignName = Awaited<ReturnType<typeof selectCampaignNames>>[number];

/** The newest campaigns of the project by name, for lists from which a person chooses, in a batch. */
export function selectCampaignNames(db: Db, projectId: ProjectId, { words, chosen, limit }: Sought) {
  const { id, name, platform, createdAt, deletedAt } = campaignsTable;
  const newest = sql`SELECT id FROM campaigns INDEXED BY campaigns_listed WHERE project_id = ${projectId}
    AND deleted_at IS NULL ORDER BY id DESC LIMIT ${SEARCHED}`;
  const isChosen = isAmong(id, chosen);
  const isOwn = and(eq(campaignsTable.projectId, projectId), isNull(deletedAt));
  return db
    .select({ id, name, platform, createdAt })
    .from(sql`(SELECT * FROM (${newest}) UNION SELECT value FROM json_each(${JSON.stringify(chosen)})) AS sought`)
    .crossJoin(campaignsTable)
    .where(and(sql`${id} = sought.id`, isOwn, words === "" ? undefined : or(isChosen, hasWords([name], words))))
    .orderBy(desc(isChosen), desc(id))
    .limit(limit + chosen.length);
}
