import { scheduleSubscriptions } from "../acting/subscribe-task.ts";
import { healthOf, impossibleReason } from "../channels/health.ts";
import { type ChannelState, findChannel, setMessagesSince } from "../channels/store.ts";
import type { Caller } from "../core/caller.ts";
import { AppError, absent } from "../core/errors.ts";
import type { ChannelId } from "../core/ids.ts";
import { DAY, MINUTE } from "../core/time.ts";
import { runBatch } from "../db/client.ts";
import { scheduleTask, scheduleTaskOf } from "../jobs/recurring-store.ts";
import type { Conversing } from "../platforms/conversing.ts";
import { microsPer } from "../platforms/pricing.ts";
import { findPlatform } from "../platforms/registry.ts";
import type { Deps } from "../service/deps.ts";
import type { GoesWithChannel } from "../service/endings.ts";
import { MESSAGES, READ_INTERVALS } from "./jobs.ts";

/** Whether a channel's messages are collected: the switch, and what it costs. */
export interface Collection {
  readonly channel: ChannelState;
  readonly collects: boolean;
  /** Why messages are not read although the switch is on; null if they are, or if it is off. */
  readonly problem: string | null;
  /** Millionths of a dollar; null: nothing. */
  readonly price: { readonly messageMicros: number; readonly idleMonthMicros: number } | null;
}

/** Errors: `not_found`; `unsupported_by_platform` for a platform without conversations. */
async function readCollection(
  deps: Deps,
  { projectId }: Pick<Caller, "projectId">,
  id: ChannelId,
): Promise<Collection> {
  const channel = await findChannel(deps.db, projectId, id);
  if (!channel) throw absent("channel", id);
  requireConversing(channel);
  return toCollection(channel);
}

export function toCollection(channel: ChannelState): Collection {
  const collects = channel.messagesSince !== null;
  const { reason } = healthOf(channel, channel.grants, "messages", Date.now());
  return { channel, collects, problem: collects ? reason : null, price: priceOf(channel) };
}

/** The conversations of a channel's platform; throws `unsupported_by_platform` with the reason. */
export function requireConversing(
  channel: Pick<ChannelState, "id" | "platform" | "attributes"> & { accountId: string },
): Conversing {
  const conversing = findPlatform(channel.platform)?.conversations;
  const impossible = conversing ? impossibleReason(channel, "messages") : null;
  if (conversing && impossible === null) return conversing;
  throw new AppError("unsupported_by_platform", impossible ?? noConversations(channel.platform));
}

export const noConversations = (platform: string): string =>
  `There are no conversations by direct messages on ${platform}: its API has none. Facebook, Instagram and X have them.`;

function priceOf({ platform }: Pick<ChannelState, "platform">): Collection["price"] {
  const { conversations, pricing } = findPlatform(platform) ?? {};
  const messageMicros = microsPer(pricing, conversations?.readPrice);
  if (messageMicros === null) return null;
  // A read without news returns the newest message.
  const idleReads = (30 * DAY) / READ_INTERVALS.paid.maxMs;
  return { messageMicros, idleMonthMicros: idleReads * messageMicros };
}

/**
 * Switches the collection of a channel's messages on or off. Off deletes what is stored. A repeat changes
 * nothing. Errors: as `readCollection`.
 */
export async function collectMessages(
  deps: Deps,
  caller: Pick<Caller, "projectId">,
  id: ChannelId,
  collects: boolean,
): Promise<Collection> {
  const { db } = deps;
  const before = await readCollection(deps, caller, id);
  if (before.collects === collects) return before;
  const now = Date.now();
  await runBatch(db, [
    setMessagesSince(db, id, collects ? now : null),
    scheduleTaskOf(db, { kind: MESSAGES, subject: id, dueAt: now, intervalMs: MINUTE, now }),
    ...scheduleSubscriptions(db, [id], now),
  ]);
  return toCollection({ ...before.channel, messagesSince: collects ? now : null });
}

/** A disconnected channel collects nothing, and its messages are deleted. */
export const forgetWithChannel: GoesWithChannel = (db, { channelId, now }, when) => [
  scheduleTask(db, { key: `${MESSAGES}:${channelId}`, dueAt: now, intervalMs: MINUTE, now }, when),
  setMessagesSince(db, channelId, null, when),
];
