import { sql } from "drizzle-orm";
import { countMissedRule } from "../../alerts/missed-rules.ts";
import { answered, type Cause } from "../../core/failures.ts";
import { idOf, type PostId } from "../../core/ids.ts";
import type { Db, Statement } from "../../db/client.ts";
import { endUses } from "../../files/store.ts";
import type { HeldJob } from "../../jobs/handler.ts";
import type { Finish, Journal } from "../../jobs/journal.ts";
import { setBackBefore } from "../../jobs/set-back.ts";
import type { LeftOut } from "../../media/check.ts";
import type { PlatformPost } from "../../platforms/publishing.ts";
import type { Deps } from "../../service/deps.ts";
import { plannedItems } from "../content/content.ts";
import { openRemoval } from "../delete/removals.ts";
import { type PostEvent, postEvent } from "../events.ts";
import { isDeleted, markFailed, markPublished, markRemoval } from "../states.ts";
import { findPostOfJob, type Post } from "../store.ts";
import { openFirstComment } from "./first-comment-plan.ts";
import { expectPermalink } from "./late-permalink.ts";
import { missedRuleOf } from "./missed-rule.ts";
import { commitStep, type LivePost, livePosts } from "./publish-journal.ts";
import { unspentCost } from "./reserved-cost.ts";

/**
 * What the end of publishing writes, from the job's journal: published, failed with a reason, or deleted
 * meanwhile. The job's last transaction has post, event and opened jobs, each conditional on its lease.
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

/** The post is live. A post that was deleted meanwhile is deleted at the platform too. */
export function publication(
  deps: Deps,
  journal: Journal,
  post: Post,
  { live, permalink, leftOut, begins }: Published,
): Finish {
  const { db } = deps;
  const { hasLease } = journal;
  const now = Date.now();
  const event = { type: "post.published", message: "Live on the platform.", detail: { permalink } } as const;
  return {
    writes: [
      markPublished(db, post.id, { platformPosts: live, permalink }, hasLease),
      postEvent(deps, journal, event),
      ...(leftOut.length > 0 ? [postEvent(deps, journal, leftOutEvent(leftOut))] : []),
      ...(permalink === null ? expectPermalink(deps, post, now, hasLease) : []),
      ...endUses(db, post.id, now, hasLease),
      ...begins(db, { postId: post.id, now }),
    ],
    opens: [removalIfDeleted(deps, journal, post), ...openFirstComment(db, post, now, hasLease)],
  };
}

function removalIfDeleted({ db }: Deps, { hasLease }: Journal, post: Post): Statement {
  return openRemoval(db, post, sql`${isDeleted(post.id)} AND ${hasLease}`);
}

function leftOutEvent(leftOut: readonly LeftOut[]): PostEvent {
  const fields = leftOut.map(({ field }) => field);
  return { type: "post.left_out", message: leftOut.map(({ message }) => message).join(" "), detail: { fields } };
}

const CUT_SHORT: Cause = { code: "partly_published", message: "The post was deleted before all of it was published." };

/** The post was deleted before all of it was sent. Its live items are deleted at the platform. */
export function deletedMeanwhile(deps: Deps, journal: Journal, post: Post, live: readonly PlatformPost[]): Finish {
  const { db } = deps;
  const unspent = unspentCost(db, journal, post);
  if (live.length === 0) {
    const event = { type: "post.removed", message: "Nothing of it is live on the platform.", detail: {} } as const;
    const writes = [...unspent, markRemoval(db, post.id, "done", journal.hasLease), postEvent(deps, journal, event)];
    return { writes };
  }
  return {
    writes: [...unspent, markFailed(db, post.id, { ...CUT_SHORT, live }, journal.hasLease)],
    opens: [removalIfDeleted(deps, journal, post)],
  };
}

/** The post failed for this cause; its message names the items that are, or may be, live. */
export async function publishFailure(
  deps: Deps,
  journal: Journal,
  cause: Cause,
  begins: BeginsWithPost,
): Promise<Finish> {
  const id = idOf<PostId>(journal.job.subjectId);
  const post = await findPostOfJob(deps.db, id);
  if (!post) return {};
  const planned = plannedItems(post, post.postType).length;
  const accepted = livePosts(journal, planned);
  const live = accepted.filter(({ isConfirmed }) => isConfirmed);
  // All items are live, so the later error does not make the post a failure.
  if (live.length === planned) {
    const permalink = live[0]?.permalink ?? null;
    return publication(deps, journal, post, { live: live.map(toPlatformPost), permalink, leftOut: [], begins });
  }
  const isInDoubt = journal.hasUnconfirmed() || live.length < accepted.length || isLost(journal, post);
  if (post.state === "deleted") return unsettledRemoval(deps, journal, post, { accepted, cause, isInDoubt });
  const [first] = live;
  const partly = first
    ? ` ${live.length} of ${planned} items are live${first.permalink ? `: ${first.permalink}` : ""}.`
    : "";
  const message = `${cause.message}${partly}${isInDoubt ? DOUBT : ""}`;
  const code = live.length > 0 ? "partly_published" : isInDoubt ? doubtOf(cause) : cause.code;
  const codes = { error_code: code, cause: code === cause.code ? null : cause.code };
  const detail = { ...codes, items: planned, live_items: live.length, ...answered(cause) };
  return {
    writes: [
      ...unspentCost(deps.db, journal, post),
      markFailed(deps.db, id, { code, message, live: accepted.map(toPlatformPost) }, journal.hasLease),
      postEvent(deps, journal, { type: "post.failed", message, detail }),
      ...missedRule(deps, journal, post, cause),
      ...endUses(deps.db, id, Date.now(), journal.hasLease),
    ],
    opens: [removalIfDeleted(deps, journal, post)],
  };
}

/** Counts a refusal that our rules had not foreseen, and says so to the project. */
function missedRule(deps: Deps, journal: Journal, post: Post, cause: Cause): Statement[] {
  const missed = missedRuleOf(post, cause);
  if (missed === null) return [];
  const { operation, code, platformCode, words } = missed;
  const message = `${post.channelType} refused what the rules of this service allow: ${words}`;
  const detail = { operation, error_code: code, platform_code: platformCode === "" ? null : platformCode, words };
  return [
    ...countMissedRule(deps.db, missed, Date.now(), journal.hasLease),
    postEvent(deps, journal, { type: "platform.rule_missed", message, detail }),
  ];
}

/** Whether the post was due in a time that the database has lost, and nothing was looked up or sent since. */
function isLost(journal: Journal, post: Post): boolean {
  const setBack = setBackBefore(journal, post);
  return setBack !== null && post.publishAt <= setBack.until && !journal.wasBegun(commitStep(0));
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
 * The post was deleted, and its publication could not be confirmed or excluded in time. The items known to be
 * live are deleted all the same.
 */
function unsettledRemoval(deps: Deps, journal: Journal, post: Post, { accepted, cause, isInDoubt }: Unsettled): Finish {
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
  const failed = markFailed(deps.db, post.id, { ...cause, live: accepted.map(toPlatformPost) }, journal.hasLease);
  return {
    writes: [...unspentCost(deps.db, journal, post), failed, ...(isInDoubt ? doubt : nothing)],
    opens: accepted.length > 0 ? [removalIfDeleted(deps, journal, post)] : [],
  };
}

/** The rows or the journal of the post cannot be read any more: its outcome stays unknown. */
export function unreadableFailure(deps: Deps, held: HeldJob, end: Cause): Finish {
  const id = idOf<PostId>(held.job.subjectId);
  const message = `${end.message}${DOUBT}`;
  const code = "may_be_published";
  const now = Date.now();
  const detail = { error_code: code, cause: end.code, items: null, live_items: null } as const;
  const writes = [
    markFailed(deps.db, id, { code, message }, held.hasLease),
    postEvent(deps, held, { type: "post.failed", message, detail }),
    ...endUses(deps.db, id, now, held.hasLease),
  ];
  return { writes };
}

function toPlatformPost({ isConfirmed: _, ...post }: LivePost): PlatformPost {
  return post;
}
