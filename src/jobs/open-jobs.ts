import { and, eq, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { ProjectId } from "../core/ids.ts";
import type { Db } from "../db/client.ts";
import { insertWhere } from "../db/insert-where.ts";
import { template } from "../db/template.ts";
import { hasCapacity, inFlight, inFlightUntil, MAX_IN_FLIGHT, soon } from "./capacity.ts";
import { keyFor } from "./key-for.ts";
import { jobKey, type QueueName } from "./messages.ts";
import { sentColumns } from "./store.ts";
import { jobsTable } from "./table.ts";

/** SQL that opens jobs, and has those that sleep or have ended run again. */

export interface NewJob {
  readonly kind: string;
  readonly queue: QueueName;
  readonly projectId: ProjectId;
  readonly subjectId: number | SQL<number>;
  readonly runAt: number;
  readonly deadlineAt: number;
  /** When the message that the creator sends itself should arrive; null leaves it to the sweep. */
  readonly messageAt: number | null;
  readonly now: number;
}

type InsertedJob = Omit<NewJob, "subjectId"> & { readonly subjectId?: number };

/**
 * The statement that goes into the batch that creates the subject. Of a project that has enough in flight the
 * job is held back: its rows tell `enqueueJobs` whether there is a message to send. `subject`: an expression
 * that gives the subject's id inside the batch; without it the id is a value.
 */
export function jobInsertion(subject?: SQL<number>) {
  const insert = template<InsertedJob & { readonly until: number }>()((db, place) => {
    // D1 binds a number as a real one: as text it would end in `.0`.
    const subjectId = subject ?? sql<number>`CAST(${place("subjectId")} AS INTEGER)`;
    const isFree = hasCapacity(sql`${place("queue")}`, sql`${place("projectId")}`, sql`${place("until")}`);
    return db
      .insert(jobsTable)
      .values({
        key: sql`${place("kind")} || ':' || ${subjectId}`,
        kind: place("kind"),
        queue: place("queue"),
        projectId: place("projectId"),
        subjectId,
        state: "open",
        runAt: place("runAt"),
        messageAt: sql`CASE WHEN ${place("messageAt")} IS NOT NULL AND ${isFree} THEN ${place("messageAt")} END`,
        throttledAt: sql`CASE WHEN ${place("messageAt")} IS NOT NULL AND NOT (${isFree}) THEN ${place("now")} END`,
        deadlineAt: place("deadlineAt"),
        createdAt: place("now"),
      })
      .returning(sentColumns);
  });
  return (db: Db, job: InsertedJob) =>
    insert(db, { ...job, until: inFlightUntil(job.now, job.messageAt ?? job.runAt) });
}

/**
 * Opens the job of this kind for the subject while `condition` holds: made anew, or taken up again when it
 * had ended, with what its journal knows. One that is open stays as it is. Its rows are for `enqueueJobs`.
 */
export function openJob(db: Db, job: NewJob & { readonly subjectId: number }, condition: SQL) {
  const { now, kind, subjectId, queue, runAt, deadlineAt, messageAt } = job;
  const values = { ...job, key: jobKey(kind, subjectId), state: "open", createdAt: now } as const;
  return insertWhere(db, jobsTable, values, condition)
    .onConflictDoUpdate({
      target: jobsTable.key,
      set: {
        state: "open",
        queue,
        runAt,
        deadlineAt,
        messageAt,
        throttledAt: null,
        attempts: 0,
        leaseOwner: null,
        leaseUntil: null,
        finishedAt: null,
      },
      setWhere: sql`jobs.state = 'done'`,
    })
    .returning(sentColumns);
}

/** Jobs for the subjects of a query of `id` and `at`, the time of each; only those that have none yet. */
export interface NewJobs extends Pick<NewJob, "kind" | "queue" | "projectId" | "now"> {
  readonly subjects: SQL;
  /** From its time to its end, milliseconds. */
  readonly limitMs: number;
}

/**
 * Opens many jobs by one statement. As many as the project may still have in flight get a message, if they
 * are due; others that are due are held back, and the sweep sends those whose time is to come. Its rows are
 * for `enqueueJobs`.
 */
export function openJobs(db: Db, { kind, queue, projectId, subjects, limitMs, now }: NewJobs) {
  const flying = inFlight(queue, projectId, soon(now));
  const ranked = sql`(SELECT id, at, row_number() OVER (ORDER BY at > ${now}, id) + ${flying} AS place FROM (${subjects})) AS opened`;
  const isDue = sql`opened.at <= ${now}`;
  const isFree = sql`opened.place <= ${MAX_IN_FLIGHT}`;
  const columns = {
    key: keyFor(kind, sql`opened.id`),
    kind,
    queue,
    projectId,
    subjectId: sql`opened.id`,
    state: "open" as const,
    runAt: sql`opened.at`,
    deadlineAt: sql`max(opened.at, ${now}) + ${limitMs}`,
    messageAt: sql`CASE WHEN ${isDue} AND ${isFree} THEN ${now} END`,
    throttledAt: sql`CASE WHEN ${isDue} AND NOT (${isFree}) THEN ${now} END`,
    createdAt: now,
  };
  return insertWhere(db, jobsTable, columns, sql`true`, ranked).onConflictDoNothing().returning(sentColumns);
}

/**
 * The same for subjects whose jobs may have ended or may sleep: those begin anew, now, and one that a
 * delivery works on is followed by another delivery. The rows of `jobs` are for `enqueueJobs`.
 */
export function reopenJobs(db: Db, jobs: NewJobs) {
  const isAsked = sql`${jobsTable.key} IN (SELECT ${keyFor(jobs.kind, sql`id`)} FROM (${jobs.subjects}))`;
  const isAtWork = sql`(${jobsTable.state} = 'open' AND coalesce(${jobsTable.leaseUntil}, 0) >= ${jobs.now})`;
  return {
    ended: db.delete(jobsTable).where(sql`${isAsked} AND NOT ${isAtWork}`),
    woken: db.update(jobsTable).set({ rerunRequestedAt: jobs.now }).where(isAsked),
    jobs: openJobs(db, jobs),
  };
}

/**
 * Has the jobs of a kind run at once for the subjects of a query of `id`: opened where there is none or where
 * it had ended, and woken however long they sleep. A delivery at work is followed by another one. They pass
 * those that are held back. Its rows are for `enqueueJobs`.
 */
export function openOrRerunJobs(db: Db, { kind, queue, projectId, subjects, limitMs, now }: NewJobs) {
  const isAtWork = sql`(${jobsTable.state} = 'open' AND ${jobsTable.leaseUntil} >= ${now})`;
  const unlessAtWork = (value: SQL | number, kept: SQLWrapper) =>
    sql`CASE WHEN ${isAtWork} THEN ${kept} ELSE ${value} END`;
  const columns = {
    key: keyFor(kind, sql`opened.id`),
    kind,
    queue,
    projectId,
    subjectId: sql`opened.id`,
    state: "open" as const,
    runAt: now,
    deadlineAt: now + limitMs,
    messageAt: now,
    createdAt: now,
  };
  return insertWhere(db, jobsTable, columns, sql`true`, sql`(${subjects}) AS opened`)
    .onConflictDoUpdate({
      target: jobsTable.key,
      set: {
        state: "open",
        rerunRequestedAt: unlessAtWork(sql`NULL`, sql`${now}`),
        runAt: unlessAtWork(now, jobsTable.runAt),
        messageAt: unlessAtWork(now, jobsTable.messageAt),
        leaseOwner: unlessAtWork(sql`NULL`, jobsTable.leaseOwner),
        leaseUntil: unlessAtWork(sql`NULL`, jobsTable.leaseUntil),
        throttledAt: null,
        resumeKey: null,
        attempts: 0,
        deadlineAt: sql`excluded.deadline_at`,
        finishedAt: null,
      },
    })
    .returning({
      ...sentColumns,
      messageAt: sql<number | null>`CASE WHEN ${isAtWork} THEN NULL ELSE ${jobsTable.messageAt} END`,
    });
}

/**
 * Has a job that may still have something to settle look again, now and until the new deadline; opens it when
 * it had ended.
 */
export function resumeJob(db: Db, key: string, now: number, deadlineAt: number, condition: SQL) {
  return db
    .update(jobsTable)
    .set({
      state: "open",
      finishedAt: null,
      attempts: 0,
      deadlineAt: sql`max(${jobsTable.deadlineAt}, ${deadlineAt})`,
      // A delivery at work goes on; the others begin at once.
      runAt: sql`CASE WHEN ${jobsTable.leaseUntil} IS NULL THEN ${now} ELSE ${jobsTable.runAt} END`,
      messageAt: sql`CASE WHEN ${jobsTable.leaseUntil} IS NULL THEN ${now} ELSE ${jobsTable.messageAt} END`,
      throttledAt: null,
    })
    .where(and(eq(jobsTable.key, key), condition))
    .returning(sentColumns);
}
