import { and, eq, isNull, type SQL, sql } from "drizzle-orm";
import type { ChannelId, ProjectId } from "../core/ids.ts";
import { type Db, type Statement, writeTogether } from "../db/client.ts";
import { channelEvents } from "./events.ts";
import { forgetGrants } from "./grant-store.ts";
import { markHealth } from "./health-mark.ts";
import { openRevocation } from "./revocations.ts";
import type { Channel } from "./store.ts";
import { channelsTable } from "./table.ts";

export interface Disconnected extends Pick<Channel, "name" | "platform"> {
  /** Rows of the job that revokes the grants at the platform, for `enqueueJobs`. */
  readonly revocation: unknown;
}

interface Disconnecting {
  readonly projectId: ProjectId;
  readonly id: ChannelId;
  readonly now: number;
  /** Why, in a sentence; default: on request. */
  readonly message?: string;
  /** Logins that are over at the platform already: nothing of them is revoked. */
  readonly endedLogins?: readonly string[];
}

/**
 * Deletes all credentials, except those that a job needs to revoke the grants at the platform; null if the
 * project has no such connected channel. One D1 call.
 */
export async function disconnectChannel(
  db: Db,
  { projectId, id, now, message = "The channel was disconnected.", endedLogins = [] }: Disconnecting,
  condition: SQL,
  goesWith: (when: SQL) => readonly Statement[],
): Promise<Disconnected | null> {
  const isConnected = sql`EXISTS (SELECT 1 FROM channels WHERE id = ${id} AND project_id = ${projectId} AND disconnected_at IS NULL) AND ${condition}`;
  const event = {
    projectId,
    subjectId: id,
    type: "channel.disconnected",
    message,
    detail: {},
    at: now,
  } as const;
  const [step, revocation] = openRevocation(db, { projectId, channelId: id, now, endedLogins }, isConnected);
  const { revoked, disconnected } = await writeTogether(db, {
    event: channelEvents.insert(db, event, isConnected),
    step,
    revoked: revocation,
    grants: forgetGrants(db, id, isConnected),
    marked: markHealth(db, [id]),
    goesWith: goesWith(isConnected),
    // Runs last, because it changes what the other statements read.
    disconnected: db
      .update(channelsTable)
      .set({ disconnectedAt: now, updatedAt: now, pageSizes: null })
      .where(
        and(
          eq(channelsTable.id, id),
          eq(channelsTable.projectId, projectId),
          isNull(channelsTable.disconnectedAt),
          condition,
        ),
      )
      .returning({ name: channelsTable.name, platform: channelsTable.platform }),
  });
  const [channel] = disconnected;
  return channel ? { ...channel, revocation: revoked } : null;
}
