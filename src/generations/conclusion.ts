import { type SQL, sql } from "drizzle-orm";
import type { Cause } from "../core/failures.ts";
import { type GenerationId, idOf } from "../core/ids.ts";
import { HOUR } from "../core/time.ts";
import type { Db, Statement } from "../db/client.ts";
import { openMessage } from "../deliveries/single.ts";
import { keepGenerated, releaseGenerated } from "../files/generated.ts";
import type { HeldJob, ShownWait } from "../jobs/handler.ts";
import type { Finish } from "../jobs/journal.ts";
import type { Deps } from "../service/deps.ts";
import { generationEvents } from "./events.ts";
import { type GenerationRun, stillOwned } from "./generation-run.ts";
import { toRecord } from "./record.ts";
import { aboutGeneration, endGeneration } from "./store.ts";
import type { StoredFiles } from "./stored.ts";
import type { Generation } from "./table.ts";

/**
 * What the end of a generation writes: its row, its timeline, the project's webhooks, and one message to the
 * `web_hook` of its request.
 */

export function generationDone(making: GenerationRun, caption: string, files: StoredFiles): Finish {
  const { deps, generation } = making;
  const now = Date.now();
  const ours = stillOwned(making);
  const done: Generation = { ...generation, state: "done", caption, files };
  const names = files.map(({ name }) => name);
  return withMessage(making, done, now, [
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

export function generationFailure(making: GenerationRun, { code, message }: Cause): Finish {
  const { deps, generation } = making;
  const now = Date.now();
  const ours = stillOwned(making);
  const failed: Generation = { ...generation, state: "failed", error: message, errorCode: code };
  return withMessage(making, failed, now, [
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
function withMessage(making: GenerationRun, ended: Generation, now: number, writes: readonly Statement[]): Finish {
  const { id, uuid, projectId, webHook, origin, type } = ended;
  if (webHook === null) return { writes };
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
  const opened = openMessage(making.deps.db, message, now, stillOwned(making));
  return { writes: [...writes, opened.message], opens: [opened.job] };
}

/**
 * Cleans up after a generation that was deleted or has ended: its unused files are deleted once no delivery
 * can be working on it.
 */
export function cleanUp(deps: Deps, { job, hasLease }: HeldJob): Finish {
  const id = idOf<GenerationId>(job.subjectId);
  const isDeleted = sql`EXISTS (SELECT 1 FROM generations WHERE id = ${id} AND deleted_at IS NOT NULL)`;
  return { writes: [releaseGenerated(deps.db, id, Date.now() + HOUR, sql`${isDeleted} AND ${hasLease}`)] };
}

/** Ends a generation whose row cannot be read: only its state is written. */
export function unreadableFailure(
  { db }: Deps,
  { job, hasLease }: HeldJob,
  { code: errorCode, message: error }: Cause,
): Finish {
  const id = idOf<GenerationId>(job.subjectId);
  const writes = [
    endGeneration(db, id, { state: "failed", error, errorCode }, hasLease),
    releaseGenerated(db, id, Date.now(), hasLease),
  ];
  return { writes };
}

/** The event of a wait of the generation's job. */
export function waitEvent(db: Db, { platform: _, ...wait }: ShownWait, hasLease: SQL): readonly Statement[] {
  return [generationEvents.insert(db, { ...wait, type: "generation.waiting" }, hasLease)];
}
