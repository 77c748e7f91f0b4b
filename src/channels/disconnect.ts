import { type SQL, sql } from "drizzle-orm";
import { absent, invalid } from "../core/errors.ts";
import type { ChannelId, ProjectId } from "../core/ids.ts";
import type { Db } from "../db/client.ts";
import type { Deps } from "../deps.ts";
import type { Capability } from "../platforms/names.ts";
import { healthOf } from "./health.ts";
import { disconnectChannel, findActor } from "./store.ts";

/** What needs the credentials of a channel to end what it has begun, by the feature that does (app.ts puts them together). */
export interface ChannelHold {
  readonly capability: Capability;
  /** True inside statements while something does. */
  isHeld(id: ChannelId): SQL;
  /** How a refusal goes on, a sentence's end; null where nothing is won by it, for the credentials are dead. */
  reason(db: Db, id: ChannelId, isDead: boolean): Promise<string | null>;
}

/** Errors: `not_found`, and a 422 while something holds the channel. */
export async function disconnect({ db }: Deps, projectId: ProjectId, id: ChannelId, hold: ChannelHold) {
  const channel = await disconnectChannel(db, projectId, id, Date.now(), sql`NOT ${hold.isHeld(id)}`);
  if (channel) return channel;
  const actor = await findActor(db, id);
  if (actor?.channel.projectId !== projectId || actor.channel.disconnectedAt !== null) throw absent("channel", id);
  const { health } = healthOf(actor.channel, actor.grants, hold.capability, Date.now());
  const reason = await hold.reason(db, id, health === "reconnect_needed");
  if (reason !== null) throw invalid({ channel_id: [`channel_id must not be ${id} ${reason}`] }, "not_changeable");
  const disconnected = await disconnectChannel(db, projectId, id, Date.now());
  if (!disconnected) throw absent("channel", id);
  return disconnected;
}
