import { sql } from "drizzle-orm";
import { absent, invalid } from "../core/errors.ts";
import type { ChannelId, ProjectId } from "../core/ids.ts";
import { enqueueJobs } from "../jobs/enqueue.ts";
import type { Deps } from "../service/deps.ts";
import type { Endings } from "../service/endings.ts";
import { disconnectChannel } from "./disconnect-store.ts";
import { healthOf } from "./health.ts";
import { findActor } from "./store.ts";

/**
 * Disconnects a channel, and starts the revocation of its login. Returns a sentence about it. Errors:
 * `not_found`; a 422 while something holds the channel.
 */
export async function disconnect(
  deps: Deps,
  { projectId, id }: { readonly projectId: ProjectId; readonly id: ChannelId },
  { channel: goesWith, channelHold: hold }: Pick<Endings, "channel" | "channelHold">,
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
