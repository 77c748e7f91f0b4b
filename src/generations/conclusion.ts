import { sql } from "drizzle-orm";
import type { Cause } from "../core/failures.ts";
import { type GenerationId, idOf } from "../core/ids.ts";
import { HOUR, isoUtc } from "../core/time.ts";
import type { Statement } from "../db/client.ts";
import { openMessage } from "../deliveries/single.ts";
import { keepGenerated, releaseGenerated } from "../files/generated.ts";
import { enqueueJobs } from "../jobs/enqueue.ts";
import type { HeldJob } from "../jobs/handler.ts";
import type { Journal } from "../jobs/journal.ts";
import type { WaitCause } from "../jobs/outcomes.ts";
import type { Deps } from "../service/deps.ts";
import { generationEvents } from "./events.ts";
import { type GenerationRun, stillOwned } from "./generation-run.ts";
import { toRecord } from "./record.ts";
import { aboutGeneration, endGeneration } from "./store.ts";
import type { StoredFiles } from "./stored.ts";
import type { Generation } from "./table.ts";

/**
 * Ends a generation: its row, its timeline, the project's webhooks, and one message to the `web_hook` of its
 * request.
 */

export async function concludeDone(making: GenerationRun, caption: string, files: StoredFiles): Promise<void> {
  const { deps, generation } = making;
  const now = Date.now();
  const ours = stillOwned(making);
  const done: Generation = { ...generation, state: "done", caption, files };
  const names = files.map(({ name }) => name);
  await finish(making, done, now, [
    ...keepGenerated(deps.db, generation.id, names, ours),
    endGeneration(deps.db, generation.id, { state: "done", caption, files }, ours),
    generationEvents.insert(
      deps.db,
      {
        projectId: generation.projectId,
        subjectId: generation.id,
        type: "generation.done",
        message: "The generated post is ready.",
        detail: { ...named(generation), ...contentOf(done) },
        at: now,
      },
      ours,
    ),
  ]);
}

function named({ uuid, type }: Generation) {
  return { generation_id: uuid, post_type: type };
}

function contentOf(generation: Generation) {
  const { caption_text, media_urls } = toRecord(generation, generation.origin);
  return { caption_text, media_urls };
}

export async function concludeFailed(making: GenerationRun, { code, message }: Cause): Promise<void> {
  const { deps, generation } = making;
  const now = Date.now();
  const ours = stillOwned(making);
  const failed: Generation = { ...generation, state: "failed", error: message, errorCode: code };
  await finish(making, failed, now, [
    releaseGenerated(deps.db, generation.id, now, ours),
    endGeneration(deps.db, generation.id, { state: "failed", error: message, errorCode: code }, ours),
    generationEvents.insert(
      deps.db,
      {
        projectId: generation.projectId,
        subjectId: generation.id,
        type: "generation.failed",
        message,
        detail: { ...named(generation), error_code: code },
        at: now,
      },
      ours,
    ),
  ]);
}

/** Includes the message to `web_hook`, with the record as it is at this moment. */
async function finish(
  making: GenerationRun,
  ended: Generation,
  now: number,
  statements: readonly Statement[],
): Promise<void> {
  const { deps, journal } = making;
  const { id, uuid, projectId, webHook, origin, type } = ended;
  if (webHook === null) {
    await journal.finish({ statements });
    return;
  }
  const { error, errorCode } = ended;
  const why = ended.state === "failed" ? { error, error_code: errorCode } : {};
  const message = {
    projectId,
    url: webHook,
    type: `generation.${ended.state}`,
    body: JSON.stringify({ ...toRecord(ended, origin), post_type: type, ...why }),
    about: aboutGeneration(id),
    messageId: `gen_${uuid}`,
  };
  const finished = await journal.finish({ statements, ...openMessage(deps.db, message, now, stillOwned(making)) });
  await enqueueJobs(deps, finished.job);
}

/**
 * Cleans up after a generation that was deleted or has ended: its unused files are deleted once no delivery
 * can be working on it.
 */
export async function cleanUp(deps: Deps, journal: Journal): Promise<void> {
  const id = idOf<GenerationId>(journal.job.subjectId);
  const isDeleted = sql`EXISTS (SELECT 1 FROM generations WHERE id = ${id} AND deleted_at IS NOT NULL)`;
  const release = releaseGenerated(deps.db, id, Date.now() + HOUR, sql`${isDeleted} AND ${journal.hasLease}`);
  await journal.finish({ release });
}

/** Ends a generation whose row cannot be read: only its state is written. */
export function endUnreadable(
  { db }: Deps,
  { job, hasLease }: HeldJob,
  { code: errorCode, message: error }: Cause,
): readonly Statement[] {
  const now = Date.now();
  const id = idOf<GenerationId>(job.subjectId);
  return [
    endGeneration(db, id, { state: "failed", error, errorCode }, hasLease),
    releaseGenerated(db, id, now, hasLease),
  ];
}

/** Shows a wait in the timeline. */
export function noteWait(
  deps: Deps,
  { job, hasLease }: HeldJob,
  { code, message }: WaitCause,
  until: number,
): readonly Statement[] {
  const detail = { until: isoUtc(until), error_code: code };
  const { projectId, subjectId } = job;
  const event = { projectId, subjectId, type: "generation.waiting", message, detail, at: Date.now() } as const;
  return [generationEvents.insert(deps.db, event, hasLease)];
}
