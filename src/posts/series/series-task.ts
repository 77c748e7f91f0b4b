import { callerWithoutToken } from "../../accounts/caller.ts";
import { findProject } from "../../accounts/store.ts";
import { idOf, type SeriesId } from "../../core/ids.ts";
import { HOUR, MINUTE } from "../../core/time.ts";
import { runBatch } from "../../db/client.ts";
import type { Recurrence, RecurringHandler } from "../../jobs/recurring.ts";
import type { Deps } from "../../service/deps.ts";
import { createStep } from "../create/create-step.ts";
import { itemOf } from "./occurrence-schema.ts";
import { nextOccurrence, parseRule } from "./rule.ts";
import { endOccurrence, findSeriesOfTask, pauseSeries, type Series, selectNextAt, skipOccurrence } from "./store.ts";

/**
 * Creates the posts of a series (docs/decisions/0079), the recurring task `series:<id>`. The post of an
 * occurrence is created in the transaction that moves `next_at` on: a run that dies, or a second one, creates
 * no second post.
 *
 *   active ──its last post failed, or the next one is refused──▶ paused ──resumed──▶ active ──no date──▶ ended
 */
export const SERIES = "series";

export const seriesPosts: RecurringHandler<Deps> = { kind: SERIES, queue: "publish", run: runSeries };

/** A post is created so long before it is due: it can still be seen, and changed. */
export const AHEAD_MS = 10 * MINUTE;
/** An occurrence that is later than this is skipped: the service was down, and its time is over. */
const LATE_MS = HOUR;
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
  const following = followingOf(found);
  if (due < now - LATE_MS) await runBatch(deps.db, skipOccurrence(deps.db, found, following, now));
  else if (!(await makePost(deps, found, following))) return STOP;
  return following ? { kind: "again", afterMs: Math.max(0, following.at - AHEAD_MS - Date.now()) } : STOP;
}

/** The occurrence after the next one; null after the last one. */
export function followingOf(series: Pick<Series, "rule" | "startTime" | "timeZone" | "nextAt" | "made" | "skipped">) {
  const rule = parseRule(series.rule);
  if ("problem" in rule || series.nextAt === null) return null;
  if (rule.count !== null && series.made + series.skipped + 1 >= rule.count) return null;
  return nextOccurrence(rule, { local: series.startTime, timeZone: series.timeZone }, series.nextAt);
}

/** False if the post was refused, which pauses the series. */
async function makePost(deps: Deps, series: Series, following: ReturnType<typeof followingOf>): Promise<boolean> {
  const { db } = deps;
  const project = await findProject(db, series.projectId);
  if (!project) return false;
  const caller = callerWithoutToken(project, ["social-create-post"]);
  const { body } = itemOf(series, series.made + series.skipped, Date.now() - PAST_MS);
  const outcome = await createStep(
    { deps, caller, bodies: [body], answerOf: () => ({}), onRefused: () => undefined },
    {
      read: selectNextAt(db, series.id),
      isNext: (row) => row?.nextAt === series.nextAt && row?.state === "active",
      end: () => endOccurrence(db, series, following, Date.now()),
      endRefused: ([refused]) =>
        pauseSeries(db, series, { reason: "refused", sentence: refused?.message ?? "", now: Date.now() }),
    },
  );
  return outcome !== "refused";
}
