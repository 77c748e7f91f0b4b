import { z } from "zod";
import { accessAs } from "../acting/acting.ts";
import { jitter, UNUSABLE_MS, waitAfter } from "../acting/read-failure.ts";
import { SUBSCRIBED, selectSubscription } from "../acting/subscribe-task.ts";
import { activeLimit } from "../channels/rate-limits.ts";
import { type Actor, projectOfChannel, selectActor, toActor } from "../channels/store.ts";
import { type ChannelId, idOf } from "../core/ids.ts";
import { MINUTE, SECOND } from "../core/time.ts";
import { readTogether, writeTogether } from "../db/client.ts";
import { adaptInterval, type Recurrence, type RecurringHandler } from "../jobs/recurring.ts";
import type { RecurringTask } from "../jobs/recurring-store.ts";
import type { Conversing, MessagesRead } from "../platforms/conversing.ts";
import { findPlatform } from "../platforms/registry.ts";
import type { Deps } from "../service/deps.ts";
import { withinCeiling } from "../usage/ceiling.ts";
import { intakeWait, selectIntake } from "../usage/intake.ts";
import { ingestMessages } from "./ingest.ts";
import { MESSAGES, READ_BACK_MS, READ_INTERVALS } from "./jobs.ts";
import { deleteSome } from "./store.ts";

/**
 * Reads the direct messages of a channel that collects them: the recurring task `messages:<channel>`. It
 * finds what no webhook reported, names of people included. When the channel collects them no more, it
 * deletes what is stored, and ends.
 */
export const messageReads: RecurringHandler<Deps> = {
  kind: MESSAGES,
  queue: "replies",
  run: (deps, subject, task) => read(deps, idOf<ChannelId>(Number(subject)), task),
};

/** Conversations that one run deletes; the next one follows. */
const DELETED_AT_ONCE = 500;
/** Free reads repeat the last minutes: messages may be shown late. */
const OVERLAP_MS = 10 * MINUTE;

const State = z.object({ readUntil: z.number(), newestAt: z.number() });
type State = z.output<typeof State>;

async function read(deps: Deps, id: ChannelId, task: RecurringTask): Promise<Recurrence> {
  const { db } = deps;
  const { tasks, taken, ...of } = await readTogether(db, {
    tasks: selectSubscription(db, id),
    taken: selectIntake(db, "messages", projectOfChannel(id), Date.now()),
    ...selectActor(db, id),
  });
  const actor = toActor(of);
  const since = actor?.channel.messagesSince ?? null;
  if (!actor || actor.channel.disconnectedAt !== null || since === null) return tidy(deps, id);
  const conversing = findPlatform(actor.channel.platform)?.conversations;
  if (!conversing) return { kind: "stop" };
  const now = Date.now();
  const limit = activeLimit(actor.limits, "messages", now);
  if (limit) return { kind: "again", afterMs: limit.until - now + jitter(deps) };
  const full = intakeWait(deps.config, "messages", taken[0]?.used ?? 0, now);
  if (full !== null) return { kind: "again", afterMs: full + jitter(deps) };
  const access = await accessAs(deps, actor, "messages");
  if (access.kind === "later") return { kind: "again", afterMs: access.seconds * SECOND };
  if (access.kind !== "ready") return { kind: "again", afterMs: UNUSABLE_MS };
  const state = State.safeParse(JSON.parse(task.state ?? "null")).data ?? null;
  const outcome = await withinCeiling(
    () => conversing.read(access.context, sinceOf(conversing, state, since)),
    () => null,
  );
  // The ceiling may be raised, and a check of it costs nothing.
  if (outcome === null) return { kind: "again", afterMs: UNUSABLE_MS };
  if (outcome.kind === "failed") {
    deps.log.event("messages_failed", { channelId: id, platform: actor.channel.platform, reason: outcome.reason });
    const waitMs = await waitAfter(deps, { actor, grant: access.grant, capability: "messages" }, outcome);
    return { kind: "again", afterMs: waitMs ?? UNUSABLE_MS };
  }
  return store(deps, actor, task, { outcome, state, hasWebhooks: tasks[0]?.state === SUBSCRIBED });
}

interface Read {
  readonly outcome: MessagesRead;
  readonly state: State | null;
  readonly hasWebhooks: boolean;
}

async function store(
  deps: Deps,
  { channel }: Actor,
  task: RecurringTask,
  { outcome, state, hasWebhooks }: Read,
): Promise<Recurrence> {
  const now = Date.now();
  const { fresh } = await ingestMessages(deps.db, channel, outcome.messages, now);
  const platform = findPlatform(channel.platform);
  const isReported = hasWebhooks && platform?.webhooks?.parseMessages !== undefined;
  const isPaid = platform?.conversations?.readPrice !== undefined;
  const interval = isPaid ? READ_INTERVALS.paid : isReported ? READ_INTERVALS.reported : READ_INTERVALS.free;
  const newestAt = Math.max(state?.newestAt ?? 0, ...outcome.messages.map(({ sentAt }) => sentAt));
  return {
    kind: "again",
    afterMs: adaptInterval(task.intervalMs, fresh > 0, interval),
    state: JSON.stringify({ readUntil: now, newestAt } satisfies State),
  };
}

/** A message that is read again costs money again, where reading is paid. */
function sinceOf(conversing: Conversing, state: State | null, since: number): number {
  if (conversing.readPrice !== undefined) return Math.max(since, (state?.newestAt ?? 0) + 1);
  return state === null ? since - READ_BACK_MS : state.readUntil - OVERLAP_MS;
}

/** Deletes some of what is stored of the channel. */
async function tidy({ db }: Deps, id: ChannelId): Promise<Recurrence> {
  const { conversations } = await writeTogether(db, deleteSome(db, id, DELETED_AT_ONCE));
  return conversations.length < DELETED_AT_ONCE ? { kind: "stop" } : { kind: "again", afterMs: SECOND, isPrompt: true };
}
