import type { ActingAs } from "../../acting/acting.ts";
import { type ActOutcome, perform, type Suspicion } from "../../acting/perform.ts";
import { PREPARED } from "../../acting/prepared.ts";
import { MAX_PART_BYTES } from "../../core/max-part-bytes.ts";
import { DAY } from "../../core/time.ts";
import { ACT_LIMIT_MS } from "../../jobs/lease.ts";
import { setBackBefore } from "../../jobs/set-back.ts";
import type { Reader } from "../../media/reader.ts";
import type { Json } from "../../platforms/context.ts";
import type { Platform } from "../../platforms/platform.ts";
import type { Commit, CommitOutcome, Content, FindOutcome } from "../../platforms/publishing.ts";
import { sendingMs } from "../../platforms/uploads.ts";
import { isDeleted } from "../states.ts";
import type { Post } from "../store.ts";
import { UPLOAD_WAIT_MS } from "./mirror-media.ts";
import {
  claimPublication,
  dropIntent,
  findRivals,
  fingerprintOf,
  type Intent,
  insertIntent,
  settlePublication,
} from "./publications.ts";
import { Committed, commitStep, readCommitted } from "./publish-journal.ts";
import { pricedItem, seriesOf } from "./reserved-cost.ts";

/** Shared by the steps of one delivery of a publish job. */
export interface Run extends ActingAs {
  readonly post: Post;
  readonly platform: Platform;
  readonly content: Content;
  /** Reads the files of the post. */
  readonly reader: Reader;
}

/** Acts of other posts may become visible after ours although they began up to this long before. */
const RIVALS_MS = DAY;

const AMBIGUOUS = {
  code: "may_be_published",
  message:
    "A similar item is live, but it may belong to an earlier post with the same text. Waiting for that post's outcome.",
} as const;

/**
 * Makes one item public, at most once. Returns `deleted` if the post was deleted and this item is certainly
 * not live. A found item is adopted in the same statement that checks whether it belongs to another post. So
 * two posts never adopt the same live item.
 */
export async function commit(run: Run, progress: Json, item: Commit): Promise<Committed | "deleted"> {
  const { deps, journal, post, channel, platform, content } = run;
  const { posts } = platform;
  const { lagSeconds, usualLagSeconds, refusesRepeat } = posts.lists;
  const step = commitStep(item.index);
  const source = content.items[item.index];
  const intent: Intent = {
    platform: channel.platform,
    accountId: channel.accountId,
    postId: post.id,
    item: item.index,
    fingerprint: source ? await fingerprintOf(source) : null,
    begunAt: journal.begunAt(step),
  };
  let kept: Json | null = null;
  const isOpen = readCommitted(journal, item.index) === null;
  const sent = isOpen ? (posts.commitBytes?.(content, progress) ?? 0) : 0;
  const committing = () =>
    perform<Committed>(run, {
      step,
      schema: Committed,
      evidence: {
        lagSeconds,
        refusesRepeat: refusesRepeat(content, item.index),
        believes: { afterSeconds: usualLagSeconds },
      },
      intent: {
        unless: isDeleted(post.id),
        begins: (intended) => [insertIntent(deps.db, intent, intended)],
        async undo() {
          // If an earlier act may have succeeded, the intent must stay for the look-up.
          if (!journal.hasUnconfirmed()) await dropIntent(deps.db, intent, journal.hasLease);
        },
      },
      suspect: suspectOf(run, intent),
      ...(sent > 0 ? { limitMs: ACT_LIMIT_MS + sendingMs(sent) } : {}),
      cost: {
        act: pricedItem(post, content.items, item.index),
        series: seriesOf(journal, post, content.items, item.index),
      },
      settles: ({ post: { id } }) => settlePublication(deps.db, intent, id, journal.hasLease),
      // The next item of a thread follows at once, unless it is prepared or this one must be confirmed.
      isSettledWithNext: ({ confirmAfterSeconds }) =>
        confirmAfterSeconds === null && item.index + 1 < content.items.length && !posts.stage,
      async act(context) {
        const keep = (reached: Json) => {
          kept = reached;
        };
        const outcome = await posts.commit(context, content, progress, { ...item, keep });
        const isUnsuccessful = outcome.kind !== "published" && outcome.kind !== "accepted";
        if (isUnsuccessful && kept !== null) journal.writeWithNext(PREPARED, { ready: true, progress: kept });
        return toOutcome(outcome);
      },
      async find(context, since) {
        const rivals = await findRivals(deps, intent, since - RIVALS_MS);
        for (const { id } of item.previous) rivals.taken.add(id);
        // The uploads of an act that the database has lost are unknown: its result is found by its content.
        const known = journal.isUnconfirmed(step) && journal.attemptsOf(step) === 0 ? null : progress;
        const found = await posts.find(context, content, known, { ...item, since, taken: rivals.taken });
        if (found.kind !== "found") return known === null ? withoutDoubt(run, found) : found;
        // What a list shows is live; the progress of this delivery belongs to other uploads.
        const value = { post: found.post, confirmAfterSeconds: known === null ? null : 0 };
        return {
          kind: "found",
          value,
          async adopt() {
            if (rivals.isAmbiguous) return { kind: "failed", cause: AMBIGUOUS, isRefused: false };
            // Another post adopted it between the look-up and this statement: the next look-up excludes it.
            const isOurs = await claimPublication(deps, intent, value.post.id, journal.hasLease);
            return isOurs ? { kind: "found", value } : { kind: "absent" };
          },
        };
      },
    });
  return (await inUploadPool(run, sent, committing)) ?? "deleted";
}

/**
 * The time that the database has lost, for a post that existed before its end. A later item of a thread can
 * be live only if the one before was found.
 */
function suspectOf({ deps, journal, post }: Run, intent: Intent): Suspicion | null {
  const { item } = intent;
  const setBack = setBackBefore(journal, post);
  if (!setBack) return null;
  if (item > 0 && journal.attemptsOf(commitStep(item - 1)) > 0) return null;
  const since = { ...intent, begunAt: setBack.since };
  return { ...setBack, also: () => [insertIntent(deps.db, since, journal.hasLease)] };
}

/** A post that was not due in the lost time was hardly published then: doubt does not stop it. */
function withoutDoubt({ journal: { setBack }, post }: Run, found: NotFound): NotFound {
  const wasDue = setBack === null || post.publishAt <= setBack.until;
  const isOpen = found.kind === "unreadable" || (found.kind === "unknown" && !found.mayBeLive);
  return isOpen && !wasDue ? { kind: "absent" } : found;
}

type NotFound = Exclude<FindOutcome, { readonly kind: "found" }>;

function toOutcome(outcome: CommitOutcome): ActOutcome<Committed> {
  switch (outcome.kind) {
    case "published":
      return { kind: "done", value: { post: outcome.post, confirmAfterSeconds: null } };
    case "accepted":
      return { kind: "done", value: { post: outcome.post, confirmAfterSeconds: outcome.afterSeconds } };
    default:
      return outcome;
  }
}

/** Holds a place in the upload pool while the act sends bytes; an act that sends none needs no place. */
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
