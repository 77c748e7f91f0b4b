import { callerWithoutToken } from "../../accounts/caller.ts";
import { findProject } from "../../accounts/store.ts";
import type { Caller } from "../../core/caller.ts";
import { AppError, absent } from "../../core/errors.ts";
import { type ImportId, idOf } from "../../core/ids.ts";
import { isNearlySpent } from "../../core/meter.ts";
import { plural } from "../../core/text.ts";
import { DAY, MINUTE, SECOND } from "../../core/time.ts";
import { writeTogether } from "../../db/client.ts";
import { claimUntil, type Recurrence, type RecurringHandler, sendClaimed } from "../../jobs/recurring.ts";
import { claimNamed, scheduleTask } from "../../jobs/recurring-store.ts";
import type { Deps } from "../../service/deps.ts";
import { createStep, isPassing } from "../create/create-step.ts";
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
  noteWait,
  type PartOutcome,
  selectNextPart,
} from "./store.ts";
import type { StoredRow } from "./table.ts";

/**
 * Creates the posts of a file (docs/decisions/0075), the recurring task `import:<id>`. Each part is one
 * transaction with its place in the journal (`next_part`): a run that dies, or a second one, repeats nothing.
 *
 *   checked ──start──▶ importing ──the last part──▶ done ──7 days──▶ forgotten
 *
 * Rows that create-post refuses for now (a full quota, a login that ended) are left for a part of their own,
 * after the others. When only such rows are left, the import waits with the reason, and goes on by itself.
 */
export const imports: RecurringHandler<Deps> = { kind: IMPORT, queue: "media", run: runImport };

const LIFE_MS = 7 * DAY;
/** A run ends after this time; the next one continues at once. */
const RUN_MS = 20 * SECOND;
/** What waits is tried again so often. */
const WAIT_MS = 5 * MINUTE;

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
  // Parts in a row of which no row was done.
  let waiting = 0;
  for (;;) {
    const next = await findNextPart(deps.db, id);
    if (!next) return { kind: "stop" };
    const { found, rows } = next;
    const now = Date.now();
    if (found.state !== "importing") return forgetLater(deps, found, now);
    if (now - startedAt > RUN_MS || isNearlySpent(deps.meter)) return { kind: "again", afterMs: 0, isPrompt: true };
    const project = await findProject(deps.db, found.projectId);
    if (!project) return { kind: "stop" };
    const caller = callerWithoutToken(project, ["social-create-post"]);
    const passing = await importPart(deps, caller, { found, rows, types });
    waiting = passing?.isWhole ? waiting + 1 : 0;
    // A full quota is full for all parts; a login that ended concerns those of its channel.
    const isStuck = passing?.wait.code === "quota_exceeded" || waiting >= found.parts - found.nextPart;
    if (!passing || !isStuck) continue;
    const left = await findNextPart(deps.db, id);
    if (left) await noteWait(deps.db, left.found, passing.wait, Date.now());
    return { kind: "again", afterMs: WAIT_MS };
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

interface Passing {
  readonly wait: NonNullable<Import["wait"]>;
  /** Whether no row of the part was done. */
  readonly isWhole: boolean;
}

/** Returns why rows of the part are left; null if none is. */
async function importPart(deps: Deps, caller: Caller, { found, rows, types }: Part): Promise<Passing | null> {
  await types.read(deps, caller, rows);
  const bodies = rows.map((row) => toItem(row, caller, types).body);
  let outcome: PartOutcome = { created: 0, failed: 0, problems: [], failedRows: [], left: [] };
  let wait: Passing["wait"] | null = null;
  const end = () => endPart(deps.db, found, outcome, Date.now());
  const answerOf = (planned: readonly unknown[]) => {
    const isLeft = planned.map((one) => one instanceof AppError && isPassing(one));
    const left = rows.filter((_, at) => isLeft[at] === true);
    const final = planned.map((one, at) => (isLeft[at] === true ? null : one));
    const { count, problems, failedRows } = refusalsOf(rows, final, () => null);
    outcome = { created: rows.length - count - left.length, failed: count, problems, failedRows, left };
    wait = waitOf(planned.find((one) => one instanceof AppError && isPassing(one)));
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
  return wait && { wait, isWhole: outcome.left.length === rows.length };
}

/** A full quota is the reason for all rows after it. */
const waitOf = (refusal: unknown): Passing["wait"] | null =>
  refusal instanceof AppError ? { code: refusal.code, message: refusal.message } : null;
