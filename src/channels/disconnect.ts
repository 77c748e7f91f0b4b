import { type SQL, sql } from "drizzle-orm";
import { absent, invalid } from "../core/errors.ts";
import type { ChannelId, ProjectId } from "../core/ids.ts";
import type { Db, Statement } from "../db/client.ts";
import { enqueueJobs } from "../jobs/enqueue.ts";
import type { Capability } from "../platforms/names.ts";
import type { Deps } from "../service/deps.ts";
import { disconnectChannel } from "./disconnect-store.ts";
import { healthOf } from "./health.ts";
import { findActor } from "./store.ts";

/** Work that needs a channel's credentials until it has ended, one per feature (combined in app.ts). */
export interface ChannelHold {
  readonly capability: Capability;
  /**
   * A condition: such work exists. Dead credentials cannot end anything, so with them, work that is only
   * being ended does not count.
   */
  isHeld(id: ChannelId, isDead: boolean): SQL;
  /** The end of the sentence that refuses the disconnect; null if nothing holds the channel. */
  reason(db: Db, id: ChannelId): Promise<string | null>;
}

/**
 * Statements of other features that end their work with a disconnected channel; they take effect while `when`
 * holds.
 */
export type GoesWithChannel = (
  db: Db,
  channel: { readonly channelId: ChannelId; readonly now: number },
  when: SQL,
) => readonly Statement[];

/**
 * Disconnects a channel, and starts the revocation of its login. Returns a sentence about it. Errors:
 * `not_found`; a 422 while something holds the channel.
 */
export async function disconnect(
  deps: Deps,
  { projectId, id }: { readonly projectId: ProjectId; readonly id: ChannelId },
  hold: ChannelHold,
  goesWith: GoesWithChannel,
): Promise<string> {
  const { db } = deps;
  const actor = await findActor(db, id);
  if (actor?.channel.projectId !== projectId) throw absent("channel", id);
  const now = Date.now();
  const isDead = healthOf(actor.channel, actor.grants, hold.capability, now).health === "reconnect_needed";
  const isFree = sql`NOT ${hold.isHeld(id, isDead)}`;
  const channel = await disconnectChannel(db, { projectId, id, now }, isFree, (when) =>
    goesWith(db, { channelId: id, now }, when),
  );
  if (channel) {
    await enqueueJobs(deps, channel.revocation);
    return `${channel.name} (${channel.platform}) is disconnected. Posts that wait for it will fail unless it is connected again in time.`;
  }
  const reason = actor.channel.disconnectedAt === null ? await hold.reason(db, id) : null;
  if (reason === null) throw absent("channel", id);
  throw invalid({ channel_id: [`channel_id must not be ${id} ${reason}`] }, "not_changeable");
}
