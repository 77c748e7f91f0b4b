import type { SQL } from "drizzle-orm";
import { healthOf } from "../channels/health.ts";
import { findActor } from "../channels/store.ts";
import { webhookAddress } from "../channels/webhook-address.ts";
import { type ChannelId, idOf } from "../core/ids.ts";
import { DAY, HOUR, MINUTE, SECOND } from "../core/time.ts";
import type { Db, Statement } from "../db/client.ts";
import { keyFor } from "../jobs/key-for.ts";
import { claimUntil, type Recurrence, type RecurringHandler, sendClaimed } from "../jobs/recurring.ts";
import { claimNamed, scheduleTasks, selectTaskState } from "../jobs/recurring-store.ts";
import { findPlatform } from "../platforms/registry.ts";
import type { Deps } from "../service/deps.ts";
import { accessAs } from "./acting.ts";

/**
 * Subscribes to events under a channel's posts: the recurring task `subscribe:<channel>`. It runs after login
 * and then once a day, because platforms drop subscriptions. Events only save time: comments without an event
 * are found by reading (automations/watch.ts).
 */
export const subscriptions: RecurringHandler<Deps> = { kind: "subscribe", queue: "replies", run: subscribe };

const keyOf = (id: ChannelId): string => `subscribe:${id}`;

/** For the batch that connects the channels. */
export function scheduleSubscriptions(db: Db, ids: readonly ChannelId[], now: number): Statement[] {
  if (ids.length === 0) return [];
  return [
    scheduleTasks(
      db,
      ids.map((id) => ({ key: keyOf(id), dueAt: now, intervalMs: DAY, now })),
    ),
  ];
}

/**
 * Claims the channels that still wait for the sweep since their login. For the batch after which their events
 * are needed.
 */
export function claimSubscriptions(
  deps: Pick<Deps, "db" | "config">,
  ids: readonly ChannelId[],
  now: number,
): Statement {
  return claimNamed(deps.db, ids.map(keyOf), now, claimUntil(deps, now));
}

/** Runs the tasks that `claimSubscriptions` has claimed, given its rows. */
export function sendSubscriptions(deps: Deps, rows: unknown): Promise<void> {
  return sendClaimed(deps, subscriptions, rows);
}

/** The task's state while the platform sends us the comments of the channel. */
export const SUBSCRIBED = "subscribed";

/** The subscription of a channel, for a batch: `SUBSCRIBED` while it is active. */
export function selectSubscription(db: Db, id: ChannelId | SQL) {
  return selectTaskState(db, keyFor("subscribe", id));
}

async function subscribe(deps: Deps, subject: string): Promise<Recurrence> {
  const actor = await findActor(deps.db, idOf<ChannelId>(Number(subject)));
  if (!actor || actor.channel.disconnectedAt !== null) return { kind: "stop" };
  const { platform } = actor.channel;
  const webhooks = findPlatform(platform)?.webhooks;
  const known = webhooks ? await webhookAddress(deps, platform, actor.project.isTest) : null;
  if (!webhooks || !known) return { kind: "stop" };
  const access = await accessAs(deps, actor, "replies");
  if (access.kind === "later") return { kind: "again", afterMs: access.seconds * SECOND };
  // The next login schedules the task again.
  if (access.kind !== "ready") return { kind: "stop" };
  const { channel, grants } = actor;
  const withMessages =
    channel.messagesSince !== null && healthOf(channel, grants, "messages", Date.now()).code === null;
  const outcome = await webhooks.subscribe(access.context, { ...known, withMessages });
  if (outcome.kind === "subscribed") return { kind: "again", afterMs: DAY, state: SUBSCRIBED };
  deps.log.event("webhook_subscription_failed", { channelId: actor.channel.id, platform, reason: outcome.reason });
  return {
    kind: "again",
    state: "refused",
    afterMs: outcome.reason === "down" || outcome.reason === "throttled" ? 5 * MINUTE : 6 * HOUR,
  };
}
