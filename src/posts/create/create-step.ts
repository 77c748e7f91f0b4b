import { AppError } from "../../core/errors.ts";
import { type IdempotencyRecord, isChangedSince, type Statement, writeTogether } from "../../db/client.ts";
import { type Creation, createTogether } from "./create.ts";

/** A step of a task that creates posts, as the task's journal knows it. */
export interface Step {
  /** Reads the journal, at most one row. */
  readonly read: Statement;
  /** Whether the step is still to be done. */
  readonly isNext: (row: Readonly<Record<string, unknown>> | undefined) => boolean;
  /** Written in the transaction that creates the posts; it fails if another run has done the step. */
  readonly end: () => Statement | readonly Statement[];
  /** Written if every post is refused. */
  readonly endRefused: (refused: readonly AppError[]) => Statement | readonly Statement[];
}

/** `refused`: every post was. `done_before`: by another run. */
export type StepOutcome = "created" | "refused" | "done_before";

const PASSING: ReadonlySet<string> = new Set(["quota_exceeded", "reconnect_needed"]);

/** Whether a refusal of create-post passes without a change of the post: what is refused waits. */
export const isPassing = ({ code }: AppError): boolean => PASSING.has(code);

/** Thrown out of the creation: another run has done the step. */
class StepDone extends Error {}

/**
 * Creates the posts of a step and ends it in the same transaction, as `createTogether`. A run that dies, or a
 * second one, creates no second post.
 */
export async function createStep(creation: Omit<Creation, "idempotency">, step: Step): Promise<StepOutcome> {
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
    if (refused.length < posts.length) return "created";
    // Without a post, nothing was written.
    await writeTogether(creation.deps.db, { end: step.endRefused(refused) });
    return "refused";
  } catch (error) {
    if (error instanceof StepDone || isChangedSince(error)) return "done_before";
    throw error;
  }
}
