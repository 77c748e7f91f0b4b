import { z } from "zod";
import type { AccountContext, Failure, Json } from "../context.ts";
import { get, Success } from "../meta/graph.ts";
import { okAs, rejected } from "../outcomes.ts";
import type {
  Commit,
  CommitOutcome,
  Content,
  PermalinkOutcome,
  PlatformPost,
  PrepareOutcome,
  Publishing,
  RemoveOutcome,
} from "../publishing.ts";
import { graphOf } from "./api.ts";
import { advance, type Container, isPublishable, isReady, NO_CONTAINER } from "./containers.ts";
import { filePlans, type Progress, postPlan, progressOf } from "./content.ts";
import { isLost } from "./errors.ts";
import { find } from "./find.ts";
import { publish } from "./publish.ts";
import { findFullQuota } from "./quota.ts";

/**
 * Publishes at Threads: a container is created, finishes, and is published by its id. find.ts looks up lost
 * answers.
 *
 * - A reply is a container that names the post that it answers, so the items of a thread are created in turn.
 * - Publishing may be refused because the container is not found everywhere yet, also after FINISHED and for
 *   texts. The same container is retried for a while, then replaced. One call for one container makes a post.
 */

/** The lag of Threads' lists is not documented. */
export const LIST_LAG_SECONDS = 600;
/** A published container may report FINISHED for seconds to minutes. */
const USUAL_LAG_SECONDS = 30;

async function prepare(context: AccountContext, content: Content, stored: Json | null): Promise<PrepareOutcome> {
  const progress = progressOf(content, stored);
  for (const index of content.items.keys()) {
    const step = await advanceFiles(context, content, progress, index);
    if (step) return step;
  }
  return { kind: "ready", progress };
}

/** The containers of an item's files. All are created before any is awaited. Null if all are ready. */
async function advanceFiles(
  context: AccountContext,
  content: Content,
  progress: Progress,
  index: number,
): Promise<PrepareOutcome | null> {
  const files: readonly Container[] = progress.items[index]?.files ?? [];
  const plans = filePlans(content, index);
  const isMissing = ({ id }: Container) => id === null;
  const waiting = files.findIndex((file) => !isReady(file, context.now));
  const at = files.some(isMissing) ? files.findIndex(isMissing) : waiting;
  const [file, plan] = [files[at], plans[at]];
  if (!file || !plan) return null;
  const step = await advance(context, file, plan);
  if (step.kind === "failed") return step;
  const changed = withItem(progress, index, { files: files.with(at, step.upload) });
  const isOneMissing = files.with(at, step.upload).some(isMissing);
  const pause = step.kind === "more" && !isOneMissing ? pauseOf(step) : {};
  return { kind: "more", progress: changed, ...pause };
}

export const pauseOf = ({ afterSeconds, reason }: { readonly afterSeconds?: number; readonly reason?: string }) => ({
  ...(afterSeconds === undefined ? {} : { afterSeconds }),
  ...(reason === undefined ? {} : { reason }),
});

function withItem(progress: Progress, index: number, change: Partial<Progress["items"][number]>): Progress {
  return { items: progress.items.map((item, at) => (at === index ? { ...item, ...change } : item)) };
}

async function stage(
  context: AccountContext,
  content: Content,
  stored: Json,
  { index, previous }: Commit,
): Promise<PrepareOutcome> {
  const progress = progressOf(content, stored);
  const own = progress.items[index]?.own ?? NO_CONTAINER;
  if (isPublishable(own, context.now)) return { kind: "ready", progress: stored };
  if (own.id === null && index === 0) {
    const full = await findFullQuota(context, content.items.length - 1);
    if (full) return full;
  }
  if (!isReady(own, context.now)) {
    const files = await advanceFiles(context, content, progress, index);
    if (files) return files;
  }
  const plan = postPlan(content, progress, index, previous.at(-1)?.id ?? null);
  if (plan === null) return rejected("The media of this post were not uploaded.");
  const step = await advance(context, own, plan);
  if (step.kind === "failed") return step;
  const changed = withItem(progress, index, { own: step.upload });
  return step.kind === "ready"
    ? { kind: "ready", progress: changed }
    : { kind: "more", progress: changed, ...pauseOf(step) };
}

async function commit(
  context: AccountContext,
  content: Content,
  stored: Json,
  { index }: Commit,
): Promise<CommitOutcome> {
  const progress = progressOf(content, stored);
  const outcome = await publish(context, progress.items[index]?.own ?? NO_CONTAINER);
  switch (outcome.kind) {
    case "published":
      return { kind: "published", post: { id: outcome.id, secondaryId: null, permalink: null } };
    case "lost": {
      const { container: own, message, afterSeconds } = outcome;
      return { kind: "unprepared", progress: withItem(progress, index, { own }), message, afterSeconds };
    }
    case "failed":
      // Later items count as replies, whose limit delays no post.
      return index > 0 ? onlyThis(outcome) : outcome;
    default:
      return outcome;
  }
}

function onlyThis({ limit: _, ...failure }: Failure): Failure {
  return failure;
}

const Linked = z.object({ permalink: z.string().optional() });

async function readPermalink(context: AccountContext, post: PlatformPost): Promise<PermalinkOutcome> {
  const graph = graphOf(context);
  const raw = await graph.request(get(post.id, { fields: "permalink" }));
  // A post that just went live may not be found everywhere yet.
  if (isLost(raw)) return { kind: "not_yet" };
  const answer = graph.interpretRead(raw, Linked);
  if (answer.kind === "failed") return answer;
  const { permalink } = answer.value;
  return permalink ? { kind: "found", post: { ...post, permalink } } : { kind: "not_yet" };
}

export async function remove(context: AccountContext, id: string): Promise<RemoveOutcome> {
  if (!context.credentials.scopes.includes("threads_delete")) {
    return rejected("The connection lacks the permission to delete. Delete it at threads.com.");
  }
  const graph = graphOf(context);
  const answer = await graph.request({ method: "DELETE", path: id });
  if (isLost(answer)) return { kind: "removed" };
  return okAs(graph.interpretRead(answer, Success), "removed");
}

export const posts: Publishing = {
  lists: { lagSeconds: LIST_LAG_SECONDS, usualLagSeconds: USUAL_LAG_SECONDS, refusesRepeat: () => false },
  prepare,
  stage,
  commit,
  // A post with an id is live.
  confirm: async (_context, _content, _progress, { post: taken }) => ({ kind: "live", post: taken }),
  find,
  permalink: { shown: "at_once", read: readPermalink },
  remove: (context, _type, { id }) => remove(context, id),
};
