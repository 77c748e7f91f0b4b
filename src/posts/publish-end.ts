import { z } from "zod";
import { idOf, type PostId } from "../core/ids.ts";
import { SECOND } from "../core/time.ts";
import { isUniqueViolation, type Statement } from "../db/client.ts";
import type { Deps } from "../deps.ts";
import { GiveUp, type Journal } from "../jobs/steps.ts";
import type { PlatformPost } from "../platforms/platform.ts";
import { plannedItems } from "./content.ts";
import { findPostOfJob, isDeleted, markFailed, markPublished, type Post } from "./store.ts";
import { postEvent } from "./timeline.ts";
import { insertUnpublish, wakeUnpublish } from "./unpublish.ts";

/**
 * How publishing ends, read from the job's journal: published, failed with a reason, or deleted meanwhile. Each end is one
 * transaction of post, event and job, conditional on the job's lease.
 */
export const PlatformPostShape = z.object({ id: z.string(), permalink: z.string().nullable() });

/** Result of a `commit:n` step. `confirmAfterSeconds` null: the platform's answer says that it is live. */
export const Committed = z.object({ post: PlatformPostShape, confirmAfterSeconds: z.number().nullable() });
export type Committed = z.output<typeof Committed>;

/** Step that says: what the journal found to be live is another post's. */
const DISOWNED = "disowned";

/** Live. A post that was deleted meanwhile is taken down again. Throws `GiveUp` when another post owns what is live. */
export async function recordPublished(
  deps: Deps,
  journal: Journal,
  post: Post,
  live: readonly PlatformPost[],
  permalink: string | null,
): Promise<void> {
  const now = Date.now();
  try {
    const [, taken] = await journal.finish([
      markPublished(deps.db, post.id, { platformPosts: live, permalink }, now, journal.held),
      insertUnpublish(deps, post, now, isDeleted(post.id)),
      postEvent(deps, journal, "post.published", "Live on the platform.", { permalink }),
    ]);
    await wakeUnpublish(deps, post, taken);
  } catch (error) {
    if (!isUniqueViolation(error, "posts")) throw error;
    // Two posts with one text looked at the same moment, and the other one was first to take what is live.
    await journal.write(DISOWNED, true);
    throw new GiveUp("A post like it is live on the channel, but it belongs to another post of yours.");
  }
}

/** Deleted before everything of it was sent: what is live already is taken down. */
export async function recordDeleted(
  deps: Deps,
  journal: Journal,
  post: Post,
  live: readonly PlatformPost[],
): Promise<void> {
  const now = Date.now();
  const [, taken] = await journal.finish([
    markFailed(deps.db, post.id, "Deleted before it was published.", live, now, journal.held),
    ...(live.length > 0 ? [insertUnpublish(deps, post, now, isDeleted(post.id))] : []),
  ]);
  await wakeUnpublish(deps, post, taken);
}

/** Failed, for this reason; what is live of it, or may be, is said too. */
export async function recordFailure(deps: Deps, journal: Journal, reason: string): Promise<void> {
  const id = idOf<PostId>(journal.job.subjectId);
  const post = await findPostOfJob(deps.db, id);
  if (!post) {
    await journal.finish([]);
    return;
  }
  const accepted = livePosts(journal, post);
  const live = accepted.filter(({ isConfirmed }) => isConfirmed);
  const planned = plannedItems(post, post.postType).length;
  // Whatever went wrong after that: all of it is live.
  if (live.length === planned) {
    return recordPublished(deps, journal, post, live.map(toPlatformPost), live[0]?.permalink ?? null);
  }
  const doubt =
    journal.isUnsure() || live.length < accepted.length
      ? " It may have been published; check the channel before you try again."
      : "";
  const [first] = live;
  const partly = first
    ? ` ${live.length} of ${planned} items are live${first.permalink ? `: ${first.permalink}` : ""}.`
    : "";
  const message = `${reason}${partly}${doubt}`;
  const now = Date.now();
  const [, , taken] = await journal.finish([
    markFailed(deps.db, id, message, accepted.map(toPlatformPost), now, journal.held),
    postEvent(deps, journal, "post.failed", message),
    ...(accepted.length > 0 ? [insertUnpublish(deps, post, now, isDeleted(id))] : []),
  ]);
  await wakeUnpublish(deps, post, taken);
}

interface LivePost extends PlatformPost {
  /** False while the platform has accepted it, but not said that it is live. */
  readonly isConfirmed: boolean;
}

/** The items that the platform has accepted and has not given up afterwards. */
export function livePosts(journal: Journal, post: Post): LivePost[] {
  if (journal.read(DISOWNED, z.literal(true))) return [];
  const count = plannedItems(post, post.postType).length;
  const live: LivePost[] = [];
  for (let index = 0; index < count; index++) {
    const committed = journal.read(`commit:${index}`, Committed);
    if (!committed || journal.read(`broken:${index}`, z.literal(true))) continue;
    const confirmed = journal.read(`live:${index}`, PlatformPostShape);
    live.push({
      ...(confirmed ?? committed.post),
      isConfirmed: confirmed !== null || committed.confirmAfterSeconds === null,
    });
  }
  return live;
}

function toPlatformPost({ id, permalink }: LivePost): PlatformPost {
  return { id, permalink };
}

/** Shows a wait in the timeline, unless it is short or the same as the last. */
export function recordWait(deps: Deps, journal: Journal, reason: string, until: number): readonly Statement[] {
  // A wait of a few seconds is no news; one with the same reason as the last is no news either.
  if (until - Date.now() < 2 * SECOND || journal.job.waitingFor === reason) return [];
  return [postEvent(deps, journal, "post.waiting", reason, { until: new Date(until).toISOString() })];
}
