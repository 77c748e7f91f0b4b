import type { SQL } from "drizzle-orm";
import { idOf, type PostId } from "../core/ids.ts";
import { SECOND } from "../core/time.ts";
import type { Statement } from "../db/client.ts";
import type { Deps } from "../deps.ts";
import { insertEvent } from "../events/store.ts";
import type { Journal } from "../jobs/steps.ts";
import type { Job } from "../jobs/store.ts";
import { wakeJobs } from "../jobs/wake.ts";
import type { PlatformPost } from "../platforms/platform.ts";
import { plannedItems } from "./content.ts";
import { expectPermalink } from "./late-permalink.ts";
import { type LivePost, livePosts } from "./publish-journal.ts";
import { openRemoval } from "./removals.ts";
import {
  findPostOfJob,
  isDeleted,
  markFailed,
  markPublished,
  markRemoval,
  markUnreadable,
  type Post,
} from "./store.ts";
import { postEvent } from "./timeline.ts";

/**
 * How publishing ends, read from the job's journal: published, failed with a reason, or deleted meanwhile. Each end is one
 * transaction of post, event and job, conditional on the job's lease.
 */

const DOUBT = " It may have been published; check the channel before you try again.";

/** Live. A post that was deleted meanwhile is taken down again. */
export async function recordPublished(
  deps: Deps,
  journal: Journal,
  post: Post,
  live: readonly PlatformPost[],
  permalink: string | null,
): Promise<void> {
  const now = Date.now();
  const [, taken] = await journal.finish([
    markPublished(deps.db, post.id, { platformPosts: live, permalink }, now, journal.held),
    openRemoval(deps.db, post, now, isDeleted(post.id), journal.held),
    postEvent(deps, journal, "post.published", "Live on the platform.", { permalink }),
    ...(permalink === null ? expectPermalink(deps, post, now, journal.held) : []),
  ]);
  await wakeJobs(deps, taken);
}

/** Deleted before everything of it was sent: what is live already is taken down. */
export async function recordDeleted(
  deps: Deps,
  journal: Journal,
  post: Post,
  live: readonly PlatformPost[],
): Promise<void> {
  const now = Date.now();
  if (live.length === 0) {
    await journal.finish([
      markRemoval(deps.db, post.id, "done", journal.held),
      postEvent(deps, journal, "post.removed", "Nothing of it is up on the platform."),
    ]);
    return;
  }
  const [, taken] = await journal.finish([
    markFailed(deps.db, post.id, "Deleted before it was published.", live, now, journal.held),
    openRemoval(deps.db, post, now, isDeleted(post.id), journal.held),
  ]);
  await wakeJobs(deps, taken);
}

/** Failed, for this reason; what is live of it, or may be, is said too. */
export async function recordFailure(deps: Deps, journal: Journal, reason: string): Promise<void> {
  const id = idOf<PostId>(journal.job.subjectId);
  const post = await findPostOfJob(deps.db, id);
  if (!post) {
    await journal.finish([]);
    return;
  }
  const planned = plannedItems(post, post.postType).length;
  const accepted = livePosts(journal, planned);
  const live = accepted.filter(({ isConfirmed }) => isConfirmed);
  // Whatever went wrong after that: all of it is live.
  if (live.length === planned) {
    return recordPublished(deps, journal, post, live.map(toPlatformPost), live[0]?.permalink ?? null);
  }
  const isInDoubt = journal.isUnsure() || live.length < accepted.length;
  if (post.state === "deleted") return recordUnsettled(deps, journal, post, accepted, reason, isInDoubt);
  const [first] = live;
  const partly = first
    ? ` ${live.length} of ${planned} items are live${first.permalink ? `: ${first.permalink}` : ""}.`
    : "";
  const message = `${reason}${partly}${isInDoubt ? DOUBT : ""}`;
  const now = Date.now();
  const [, , taken] = await journal.finish([
    markFailed(deps.db, id, message, accepted.map(toPlatformPost), now, journal.held),
    postEvent(deps, journal, "post.failed", message),
    openRemoval(deps.db, post, now, isDeleted(id), journal.held),
  ]);
  await wakeJobs(deps, taken);
}

/** A deleted post of which nobody could say in time whether it is up. What is known to be up is taken down all the same. */
async function recordUnsettled(
  deps: Deps,
  journal: Journal,
  post: Post,
  accepted: readonly LivePost[],
  reason: string,
  isInDoubt: boolean,
): Promise<void> {
  const now = Date.now();
  const message = `Deleted here, but it may still be up on ${post.channelType}; check the channel. ${reason}`;
  const doubt = [
    markRemoval(deps.db, post.id, "given_up", journal.held),
    postEvent(deps, journal, "post.removal_failed", message),
  ];
  const nothing = accepted.length === 0 ? [markRemoval(deps.db, post.id, "done", journal.held)] : [];
  const [, taken] = await journal.finish([
    markFailed(deps.db, post.id, reason, accepted.map(toPlatformPost), now, journal.held),
    ...(accepted.length > 0 ? [openRemoval(deps.db, post, now, isDeleted(post.id), journal.held)] : []),
    ...(isInDoubt ? doubt : nothing),
  ]);
  if (accepted.length > 0) await wakeJobs(deps, taken);
}

/** The post's rows or its journal cannot be read any more: it ends all the same, in doubt. */
export function abandonPost(deps: Deps, { projectId, subjectId }: Job, held: SQL): readonly Statement[] {
  const message = `Something in our records of this post cannot be read any more.${DOUBT}`;
  const now = Date.now();
  const event = { projectId, subject: "post", subjectId, type: "post.failed", message, at: now } as const;
  return [markUnreadable(deps.db, idOf<PostId>(subjectId), message, now, held), insertEvent(deps.db, event, held)];
}

function toPlatformPost({ isConfirmed: _, ...post }: LivePost): PlatformPost {
  return post;
}

/** Shows a wait in the timeline, unless it is short or the same as the last. */
export function recordWait(deps: Deps, journal: Journal, reason: string, until: number): readonly Statement[] {
  // A wait of a few seconds is no news; one with the same reason as the last is no news either.
  if (until - Date.now() < 2 * SECOND || journal.job.waitingFor === reason) return [];
  return [postEvent(deps, journal, "post.waiting", reason, { until: new Date(until).toISOString() })];
}
