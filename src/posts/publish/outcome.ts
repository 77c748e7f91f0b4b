import { sql } from "drizzle-orm";
import { answered, type Cause } from "../../core/failures.ts";
import { idOf, type PostId } from "../../core/ids.ts";
import { isoUtc } from "../../core/time.ts";
import type { Db, Statement } from "../../db/client.ts";
import { endUses } from "../../files/store.ts";
import { enqueueJobs } from "../../jobs/enqueue.ts";
import type { HeldJob } from "../../jobs/handler.ts";
import type { Journal } from "../../jobs/journal.ts";
import type { WaitCause } from "../../jobs/outcomes.ts";
import type { LeftOut } from "../../media/check.ts";
import type { PlatformPost } from "../../platforms/publishing.ts";
import type { Deps } from "../../service/deps.ts";
import { plannedItems } from "../content/content.ts";
import { openRemoval } from "../delete/removals.ts";
import type { PostEvent } from "../events.ts";
import { isDeleted, markFailed, markPublished, markRemoval } from "../states.ts";
import { findPostOfJob, type Post } from "../store.ts";
import { openFirstComment } from "./first-comment-plan.ts";
import { expectPermalink } from "./late-permalink.ts";
import { type LivePost, livePosts } from "./publish-journal.ts";
import { unspentCost } from "./reserved-cost.ts";
import { postEvent } from "./timeline.ts";

/**
 * The outcomes of publishing, read from the job's journal: published, failed with a reason, or deleted
 * meanwhile. Each outcome is one transaction of post, event and job, conditional on the job's lease.
 */

const DOUBT = " It may have been published. Check the channel before you try again.";

/**
 * What starts when a post goes live, supplied by other features (dispatch.ts combines them): statements that
 * run after the post is marked live.
 */
export type BeginsWithPost = (db: Db, post: { readonly postId: PostId; readonly now: number }) => readonly Statement[];

interface Published {
  readonly live: readonly PlatformPost[];
  readonly permalink: string | null;
  /** The parts of the content that the platform does not accept. */
  readonly leftOut: readonly LeftOut[];
  readonly begins: BeginsWithPost;
}

/** Records that the post is live. A post that was deleted meanwhile is deleted at the platform too. */
export async function recordPublished(
  deps: Deps,
  journal: Journal,
  post: Post,
  { live, permalink, leftOut, begins }: Published,
): Promise<void> {
  const now = Date.now();
  const { removal, comment } = await journal.finish({
    post: markPublished(deps.db, post.id, { platformPosts: live, permalink }, journal.hasLease),
    removal: openRemoval(deps.db, post, sql`${isDeleted(post.id)} AND ${journal.hasLease}`),
    event: postEvent(deps, journal, {
      type: "post.published",
      message: "Live on the platform.",
      detail: { permalink },
    }),
    comment: openFirstComment(deps.db, post, now, journal.hasLease),
    leftOut: leftOut.length > 0 ? postEvent(deps, journal, leftOutEvent(leftOut)) : null,
    permalink: permalink === null ? expectPermalink(deps, post, now, journal.hasLease) : null,
    uses: endUses(deps.db, post.id, now, journal.hasLease),
    begun: begins(deps.db, { postId: post.id, now }),
  });
  await enqueueJobs(deps, removal);
  if (comment[0]) await enqueueJobs(deps, comment[0]);
}

function leftOutEvent(leftOut: readonly LeftOut[]): PostEvent {
  const fields = leftOut.map(({ field }) => field);
  return { type: "post.left_out", message: leftOut.map(({ message }) => message).join(" "), detail: { fields } };
}

const CUT_SHORT: Cause = { code: "partly_published", message: "The post was deleted before all of it was published." };

/** Records a post that was deleted before all of it was sent. Its live items are deleted at the platform. */
export async function recordDeleted(
  deps: Deps,
  journal: Journal,
  post: Post,
  live: readonly PlatformPost[],
): Promise<void> {
  if (live.length === 0) {
    await journal.finish({
      unspent: unspentCost(deps.db, journal, post),
      removal: markRemoval(deps.db, post.id, "done", journal.hasLease),
      event: postEvent(deps, journal, {
        type: "post.removed",
        message: "Nothing of it is live on the platform.",
        detail: {},
      }),
    });
    return;
  }
  const { removal } = await journal.finish({
    unspent: unspentCost(deps.db, journal, post),
    post: markFailed(deps.db, post.id, { ...CUT_SHORT, live }, journal.hasLease),
    removal: openRemoval(deps.db, post, sql`${isDeleted(post.id)} AND ${journal.hasLease}`),
  });
  await enqueueJobs(deps, removal);
}

/** Records a failure with its cause, and names the items that are, or may be, live. */
export async function recordFailure(deps: Deps, journal: Journal, cause: Cause, begins: BeginsWithPost): Promise<void> {
  const id = idOf<PostId>(journal.job.subjectId);
  const post = await findPostOfJob(deps.db, id);
  if (!post) {
    await journal.finish([]);
    return;
  }
  const planned = plannedItems(post, post.postType).length;
  const accepted = livePosts(journal, planned);
  const live = accepted.filter(({ isConfirmed }) => isConfirmed);
  // All items are live, so the later error does not make the post a failure.
  if (live.length === planned) {
    const permalink = live[0]?.permalink ?? null;
    return recordPublished(deps, journal, post, { live: live.map(toPlatformPost), permalink, leftOut: [], begins });
  }
  const isInDoubt = journal.hasUnconfirmed() || live.length < accepted.length;
  if (post.state === "deleted") return recordUnsettled(deps, journal, post, { accepted, cause, isInDoubt });
  const [first] = live;
  const partly = first
    ? ` ${live.length} of ${planned} items are live${first.permalink ? `: ${first.permalink}` : ""}.`
    : "";
  const message = `${cause.message}${partly}${isInDoubt ? DOUBT : ""}`;
  const code = live.length > 0 ? "partly_published" : isInDoubt ? doubtOf(cause) : cause.code;
  const codes = { error_code: code, cause: code === cause.code ? null : cause.code };
  const now = Date.now();
  const { removal } = await journal.finish({
    unspent: unspentCost(deps.db, journal, post),
    post: markFailed(deps.db, id, { code, message, live: accepted.map(toPlatformPost) }, journal.hasLease),
    event: postEvent(deps, journal, {
      type: "post.failed",
      message,
      detail: { ...codes, items: planned, live_items: live.length, ...answered(cause) },
    }),
    removal: openRemoval(deps.db, post, sql`${isDeleted(id)} AND ${journal.hasLease}`),
    uses: endUses(deps.db, id, now, journal.hasLease),
  });
  await enqueueJobs(deps, removal);
}

/** A duplicate that none of our acts explains is a more specific result than "may be published". */
function doubtOf({ code }: Cause): "duplicate" | "may_be_published" {
  return code === "duplicate" ? code : "may_be_published";
}

interface Unsettled {
  readonly accepted: readonly LivePost[];
  readonly cause: Cause;
  readonly isInDoubt: boolean;
}

/**
 * Records a deleted post whose publication could not be confirmed or excluded in time. The items known to be
 * live are deleted all the same.
 */
async function recordUnsettled(
  deps: Deps,
  journal: Journal,
  post: Post,
  { accepted, cause, isInDoubt }: Unsettled,
): Promise<void> {
  const message = `The post was deleted here, but it may still be live on ${post.channelType}. Check the channel. ${cause.message}`;
  const doubt = [
    markRemoval(deps.db, post.id, "given_up", journal.hasLease),
    postEvent(deps, journal, {
      type: "post.removal_failed",
      message,
      detail: { error_code: cause.code, ...answered(cause) },
    }),
  ];
  const nothing = accepted.length === 0 ? [markRemoval(deps.db, post.id, "done", journal.hasLease)] : [];
  const { removal } = await journal.finish({
    unspent: unspentCost(deps.db, journal, post),
    post: markFailed(deps.db, post.id, { ...cause, live: accepted.map(toPlatformPost) }, journal.hasLease),
    removal:
      accepted.length > 0 ? openRemoval(deps.db, post, sql`${isDeleted(post.id)} AND ${journal.hasLease}`) : null,
    events: isInDoubt ? doubt : nothing,
  });
  if (removal !== null) await enqueueJobs(deps, removal);
}

/** Closes a post whose rows or journal cannot be read any more; its outcome stays unknown. */
export function endUnreadable(deps: Deps, held: HeldJob, end: Cause): readonly Statement[] {
  const id = idOf<PostId>(held.job.subjectId);
  const message = `${end.message}${DOUBT}`;
  const code = "may_be_published";
  const now = Date.now();
  const detail = { error_code: code, cause: end.code, items: null, live_items: null } as const;
  return [
    markFailed(deps.db, id, { code, message }, held.hasLease),
    postEvent(deps, held, { type: "post.failed", message, detail }),
    ...endUses(deps.db, id, now, held.hasLease),
  ];
}

function toPlatformPost({ isConfirmed: _, ...post }: LivePost): PlatformPost {
  return post;
}

/** Records a wait in the timeline. */
export function recordWait(
  deps: Deps,
  held: HeldJob,
  { code, message, limit, answer }: WaitCause,
  until: number,
): readonly Statement[] {
  const whose = limit === undefined ? {} : { limit };
  const detail = { until: isoUtc(until), error_code: code, ...whose, ...answered({ code, answer }) };
  return [postEvent(deps, held, { type: "post.waiting", message, detail })];
}
