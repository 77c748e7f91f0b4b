import { type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import type { ChannelId, ProjectId } from "../core/ids.ts";
import { isAmong } from "../db/in-list.ts";
import type { PlatformName } from "../platforms/names.ts";

/** SQL fragments about channels for other features' statements, so that these need no extra call. */

export interface ChannelsNamed {
  readonly platforms: readonly PlatformName[];
  /** Null: any id. */
  readonly id: ChannelId | null;
  /** The application's own id of the user that connected it (`userId` of connect-channel); null: any user. */
  readonly userRef: string | null;
}

/** A query of the ids of the project's matching channels, disconnected ones included. */
export function channelIds(projectId: ProjectId, { platforms, id, userRef }: ChannelsNamed): SQL {
  const isNamed = [
    sql`project_id = ${projectId}`,
    isAmong(sql`platform`, platforms),
    ...(id === null ? [] : [sql`id = ${id}`]),
    ...(userRef === null ? [] : [sql`user_ref = ${userRef}`]),
  ];
  return sql`SELECT id FROM channels WHERE ${sql.join(isNamed, sql` AND `)}`;
}

/** Whether the user has more channels than `most`; reads at most `most` + 1 rows. */
export function hasMoreChannels(projectId: ProjectId, userRef: string, most: number): SQL {
  return sql`(SELECT count(*) FROM (SELECT 1 FROM channels INDEXED BY channels_by_user WHERE project_id = ${projectId}
    AND user_ref = ${userRef} LIMIT ${most + 1})) > ${most}`;
}

/** Whether the channel whose id is a column of the statement belongs to the user. Reads one row. */
export function isChannelOf(userRef: string, id: SQL): SQL {
  return sql`EXISTS (SELECT 1 FROM channels AS own WHERE own.id = ${id} AND own.user_ref = ${userRef})`;
}

/** A channel's name, and the application's own id of its user. */
export interface ChannelLabel {
  readonly name: string;
  readonly userRef: string;
}

const StoredLabel = z.object({ name: z.string(), userRef: z.string() });

/** A column with the label of the channel whose id the expression gives. Reads one row. */
export function channelLabel(id: SQL): SQL<ChannelLabel> {
  return sql`(SELECT json_object('name', name, 'userRef', user_ref) FROM channels WHERE channels.id = ${id})`.mapWith(
    (stored: string): ChannelLabel => StoredLabel.parse(JSON.parse(stored)),
  );
}
