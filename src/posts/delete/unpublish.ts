import { actAs } from "../../acting/acting.ts";
import { performRepeatable } from "../../acting/perform.ts";
import { type Actor, findActor } from "../../channels/store.ts";
import { answered, type Cause } from "../../core/failures.ts";
import { idOf, type PostId } from "../../core/ids.ts";
import type { Statement } from "../../db/client.ts";
import type { HeldJob, JobHandler } from "../../jobs/handler.ts";
import type { Journal } from "../../jobs/journal.ts";
import { findPlatform } from "../../platforms/registry.ts";
import type { Deps } from "../../service/deps.ts";
import { countUses } from "../../usage/store.ts";
import { type PostEvent, postEvent, waitEvent } from "../events.ts";
import { REMOVAL_LIMIT_MS, UNPUBLISH } from "../jobs.ts";
import { findFirstComment } from "../publish/first-comment-store.ts";
import { markRemoval } from "../states.ts";
import { findPostOfJob, type Post } from "../store.ts";
import type { CommentResult } from "../stored.ts";
import { byHandSentence, removerOf } from "./removals.ts";

/**
 * Deletes a deleted post at its platform: the job `unpublish:<post id>`. Deletion may be repeated. The job
 * waits for a channel that needs attention until its deadline, and again after a reconnection (removals.ts).
 * After that it reports that the post may still be live.
 */
export const unpublishJob: JobHandler<Deps> = {
  kind: UNPUBLISH,
  queues: ["publish"],
  limitMs: () => REMOVAL_LIMIT_MS,
  version: 1,
  isLasting: (step) => step.startsWith("remove:"),
  run,
  failed: (deps, job, end) => ({ writes: removalFailure(deps, job, end) }),
  waiting: waitEvent,
};

async function run(deps: Deps, journal: Journal): Promise<void> {
  const post = await findPostOfJob(deps.db, idOf<PostId>(journal.job.subjectId));
  if (!post) return journal.finish();
  const remove = removerOf(post.channelType);
  if (!remove) {
    const event: PostEvent = {
      type: "post.removal_failed",
      message: `Deleted here; ${byHandSentence(post.channelType)}`,
      detail: { error_code: "unsupported_by_platform" },
    };
    return finish(deps, journal, post, { removal: "unsupported", event });
  }
  const actor = await findActor(deps.db, post.channelId);
  const acting = await actAs({ deps, journal, isPatient: true, act: "remove", postId: post.id }, actor, "publish");
  const failures: Failed[] = [];
  // The last item first: a reader should never see a thread with its beginning missing. One item that fails
  // does not stop the others.
  for (const live of [...post.platformPosts].reverse()) {
    const step = `remove:${live.id}`;
    const outcome = await journal.runBranch(step, async () => {
      await performRepeatable(acting, { step, act: (context) => remove(context, post.postType, live) });
    });
    if (outcome.kind === "unresolved") failures.push({ step, cause: outcome.cause });
  }
  const comment = await removeComment(deps, journal, actor, post);
  if (comment && comment !== "in_doubt") failures.push(comment);
  const [first] = failures;
  // The failed deletions run again if the removal is resumed.
  const again = failures.map(({ step }) => journal.deletionOf(step));
  if (first) return journal.finish({ writes: [...again, ...removalFailure(deps, journal, first.cause)] });
  if (comment === "in_doubt") return finish(deps, journal, post, { removal: "done", event: COMMENT_IN_DOUBT });
  const isUp = post.platformPosts.length > 0;
  const isPriced = findPlatform(post.channelType)?.pricing !== undefined;
  const message = isUp ? "Deleted at the platform." : "Nothing of it is live on the platform.";
  const event = { type: "post.removed", message, detail: {} } as const;
  // Paid deletions are counted where they are made.
  const also = isUp && !isPriced ? [countDeletions(deps, journal, post)] : [];
  await finish(deps, journal, post, { removal: "done", event, also });
}

interface End {
  readonly removal: NonNullable<Post["removal"]>;
  readonly event: PostEvent;
  readonly also?: readonly Statement[];
}

function finish(deps: Deps, journal: Journal, { id }: Post, { removal, event, also = [] }: End): Promise<void> {
  const marked = markRemoval(deps.db, id, removal, journal.hasLease);
  return journal.finish({ writes: [...also, marked, postEvent(deps, journal, event)] });
}

function countDeletions(
  { db }: Deps,
  { hasLease }: Journal,
  { projectId, channelType, platformPosts }: Post,
): Statement {
  const { length } = platformPosts;
  const uses = [{ operation: "post_delete", calls: length, units: length }];
  return countUses(db, { projectId, service: channelType }, uses, { at: Date.now(), condition: hasLease });
}

interface Failed {
  readonly step: string;
  readonly cause: Cause;
}

const COMMENT_WAIT_SECONDS = 30;

/**
 * Where comments outlive their post, our first comment is deleted too, once its job knows whether it exists.
 * Null: no comment exists. `in_doubt`: its job ended without a clear result.
 */
async function removeComment(
  deps: Deps,
  journal: Journal,
  actor: Actor | null,
  { id, channelType, firstComment }: Post,
): Promise<Failed | "in_doubt" | null> {
  const remove = findPlatform(channelType)?.comments?.remove;
  if (!remove || firstComment === null) return null;
  const { result, isOpen } = await findFirstComment(deps.db, id);
  if (isOpen) {
    journal.retryLater(COMMENT_WAIT_SECONDS, "Waiting until the first comment's outcome is known.", null);
  }
  if (result?.state !== "published") return isDoubt(result) ? "in_doubt" : null;
  const step = `remove:comment:${result.id}`;
  const outcome = await journal.runBranch(step, async () => {
    const acting = await actAs({ deps, journal, isPatient: true, act: "remove", postId: id }, actor, "comments");
    await performRepeatable(acting, { step, act: (context) => remove(context, result.id) });
  });
  return outcome.kind === "unresolved" ? { step, cause: outcome.cause } : null;
}

function isDoubt(result: CommentResult | null): boolean {
  return result?.state === "failed" && (result.code === "may_be_published" || result.code === "duplicate");
}

/** No attempt remains, so the removal is done and not resumed. */
const COMMENT_IN_DOUBT: PostEvent = {
  type: "post.removal_failed",
  message: "The post was deleted at the platform, but its first comment may still be live. Check the channel.",
  detail: { error_code: "may_be_published" },
};

function removalFailure(deps: Deps, held: HeldJob, cause: Cause): readonly Statement[] {
  const message = `The post was deleted here, but it may still be live on the platform. Check the channel. ${cause.message}`;
  const detail = { error_code: cause.code, ...answered(cause) };
  return [
    markRemoval(deps.db, idOf<PostId>(held.job.subjectId), "given_up", held.hasLease),
    postEvent(deps, held, { type: "post.removal_failed", message, detail }),
  ];
}
