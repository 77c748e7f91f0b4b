import { and, eq, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { ProjectId } from "../core/ids.ts";
import type { Db } from "../db/client.ts";
import { insertWhere } from "../db/insert-where.ts";
import { template } from "../db/template.ts";
import { hasCapacity, inFlight, inFlightUntil, mostInFlight, soon } from "./capacity.ts";
import { keyFor } from "./key-for.ts";
import { jobKey, type QueueName } from "./messages.ts";
import { sentColumns } from "./store.ts";
import { jobsTable } from "./table.ts";

/** SQL that opens jobs, and that reruns jobs that wait or are done. */

export interface NewJob {
  readonly kind: string;
  readonly queue: QueueName;
  readonly projectId: ProjectId;
  readonly subjectId: number | SQL<number>;
  readonly runAt: number;
  readonly deadlineAt: number;
  /** When the message that the creator sends should arrive; null leaves sending to the sweep. */
  readonly messageAt: number | null;
  readonly now: number;
}

type InsertedJob = Omit<NewJob, "subjectId"> & { readonly subjectId?: number };

/**
 * The statement for the batch that creates the subject. If the project has enough jobs in flight, the job is
 * throttled: its rows show `enqueueJobs` whether to send a message. `subject`: an expression for the
 * subject's id inside the batch; without it, the id is a value.
 */
export function jobInsertion(subject?: SQL<number>) {
  const insert = template<InsertedJob & { readonly until: number }>()((db, place) => {
    // D1 binds a number as a REAL: as text it would end in `.0`.
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
 * Opens the job of this kind for the subject while `condition` holds. A job that is done is reopened with its
 * journal. An open job stays unchanged. Pass its rows to `enqueueJobs`.
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

/**
 * Jobs for the subjects of a query of `id` and `at` (the due time of each); only for subjects without a job.
 */
export interface NewJobs extends Pick<NewJob, "kind" | "queue" | "projectId" | "now"> {
  readonly subjects: SQL;
  /** From the due time to the deadline, milliseconds. */
  readonly limitMs: number;
}

const openedColumns = (kind: string) =>
  ({ key: keyFor(kind, sql`opened.id`), kind, subjectId: sql`opened.id`, state: "open" }) as const;

/**
 * Opens many jobs by one statement. Due jobs get a message up to the project's capacity; other due jobs are
 * throttled. The sweep sends the messages of jobs due later. Pass its rows to `enqueueJobs`.
 */
export function openJobs(db: Db, { kind, queue, projectId, subjects, limitMs, now }: NewJobs) {
  const flying = inFlight(queue, projectId, soon(now));
  const ranked = sql`(SELECT id, at, row_number() OVER (ORDER BY at > ${now}, id) + ${flying} AS place FROM (${subjects})) AS opened`;
  const isDue = sql`opened.at <= ${now}`;
  const isFree = sql`opened.place <= ${mostInFlight(queue)}`;
  const columns = {
    ...openedColumns(kind),
    queue,
    projectId,
    runAt: sql`opened.at`,
    deadlineAt: sql`max(opened.at, ${now}) + ${limitMs}`,
    messageAt: sql`CASE WHEN ${isDue} AND ${isFree} THEN ${now} END`,
    throttledAt: sql`CASE WHEN ${isDue} AND NOT (${isFree}) THEN ${now} END`,
    createdAt: now,
  };
  return insertWhere(db, jobsTable, columns, { from: ranked }).onConflictDoNothing().returning(sentColumns);
}

/**
 * The same for subjects whose jobs may be done or waiting: those restart now. A job that a delivery is
 * running gets another delivery afterwards. Pass the rows of `jobs` to `enqueueJobs`.
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
 * Runs the jobs of a kind now for the subjects of a query of `id`: opens missing or finished jobs, and ends
 * any wait. A running delivery is followed by another one. These jobs bypass throttled ones. Pass its rows to
 * `enqueueJobs`.
 */
export function openOrRerunJobs(db: Db, { kind, queue, projectId, subjects, limitMs, now }: NewJobs) {
  const isAtWork = sql`(${jobsTable.state} = 'open' AND ${jobsTable.leaseUntil} >= ${now})`;
  const unlessAtWork = (value: SQL | number, kept: SQLWrapper) =>
    sql`CASE WHEN ${isAtWork} THEN ${kept} ELSE ${value} END`;
  const columns = {
    ...openedColumns(kind),
    queue,
    projectId,
    runAt: now,
    deadlineAt: now + limitMs,
    messageAt: now,
    createdAt: now,
  };
  return insertWhere(db, jobsTable, columns, { from: sql`(${subjects}) AS opened` })
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
 * Runs a job that may still have an unconfirmed act again, now and until the new deadline; reopens it if it
 * is done.
 */
export function resumeJob(
  db: Db,
  key: string,
  { now, deadlineAt }: { readonly now: number; readonly deadlineAt: number },
  condition: SQL,
) {
  return db
    .update(jobsTable)
    .set({
      state: "open",
      finishedAt: null,
      attempts: 0,
      deadlineAt: sql`max(${jobsTable.deadlineAt}, ${deadlineAt})`,
      // A running delivery continues; other jobs start at once.
      runAt: sql`CASE WHEN ${jobsTable.leaseUntil} IS NULL THEN ${now} ELSE ${jobsTable.runAt} END`,
      messageAt: sql`CASE WHEN ${jobsTable.leaseUntil} IS NULL THEN ${now} ELSE ${jobsTable.messageAt} END`,
      throttledAt: null,
    })
    .where(and(eq(jobsTable.key, key), condition))
    .returning(sentColumns);
}
