import { type SQL, sql } from "drizzle-orm";
import { absent, invalid } from "../core/errors.ts";
import type { ChannelId, ProjectId } from "../core/ids.ts";
import type { Db, Statement } from "../db/client.ts";
import type { Capability } from "../platforms/names.ts";
import type { Deps } from "../service/deps.ts";
import { healthOf } from "./health.ts";
import { disconnectChannel, findActor } from "./store.ts";

/**
 * What needs the credentials of a channel to end what it has begun, by the feature that does (app.ts puts
 * them together).
 */
export interface ChannelHold {
  readonly capability: Capability;
  /**
   * True inside statements while something does; dead credentials end nothing, so what is only being ended
   * does not count then.
   */
  isHeld(id: ChannelId, isDead: boolean): SQL;
  /** How a refusal goes on, a sentence's end; null where nothing holds the channel. */
  reason(db: Db, id: ChannelId): Promise<string | null>;
}

/**
 * What ends with a channel that is disconnected, by the features above: statements that take effect while
 * `when` holds.
 */
export type GoesWithChannel = (
  db: Db,
  channel: { readonly channelId: ChannelId; readonly now: number },
  when: SQL,
) => readonly Statement[];

/** Errors: `not_found`, and a 422 while something holds the channel. */
export async function disconnect(
  { db }: Deps,
  { projectId, id }: { readonly projectId: ProjectId; readonly id: ChannelId },
  hold: ChannelHold,
  goesWith: GoesWithChannel,
) {
  const actor = await findActor(db, id);
  if (actor?.channel.projectId !== projectId) throw absent("channel", id);
  const now = Date.now();
  const isDead = healthOf(actor.channel, actor.grants, hold.capability, now).health === "reconnect_needed";
  const isFree = sql`NOT ${hold.isHeld(id, isDead)}`;
  const channel = await disconnectChannel(db, { projectId, id, now }, isFree, (when) =>
    goesWith(db, { channelId: id, now }, when),
  );
  if (channel) return channel;
  const reason = actor.channel.disconnectedAt === null ? await hold.reason(db, id) : null;
  if (reason === null) throw absent("channel", id);
  throw invalid({ channel_id: [`channel_id must not be ${id} ${reason}`] }, "not_changeable");
}
