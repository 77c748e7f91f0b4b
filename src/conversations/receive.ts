import { sql } from "drizzle-orm";
import { standingOf } from "../accounts/moving.ts";
import { listDatabasesOf } from "../channels/account-databases.ts";
import { listChannelsOfAccount, selectActor, toActor } from "../channels/store.ts";
import { isNearlySpent } from "../core/meter.ts";
import { type Db, readTogether, runBatch, unlessMoving, writeTogether } from "../db/client.ts";
import { claimUntil, sendClaimed } from "../jobs/recurring.ts";
import { claimTasks } from "../jobs/recurring-store.ts";
import type { PlatformName } from "../platforms/names.ts";
import type { InboundMessage } from "../platforms/webhooks.ts";
import type { Deps } from "../service/deps.ts";
import { intakeWait, selectIntake } from "../usage/intake.ts";
import { ingestMessages } from "./ingest.ts";
import { MESSAGES } from "./jobs.ts";
import { messageReads } from "./read-task.ts";
import { deleteWithdrawn } from "./store.ts";

export interface Sender {
  readonly platform: PlatformName;
  readonly isTest: boolean;
}

/**
 * Stores the messages of a platform's webhook in each project that collects those of the account. Repeats
 * change nothing. Returns how many are new, and whether some are of a project on its way to another database:
 * the platform sends them again.
 */
export async function receiveMessages(
  deps: Deps,
  sender: Sender,
  received: readonly InboundMessage[],
): Promise<ReceivedMessages> {
  if (received.length === 0) return { fresh: 0, isMoving: false };
  const byAccount = Map.groupBy(received, ({ accountId }) => accountId);
  const databases =
    deps.databases === 1 ? [deps.database] : await listDatabasesOf(deps, sender.platform, [...byAccount.keys()]);
  let [fresh, isMoving] = [0, false];
  for (const database of databases) {
    const there = deps.databases === 1 ? deps : deps.in(database);
    for (const [accountId, ofAccount] of byAccount) {
      // Messages beyond the request's limits are left to the reads.
      if (isNearlySpent(deps.meter)) return { fresh, isMoving };
      const taken = await receiveIn(there, sender, accountId, ofAccount);
      fresh += taken.fresh;
      isMoving ||= taken.isMoving;
    }
  }
  return { fresh, isMoving };
}

interface ReceivedMessages {
  readonly fresh: number;
  readonly isMoving: boolean;
}

async function receiveIn(
  deps: Deps,
  { platform, isTest }: Sender,
  accountId: string,
  received: readonly InboundMessage[],
): Promise<ReceivedMessages> {
  const { db } = deps;
  const now = Date.now();
  const channels = await listChannelsOfAccount(deps, platform, accountId);
  let [fresh, isMoving] = [0, false];
  for (const channel of channels.filter(({ messagesSince }) => messagesSince !== null)) {
    const { taken, ...read } = await readTogether(db, {
      taken: selectIntake(db, "messages", channel.projectId, now),
      ...selectActor(db, channel.id),
    });
    const actor = toActor(read);
    // A read of tomorrow brings what is beyond the day's quota.
    const isFull = intakeWait(deps.config, "messages", taken[0]?.used ?? 0, now) !== null;
    const wanted = isFull ? received.filter(({ isDeleted }) => isDeleted) : received;
    const standing = actor && standingOf(actor.project, deps.database);
    if (actor?.project.isTest !== isTest || standing === "elsewhere") continue;
    const stored = standing === "here" ? await unlessMoving(() => store(db, channel, wanted, now)) : null;
    fresh += stored?.fresh ?? 0;
    isMoving ||= stored === null;
    if (!stored?.isNameMissing) continue;
    // A webhook does not say the person's name; a read does.
    const key = sql`SELECT ${`${MESSAGES}:${channel.id}`}`;
    const until = claimUntil(deps, now);
    const { claimed } = await writeTogether(db, { claimed: claimTasks(db, key, sql`1`, { now, until }) });
    await sendClaimed(deps, messageReads, claimed);
  }
  return { fresh, isMoving };
}

/** The messages of a channel, without those that their writers have deleted. */
async function store(db: Db, channel: AccountChannel, received: readonly InboundMessage[], now: number) {
  const messages = received.flatMap(({ message, isDeleted }) => (isDeleted ? [] : [message]));
  const stored = await ingestMessages(db, channel, messages, now);
  const withdrawn = received.filter(({ isDeleted }) => isDeleted);
  await runBatch(
    db,
    withdrawn.map(({ message }) => deleteWithdrawn(db, channel.id, message.id)),
  );
  return stored;
}

type AccountChannel = Awaited<ReturnType<typeof listChannelsOfAccount>>[number];
