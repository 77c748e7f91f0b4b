import { z } from "zod";
import { findChannelOfJob } from "../channels/store.ts";
import { COLLECT } from "../comments/collect.ts";
import { type AutomationId, type ChannelId, idOf } from "../core/ids.ts";
import { isNearlySpent } from "../core/meter.ts";
import { SECOND } from "../core/time.ts";
import { runBatch } from "../db/client.ts";
import type { Recurrence, RecurringHandler } from "../jobs/recurring.ts";
import type { RecurringTask } from "../jobs/recurring-store.ts";
import type { PostPosition } from "../posts/fragments.ts";
import type { Deps } from "../service/deps.ts";
import { BACKFILL_WATCHES, RECORDED_MS } from "./jobs.ts";
import { selectAutomation } from "./store.ts";
import { chosenPosts, watchOlder, watchPosts } from "./watch-store.ts";

/**
 * Starts polling all posts of an automation's channels, a bounded number at a time: the recurring task
 * `enroll:<automation id>`. It starts with the automation, and when one of its channels is reconnected. Later
 * posts start their poll when they are published (lifecycle.ts).
 */
export const watchBackfills: RecurringHandler<Deps> = { kind: BACKFILL_WATCHES, queue: "replies", run: enroll };

/**
 * The same for a channel that collects comments without a bot, `collect:<channel id>`: its posts of the last
 * 30 days.
 */
export const collectBackfills: RecurringHandler<Deps> = { kind: COLLECT, queue: "replies", run: enrollRecent };

const CHUNK = 500;
const MAX_CHUNKS = 20;

/** The position: the channel by its index in the automation, and the last post of it. */
const State = z.object({ channel: z.number(), place: z.object({ createdAt: z.number(), id: z.number() }).nullable() });

const NEWEST: PostPosition = { createdAt: Number.MAX_SAFE_INTEGER, id: Number.MAX_SAFE_INTEGER };

async function enroll(deps: Deps, subject: string, task: RecurringTask): Promise<Recurrence> {
  const [automation] = await selectAutomation(deps.db, idOf<AutomationId>(Number(subject)));
  if (automation?.state !== "active" || automation.deletedAt !== null) return { kind: "stop" };
  const { channelIds } = automation;
  const chosen = chosenPosts(automation);
  if (chosen) {
    await runBatch(deps.db, [watchPosts(deps.db, chosen, Date.now())]);
    return { kind: "stop" };
  }
  let { channel, place } = task.state === null ? { channel: 0, place: null } : State.parse(JSON.parse(task.state));
  for (let count = 0; count < MAX_CHUNKS && !isNearlySpent(deps.meter); count++) {
    const id = channelIds[channel];
    if (id === undefined) return { kind: "stop" };
    place = await watchOlder(deps, id, place ?? NEWEST, CHUNK);
    if (place === null) channel++;
  }
  return { kind: "again", afterMs: SECOND, state: JSON.stringify({ channel, place }) };
}

const RecentState = z.object({ createdAt: z.number(), id: z.number() });
const RECENT_CHUNK = 100;

async function enrollRecent(deps: Deps, subject: string, task: RecurringTask): Promise<Recurrence> {
  const channelId = idOf<ChannelId>(Number(subject));
  const channel = await findChannelOfJob(deps.db, channelId);
  if (!channel || channel.collectsCommentsAt === null || channel.disconnectedAt !== null) return { kind: "stop" };
  const oldest = Date.now() - RECORDED_MS;
  let place: PostPosition = task.state === null ? NEWEST : RecentState.parse(JSON.parse(task.state));
  for (let count = 0; count < MAX_CHUNKS && !isNearlySpent(deps.meter); count++) {
    const next = await watchOlder(deps, channelId, place, RECENT_CHUNK);
    if (next === null || next.createdAt < oldest) return { kind: "stop" };
    place = next;
  }
  return { kind: "again", afterMs: SECOND, state: JSON.stringify(place) };
}
