import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { FailureCode } from "../core/failures.ts";
import type { ProjectId } from "../core/ids.ts";
import { instant, json } from "../db/columns.ts";
import type { QueueName } from "./messages.ts";

/**
 * Every outside effect has a row here (act-once.ts). A queue message only names the row: lost, repeated or
 * early messages do no harm. The table is clustered by its key (WITHOUT ROWID).
 *
 * An open job is in exactly one of three situations, each with its own index, so that the sweep reads only
 * what it needs:
 * - it waits for its time without a message;
 * - it is in flight, from its message until its delivery ends;
 * - it is throttled, because its project has enough jobs in flight (capacity.ts).
 */
export const jobsTable = sqliteTable(
  "jobs",
  {
    /** `kind:subject`, e.g. `publish:42`: a subject has at most one job of a kind. */
    key: text("key").primaryKey(),
    kind: text("kind").notNull(),
    queue: text("queue").$type<QueueName>().notNull().default("publish"),
    projectId: integer("project_id").$type<ProjectId>().notNull(),
    subjectId: integer("subject_id").notNull(),
    state: text("state").$type<"open" | "done">().notNull(),
    /** The earliest time of the next run; every wait moves it forward. */
    runAt: instant("run_at").notNull(),
    /** When its message is or was due: null if none was sent. Kept while a delivery has the job. */
    messageAt: instant("message_at"),
    /** Since when it is throttled. */
    throttledAt: instant("throttled_at"),
    /** When a rerun was requested during a delivery: another delivery follows at once. */
    rerunRequestedAt: instant("rerun_requested_at"),
    /** When the last delivered message was due: shows the progress of the queue. */
    arrivedAt: instant("arrived_at"),
    leaseOwner: text("lease_owner"),
    leaseUntil: instant("lease_until"),
    /** Deliveries that ended in an unexpected error since the last success. */
    attempts: integer("attempts").notNull().default(0),
    deadlineAt: instant("deadline_at").notNull(),
    waitingFor: text("waiting_for"),
    /** The key of the event that ends its wait early (resume-waiting.ts), e.g. `channel:7`. */
    resumeKey: text("resume_key"),
    /** The last wait that the timeline shows. */
    lastShownWait: text("last_shown_wait"),
    /** What blocks the job; null if nothing does. If it waits past its deadline, this is why it failed. */
    waitingCode: text("waiting_code").$type<FailureCode>(),
    /** The version of its journal (JobHandler.version); null before the first delivery. */
    journalVersion: integer("journal_version"),
    createdAt: instant("created_at").notNull(),
    finishedAt: instant("finished_at"),
  },
  (table) => [
    index("jobs_unsent").on(table.runAt).where(sql`state = 'open' AND message_at IS NULL AND throttled_at IS NULL`),
    // A claim changes none of the indexed columns: it costs one row.
    index("jobs_in_flight")
      .on(table.queue, table.projectId, table.messageAt)
      .where(sql`state = 'open' AND message_at IS NOT NULL`),
    index("jobs_throttled")
      .on(table.queue, table.projectId, table.runAt)
      .where(sql`state = 'open' AND throttled_at IS NOT NULL`),
    index("jobs_resumable").on(table.resumeKey).where(sql`state = 'open' AND resume_key IS NOT NULL`),
    // What a project's posts wait for; a job that nothing blocks is not in it.
    index("jobs_blocked")
      .on(table.projectId, table.kind, table.subjectId)
      .where(sql`state = 'open' AND waiting_code IS NOT NULL`),
    // Jobs that fail on our side: few, whatever the number of jobs.
    index("jobs_failing").on(table.key).where(sql`state = 'open' AND waiting_code = 'unexpected'`),
    index("jobs_finished").on(table.queue, table.finishedAt).where(sql`state = 'done'`),
  ],
);

/** What one sweep stores for the next (sweep-notes.ts): a few rows, each as small as its JSON. */
export const sweepNotesTable = sqliteTable("sweep_notes", {
  name: text("name").primaryKey(),
  value: text("value").notNull(),
});

/** The journal of a job, clustered by its key. */
export const jobStepsTable = sqliteTable(
  "job_steps",
  {
    jobKey: text("job_key").notNull(),
    name: text("name").notNull(),
    /**
     * `begun`: an act is running or its delivery died. `unknown`: it ended without an answer. `duplicate`:
     * the platform reports that it already exists. These three are unconfirmed. `done`: the result is known.
     * `waiting`: nothing was attempted, only retries are counted.
     */
    state: text("state").$type<"begun" | "unknown" | "duplicate" | "waiting" | "done">().notNull(),
    result: json("result"),
    /** When it was first begun: `find` checks from this time on. */
    begunAt: instant("begun_at").notNull(),
    /** When the last attempt began. */
    attemptedAt: instant("attempted_at").notNull(),
    /** Attempts, and how often `find` found nothing since the last attempt. */
    attempts: integer("attempts").notNull().default(1),
    checks: integer("checks").notNull().default(0),
    /** How often it was delayed since it last made progress. */
    retries: integer("retries").notNull().default(0),
    /** Why checking for an unconfirmed act stopped; the act stays unconfirmed. */
    unresolvedReason: text("unresolved_reason"),
  },
  (table) => [
    primaryKey({ columns: [table.jobKey, table.name] }),
    // Direct messages whose outcome is unknown: a lost one is compared with them.
    index("job_steps_unconfirmed")
      .on(table.name, table.jobKey)
      .where(sql`name = 'message' AND state IN ('begun', 'unknown', 'duplicate')`),
  ],
);

/**
 * Recurring work (recurring.ts): one row per task, found by kind and due time, so sleeping tasks cost
 * nothing. Clustered by its key.
 */
export const recurringTable = sqliteTable(
  "recurring",
  {
    /** `kind:subject`, e.g. `permalink:42`. */
    key: text("key").primaryKey(),
    kind: text("kind").notNull(),
    dueAt: instant("due_at").notNull(),
    /** The time between the last two runs; each run may choose another. */
    intervalMs: integer("interval_ms").notNull(),
    /** Failed runs since the last success. */
    failures: integer("failures").notNull().default(0),
    /** State that a run stores for the next one: JSON that its handler defines. */
    state: text("state"),
    /** The group of several tasks, e.g. `channel:7`: they are found, expedited and stopped together. */
    groupKey: text("group_key"),
    /**
     * Raised by every start, expedite, claim and settlement: a run writes only while its turn is the latest.
     * It starts at a random number, so a task that was deleted and started again never reuses an earlier
     * turn.
     */
    turn: integer("turn").notNull().default(sql`(abs(random() % 4503599627370496))`),
    /** When the message of its claim was sent; null after a delivery received it. */
    sentAt: instant("sent_at"),
    /** When a delivery last took it. */
    ranAt: instant("ran_at"),
    createdAt: instant("created_at").notNull(),
  },
  (table) => [
    // By kind: each kind has its share of a sweep.
    index("recurring_due").on(table.kind, table.dueAt),
    index("recurring_by_group").on(table.groupKey, table.dueAt).where(sql`group_key IS NOT NULL`),
  ],
);
