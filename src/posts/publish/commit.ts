import {
  type ActingAs,
  asking,
  checkRateLimits,
  failedLook,
  handleFailure,
  isAboutConnection,
} from "../../acting/acting.ts";
import { prepareAgain } from "../../acting/prepared.ts";
import { MAX_PART_BYTES } from "../../core/max-part-bytes.ts";
import { DAY } from "../../core/time.ts";
import { ACT_LIMIT_MS } from "../../jobs/lease.ts";
import { type ActResult, type FindResult, JobFailed, type OncePlan } from "../../jobs/outcomes.ts";
import { visibilityLag } from "../../jobs/recheck-policy.ts";
import type { Reader } from "../../media/reader.ts";
import type { Failure, Json, Unknown } from "../../platforms/context.ts";
import { codeOf, weighRefusal } from "../../platforms/outcomes.ts";
import type { Platform } from "../../platforms/platform.ts";
import type { Commit, CommitOutcome, Content } from "../../platforms/publishing.ts";
import { sendingMs } from "../../platforms/uploads.ts";
import { isDeleted } from "../states.ts";
import type { Post } from "../store.ts";
import { UPLOAD_WAIT_MS } from "./copies.ts";
import {
  claimPublication,
  dropIntent,
  findRivals,
  fingerprintOf,
  type Intent,
  insertIntent,
  settlePublication,
} from "./publications.ts";
import { Committed, commitStep, type Refused, readCommitted, readRefused, writeRefused } from "./publish-journal.ts";

/** What the steps of one delivery of a publish job share. */
export interface Run extends ActingAs {
  readonly post: Post;
  readonly platform: Platform;
  readonly content: Content;
  /** Of its files. */
  readonly reader: Reader;
}

/** Other posts' acts this long before ours may still have become visible after it. */
const RIVALS_MS = DAY;

/**
 * Makes one item public, at most once. `deleted`: the post was deleted, and this item is surely not up. What
 * is found is taken in the very statement that asks whether it is another post's, so two posts never adopt
 * one live item.
 */
export async function commit(run: Run, progress: Json, item: Commit): Promise<Committed | "deleted"> {
  const { deps, journal, post, channel, platform, content } = run;
  const { lists } = platform.posts;
  const step = commitStep(item.index);
  const isOpen = readCommitted(journal, item.index) === null;
  // What is done already, or is to be looked for, needs none.
  if (isOpen && !journal.hasUnconfirmed()) checkRateLimits(run);
  const source = content.items[item.index];
  const intent: Intent = {
    platform: channel.platform,
    accountId: channel.accountId,
    postId: post.id,
    item: item.index,
    fingerprint: source ? await fingerprintOf(source) : null,
    begunAt: journal.begunAt(step),
  };
  const sent = isOpen ? (platform.posts.commitBytes?.(content, progress) ?? 0) : 0;
  const plan: OncePlan<Committed, Refusal> = {
    schema: Committed,
    codes: { unknown: "may_be_published", duplicate: "duplicate" },
    ...visibilityLag(deps.config, lists.lagSeconds),
    refusesRepeat: lists.refusesRepeat(content, item.index),
    checksUntilDeadline: run.isPatient,
    unless: isDeleted(post.id),
    begins: (intended) => [insertIntent(deps.db, intent, intended)],
    settles: ({ post: { id } }) => settlePublication(deps.db, intent, id, journal.hasLease),
    act: async () => toActed(await act(run, progress, item, intent)),
    find: (since) => find(run, progress, item, intent, since),
    ...(sent > 0 ? { limitMs: ACT_LIMIT_MS + sendingMs(sent) } : {}),
  };
  const outcome = await inUploadPool(run, sent, () => journal.once(step, plan));
  switch (outcome.kind) {
    case "done":
      return outcome.value;
    case "forbidden":
      return "deleted";
    case "refused":
      return refused(run, outcome.failure, intent);
    case "unresolved":
      throw new JobFailed(outcome.cause.code, outcome.cause.message);
  }
}

/**
 * The act itself. A refusal is held against what the platform shows before it is believed, and before it
 * stops the channel: at once, once more when it should be shown, and before the act is tried again.
 */
async function act(run: Run, progress: Json, item: Commit, intent: Intent): Promise<CommitOutcome> {
  const { journal, platform, content } = run;
  const earlier = readRefused(journal, item.index);
  if (earlier) {
    const weighed = await weigh(run, progress, item, { intent, ...earlier });
    if (weighed.kind === "unknown" || !earlier.isBelieved) return weighed;
  }
  const outcome = await platform.posts.commit(asking(run), content, progress, item);
  if (outcome.kind !== "failed") return outcome;
  // The user's own server is no platform.
  const answer = outcome.code === "media_unreachable" ? null : run.hearing.latest();
  return weigh(run, progress, item, { intent, failure: outcome, answer, since: intent.begunAt });
}

interface Refusing extends Pick<Refused, "failure" | "answer" | "since"> {
  readonly intent: Intent;
}

/**
 * What the refusal comes to beside what the platform shows. Its answer stays the one that the timeline shows.
 */
async function weigh(
  { deps, platform, content, context, hearing }: Run,
  progress: Json,
  item: Commit,
  { intent, failure, answer, since }: Refusing,
): Promise<Failure | Unknown> {
  const { taken } = await findRivals(deps.db, intent, since - RIVALS_MS);
  for (const before of item.previous) taken.add(before.id);
  const seen = await platform.posts.find(context, content, progress, { ...item, since, taken });
  hearing.recall(answer);
  return weighRefusal(failure, seen);
}

/** With a place in the pool for what the act sends; none is needed where it sends nothing. */
async function inUploadPool<T>({ deps, journal }: Run, bytes: number, act: () => Promise<T>): Promise<T> {
  const slot = deps.uploads.slot();
  try {
    if (bytes > 0 && !(await slot.take(Math.min(bytes, MAX_PART_BYTES), UPLOAD_WAIT_MS))) {
      return journal.retryLater(1, "Other files are being uploaded.", null);
    }
    return await act();
  } finally {
    slot.release();
  }
}

/** Why an act surely did nothing. */
type Refusal = Failure | Extract<CommitOutcome, { kind: "unprepared" }>;

function toActed(outcome: CommitOutcome): ActResult<Committed, Refusal> {
  switch (outcome.kind) {
    case "published":
      return { kind: "done", value: { post: outcome.post, confirmAfterSeconds: null } };
    case "accepted":
      return { kind: "done", value: { post: outcome.post, confirmAfterSeconds: outcome.afterSeconds } };
    case "unknown":
      return { kind: "unknown", message: outcome.message };
    case "duplicate":
      return outcome;
    case "unprepared":
    case "failed":
      return { kind: "refused", failure: outcome };
  }
}

async function refused(run: Run, failure: Refusal, intent: Intent): Promise<never> {
  const { deps, journal } = run;
  // An earlier act may still have done it: then there is something to look for.
  if (!journal.hasUnconfirmed()) await dropIntent(deps.db, intent, journal.hasLease);
  const step = commitStep(intent.item);
  if (failure.kind === "unprepared") return prepareAgain(journal, step, failure);
  const version = await confirmRefusal(run, failure, intent);
  // The credentials may have been replaced since: the refusal concerns those that were refused.
  return handleFailure({ ...run, grant: { ...run.grant, version } }, failure, step);
}

const CHECKING = "Checking whether the refused post was published all the same.";

/**
 * Waits until the lists should show what was carried out and refused all the same; once for each refusal.
 * Returns the version of the credentials that were refused.
 */
async function confirmRefusal(run: Run, failure: Failure, { item, begunAt }: Intent): Promise<number> {
  const { journal, platform, grant, hearing } = run;
  const { usualLagSeconds } = platform.posts.lists;
  const earlier = readRefused(journal, item);
  const isBelieved = earlier !== null && !earlier.isBelieved;
  const version = isBelieved ? earlier.version : grant.version;
  const answer = hearing.refusal();
  await writeRefused(journal, item, { failure, answer, since: earlier?.since ?? begunAt, version, isBelieved });
  if (isBelieved) return version;
  // Credentials may be renewed before anyone has to act, so the wait does not report them.
  if (isAboutConnection(failure)) return journal.retryLater(usualLagSeconds, CHECKING, null);
  return journal.retryLater(usualLagSeconds, failure.message, codeOf(failure));
}

async function find(
  run: Run,
  progress: Json,
  item: Commit,
  intent: Intent,
  since: number,
): Promise<FindResult<Committed>> {
  const { deps, journal, platform, content } = run;
  const { taken, isAmbiguous } = await findRivals(deps.db, intent, since - RIVALS_MS);
  for (const earlier of item.previous) taken.add(earlier.id);
  const outcome = await platform.posts.find(asking(run), content, progress, { ...item, since, taken });
  switch (outcome.kind) {
    case "found": {
      const { post } = outcome;
      if (isAmbiguous) {
        const message =
          "Something like it is live, but it may be an earlier post that says the same; waiting for that.";
        return { kind: "failed", code: "may_be_published", message, isRefused: false };
      }
      // Lost to another post between the question and this statement: the next look leaves it out.
      const isOurs = await claimPublication(deps.db, intent, post.id, journal.hasLease);
      return isOurs ? { kind: "found", value: { post, confirmAfterSeconds: 0 } } : { kind: "absent" };
    }
    case "absent":
    case "unreadable":
      return outcome;
    case "unknown":
      return { kind: "unclear", message: outcome.message };
    case "failed":
      return failedLook(run, outcome);
  }
}
