import { callerWithoutToken } from "../../accounts/caller.ts";
import { findProject } from "../../accounts/store.ts";
import type { Caller } from "../../core/caller.ts";
import { AppError, absent } from "../../core/errors.ts";
import { type ImportId, idOf } from "../../core/ids.ts";
import { isNearlySpent } from "../../core/meter.ts";
import { plural } from "../../core/text.ts";
import { DAY, SECOND } from "../../core/time.ts";
import { writeTogether } from "../../db/client.ts";
import { claimUntil, type Recurrence, type RecurringHandler, sendClaimed } from "../../jobs/recurring.ts";
import { claimNamed, scheduleTask } from "../../jobs/recurring-store.ts";
import type { Deps } from "../../service/deps.ts";
import { createStep } from "../create/create-step.ts";
import { IMPORT } from "./check-import.ts";
import { ChannelTypes, refusalsOf, toItem } from "./rows.ts";
import {
  beginImport,
  endPart,
  findImport,
  findNextPart,
  findTwin,
  forgetImport,
  forgetParts,
  type Import,
  type PartOutcome,
  selectNextPart,
} from "./store.ts";
import type { StoredRow } from "./table.ts";

/**
 * Creates the posts of a file (docs/decisions/0075), the recurring task `import:<id>`. Each part is one
 * transaction with its place in the journal (`next_part`): a run that dies, or a second one, repeats nothing.
 *
 *   checked ──start──▶ importing ──the last part──▶ done ──7 days──▶ forgotten
 */
export const imports: RecurringHandler<Deps> = { kind: IMPORT, queue: "media", run: runImport };

const LIFE_MS = 7 * DAY;
/** A run ends after this time; the next one continues at once. */
const RUN_MS = 20 * SECOND;

export interface StartOptions {
  /** Whether refused rows are left out. */
  readonly skipRefused: boolean;
  /** Whether posts that another import has created are created once more. */
  readonly again: boolean;
}

/**
 * Starts the import of a checked file; a repeat changes nothing. Errors: `not_found`; `not_changeable` if the
 * file was not read to its end, has refused rows and `skipRefused` is not set, or was started before as
 * another import and `again` is not set.
 */
export async function startImport(
  deps: Deps,
  { projectId }: Pick<Caller, "projectId">,
  id: ImportId,
  { skipRefused, again }: StartOptions,
): Promise<Import> {
  const { db } = deps;
  const found = await findImport(db, projectId, id);
  if (!found) throw absent("import", id);
  if (found.state === "importing" || found.state === "done") return found;
  if (found.state === "checking") {
    throw new AppError("not_changeable", `The file of import ${id} was not read to its end. Send it again.`);
  }
  if (found.refused > 0 && !skipRefused) {
    const count = plural(found.refused, "row");
    const sentence = `${count} of import ${id} would be refused. Correct the file and send it again, or skip them with skip_refused.`;
    throw new AppError("not_changeable", sentence);
  }
  const now = Date.now();
  const key = `${IMPORT}:${id}`;
  const { begun, claimed } = await writeTogether(db, {
    begun: beginImport(db, id, again, now),
    task: scheduleTask(db, { key, dueAt: now, intervalMs: LIFE_MS, now }),
    claimed: claimNamed(db, [key], now, claimUntil(deps, now)),
  });
  await deps.afterAnswer(sendClaimed(deps, imports, claimed));
  const stands = begun.length === 0 ? await findImport(db, projectId, id) : null;
  const twin = stands && (await findTwin(db, stands));
  if (twin) {
    const posts = `import ${twin.id}, with ${plural(twin.created, "post")} so far`;
    throw new AppError("not_changeable", `The same rows were imported as ${posts}. Send again: true to repeat them.`);
  }
  return { ...found, state: "importing", problems: [] };
}

/** Deletes an import that is not running; its posts stay. Errors: `not_found`; `not_changeable`. */
export async function deleteImport(deps: Deps, { projectId }: Pick<Caller, "projectId">, id: ImportId): Promise<void> {
  const found = await findImport(deps.db, projectId, id);
  if (!found) throw absent("import", id);
  if (await forgetImport(deps.db, id)) return;
  throw new AppError("not_changeable", `Import ${id} is running. Delete it when it is done.`);
}

async function runImport(deps: Deps, subject: string): Promise<Recurrence> {
  const id = idOf<ImportId>(Number(subject));
  const startedAt = Date.now();
  const types = new ChannelTypes();
  for (;;) {
    const next = await findNextPart(deps.db, id);
    if (!next) return { kind: "stop" };
    const { found, rows } = next;
    const now = Date.now();
    if (found.state !== "importing") return forgetLater(deps, found, now);
    if (now - startedAt > RUN_MS || isNearlySpent(deps.meter)) return { kind: "again", afterMs: 0, isPrompt: true };
    const project = await findProject(deps.db, found.projectId);
    if (!project) return { kind: "stop" };
    await importPart(deps, callerWithoutToken(project, ["social-create-post"]), { found, rows, types });
  }
}

async function forgetLater(deps: Deps, { id, updatedAt, state, bytes }: Import, now: number): Promise<Recurrence> {
  const until = updatedAt + (state === "checking" ? DAY : LIFE_MS);
  if (now < until) {
    if (state === "done" && bytes > 0) await forgetParts(deps.db, id);
    return { kind: "again", afterMs: until - now };
  }
  await forgetImport(deps.db, id);
  return { kind: "stop" };
}

interface Part {
  readonly found: Import;
  readonly rows: readonly StoredRow[];
  readonly types: ChannelTypes;
}

async function importPart(deps: Deps, caller: Caller, { found, rows, types }: Part): Promise<void> {
  await types.read(deps, caller, rows);
  const bodies = rows.map((row) => toItem(row, caller, types).body);
  let outcome: PartOutcome = { created: 0, failed: 0, problems: [] };
  const end = () => endPart(deps.db, found, outcome, Date.now());
  const answerOf = (planned: readonly unknown[]) => {
    const { count, problems } = refusalsOf(rows, planned, () => null);
    outcome = { created: rows.length - count, failed: count, problems };
    return {};
  };
  await createStep(
    { deps, caller, bodies, answerOf, onRefused: answerOf },
    {
      read: selectNextPart(deps.db, found.id),
      isNext: (row) => row?.nextPart === found.nextPart,
      end,
      endRefused: end,
    },
  );
}
