import type { SQL } from "drizzle-orm";
import type { ChannelId, PostId, ProjectId } from "../core/ids.ts";
import type { Db, Statement } from "../db/client.ts";
import type { Capability } from "../platforms/names.ts";

/**
 * What other features do when a post, a channel or a comment ends: statements for the transaction that ends
 * it, which take effect while `when` holds. api/endings.ts combines them.
 */
export interface Endings {
  readonly post: readonly GoesWithPost[];
  readonly channel: GoesWithChannel;
  readonly channelHold: ChannelHold;
  readonly comment: GoesWithComment;
}

/** `woken` return jobs, for `enqueueJobs`; `rest` run after them. */
export type GoesWithPost = (
  db: Db,
  post: { readonly projectId: ProjectId; readonly postId: PostId; readonly now: number },
  when: SQL,
) => { readonly woken: readonly Statement[]; readonly rest: readonly Statement[] };

export type GoesWithChannel = (
  db: Db,
  channel: { readonly channelId: ChannelId; readonly now: number },
  when: SQL,
) => readonly Statement[];

/** Work that needs a channel's credentials until it has ended. */
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

/** For a comment that is to be hidden or deleted; `commentId` is the platform's. */
export type GoesWithComment = (
  db: Db,
  comment: { readonly postId: PostId; readonly commentId: string },
  now: number,
) => readonly Statement[];
