import { type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { copyProjects, hasCopiesDue } from "../accounts/copies.ts";
import { isRestoringTokens, restoreTokens } from "../accounts/restore-tokens.ts";
import { hasUnvouchedTokens, reportUnvouchedTokens } from "../accounts/tokens.ts";
import { grantTurns, hasWaiters } from "../acting/pace-turns.ts";
import { hasLeases } from "../acting/rate-leases.ts";
import { subscriptions } from "../acting/subscribe-task.ts";
import { alertOperators } from "../alerts/alert-operators.ts";
import { alerts } from "../alerts/alert-task.ts";
import { replyJob } from "../automations/answer.ts";
import { collectBackfills, watchBackfills } from "../automations/backfill-watches.ts";
import { botAnswers } from "../automations/bot-answers.ts";
import { replyCancellations } from "../automations/cancel-replies.ts";
import { returns, watchPublished } from "../automations/lifecycle.ts";
import { commentWatches } from "../automations/watch.ts";
import { claimedWatches } from "../automations/watch-store.ts";
import { campaignJob } from "../boosts/campaign-job.ts";
import { watches } from "../channels/grant-watch.ts";
import { hasTurned, markAllExpiring } from "../channels/health-mark.ts";
import { reconnections } from "../channels/reconnections.ts";
import { refreshes } from "../channels/refresh-task.ts";
import { resealOldCredentials } from "../channels/reseal.ts";
import { revokeJob } from "../channels/revoke.ts";
import { commentActJob } from "../comments/act-job.ts";
import { deauthorizations } from "../consent/deauthorize-task.ts";
import { uncheckedData } from "../consent/unchecked-data.ts";
import { messageJob } from "../conversations/job.ts";
import { messageReads } from "../conversations/read-task.ts";
import { writeTogether } from "../db/client.ts";
import { digests } from "../digest/digest-task.ts";
import { hasPending } from "../events/outbox-store.ts";
import { generationJob } from "../generations/job.ts";
import { insightReads } from "../insights/collect.ts";
import { beginInsights } from "../insights/store.ts";
import type { HandlerOf, JobHandler } from "../jobs/handler.ts";
import { kindOf, QueueMessage } from "../jobs/messages.ts";
import { type RecurringHandler, type RecurringHandlerOf, runTasks, sendDueTasks } from "../jobs/recurring.ts";
import { dueKinds } from "../jobs/recurring-store.ts";
import { runJob } from "../jobs/runner.ts";
import { noticeSetBack, type Raised, raiseMark, readOutside, settleMark } from "../jobs/set-back.ts";
import { noteFailedDelivery } from "../jobs/store.ts";
import { AHEAD_MS, sendDueJobs } from "../jobs/sweep.ts";
import { hasJobsToSweep } from "../jobs/sweep-store.ts";
import { resumedRemovals } from "../posts/delete/resumed-removals.ts";
import { unpublishJob } from "../posts/delete/unpublish.ts";
import { feedPosts } from "../posts/feeds/feed-task.ts";
import { imports } from "../posts/imports/import-task.ts";
import { firstCommentJob } from "../posts/publish/first-comment.ts";
import { latePermalinks } from "../posts/publish/late-permalink.ts";
import { publishJob } from "../posts/publish/publish.ts";
import { seriesPosts } from "../posts/series/series-task.ts";
import { projectDeletions } from "../projects/deletion/delete-project.ts";
import { projectMoves } from "../projects/moving/move-project.ts";
import { hasMoves } from "../projects/moving/store.ts";
import type { Deps } from "../service/deps.ts";
import { takeFreeReads } from "../usage/free-reads.ts";
import { deliveryJob } from "../webhooks/delivery-job.ts";
import { dispatchEvents, dispatchSoon } from "../webhooks/dispatch-events.ts";
import { resealOldSecrets } from "../webhooks/reseal.ts";
import { forgetLeftovers, leftoverConditions } from "./leftovers.ts";

/**
 * Above the features: the registry of jobs and recurring work (each handler names its kind, queue and
 * deadline), what a message starts, and what the minute sweep does. It makes no decisions itself.
 */
const JOBS: readonly JobHandler<Deps>[] = [
  publishJob((db, post) => [...watchPublished(db, post), ...beginInsights(db, post.postId, post.now)]),
  firstCommentJob,
  unpublishJob,
  revokeJob,
  replyJob,
  commentActJob(botAnswers),
  generationJob,
  campaignJob,
  deliveryJob,
  messageJob,
];
/** What resumes after a login, from each feature that waited for it. */
const RESUMED_AFTER_LOGIN = [resumedRemovals, claimedWatches];
const RECURRING: readonly RecurringHandler<Deps>[] = [
  reconnections(RESUMED_AFTER_LOGIN),
  refreshes,
  watches,
  subscriptions,
  latePermalinks,
  commentWatches,
  insightReads,
  watchBackfills,
  collectBackfills,
  returns,
  replyCancellations,
  digests,
  projectDeletions,
  projectMoves,
  imports,
  seriesPosts,
  feedPosts,
  messageReads,
  deauthorizations,
  uncheckedData,
  alerts,
];

const handlers = new Map(JOBS.map((handler) => [handler.kind, handler]));
const handlerOf: HandlerOf<Deps> = (kind) => handlers.get(kind) ?? null;
const recurring = new Map(RECURRING.map((handler) => [handler.kind, handler]));
const recurringHandlerOf: RecurringHandlerOf<Deps> = (kind) => recurring.get(kind) ?? null;

/**
 * Handles one delivery. A message may arrive twice, late, or for finished work: the rows decide. The queue
 * retries a message that fails here (storage errors); in the end it goes to the dead-letter queue.
 */
export async function consume(given: Deps, body: unknown): Promise<void> {
  const deps = { ...given, takeCounts: () => takeFreeReads(given) };
  const parsed = QueueMessage.safeParse(body);
  // No retry can make the message readable.
  if (!parsed.success) return deps.log.event("message_unreadable");
  const message = parsed.data;
  switch (message.type) {
    case "job": {
      const projectId = await runJob<Deps>(deps, message.key, message.dueAt ?? null, handlerOf);
      // A delivered message has no event, unless it disables its webhook: the sweep sends that one.
      const mayHaveEvents = projectId !== null && kindOf(message.key) !== deliveryJob.kind;
      if (mayHaveEvents) await dispatchSoon(deps, projectId);
      return;
    }
    case "recurring":
      if (await runTasks<Deps>(deps, message, recurringHandlerOf, hasPending(null))) await dispatchSoon(deps, null);
      return;
    case "sweep":
      return sweep(deps);
  }
}

/**
 * Handles a message that failed several times. Its job is not lost: the failed delivery is recorded. The
 * sweep retries the job until its deadline, when it fails with the reason.
 */
export async function consumeDead(deps: Deps, body: unknown): Promise<void> {
  const parsed = QueueMessage.safeParse(body);
  if (!parsed.success) return;
  const message = parsed.data;
  deps.log.audit("message_dead_lettered", { type: message.type });
  await alertOperators(deps, "message_dead_lettered", message.type === "job" ? kindOf(message.key) : message.type);
  if (message.type === "job") await noteFailedDelivery(deps.db, message.key);
}

/**
 * The minute sweep: due jobs, lost messages, expired leases, deadlines, credentials, leftovers. It may be
 * late and may overlap with itself: every part only sends messages or changes rows conditionally. A failing
 * part does not stop the others.
 */
export async function sweep(deps: Deps): Promise<void> {
  const now = Date.now();
  const due = await findDue(deps, now);
  const isDue = (part: string) => due.isPart(part);
  // A task whose turn is granted is due from then on.
  const kinds = isDue("grantTurns") ? [...recurring.keys()] : due.kinds;
  const parts = {
    // Before anything is sent: what may have been done must be looked up first.
    noticeSetBack: () => (due.raised ? settleMark(deps, due.raised) : noticeSetBack(deps)),
    // First: jobs and tasks whose turn has come go ahead of other due work.
    grantTurns: () => grantTurns(deps, Date.now()),
    sendDueJobs: () => sendDueJobs(deps, handlerOf),
    sendDueTasks: () => sendDueTasks(deps, recurring, kinds),
    dispatchEvents: () => dispatchEvents(deps, null),
    // What changes rows of many projects waits while rows of one stand still, or are half here.
    ...(isDue("moves") ? {} : { ...renewals(deps), ...forgetLeftovers(deps, now) }),
    ...(deps.database === 0 && due.hasUnvouchedTokens
      ? { reportUnvouchedTokens: () => reportRefusedTokens(deps) }
      : {}),
    ...(deps.database === 0 ? { restoreTokens: () => restoreTokens(deps) } : {}),
    ...(deps.databases > 1 && deps.database === 0 ? { copyProjects: () => copyProjects(deps, null) } : {}),
  };
  for (const [name, part] of Object.entries<() => Promise<unknown>>(parts)) {
    if (isDue(name)) await runPart(deps, name, part);
  }
}

const renewals = (deps: Deps) => ({
  resealOldCredentials: () => resealOldCredentials(deps),
  resealOldSecrets: () => resealOldSecrets(deps),
  markAllExpiring: () => markAllExpiring(deps.db, Date.now()),
});

/** A failing part does not stop the others. */
async function runPart(deps: Deps, part: string, run: () => Promise<unknown>): Promise<void> {
  try {
    await run();
  } catch (error) {
    deps.log.error("sweep_failed", error, { part });
    await alertOperators(deps, "sweep_failed", part);
  }
}

async function reportRefusedTokens(deps: Deps): Promise<void> {
  reportUnvouchedTokens(deps);
  await alertOperators(deps, "tokens_of_unknown_key", "");
}

/** What the sweep has to do. */
interface Due {
  /** Whether a part has work. Parts without a condition always run. */
  isPart(part: string): boolean;
  /** False if unknown, so that nothing wrong is reported. */
  readonly hasUnvouchedTokens: boolean;
  /** The kinds of tasks that are due, among those that this version knows. */
  readonly kinds: readonly string[];
  /** Null: the count of sweeps could not be raised. */
  readonly raised: Raised | null;
}

const Kinds = z.array(z.string());

/**
 * What has work, in one D1 call that also raises the count of sweeps, so that an idle sweep costs little. All
 * parts have if it fails.
 */
async function findDue(deps: Deps, now: number): Promise<Due> {
  const { db, log } = deps;
  const conditions: Readonly<Record<string, SQL>> = {
    grantTurns: deps.databases > 1 ? sql`${hasWaiters()} OR ${hasLeases(now)}` : hasWaiters(),
    sendDueJobs: hasJobsToSweep(now + AHEAD_MS),
    markAllExpiring: hasTurned(now),
    dispatchEvents: hasPending(null),
    ...leftoverConditions(deps, now),
    copyProjects: deps.databases > 1 ? hasCopiesDue() : sql`0`,
    restoreTokens: deps.database === 0 ? isRestoringTokens() : sql`0`,
    // No parts: whether tokens are refused, and whether other parts wait.
    unvouched: deps.database === 0 ? await hasUnvouchedTokens(deps, now) : sql`0`,
    moves: deps.databases > 1 ? hasMoves() : sql`0`,
  };
  const columns = Object.entries(conditions).map(([part, is]) => [part, sql<number>`(${is})`.as(part)] as const);
  const kinds = dueKinds([...recurring.keys()], now);
  try {
    const outside = await readOutside(deps);
    const { parts, due, ...raised } = await writeTogether(db, {
      parts: db.select(Object.fromEntries(columns)).from(sql`(SELECT 1)`),
      due: db.select({ kinds }).from(sql`(SELECT 1)`),
      ...raiseMark(db, outside, now),
    });
    const [is = {}] = parts;
    return {
      isPart: (part) => !(part in conditions) || is[part] === 1,
      hasUnvouchedTokens: is.unvouched === 1,
      kinds: Kinds.parse(JSON.parse(due[0]?.kinds ?? "[]")),
      raised: { outside, at: now, ...raised },
    };
  } catch (error) {
    log.error("sweep_failed", error, { part: "findDue" });
    return { isPart: () => true, hasUnvouchedTokens: false, kinds: [...recurring.keys()], raised: null };
  }
}
