import { callerWithoutToken } from "../../accounts/caller.ts";
import { findProject } from "../../accounts/store.ts";
import { idOf, type SeriesId } from "../../core/ids.ts";
import { DAY, HOUR, MINUTE } from "../../core/time.ts";
import { runBatch } from "../../db/client.ts";
import type { Recurrence, RecurringHandler } from "../../jobs/recurring.ts";
import type { Deps } from "../../service/deps.ts";
import { createStep, isPassing } from "../create/create-step.ts";
import { itemOf } from "./occurrence-schema.ts";
import { nextOccurrence, parseRule } from "./rule.ts";
import {
  endOccurrence,
  type Following,
  findSeriesOfTask,
  noteWait,
  type Passed,
  pauseSeries,
  type Series,
  selectNextAt,
  skipOccurrences,
} from "./store.ts";

/**
 * Creates the posts of a series (docs/decisions/0079), the recurring task `series:<id>`. The post of an
 * occurrence is created in the transaction that moves `next_at` on: a run that dies, or a second one, creates
 * no second post.
 *
 *   active ──its last post failed, or the next one is refused──▶ paused ──resumed──▶ active ──no date──▶ ended
 *
 * A refusal that passes (a full quota, a login that ended) pauses nothing: the occurrence waits with the
 * reason, until the next one is due, at most a day.
 */
export const SERIES = "series";

export const seriesPosts: RecurringHandler<Deps> = { kind: SERIES, queue: "publish", run: runSeries };

/** A post is created so long before it is due: it can still be seen, and changed. */
export const AHEAD_MS = 10 * MINUTE;
/** An occurrence that is later than this is skipped: the service was down, and its time is over. */
const LATE_MS = HOUR;
/** An occurrence that waits is tried again so often, and is later than `LATE_MS` at most by this. */
const WAIT = { everyMs: 5 * MINUTE, atMostMs: DAY };
/** Occurrences that are passed over in one run, at least: those of three weeks of an hourly series. */
const MOST_PASSED = 500;
/** create-post takes a time that has just passed; a later one is published at once. */
const PAST_MS = MINUTE;

const STOP = { kind: "stop" } as const;

async function runSeries(deps: Deps, subject: string): Promise<Recurrence> {
  const id = idOf<SeriesId>(Number(subject));
  const read = await findSeriesOfTask(deps.db, id);
  const due = read?.found.nextAt ?? null;
  if (read?.found.state !== "active" || due === null) return STOP;
  const { found, failedPost } = read;
  const now = Date.now();
  if (due - AHEAD_MS > now) return { kind: "again", afterMs: due - AHEAD_MS - now };
  if (failedPost !== null) {
    const sentence = `Post ${failedPost} failed. Post it again or dismiss it, then continue the series.`;
    await runBatch(deps.db, pauseSeries(deps.db, found, { reason: "post_failed", sentence, postId: failedPost, now }));
    return STOP;
  }
  const passed = passedOf(found, now);
  if (passed) {
    await runBatch(deps.db, skipOccurrences(deps.db, found, passed, now));
    return dueAgain(passed.following);
  }
  const following = followingOf(found);
  const made = await makePost(deps, found, following);
  if (made === "waits") return { kind: "again", afterMs: WAIT.everyMs };
  return made === "refused" ? STOP : dueAgain(following);
}

const dueAgain = (next: Following | null): Recurrence =>
  next ? { kind: "again", afterMs: Math.max(0, next.at - AHEAD_MS - Date.now()) } : STOP;

/** The occurrences from the next one on whose time is over, all at once; null if there is none. */
function passedOf(series: Series, now: number): Passed | null {
  let [at, following, count] = [series.nextAt, followingOf(series), 0];
  if (at === null || isInTime(series, at, following, now)) return null;
  let lastAt = at;
  while (at !== null && at < now - LATE_MS && count < MOST_PASSED) {
    lastAt = at;
    count += 1;
    following = followingOf({ ...series, nextAt: at, skipped: series.skipped + count - 1 });
    at = following?.at ?? null;
  }
  return { count, firstAt: series.nextAt ?? lastAt, lastAt, following };
}

/** One that waits for a refusal to pass has time until the next one is due. */
function isInTime({ waitReason }: Series, at: number, following: Following | null, now: number): boolean {
  if (at >= now - LATE_MS) return true;
  return waitReason !== null && now < Math.min(following?.at ?? Number.POSITIVE_INFINITY, at + WAIT.atMostMs);
}

/** The occurrence after the next one; null after the last one. */
export function followingOf(series: Pick<Series, "rule" | "startTime" | "timeZone" | "nextAt" | "made" | "skipped">) {
  const rule = parseRule(series.rule);
  if ("problem" in rule || series.nextAt === null) return null;
  if (rule.count !== null && series.made + series.skipped + 1 >= rule.count) return null;
  return nextOccurrence(rule, { local: series.startTime, timeZone: series.timeZone }, series.nextAt);
}

/** `refused` pauses the series; `waits`: the refusal passes. */
async function makePost(
  deps: Deps,
  series: Series,
  following: Following | null,
): Promise<"made" | "refused" | "waits"> {
  const { db } = deps;
  const project = await findProject(db, series.projectId);
  if (!project) return "refused";
  const caller = callerWithoutToken(project, ["social-create-post"]);
  const { body } = itemOf(series, series.made + series.skipped, Date.now() - PAST_MS);
  let isWaiting = false;
  const outcome = await createStep(
    { deps, caller, bodies: [body], answerOf: () => ({}), onRefused: () => undefined },
    {
      read: selectNextAt(db, series.id),
      isNext: (row) => row?.nextAt === series.nextAt && row?.state === "active",
      end: () => endOccurrence(db, series, following, Date.now()),
      endRefused: ([refused]) => {
        const [sentence, now] = [refused?.message ?? "", Date.now()];
        isWaiting = refused !== undefined && isPassing(refused);
        return isWaiting
          ? noteWait(db, series, sentence, now)
          : pauseSeries(db, series, { reason: "refused", sentence, now });
      },
    },
  );
  if (outcome !== "refused") return "made";
  return isWaiting ? "waits" : "refused";
}
