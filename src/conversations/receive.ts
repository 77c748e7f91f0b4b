import { sql } from "drizzle-orm";
import { listDatabasesOf } from "../channels/account-databases.ts";
import { findActor, listChannelsOfAccount } from "../channels/store.ts";
import { projectMoving } from "../core/errors.ts";
import { isNearlySpent } from "../core/meter.ts";
import { runBatch, writeTogether } from "../db/client.ts";
import { claimUntil, sendClaimed } from "../jobs/recurring.ts";
import { claimTasks } from "../jobs/recurring-store.ts";
import type { PlatformName } from "../platforms/names.ts";
import type { InboundMessage } from "../platforms/webhooks.ts";
import type { Deps } from "../service/deps.ts";
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
 * change nothing. Returns how many are new.
 */
export async function receiveMessages(
  deps: Deps,
  sender: Sender,
  received: readonly InboundMessage[],
): Promise<number> {
  if (received.length === 0) return 0;
  const byAccount = Map.groupBy(received, ({ accountId }) => accountId);
  const databases =
    deps.databases === 1 ? [deps.database] : await listDatabasesOf(deps, sender.platform, [...byAccount.keys()]);
  let fresh = 0;
  for (const database of databases) {
    const there = deps.databases === 1 ? deps : deps.in(database);
    for (const [accountId, ofAccount] of byAccount) {
      // Messages beyond the request's limits are left to the reads.
      if (isNearlySpent(deps.meter)) return fresh;
      fresh += await receiveIn(there, sender, accountId, ofAccount);
    }
  }
  return fresh;
}

async function receiveIn(
  deps: Deps,
  { platform, isTest }: Sender,
  accountId: string,
  received: readonly InboundMessage[],
): Promise<number> {
  const { db } = deps;
  const now = Date.now();
  const channels = await listChannelsOfAccount(deps, platform, accountId);
  let fresh = 0;
  for (const channel of channels.filter(({ messagesSince }) => messagesSince !== null)) {
    const actor = await findActor(db, channel.id);
    if (actor?.project.isTest !== isTest) continue;
    // The platform sends it again, after the move.
    if (actor.project.movingAt !== null) throw projectMoving();
    const messages = received.flatMap(({ message, isDeleted }) => (isDeleted ? [] : [message]));
    const stored = await ingestMessages(db, channel, messages, now);
    fresh += stored.fresh;
    const withdrawn = received.filter(({ isDeleted }) => isDeleted);
    await runBatch(
      db,
      withdrawn.map(({ message }) => deleteWithdrawn(db, channel.id, message.id)),
    );
    if (!stored.isNameMissing) continue;
    // A webhook does not say the person's name; a read does.
    const key = sql`SELECT ${`${MESSAGES}:${channel.id}`}`;
    const until = claimUntil(deps, now);
    const { claimed } = await writeTogether(db, { claimed: claimTasks(db, key, sql`1`, { now, until }) });
    await sendClaimed(deps, messageReads, claimed);
  }
  return fresh;
}
