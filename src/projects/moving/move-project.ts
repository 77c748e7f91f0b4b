import { sql } from "drizzle-orm";
import { copyProjectTo } from "../../accounts/copies.ts";
import { endMoving, switchDatabase } from "../../accounts/moving.ts";
import { findProject, type Project } from "../../accounts/store.ts";
import { refreshRecords, settleTokens } from "../../accounts/tokens.ts";
import { copyPaces } from "../../acting/moved-paces.ts";
import { announceAccounts, leaveBehind, listAccounts, takeAlong } from "../../channels/moved-accounts.ts";
import { AppError } from "../../core/errors.ts";
import { idOf, type ProjectId } from "../../core/ids.ts";
import { isNearlySpent } from "../../core/meter.ts";
import { MINUTE, SECOND } from "../../core/time.ts";
import { runBatch } from "../../db/client.ts";
import { hasPending } from "../../events/outbox-store.ts";
import { countLeased } from "../../jobs/put-off.ts";
import type { Recurrence, RecurringHandler } from "../../jobs/recurring.ts";
import { keepPostIds } from "../../posts/store.ts";
import type { Deps } from "../../service/deps.ts";
import { dispatchEvents } from "../../webhooks/dispatch-events.ts";
import { MOVE_STEPS, type Move, type MoveStep, UNDO_STEPS } from "../table.ts";
import { copyRows, deleteCopies, deleteLeftRows, verifyRows } from "./copy-rows.ts";
import { dropFence, openForDeletion, raiseFence, runText } from "./fence.ts";
import { isLoose, standStill, takeUp } from "./stand-still.ts";
import { beginMove, findMove, MOVE, undoMove, updateMove } from "./store.ts";

/**
 * Moves a project to another database: the recurring task `move:<project>` of the directory. Its journal is
 * the row in `project_moves`. In this order:
 *
 *   freeze ▶ settle              requests get 423; work is put off; what is under way ends; then the fence
 *   copy ▶ verify                every row, and its checksum over there
 *   flip ▶ release               the directory names the new database; from then on the project works there
 *   drain ▶ last_rows ▶ done     the rows that are left behind, and the fence around them
 *
 * Until `flip` it can be undone: undo_rows ▶ undo_release ▶ undone. Every step may run twice and die
 * anywhere. The invariant: at any time at most one database serves the project, and while none does, no row
 * of it changes.
 */
export const projectMoves: RecurringHandler<Deps> = { kind: MOVE, queue: "publish", run };

/** What was admitted before ends within this time, unless it is a very slow request: that meets the fence. */
const QUIET_MS = 45 * SECOND;
/** After this time, deliveries that are still under way lose their jobs, as if they had died. */
const PATIENCE_MS = 10 * MINUTE;
/** Longer than any delivery lives: what would be written until then still meets the fence. */
const LAST_WRITES_MS = 15 * MINUTE;
const WAIT_MS = 5 * SECOND;
const ATTEMPTS = 3;

/** Begins the move. Repeated, it changes nothing. Errors: `not_changeable`. */
export async function moveProject(deps: Deps, project: Project, to: number): Promise<void> {
  const { name, database } = project;
  const under = await findMove(deps.directory, project.id);
  if (under && under.completedAt === null) {
    if (under.to === to) return;
    throw new AppError("not_changeable", `"${name}" is being moved to database ${under.to}. Undo that first.`);
  }
  if (database === to) throw new AppError("not_changeable", `"${name}" is in database ${to} already.`);
  if (to >= deps.databases) {
    const most = `The service has ${deps.databases} databases: 0 to ${deps.databases - 1}.`;
    throw new AppError("not_changeable", `There is no database ${to}. ${most}`);
  }
  // A database gives ids above those that it has: with ids of a later one, it would give away that one's.
  if (to < database) {
    const rule =
      "A project moves only to a database with a higher number, because its new ids must be above the old ones.";
    throw new AppError("not_changeable", `"${name}" is in database ${database}. ${rule}`);
  }
  await beginMove(deps.directory, project, to, Date.now());
}

/** Takes a move back. Errors: `not_changeable` once the project works in the other database. */
export async function undoProjectMove(deps: Deps, move: Move): Promise<void> {
  if (await undoMove(deps.directory, move, Date.now())) return;
  const now = await findMove(deps.directory, move.movedId);
  if (now && (UNDO_STEPS as readonly MoveStep[]).includes(now.step)) return;
  throw new AppError(
    "not_changeable",
    `"${move.name}" is in database ${move.to} already, so its move cannot be undone.`,
  );
}

async function run(deps: Deps, subject: string): Promise<Recurrence> {
  const projectId = idOf<ProjectId>(Number(subject));
  while (!isNearlySpent(deps.meter)) {
    const move = await findMove(deps.directory, projectId);
    if (!move || move.completedAt !== null) return { kind: "stop" };
    const end = await STEPS[move.step](deps, move, Date.now());
    if (end === "waiting") return { kind: "again", afterMs: WAIT_MS, isPrompt: true };
    if (end === "resting") return { kind: "again", afterMs: MINUTE };
    if (end === "done") await advance(deps, move, Date.now());
  }
  return { kind: "again", afterMs: SECOND, isPrompt: true };
}

/** `changed`: the step has written its end by itself. */
type StepEnd = "done" | "more" | "waiting" | "resting" | "changed";

async function advance({ directory, log }: Deps, move: Move, now: number): Promise<void> {
  const order: readonly MoveStep[] = (UNDO_STEPS as readonly MoveStep[]).includes(move.step) ? UNDO_STEPS : MOVE_STEPS;
  const step = order[order.indexOf(move.step) + 1] ?? "done";
  const isOver = step === "done" || step === "undone";
  // A walk has changed the journal since it was read.
  const current = await findMove(directory, move.movedId);
  if (current?.step !== move.step) return;
  await updateMove(directory, current, { step, stepAt: now, cursor: null, ...(isOver ? { completedAt: now } : {}) });
  log.event("project_move", { project: move.movedId, from: move.from, to: move.to, step });
}

type Step = (deps: Deps, move: Move, now: number) => Promise<StepEnd>;

const STEPS: Readonly<Record<MoveStep, Step>> = {
  freeze,
  settle,
  copy: copyRows,
  verify: async (deps, move, now) => {
    const end = await verifyRows(deps, move);
    if (end !== "differs") return end;
    deps.log.error("project_move_differs", new Error("The copy differs."), { project: move.movedId });
    // The rows over there go, and are copied once more; in the end the move is taken back.
    const attempts = move.attempts + 1;
    await updateMove(deps.directory, move, {
      step: attempts < ATTEMPTS ? "clear" : "undo_rows",
      stepAt: now,
      cursor: null,
      attempts,
    });
    return "changed";
  },
  clear: async (deps, move, now) => {
    if ((await deleteCopies(deps, move)) === "more") return "more";
    await copyProjectTo(deps, move.movedId, move.to);
    await updateMove(deps.directory, await standing(deps, move), {
      step: "copy",
      stepAt: now,
      cursor: null,
      copied: {},
      found: {},
    });
    return "changed";
  },
  flip,
  release,
  drain: async (deps, move) => {
    const from = deps.in(move.from);
    if (move.cursor === null) {
      await runBatch(from.db, [keepPostIds(from.db)]);
      await runText(from.db, openForDeletion(move.movedId));
    }
    return deleteLeftRows(deps, move);
  },
  last_rows: async (deps, move, now) => {
    if (now < move.stepAt + LAST_WRITES_MS) return "resting";
    const end = await deleteLeftRows(deps, move);
    if (end !== "done") return end;
    const { movedId: id } = move;
    await leaveBehind(deps.in(move.from), await listAccounts(deps.in(move.to), id));
    await runText(deps.in(move.from).db, dropFence(id));
    await copyProjectTo(deps, id, move.from, { movingAt: null });
    return "done";
  },
  done: async () => "done",
  undo_rows: deleteCopies,
  undo_release: undoRelease,
  undone: async () => "done",
};

async function freeze(deps: Deps, { movedId: id, from, to }: Move, now: number): Promise<StepEnd> {
  // In the target too, where nothing may be forgotten meanwhile that only seems to be unused.
  for (const database of [from, to]) await copyProjectTo(deps, id, database);
  // What platforms send about its accounts finds the target from now on, and is refused there until
  // `release`.
  await announceAccounts(deps.in(to), await listAccounts(deps.in(from), id));
  await settleTokens(deps, id, { database: from, isMoving: true }, now);
  return (await standStill(deps.in(from), id, { now, alsoLeased: false })) ? "done" : "more";
}

async function settle(deps: Deps, { movedId: id, from, stepAt }: Move, now: number): Promise<StepEnd> {
  const home = deps.in(from);
  const { db } = home;
  if (!(await standStill(home, id, { now, alsoLeased: false }))) return "more";
  if (now < stepAt + QUIET_MS) return "waiting";
  if (now < stepAt + PATIENCE_MS && (await countLeased(db, id, now)) > 0) return "waiting";
  await dispatchEvents(home, id);
  if (!(await standStill(home, id, { now, alsoLeased: true }))) return "more";
  await runText(db, raiseFence(id, from));
  // What slipped in before the fence was up.
  const [seen] = await db.all<{ has_pending: number }>(sql`SELECT ${hasPending(id)} AS has_pending`);
  if (seen?.has_pending !== 1 && !(await isLoose(db, id))) return "done";
  await runText(db, dropFence(id));
  return "waiting";
}

/** The one statement that moves the project. */
async function flip(deps: Deps, move: Move, now: number): Promise<StepEnd> {
  const { directory } = deps;
  const { movedId: id, from, to } = move;
  await updateMove(directory, move, { step: "release", stepAt: now, cursor: null }, (isCurrent) => [
    switchDatabase(directory, id, { from, to }, isCurrent),
  ]);
  return "changed";
}

async function release(deps: Deps, { movedId: id, from, to, requestedAt }: Move, now: number): Promise<StepEnd> {
  const project = await findProject(deps.directory, id);
  if (!project) return "done";
  // The row in the database that it left says where it is: old links find it by that.
  await copyProjectTo(deps, id, from, { movingAt: requestedAt });
  const [left, home] = [deps.in(from), deps.in(to)];
  const accounts = await listAccounts(home, id);
  await takeAlong(left, home, id, accounts);
  await copyPaces(left.db, home.db, accounts);
  if (!(await takeUp(home, id, now - requestedAt))) return "more";
  await open(deps, project, to, now);
  return "done";
}

/** Requests are served again, by this database. */
async function open(deps: Deps, project: Project, database: number, now: number): Promise<void> {
  const { directory } = deps;
  const { id } = project;
  await refreshRecords(deps, { ...project, database }, now);
  await copyProjectTo(deps, id, database, { movingAt: null });
  await runBatch(directory, [endMoving(directory, id)]);
  await settleTokens(deps, id, { database, isMoving: false }, now);
}

async function undoRelease(deps: Deps, { movedId: id, from, to, requestedAt }: Move, now: number): Promise<StepEnd> {
  const home = deps.in(from);
  await leaveBehind(deps.in(to), await listAccounts(home, id));
  const project = await findProject(deps.directory, id);
  if (!project) return "done";
  await runText(home.db, dropFence(id));
  if (!(await takeUp(home, id, now - requestedAt))) return "more";
  await open(deps, project, from, now);
  return "done";
}

/** The journal after the walk of this run. */
async function standing({ directory }: Deps, move: Move): Promise<Move> {
  return (await findMove(directory, move.movedId)) ?? move;
}
