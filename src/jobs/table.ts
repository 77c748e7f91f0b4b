import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { ProjectId } from "../core/ids.ts";
import { instant, json } from "../db/columns.ts";
import type { JobKind } from "./messages.ts";

/**
 * Everything that touches the outside is a row here (steps.ts). A queue message only names the row: lost, repeated or
 * early messages do no harm.
 *
 * An open job is in exactly one of three situations, each with an index of its own, so that the sweep reads what needs
 * it and nothing else: it waits for its time without a message, a message is on its way, or a delivery has it.
 */
export const jobsTable = sqliteTable(
  "jobs",
  {
    /** `kind:subject`, e.g. `publish:42`: a thing has at most one job of a kind. */
    key: text("key").primaryKey(),
    kind: text("kind").$type<JobKind>().notNull(),
    projectId: integer("project_id").$type<ProjectId>().notNull(),
    subjectId: integer("subject_id").notNull(),
    state: text("state").$type<"open" | "done">().notNull(),
    /** Not to be run before; moves forward with every wait. */
    runAt: instant("run_at").notNull(),
    /** Not used any more: `message_at` took its place. To be dropped in a later release. */
    sentAt: instant("sent_at"),
    /** When the message that is on its way should arrive; null when none is. */
    messageAt: instant("message_at"),
    /** When the message that was delivered last was due: shows how far the queue has come. */
    arrivedAt: instant("arrived_at"),
    leaseOwner: text("lease_owner"),
    leaseUntil: instant("lease_until"),
    /** Deliveries that ended in an unexpected error since the last success. */
    attempts: integer("attempts").notNull().default(0),
    deadlineAt: instant("deadline_at").notNull(),
    waitingFor: text("waiting_for"),
    /** The form in which its journal is written (JobHandler.version); null before the first delivery. */
    journalVersion: integer("journal_version"),
    createdAt: instant("created_at").notNull(),
    finishedAt: instant("finished_at"),
  },
  (table) => [
    index("jobs_unsent").on(table.runAt).where(sql`state = 'open' AND message_at IS NULL AND lease_until IS NULL`),
    index("jobs_awaited").on(table.messageAt).where(sql`state = 'open' AND message_at IS NOT NULL`),
    index("jobs_leased").on(table.leaseUntil).where(sql`state = 'open' AND lease_until IS NOT NULL`),
    index("jobs_finished").on(table.finishedAt).where(sql`state = 'done'`),
  ],
);

export const jobStepsTable = sqliteTable(
  "job_steps",
  {
    jobKey: text("job_key").notNull(),
    name: text("name").notNull(),
    /**
     * `begun`: an act is under way or its delivery died; `unsure`: it ended without an answer; `duplicate`: the platform
     * says that it is there already; `done`. Only `done` is settled.
     */
    state: text("state").$type<"begun" | "unsure" | "duplicate" | "done">().notNull(),
    result: json("result"),
    /** When it was first begun: what `find` looks back to. */
    begunAt: instant("begun_at").notNull(),
    /** When the last act was begun. */
    actedAt: instant("acted_at").notNull(),
    /** How often it was acted, and how often `find` saw nothing since the last act. */
    acts: integer("acts").notNull().default(1),
    looks: integer("looks").notNull().default(0),
  },
  (table) => [primaryKey({ columns: [table.jobKey, table.name] })],
);
