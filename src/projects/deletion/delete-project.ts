import type { Project } from "../../accounts/store.ts";
import { idOf, type ProjectId } from "../../core/ids.ts";
import { isNearlySpent } from "../../core/meter.ts";
import { MINUTE, SECOND } from "../../core/time.ts";
import { isForeignKeyViolation, runBatch } from "../../db/client.ts";
import type { Recurrence, RecurringHandler } from "../../jobs/recurring.ts";
import type { Deps } from "../../service/deps.ts";
import { DELETION_STEPS, type Deletion, type DeletionOptions, type DeletionStep } from "../table.ts";
import { deleteFiles, deletePages, deleteStorages } from "./delete-bytes.ts";
import { deleteRows } from "./delete-rows.ts";
import {
  deleteBots,
  deletePosts,
  endCampaigns,
  revokeLogins,
  revokeTokens,
  type StepEnd,
  settle,
} from "./platform-steps.ts";
import { beginDeletion, ERASE, findDeletion, toStep, updateDeletion } from "./store.ts";

/**
 * Deletes a project with everything that it has: the recurring task `erase:<project>`. Its journal is the row
 * in `project_deletions`, with the step, and the position within it. In this order:
 *
 *   tokens ▶ bots ▶ campaigns ▶ posts ▶ settling ▶ logins      nothing acts any more, and platforms are notified
 *   files ▶ storages ▶ rows                                    bytes, KV and objects, and every table
 *   last_rows ▶ done                                           once no delivery from before can write any more
 *
 * Every step may run twice and die anywhere: it looks for what is left of its kind. From the first moment no
 * request finds the project (accounts/store.ts).
 */
export const projectDeletions: RecurringHandler<Deps> = { kind: ERASE, queue: "publish", run };

/** The time in which an isolate may still believe an earlier copy of a token in KV. */
const KV_STALE_MS = 2 * MINUTE;
/** Longer than any delivery lives: what it writes at its end is deleted too. */
const LAST_WRITES_MS = 15 * MINUTE;
const WAIT_MS = 15 * SECOND;

/** Deletes the project. Access ends before this returns, unless there are very many tokens. */
export async function deleteProject(
  deps: Deps,
  project: Pick<Project, "id" | "name">,
  { by, options }: { readonly by: string | null; readonly options: DeletionOptions },
): Promise<void> {
  const request = { projectId: project.id, name: project.name, requestedBy: by, options };
  await beginDeletion(deps.db, request, Date.now());
  const deletion = await findDeletion(deps.db, project.id);
  // If this dies, the task does it.
  if (deletion?.step === "tokens") await revokeTokens(deps, deletion);
}

async function run(deps: Deps, subject: string): Promise<Recurrence> {
  const projectId = idOf<ProjectId>(Number(subject));
  while (!isNearlySpent(deps.meter)) {
    const deletion = await findDeletion(deps.db, projectId);
    if (!deletion || deletion.step === "done") return { kind: "stop" };
    const now = Date.now();
    const end = await STEPS[deletion.step](deps, deletion, now);
    if (end === "waiting") return { kind: "again", afterMs: WAIT_MS };
    if (end === "done") await advance(deps, deletion, now);
  }
  return { kind: "again", afterMs: SECOND, isPrompt: true };
}

async function advance({ db, log }: Deps, deletion: Deletion, now: number): Promise<void> {
  const next = DELETION_STEPS[DELETION_STEPS.indexOf(deletion.step) + 1] ?? "done";
  const isOver = next === "done";
  await runBatch(db, [
    ...(isOver
      ? [updateDeletion(db, deletion, { completedAt: now, step: next, stepAt: now })]
      : [toStep(db, deletion, next, now)]),
  ]);
  log.event("project_deletion", { project: deletion.deletedId, step: next });
}

type Step = (deps: Deps, deletion: Deletion, now: number) => Promise<StepEnd>;

const STEPS: Readonly<Record<Exclude<DeletionStep, "done">, Step>> = {
  tokens: revokeTokens,
  bots: deleteBots,
  campaigns: endCampaigns,
  posts: deletePosts,
  settling: settle,
  logins: revokeLogins,
  files: async (deps, deletion) =>
    (await deleteFiles(deps, deletion)) && (await deletePages(deps, deletion)) ? "done" : "more",
  storages: async (deps, deletion, now) => {
    if (now < deletion.requestedAt + KV_STALE_MS) return "waiting";
    return (await deleteStorages(deps, deletion)) ? "done" : "more";
  },
  rows: deleteAll,
  last_rows: async (deps, deletion, now) =>
    now < deletion.stepAt + LAST_WRITES_MS ? "waiting" : deleteAll(deps, deletion),
};

/** A row that a late delivery has added holds the project: then every table is gone through again. */
async function deleteAll(deps: Deps, deletion: Deletion): Promise<StepEnd> {
  if (!(await deletePages(deps, deletion))) return "more";
  try {
    return (await deleteRows(deps, deletion)) ? "done" : "more";
  } catch (error) {
    if (!isForeignKeyViolation(error)) throw error;
    await runBatch(deps.db, [updateDeletion(deps.db, deletion, { cursor: null })]);
    return "waiting";
  }
}
