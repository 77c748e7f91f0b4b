import { and, eq, getTableColumns, isNotNull, isNull, lt, lte, or, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { FailureCode } from "../core/failures.ts";
import type { ProjectId } from "../core/ids.ts";
import { type Db, type Statement, writeTogether } from "../db/client.ts";
import { isAmong } from "../db/in-list.ts";
import { insertWhere } from "../db/insert-where.ts";
import { template } from "../db/template.ts";
import { flyingUntil, hasCapacity, inFlight, MAX_IN_FLIGHT, soon } from "./capacity.ts";
import { keyFor } from "./key-for.ts";
import { jobKey, type QueueName } from "./messages.ts";
import { jobStepsTable, jobsTable } from "./table.ts";

export type Job = typeof jobsTable.$inferSelect;
/** A step as it is stored: its result is JSON text, which whoever asks for it parses. */
export type JobStep = Omit<typeof jobStepsTable.$inferSelect, "result"> & { readonly result: string | null };

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

/** What a statement gives of the jobs that it has put in flight: `messageAt` null for one that it has not. */
const sentColumns = { key: jobsTable.key, queue: jobsTable.queue, messageAt: jobsTable.messageAt };

type InsertedJob = Omit<NewJob, "subjectId"> & { readonly subjectId?: number };

/**
 * The statement that goes into the batch that creates the subject. Of a project that has enough in flight the job is held
 * back: its rows tell `wakeJobs` whether there is a message to send. `subject`: an expression that gives the subject's id
 * inside the batch; without it the id is a value.
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
        heldAt: sql`CASE WHEN ${place("messageAt")} IS NOT NULL AND NOT (${isFree}) THEN ${place("now")} END`,
        deadlineAt: place("deadlineAt"),
        createdAt: place("now"),
      })
      .returning(sentColumns);
  });
  return (db: Db, job: InsertedJob) => insert(db, { ...job, until: flyingUntil(job.now, job.messageAt ?? job.runAt) });
}

/**
 * Opens the job of this kind for the subject while `condition` holds: made anew, or taken up again when it had ended, with
 * what its journal knows. One that is open stays as it is. Its rows are for `wakeJobs`.
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
        heldAt: null,
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
 * Opens many jobs by one statement. As many as the project may still have in flight get a message, if they are due; others that are due
 * are held back, and the sweep sends those whose time is to come. Its rows are for `wakeJobs`.
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
    heldAt: sql`CASE WHEN ${isDue} AND NOT (${isFree}) THEN ${now} END`,
    createdAt: now,
  };
  return insertWhere(db, jobsTable, columns, sql`true`, ranked).onConflictDoNothing().returning(sentColumns);
}

/**
 * The same for subjects whose jobs may have ended or may sleep: those begin anew, now, and one that a delivery works on is followed by
 * another delivery. The rows of `jobs` are for `wakeJobs`.
 */
export function reopenJobs(db: Db, jobs: NewJobs) {
  const isAsked = sql`${jobsTable.key} IN (SELECT ${keyFor(jobs.kind, sql`id`)} FROM (${jobs.subjects}))`;
  const isAtWork = sql`(${jobsTable.state} = 'open' AND coalesce(${jobsTable.leaseUntil}, 0) >= ${jobs.now})`;
  return {
    ended: db.delete(jobsTable).where(sql`${isAsked} AND NOT ${isAtWork}`),
    woken: db.update(jobsTable).set({ wokenAt: jobs.now }).where(isAsked),
    jobs: openJobs(db, jobs),
  };
}

/** True inside statements of the delivery that holds the job; everything a job writes is conditional on it. */
export function heldBy(key: string, owner: string): SQL {
  return sql`EXISTS (SELECT 1 FROM jobs WHERE jobs.key = ${key} AND jobs.lease_owner = ${owner})`;
}

/** True while the job of this kind for the subject (a column of the statement) has not ended. */
export function isOpenJob(kind: string, subject: SQLWrapper): SQL {
  return sql`EXISTS (SELECT 1 FROM jobs WHERE jobs.key = ${keyFor(kind, subject)} AND jobs.state = 'open')`;
}

/** Whether the job has not ended; false for none. */
export async function isJobOpen(db: Db, key: string): Promise<boolean> {
  const [job] = await db.select({ state: jobsTable.state }).from(jobsTable).where(eq(jobsTable.key, key));
  return job?.state === "open";
}

/** True while the job of this kind for the subject is held back (capacity.ts). */
export function isHeldJob(kind: string, subject: number | SQLWrapper): SQL {
  return sql`EXISTS (SELECT 1 FROM jobs WHERE jobs.key = ${keyFor(kind, subject)} AND jobs.held_at IS NOT NULL)`;
}

/** True while a delivery works on the job, as far as its lease says. */
export function isWorkedOn(key: string, now: number): SQL {
  return sql`EXISTS (SELECT 1 FROM jobs WHERE jobs.key = ${key} AND jobs.lease_until >= ${now})`;
}

/** Takes the job away from a delivery whose lease has ended: should it only have stalled, it can write nothing any more. */
export function evictStalled(db: Db, key: string, now: number, condition: SQL): Statement {
  const ended = and(eq(jobsTable.key, key), eq(jobsTable.state, "open"), lt(jobsTable.leaseUntil, now), condition);
  return db.update(jobsTable).set({ leaseOwner: null, leaseUntil: null, messageAt: null }).where(ended);
}

/** A step of the journal that was acted, or begun, whose result nobody knows. */
export const UNSETTLED = sql`job_steps.state IN ('begun', 'unsure', 'duplicate')`;

export function hasUnsettledStep(key: string): SQL {
  return sql`EXISTS (SELECT 1 FROM job_steps WHERE job_key = ${key} AND ${UNSETTLED})`;
}

/** True once an act under a name that begins like this was begun. */
export function hasStep(key: string, prefix: string): SQL {
  return sql`EXISTS (SELECT 1 FROM job_steps WHERE job_key = ${key} AND substr(name, 1, ${prefix.length}) = ${prefix} AND state <> 'waiting')`;
}

/** Ends a job that nobody works on. */
export function closeIdleJob(db: Db, key: string, now: number, condition: SQL): Statement {
  return db
    .update(jobsTable)
    .set({ state: "done", finishedAt: now, messageAt: null, heldAt: null, waitingFor: null, waitingCode: null })
    .where(and(eq(jobsTable.key, key), eq(jobsTable.state, "open"), isNull(jobsTable.leaseUntil), condition));
}

/** Ends jobs of a kind that no delivery is at, and of which none of these acts was begun. `subjects`: a query of their ids. */
export function closeJobsBefore(db: Db, kind: string, subjects: SQL, acts: readonly string[], now: number): Statement {
  const isBegun = sql`EXISTS (SELECT 1 FROM job_steps WHERE job_key = ${jobsTable.key}
    AND ${isAmong(sql`name`, acts)} AND state <> 'waiting')`;
  return db
    .update(jobsTable)
    .set({ state: "done", finishedAt: now, messageAt: null, heldAt: null, waitingFor: null, waitingCode: null })
    .where(
      sql`${jobsTable.key} IN (SELECT ${keyFor(kind, sql`id`)} FROM (${subjects})) AND ${jobsTable.state} = 'open'
        AND (${jobsTable.leaseUntil} IS NULL OR ${jobsTable.leaseUntil} < ${now}) AND NOT ${isBegun}`,
    );
}

/** Forgets a job that no delivery has begun, with its journal: there is nothing to do any more, or another is opened in its place. */
export function removeUnbegunJob(db: Db, key: string, now: number): Statement[] {
  const isIdle = sql`EXISTS (SELECT 1 FROM jobs WHERE jobs.key = ${key} AND (jobs.lease_until IS NULL OR jobs.lease_until < ${now}))`;
  return [
    db.delete(jobStepsTable).where(and(eq(jobStepsTable.jobKey, key), isIdle)),
    db.delete(jobsTable).where(and(eq(jobsTable.key, key), isIdle)),
  ];
}

/**
 * Has the jobs of a kind run at once for the subjects of a query of `id`: opened where there is none or where it had ended, and woken
 * however long they sleep. A delivery at work is followed by another one. They pass those that are held back. Its rows are for `wakeJobs`.
 */
export function wakeOrOpenJobs(db: Db, { kind, queue, projectId, subjects, limitMs, now }: NewJobs) {
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
        wokenAt: unlessAtWork(sql`NULL`, sql`${now}`),
        runAt: unlessAtWork(now, jobsTable.runAt),
        messageAt: unlessAtWork(now, jobsTable.messageAt),
        leaseOwner: unlessAtWork(sql`NULL`, jobsTable.leaseOwner),
        leaseUntil: unlessAtWork(sql`NULL`, jobsTable.leaseUntil),
        heldAt: null,
        wokenBy: null,
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

/** Has a job that may still have something to settle look again, now and until the new deadline; opens it when it had ended. */
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
      heldAt: null,
    })
    .where(and(eq(jobsTable.key, key), condition))
    .returning(sentColumns);
}

export interface Claim {
  readonly key: string;
  readonly owner: string;
  readonly now: number;
  readonly leaseMs: number;
  /** Of the journal, should this be the first delivery. */
  readonly version: number | null;
  /** When the message that was delivered was to arrive. */
  readonly dueAt: number | null;
}

/** A job in this delivery's hands, with its journal. */
export interface Claimed {
  readonly job: Job;
  readonly steps: readonly JobStep[];
}

/** Takes a job in flight; null when it is done, not due, held back, or in other hands. One D1 call. */
export async function claimJob(db: Db, claim: Claim): Promise<Claimed | null> {
  return takeJob(db, claim, lte(jobsTable.runAt, claim.now));
}

/** Takes an overdue job whatever its time: its end must be written by one delivery only. */
export async function claimOverdueJob(db: Db, claim: Claim): Promise<Claimed | null> {
  return takeJob(db, claim, lt(jobsTable.deadlineAt, claim.now));
}

async function takeJob(db: Db, claim: Claim, condition: SQL): Promise<Claimed | null> {
  const { key, owner, now, leaseMs, version, dueAt } = claim;
  const free = or(isNull(jobsTable.leaseUntil), lt(jobsTable.leaseUntil, now));
  const take = db
    .update(jobsTable)
    .set({
      leaseOwner: owner,
      leaseUntil: now + leaseMs,
      wokenAt: null,
      arrivedAt: sql`coalesce(${dueAt}, ${jobsTable.arrivedAt})`,
      journalVersion: sql`coalesce(${jobsTable.journalVersion}, ${version})`,
    })
    .where(and(eq(jobsTable.key, key), eq(jobsTable.state, "open"), isNotNull(jobsTable.messageAt), condition, free))
    .returning();
  const stray = noteStray(db, key, now);
  const { taken, steps } = await writeTogether(db, { stray, taken: take, steps: selectSteps(db, key) });
  const [job] = taken;
  return job ? { job, steps } : null;
}

/** A message came that nobody knew to be on its way: the job is in flight all the same. */
function noteStray(db: Db, key: string, now: number) {
  return db
    .update(jobsTable)
    .set({ messageAt: now })
    .where(
      and(
        eq(jobsTable.key, key),
        eq(jobsTable.state, "open"),
        isNull(jobsTable.messageAt),
        isNull(jobsTable.heldAt),
        lte(jobsTable.runAt, now),
      ),
    );
}

function selectSteps(db: Db, key: string) {
  const result = sql<string | null>`${jobStepsTable.result}`.as("result");
  return db
    .select({ ...getTableColumns(jobStepsTable), result })
    .from(jobStepsTable)
    .where(eq(jobStepsTable.jobKey, key));
}

export type EarlyMessage = Pick<Job, "runAt" | "queue">;

/** Why a message could not claim its job: null, unless it came before the job's time and nobody works on that. */
export async function findNotYetDue(db: Db, key: string, now: number): Promise<EarlyMessage | null> {
  const [job] = await db
    .select({ runAt: jobsTable.runAt, queue: jobsTable.queue })
    .from(jobsTable)
    .where(
      and(
        eq(jobsTable.key, key),
        eq(jobsTable.state, "open"),
        sql`${jobsTable.runAt} > ${now}`,
        isNull(jobsTable.leaseUntil),
        isNull(jobsTable.heldAt),
      ),
    );
  return job ?? null;
}

/** Notes when the next message of an idle job should arrive (null: none is on its way), while its time is still the same. */
export async function noteMessage(db: Db, key: string, runAt: number, messageAt: number | null): Promise<void> {
  await db
    .update(jobsTable)
    .set({ messageAt })
    .where(
      and(
        eq(jobsTable.key, key),
        eq(jobsTable.state, "open"),
        eq(jobsTable.runAt, runAt),
        isNull(jobsTable.leaseUntil),
      ),
    );
}

/** These messages were not sent after all: the sweep sends them. */
export async function noteUnsent(db: Db, keys: readonly string[]): Promise<void> {
  const listed = isAmong(jobsTable.key, keys);
  await db
    .update(jobsTable)
    .set({ messageAt: null })
    .where(and(listed, eq(jobsTable.state, "open"), isNull(jobsTable.leaseUntil)));
}

/** Lengthens the lease; false when another delivery has taken the job. */
export async function renewLease(db: Db, key: string, owner: string, until: number): Promise<boolean> {
  const rows = await db
    .update(jobsTable)
    .set({ leaseUntil: until })
    .where(and(eq(jobsTable.key, key), eq(jobsTable.leaseOwner, owner), eq(jobsTable.state, "open")))
    .returning({ key: jobsTable.key });
  return rows.length > 0;
}

export interface Pause {
  readonly runAt: number;
  readonly deadlineAt: number;
  readonly attempts: number;
  readonly waitingFor: string | null;
  readonly waitingCode: FailureCode | null;
  readonly toldWait: string | null;
  readonly messageAt: number | null;
  readonly wokenBy: string | null;
}

/** Ends the delivery, to go on at `runAt`; at once where the job was woken meanwhile. Its rows are for `wakeJobs`. */
export function pauseJob(db: Db, key: string, owner: string, pause: Pause) {
  const unlessWoken = (at: number | null) =>
    sql`CASE WHEN ${jobsTable.wokenAt} IS NULL THEN ${at} ELSE ${jobsTable.wokenAt} END`;
  const { runAt, messageAt } = pause;
  return db
    .update(jobsTable)
    .set({
      ...pause,
      runAt: unlessWoken(runAt),
      messageAt: unlessWoken(messageAt),
      leaseOwner: null,
      leaseUntil: null,
    })
    .where(and(eq(jobsTable.key, key), eq(jobsTable.leaseOwner, owner)))
    .returning(sentColumns);
}

/**
 * The last statement of a batch that finishes the job: the others are conditional on its lease. One that was woken meanwhile stays
 * open, and the sweep sends its message.
 */
export function closeJob(db: Db, key: string, owner: string, now: number): Statement {
  const isWoken = sql`${jobsTable.wokenAt} IS NOT NULL`;
  return db
    .update(jobsTable)
    .set({
      state: sql`CASE WHEN ${isWoken} THEN 'open' ELSE 'done' END`,
      finishedAt: sql`CASE WHEN ${isWoken} THEN NULL ELSE ${now} END`,
      runAt: sql`CASE WHEN ${isWoken} THEN ${now} ELSE ${jobsTable.runAt} END`,
      leaseUntil: null,
      messageAt: null,
      waitingFor: null,
      waitingCode: null,
    })
    .where(and(eq(jobsTable.key, key), eq(jobsTable.leaseOwner, owner)));
}

/**
 * Lets the project's next held job go, in the place of one whose delivery ends in this batch. Its rows are for `wakeJobs`.
 * Reads one row when none is held.
 */
export function releaseNext(db: Db, { queue, projectId }: Pick<Job, "queue" | "projectId">, now: number) {
  const next = sql`(SELECT held.key FROM jobs AS held WHERE held.state = 'open' AND held.held_at IS NOT NULL
    AND held.queue = ${queue} AND held.project_id = ${projectId} ORDER BY held.run_at LIMIT 1)`;
  const isFree = hasCapacity(queue, projectId, soon(now));
  return db
    .update(jobsTable)
    .set({ messageAt: sql`max(${jobsTable.runAt}, ${now})`, heldAt: null })
    .where(and(sql`${jobsTable.key} = ${next}`, isNotNull(jobsTable.heldAt), isFree))
    .returning(sentColumns);
}

/** From now on the journal is written in this form. */
export function stampJournal(db: Db, key: string, version: number, held: SQL): Statement {
  return db
    .update(jobsTable)
    .set({ journalVersion: version })
    .where(and(eq(jobsTable.key, key), held));
}

/** Forgets steps that were not acted once, i.e. that may be done again, of a journal in another form. */
export function forgetRepeatableSteps(db: Db, key: string, kept: readonly string[], held: SQL): Statement {
  const isKept = isAmong(jobStepsTable.name, kept);
  return db.delete(jobStepsTable).where(and(eq(jobStepsTable.jobKey, key), sql`NOT ${isKept}`, held));
}

/** Records on the row that deliveries of this job died; the sweep sends another message. */
export async function noteDeadDelivery(db: Db, key: string): Promise<void> {
  await db
    .update(jobsTable)
    .set({
      waitingFor: "Its deliveries failed several times on our side.",
      waitingCode: "unexpected",
      messageAt: null,
    })
    .where(and(eq(jobsTable.key, key), eq(jobsTable.state, "open"), isNull(jobsTable.leaseUntil)));
}
