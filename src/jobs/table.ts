import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { FailureCode } from "../core/failures.ts";
import type { ProjectId } from "../core/ids.ts";
import { instant, json } from "../db/columns.ts";
import type { QueueName } from "./messages.ts";

/**
 * Everything that touches the outside is a row here (act-once.ts). A queue message only names the row: lost,
 * repeated or early messages do no harm. The table is clustered by its key (WITHOUT ROWID).
 *
 * An open job is in exactly one of three situations, each with an index of its own, so that the sweep reads
 * what needs it and nothing else: it waits for its time without a message; it is in flight, which begins with
 * its message and lasts until its delivery ends; or it is held back, because its project has enough in flight
 * (capacity.ts).
 */
export const jobsTable = sqliteTable(
  "jobs",
  {
    /** `kind:subject`, e.g. `publish:42`: a thing has at most one job of a kind. */
    key: text("key").primaryKey(),
    kind: text("kind").notNull(),
    queue: text("queue").$type<QueueName>().notNull().default("publish"),
    projectId: integer("project_id").$type<ProjectId>().notNull(),
    subjectId: integer("subject_id").notNull(),
    state: text("state").$type<"open" | "done">().notNull(),
    /** Not to be run before; moves forward with every wait. */
    runAt: instant("run_at").notNull(),
    /**
     * When its message should arrive, or has: null when none was sent. Stays while a delivery has the job.
     */
    messageAt: instant("message_at"),
    /** Since when it is held back. */
    throttledAt: instant("throttled_at"),
    /** When it was woken while a delivery worked on it: that delivery is followed by another one at once. */
    rerunRequestedAt: instant("rerun_requested_at"),
    /** When the message that was delivered last was due: shows how far the queue has come. */
    arrivedAt: instant("arrived_at"),
    leaseOwner: text("lease_owner"),
    leaseUntil: instant("lease_until"),
    /** Deliveries that ended in an unexpected error since the last success. */
    attempts: integer("attempts").notNull().default(0),
    deadlineAt: instant("deadline_at").notNull(),
    waitingFor: text("waiting_for"),
    /** Whose news ends its wait early (resume-waiting.ts), e.g. `channel:7`. */
    resumeKey: text("resume_key"),
    /** The last of those that the timeline shows. */
    lastShownWait: text("last_shown_wait"),
    /**
     * What stands in its way; null when nothing does. Should it wait past its deadline, this is why it
     * failed.
     */
    waitingCode: text("waiting_code").$type<FailureCode>(),
    /** The form in which its journal is written (JobHandler.version); null before the first delivery. */
    journalVersion: integer("journal_version"),
    createdAt: instant("created_at").notNull(),
    finishedAt: instant("finished_at"),
  },
  (table) => [
    index("jobs_unsent").on(table.runAt).where(sql`state = 'open' AND message_at IS NULL AND throttled_at IS NULL`),
    // A claim changes none of its columns: it costs one row.
    index("jobs_in_flight")
      .on(table.queue, table.projectId, table.messageAt)
      .where(sql`state = 'open' AND message_at IS NOT NULL`),
    index("jobs_throttled")
      .on(table.queue, table.projectId, table.runAt)
      .where(sql`state = 'open' AND throttled_at IS NOT NULL`),
    index("jobs_resumable").on(table.resumeKey).where(sql`state = 'open' AND resume_key IS NOT NULL`),
    index("jobs_finished").on(table.queue, table.finishedAt).where(sql`state = 'done'`),
  ],
);

/** What one sweep leaves to the next (sweep-notes.ts): a few rows, each as small as its JSON. */
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
     * `begun`: an act is under way or its delivery died; `unknown`: it ended without an answer; `duplicate`:
     * the platform says that it is there already; `done`. Those three before `done` are unconfirmed. `waiting`:
     * nothing was acted, only its retries are counted.
     */
    state: text("state").$type<"begun" | "unknown" | "duplicate" | "waiting" | "done">().notNull(),
    result: json("result"),
    /** When it was first begun: what `find` looks back to. */
    begunAt: instant("begun_at").notNull(),
    /** When the last act was begun. */
    attemptedAt: instant("attempted_at").notNull(),
    /** How often it was acted, and how often `find` saw nothing since the last act. */
    attempts: integer("attempts").notNull().default(1),
    checks: integer("checks").notNull().default(0),
    /** How often it was put off since it last went on. */
    retries: integer("retries").notNull().default(0),
    /** Why looking for an unsettled act was given up; it stays unconfirmed. */
    unresolvedReason: text("unresolved_reason"),
  },
  (table) => [primaryKey({ columns: [table.jobKey, table.name] })],
);

/**
 * Recurring work (recurring.ts): one row per task, found by its kind and the time at which it is due, so
 * sleeping tasks cost nothing. Clustered by its key.
 */
export const recurringTable = sqliteTable(
  "recurring",
  {
    /** `kind:subject`, e.g. `permalink:42`. */
    key: text("key").primaryKey(),
    kind: text("kind").notNull(),
    dueAt: instant("due_at").notNull(),
    /** Between the last two runs; adapts. */
    intervalMs: integer("interval_ms").notNull(),
    /** Failed runs since the last that succeeded. */
    failures: integer("failures").notNull().default(0),
    /** What a run leaves to the next one: JSON of its handler's own. */
    state: text("state"),
    /** What several tasks belong to, e.g. `channel:7`: they are found, woken and stopped together. */
    groupKey: text("group_key"),
    /**
     * Raised by every start, wake, claim and settlement: a run writes only while its turn is the latest.
     * Begins at a random number, so a task that was deleted and started again never has a turn of its former
     * life.
     */
    turn: integer("turn").notNull().default(sql`(abs(random() % 4503599627370496))`),
    /** When the message of its claim was sent; null once a delivery took it. */
    sentAt: instant("sent_at"),
    /** When a delivery took it last. */
    ranAt: instant("ran_at"),
    createdAt: instant("created_at").notNull(),
  },
  (table) => [
    // By kind: each has its share of a sweep.
    index("recurring_due").on(table.kind, table.dueAt),
    index("recurring_by_group").on(table.groupKey, table.dueAt).where(sql`group_key IS NOT NULL`),
  ],
);
