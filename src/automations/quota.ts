import { type SQL, sql } from "drizzle-orm";
import { AppError } from "../core/errors.ts";
import type { ChannelId, ProjectId } from "../core/ids.ts";
import { grouped } from "../core/sentences.ts";
import { HOUR, SECOND } from "../core/time.ts";
import type { Deps } from "../service/deps.ts";

/**
 * The maximum number of bots of a project, and of active bots of a channel, because each comment is decided
 * by each of them. Deleting a bot frees its place; stopping one frees it on its channels.
 */
type Quotas = Pick<Deps["config"], "quotas">;

/** A new bot, or one that becomes active on the channels. */
interface Bot {
  readonly projectId: ProjectId;
  readonly isNew: boolean;
}

/** True at the end of a transaction that creates, starts or changes a bot, while the quotas hold. */
export function isWithinQuota(config: Quotas, { projectId, isNew }: Bot, channelIds: readonly ChannelId[]): SQL {
  const { bots, botsOfChannel } = config.quotas;
  const used = countOf(projectId);
  const fits = isNew ? sql`${used} <= ${bots}` : sql`${used} IS NOT NULL`;
  return sql`(${fits} AND NOT EXISTS (SELECT 1 FROM json_each(${JSON.stringify(channelIds)}) AS channel
    WHERE ${allOn(sql`channel.value`)} > ${botsOfChannel} AND ${activeOn(sql`channel.value`)} > ${botsOfChannel}))`;
}

/** Counts stopped bots too, so it reads no bot. */
function allOn(channelId: SQL): SQL<number> {
  return sql<number>`(SELECT count(DISTINCT automation_id) FROM automation_targets AS target WHERE target.channel_id = ${channelId})`;
}

/** Null before the project's first bot, and after its deletion. */
function countOf(projectId: ProjectId): SQL<number | null> {
  return sql<number | null>`(SELECT automations FROM automation_counts WHERE project_id = ${projectId})`;
}

function activeOn(channelId: SQL): SQL<number> {
  return sql<number>`(SELECT count(DISTINCT target.automation_id) FROM automation_targets AS target JOIN automations AS bot
    ON bot.id = target.automation_id AND bot.state = 'active' AND bot.deleted_at IS NULL WHERE target.channel_id = ${channelId})`;
}

/** Throws `quota_exceeded` if there is no room for one more bot. */
export async function requireRoomForBot(
  { db, config }: Deps,
  { projectId, isNew }: Bot,
  channelIds: readonly ChannelId[],
): Promise<void> {
  const { bots, botsOfChannel } = config.quotas;
  const rows = await db.all<{ used: number; channelId: number; active: number }>(
    sql`SELECT coalesce(${countOf(projectId)}, 0) AS used, channel.value AS channelId, ${activeOn(sql`channel.value`)} AS active
      FROM json_each(${JSON.stringify(channelIds)}) AS channel ORDER BY active DESC LIMIT 1`,
  );
  const [row] = rows;
  if (isNew && row && row.used >= bots) {
    throw exceeded(
      `This project has ${grouped(row.used)} comment automations; the maximum is ${grouped(bots)}. Delete one first.`,
    );
  }
  if (row && row.active >= botsOfChannel) {
    throw exceeded(
      `Channel ${row.channelId} has ${grouped(row.active)} active comment automations; the maximum is ${grouped(botsOfChannel)}. Stop or delete one first.`,
    );
  }
}

const exceeded = (message: string) => new AppError("quota_exceeded", message, { retryAfterSeconds: HOUR / SECOND });
