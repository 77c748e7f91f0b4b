import { AppError } from "../../core/errors.ts";
import { type IdempotencyRecord, isChangedSince, runBatch, type Statement } from "../../db/client.ts";
import { type Creation, createTogether } from "./create.ts";

/** A step of a task that creates posts, as the task's journal knows it. */
export interface Step {
  /** Reads the journal, at most one row. */
  readonly read: Statement;
  /** Whether the step is still to be done. */
  readonly isNext: (row: Readonly<Record<string, unknown>> | undefined) => boolean;
  /** Written in the transaction that creates the posts; it fails if another run has done the step. */
  readonly end: () => Statement;
  /** Written if every post is refused. */
  readonly endRefused: (refused: readonly AppError[]) => Statement;
}

/** Thrown out of the creation: another run has done the step. */
class StepDone extends Error {}

/**
 * Creates the posts of a step and ends it in the same transaction, as `createTogether`. A run that dies, or a
 * second one, creates no second post. Returns whether every post was refused.
 */
export async function createStep(creation: Omit<Creation, "idempotency">, step: Step): Promise<boolean> {
  const idempotency: IdempotencyRecord = {
    read: step.read,
    check(rows) {
      const [row] = Array.isArray(rows) ? rows : [];
      if (!step.isNext(row)) throw new StepDone();
    },
    write: step.end,
  };
  try {
    const posts = await createTogether({ ...creation, idempotency });
    const refused = posts.filter((post) => post instanceof AppError);
    if (refused.length < posts.length) return false;
    // Without a post, nothing was written.
    await runBatch(creation.deps.db, [step.endRefused(refused)]);
    return true;
  } catch (error) {
    if (error instanceof StepDone || isChangedSince(error)) return false;
    throw error;
  }
}
