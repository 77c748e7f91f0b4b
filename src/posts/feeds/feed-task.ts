import { callerWithoutToken } from "../../accounts/caller.ts";
import { findProject } from "../../accounts/store.ts";
import { answerProblem } from "../../core/answer-problems.ts";
import { type FeedId, idOf } from "../../core/ids.ts";
import { isNearlySpent } from "../../core/meter.ts";
import { HOUR, MINUTE } from "../../core/time.ts";
import { isChangedSince, runBatch } from "../../db/client.ts";
import { adaptInterval, type Recurrence, type RecurringHandler } from "../../jobs/recurring.ts";
import type { RecurringTask } from "../../jobs/recurring-store.ts";
import type { Deps } from "../../service/deps.ts";
import { channelsOf } from "./entry-posts.ts";
import { postEntry } from "./entry-step.ts";
import type { StopReason } from "./events.ts";
import type { FeedProblem, FeedStop } from "./feed-problems.ts";
import { type Fetched, fetchFeed, type KeyedEntry } from "./fetch-feed.ts";
import { MAX_IN_A_ROW, newEntries, newestFirst } from "./journal.ts";
import { endReading, entriesPassed, type Feed, findFeedOfTask, moveOn, stopping } from "./store.ts";

/**
 * Reads a feed and creates the posts of its new entries (docs/decisions/0082), the recurring task
 * `feed:<id>`. The posts of an entry are created in the transaction that puts the entry into the journal
 * (`seen`): a run that dies, or a second one, creates no second post. The answer's ETag is stored when all
 * entries are handled, so a run that dies reads the same document again.
 *
 *   active ──gone, or ten failures in a row──▶ stopped ──resumed──▶ active ◀──▶ paused
 */
export const FEED = "feed";

export const feedPosts: RecurringHandler<Deps> = { kind: FEED, queue: "media", run: runFeed };

export const INTERVAL = { minMs: 15 * MINUTE, maxMs: 2 * HOUR };
/** After failures. */
const PATIENCE = { minMs: 15 * MINUTE, maxMs: 12 * HOUR };

const STOP = { kind: "stop" } as const;

async function runFeed(deps: Deps, subject: string, task: RecurringTask): Promise<Recurrence> {
  const feed = await findFeedOfTask(deps.db, idOf<FeedId>(Number(subject)));
  if (feed?.state !== "active") return STOP;
  const fetched = await fetchFeed(deps.guardedFetch, feed);
  if (fetched.kind === "gone") return stop(deps, feed, "gone", GONE);
  if (fetched.kind === "failed") return fail(deps, feed, task, { reason: "unreadable", last: fetched.problem });
  if (fetched.kind === "unchanged") {
    await runBatch(deps.db, endReading(deps.db, feed, success()));
    return { kind: "again", afterMs: adaptInterval(task.intervalMs, false, INTERVAL) };
  }
  const outcome = await postNew(deps, feed, fetched.entries);
  if (outcome.kind === "left") return STOP;
  if (outcome.kind === "more") return { kind: "again", afterMs: MINUTE };
  if (outcome.kind === "waits") return fail(deps, outcome.feed, task, { reason: "refused", last: outcome.problem });
  await runBatch(deps.db, conclusion(deps, outcome.feed, fetched));
  return { kind: "again", afterMs: adaptInterval(task.intervalMs, outcome.hasNews, INTERVAL) };
}

const success = () => ({ readAt: Date.now(), failures: 0, problem: null });

const GONE: FeedStop = { unit: "once", count: 1, last: answerProblem("feed_gone") };

async function stop({ db }: Deps, feed: Feed, reason: StopReason, why: FeedStop): Promise<Recurrence> {
  const { changes, event } = stopping(feed, reason, why);
  await runBatch(db, endReading(db, feed, { ...changes, readAt: Date.now(), problem: why.last }, [event]));
  return STOP;
}

async function fail(deps: Deps, feed: Feed, task: RecurringTask, { reason, last }: Failure): Promise<Recurrence> {
  const failures = feed.failures + 1;
  if (failures >= MAX_IN_A_ROW) {
    return stop(deps, feed, reason, { unit: "readings", count: failures, last });
  }
  await runBatch(deps.db, endReading(deps.db, feed, { failures, problem: last, readAt: Date.now() }));
  return { kind: "again", afterMs: adaptInterval(task.intervalMs, failures === 1, PATIENCE) };
}

interface Failure {
  readonly reason: StopReason;
  readonly last: FeedProblem;
}

/** The end of a reading of which all entries were handled. */
function conclusion({ db }: Deps, feed: Feed, { etag, lastModified, movedTo }: Extract<Fetched, { kind: "read" }>) {
  const read = { ...success(), etag, lastModified };
  if (movedTo === null) return endReading(db, feed, read);
  const message = "The feed has moved to another address.";
  const detail = { name: feed.name, url: movedTo, was_url: feed.url };
  return endReading(db, feed, { ...read, url: movedTo }, [{ type: "feed.moved", message, detail }]);
}

type Outcome =
  | { readonly kind: "done"; readonly hasNews: boolean; readonly feed: Feed }
  /** The invocation has no calls left: the other entries are for the next run. */
  | { readonly kind: "more" }
  /** The entry can have its posts later. */
  | { readonly kind: "waits"; readonly problem: FeedProblem; readonly feed: Feed }
  /** The feed was changed, stopped or handled meanwhile. */
  | { readonly kind: "left" };

/** Creates the posts of the new entries, the oldest first. */
async function postNew(deps: Deps, found: Feed, entries: readonly KeyedEntry[]): Promise<Outcome> {
  const { db } = deps;
  const project = await findProject(db, found.projectId);
  if (!project) return { kind: "left" };
  const { fresh, passed, seen } = newEntries(found, newestFirst(found.seen, entries));
  const begun = await beginReading(deps, found, { seen, passed });
  if (!begun) return { kind: "more" };
  if (fresh.length === 0) return { kind: "done", hasNews: false, feed: begun };
  const caller = callerWithoutToken(project, ["social-create-post"]);
  const channels = await channelsOf(db, begun.projectId, begun.posts);
  let feed = begun;
  for (const entry of fresh.toReversed()) {
    if (isNearlySpent(deps.meter)) return { kind: "more" };
    const outcome = await postEntry({ deps, caller, channels, entries }, feed, entry);
    if (outcome.kind === "waits") return { ...outcome, feed };
    if (outcome.kind === "done_before") return { kind: "more" };
    feed = outcome.feed;
    if (feed.state !== "active") return { kind: "left" };
  }
  return { kind: "done", hasNews: true, feed };
}

/**
 * Puts the entries that get no posts into the journal, and reports those that are passed over. Null if the
 * feed was changed meanwhile.
 */
async function beginReading(
  { db }: Deps,
  feed: Feed,
  { seen, passed }: { readonly seen: readonly string[]; readonly passed: number },
): Promise<Feed | null> {
  const isKnown = feed.seen?.length === seen.length && feed.seen.every((key, at) => key === seen[at]);
  if (isKnown && feed.includeExisting === null) return feed;
  try {
    const changes = { seen, includeExisting: null };
    await runBatch(db, moveOn(db, feed, changes, passed === 0 ? [] : [entriesPassed(feed, passed)]));
    return { ...feed, ...changes, revision: feed.revision + 1 };
  } catch (error) {
    if (isChangedSince(error)) return null;
    throw error;
  }
}
