import { impossibleReason } from "../channels/health.ts";
import { findChannel, setCollectsComments } from "../channels/store.ts";
import { AppError, absent } from "../core/errors.ts";
import type { ChannelId, ProjectId } from "../core/ids.ts";
import { MINUTE } from "../core/time.ts";
import { runBatch } from "../db/client.ts";
import { scheduleTaskOf } from "../jobs/recurring-store.ts";
import type { PlatformName } from "../platforms/names.ts";
import { microsPer } from "../platforms/pricing.ts";
import { findPlatform } from "../platforms/registry.ts";
import type { Deps } from "../service/deps.ts";

/** Starts the polls of a channel's posts for the list of comments: the task `collect:<channel id>`. */
export const COLLECT = "collect";

/** Whether a channel's comments are read without a bot, since when, and what reading costs. */
export interface Collecting {
  readonly channelId: ChannelId;
  readonly since: number | null;
  /** What a comment that is read costs, in millionths of a dollar; null if it costs nothing. */
  readonly commentMicros: number | null;
}

/** Errors: `not_found`. */
export async function findCollecting(deps: Deps, projectId: ProjectId, id: ChannelId): Promise<Collecting> {
  const channel = await findChannel(deps.db, projectId, id);
  if (!channel) throw absent("channel", id);
  return { channelId: id, since: channel.collectsCommentsAt, commentMicros: commentPrice(channel.platform) };
}

/** What a comment that is read costs, in millionths of a dollar; null if it costs nothing. */
export const commentPrice = (platform: PlatformName): number | null =>
  microsPer(findPlatform(platform)?.pricing, "post_read");

/**
 * Switches the reading of a channel's comments on or off; a repeat changes nothing. Errors: `not_found`;
 * `unsupported_by_platform` where comments cannot be read.
 */
export async function collectComments(
  deps: Deps,
  projectId: ProjectId,
  id: ChannelId,
  collects: boolean,
): Promise<Collecting> {
  const channel = await findChannel(deps.db, projectId, id);
  if (!channel) throw absent("channel", id);
  const isReadable = findPlatform(channel.platform)?.comments?.reading !== undefined;
  const never = isReadable ? impossibleReason(channel, "replies") : `Comments on ${channel.platform} cannot be read.`;
  if (collects && never !== null) throw new AppError("unsupported_by_platform", never);
  if (collects !== (channel.collectsCommentsAt !== null)) {
    const now = Date.now();
    const task = { kind: COLLECT, subject: id, dueAt: now, intervalMs: MINUTE, now };
    await runBatch(deps.db, [
      setCollectsComments(deps.db, { projectId, id, at: collects ? now : null }),
      ...(collects ? [scheduleTaskOf(deps.db, task)] : []),
    ]);
  }
  return findCollecting(deps, projectId, id);
}
