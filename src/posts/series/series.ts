import { sql } from "drizzle-orm";
import type { Caller } from "../../core/caller.ts";
import { AppError, absent, invalid } from "../../core/errors.ts";
import { idOf, type SeriesId } from "../../core/ids.ts";
import { parseLocalTime } from "../../core/time.ts";
import { type IdempotencyRecord, readTogether, retryOnConflict, runBatch, writeTogether } from "../../db/client.ts";
import { keepFiles } from "../../files/library.ts";
import { scheduleTask, scheduleTaskOf } from "../../jobs/recurring-store.ts";
import type { Deps } from "../../service/deps.ts";
import { filesOf } from "../content/template-files.ts";
import { requireAccepted } from "../create/create.ts";
import { itemOf } from "./occurrence-schema.ts";
import { nextOccurrence, type Occurrence, parseRule } from "./rule.ts";
import { AHEAD_MS, followingOf, SERIES } from "./series-task.ts";
import {
  countSeries,
  deleteSeries,
  findSeries,
  insertSeries,
  newestSeriesId,
  pauseSeries,
  resumeSeries,
  type Series,
} from "./store.ts";

type Fields = Readonly<Record<string, unknown>>;

export interface WantedSeries {
  readonly name: string;
  readonly rule: string;
  readonly startTime: string;
  readonly timeZone: string;
  readonly post: Fields;
  readonly variants: readonly Fields[];
}

const MAX_SERIES = 200;

/**
 * Creates a series. Every variant is checked as create-post would check it, and uploaded files are kept in
 * the media library. Errors: a 422 for a rule without a future occurrence, and those of create-post;
 * `quota_exceeded`.
 */
export async function createSeries(
  deps: Deps,
  caller: Caller,
  wanted: WantedSeries,
  idempotency: IdempotencyRecord | null,
): Promise<SeriesId> {
  const { db } = deps;
  const { counts, record } = await readTogether(db, {
    counts: countSeries(db, caller.projectId),
    record: idempotency?.read ?? null,
  });
  idempotency?.check(record);
  if ((counts[0]?.count ?? 0) >= MAX_SERIES) {
    throw new AppError("quota_exceeded", `A project has at most ${MAX_SERIES} series. Delete some.`, {
      retryAfterSeconds: 3600,
    });
  }
  const now = Date.now();
  const { template, bodies } = await requireSeries(deps, caller, wanted, now);
  const series = { ...template, projectId: caller.projectId, state: "active" as const, createdAt: now, updatedAt: now };
  const dueAt = Math.max(now, template.nextAt - AHEAD_MS);
  const { made } = await writeTogether(db, {
    made: insertSeries(db, series),
    task: scheduleTaskOf(db, { kind: SERIES, subject: newestSeriesId, dueAt, intervalMs: AHEAD_MS, now }),
    files: keepFiles(db, caller.projectId, filesOf(bodies), wanted.name),
    record: idempotency?.write(sql`CAST(${newestSeriesId} AS TEXT)`) ?? null,
  });
  const [stored] = made;
  if (!stored) throw new Error("The series was not stored.");
  return stored.id;
}

/** Checks a series without creating it. Errors: the 422s of create-series. */
export async function requireSeries(deps: Deps, caller: Caller, wanted: WantedSeries, now: number) {
  const first = firstOf(wanted, now);
  const template = { ...wanted, nextAt: first.at, nextLocal: first.local };
  const all = Array.from({ length: Math.max(1, wanted.variants.length) }, (_, number) => itemOf(template, number, now));
  const bodies = all.map(({ body }) => body);
  await requireAccepted(deps, caller, bodies);
  return { template, bodies };
}

function firstOf({ rule: text, startTime, timeZone }: WantedSeries, now: number) {
  const rule = parseRule(text);
  if ("problem" in rule) throw invalid({ rule: [rule.problem] });
  if (parseLocalTime(startTime, timeZone).kind === "not_a_date") {
    throw invalid({ start_time: [`start_time must be a real date and time, not ${startTime}.`] }, "schedule_invalid");
  }
  const first = nextOccurrence(rule, { local: startTime, timeZone }, now);
  if (!first) throw invalid({ rule: ["rule has no occurrence in the future."] }, "schedule_invalid");
  return first;
}

/** The first occurrences of a series that does not exist yet, as create-series would make them. */
export function previewSeries(wanted: WantedSeries, limit: number): readonly Occurrence[] {
  return occurrencesFrom({ ...wanted, made: 0, skipped: 0 }, firstOf(wanted, Date.now()), limit);
}

type Ruled = Pick<Series, "rule" | "startTime" | "timeZone" | "made" | "skipped">;

/** The next occurrences, from this one on. */
export function occurrencesFrom(series: Ruled, first: Occurrence, limit: number): readonly Occurrence[] {
  const found: Occurrence[] = [];
  for (let next: Occurrence | null = first; next && found.length < limit; ) {
    const made: number = series.made + found.length;
    found.push(next);
    next = followingOf({ ...series, made, nextAt: next.at });
  }
  return found;
}

export function recallSeries(stored: string): SeriesId {
  return idOf<SeriesId>(Number(stored));
}

export async function getSeries(deps: Deps, { projectId }: Pick<Caller, "projectId">, id: SeriesId): Promise<Series> {
  const found = await findSeries(deps.db, projectId, id);
  if (!found) throw absent("series", id);
  return found;
}

/**
 * Pauses a series, or continues it with its next occurrence in the future; a repeat changes nothing. Posts
 * that exist stay. Errors: `not_found`; `not_changeable` for a series that has ended.
 */
export function setSeriesState(
  deps: Deps,
  caller: Pick<Caller, "projectId">,
  id: SeriesId,
  state: "active" | "paused",
): Promise<Series> {
  return retryOnConflict(() => trySetState(deps, caller, id, state), `Series ${id} is being changed.`);
}

/** Throws if another request or the task changed the series first. */
async function trySetState(
  deps: Deps,
  caller: Pick<Caller, "projectId">,
  id: SeriesId,
  state: "active" | "paused",
): Promise<Series> {
  const { db } = deps;
  const found = await getSeries(deps, caller, id);
  if (found.state === state) return found;
  if (found.state === "ended")
    throw new AppError("not_changeable", `Series ${id} has ended: its rule has no further date.`);
  const now = Date.now();
  const pause = { reason: "requested", sentence: "Paused by a request.", now } as const;
  if (state === "paused") await runBatch(db, pauseSeries(db, found, pause));
  else await resume(deps, found, now);
  return getSeries(deps, caller, id);
}

/** Occurrences that passed during the pause are left out. */
async function resume({ db }: Deps, series: Series, now: number): Promise<void> {
  const rule = parseRule(series.rule);
  const { nextAt, nextLocal, startTime, timeZone } = series;
  const later = "problem" in rule ? null : nextOccurrence(rule, { local: startTime, timeZone }, now);
  const isAhead = nextAt !== null && nextLocal !== null && nextAt > now;
  const following = isAhead ? { at: nextAt, local: nextLocal } : later;
  const dueAt = following ? Math.max(now, following.at - AHEAD_MS) : now;
  await writeTogether(db, {
    resumed: resumeSeries(db, series, following, now),
    task: scheduleTask(db, { key: `${SERIES}:${series.id}`, dueAt, intervalMs: AHEAD_MS, now }),
  });
}

/** Deletes the series; its task ends at its next run. Posts that exist stay. Errors: `not_found`. */
export async function removeSeries(
  { db }: Deps,
  { projectId }: Pick<Caller, "projectId">,
  id: SeriesId,
): Promise<void> {
  const deleted = await deleteSeries(db, projectId, id);
  if (deleted.length === 0) throw absent("series", id);
}
