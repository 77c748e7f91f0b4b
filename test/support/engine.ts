import { env } from "cloudflare:workers";
import { idOf, type ProjectId } from "../../src/core/ids.ts";
import { createMeter } from "../../src/core/meter.ts";
import { connectDb, runBatch } from "../../src/db/client.ts";
import { claimJob } from "../../src/jobs/claim-store.ts";
import { Journal } from "../../src/jobs/journal.ts";
import type { Holder } from "../../src/jobs/lease.ts";
import type { QueueName } from "../../src/jobs/messages.ts";
import { jobInsertion } from "../../src/jobs/open-jobs.ts";

/** The engine of jobs by itself, on the real database: for what no feature of today makes it do. */
export const db = connectDb(env.DB, createMeter());

const FORM = { version: 1, isLasting: () => false };
let jobs = 0;

export interface NewTestJob {
  readonly projectId?: number;
  readonly queue?: QueueName;
  readonly runAt?: number;
}

const insertJob = jobInsertion();

/** A job of a kind without a handler, due now by default; its key. */
export async function newJob({ projectId = 1, queue = "publish", runAt = Date.now() }: NewTestJob = {}) {
  const subjectId = ++jobs;
  const kind = "engine";
  const now = Date.now();
  const times = { runAt, deadlineAt: runAt + 3_600_000, messageAt: runAt <= now ? now : null, now };
  await runBatch(db, [insertJob(db, { kind, queue, projectId: idOf<ProjectId>(projectId), subjectId, ...times })]);
  return `${kind}:${subjectId}`;
}

/** The journal of a job, claimed by a delivery; null when it cannot be claimed. */
export async function claim(key: string, options: Partial<Pick<Holder, "leaseMs" | "isSpent">> = {}) {
  const { leaseMs = 60_000, isSpent = () => false } = options;
  const owner = crypto.randomUUID();
  const claimed = await claimJob(db, { key, owner, now: Date.now(), leaseMs, version: FORM.version, dueAt: null });
  return (
    claimed && {
      owner,
      journal: await Journal.open(
        { db, owner, leaseMs, isSpent, isPunctual: false, takeCounts: () => [] },
        claimed,
        FORM,
        null,
      ),
    }
  );
}

export async function rowOf(key: string) {
  return env.DB.prepare("SELECT * FROM jobs WHERE key = ?").bind(key).first<Record<string, unknown>>();
}
