import type { SQL } from "drizzle-orm";
import { z } from "zod";
import type { Statement } from "../db/client.ts";
import { type ActResult, type FindResult, JobFailed } from "../jobs/outcomes.ts";
import { visibilityLag } from "../jobs/recheck-policy.ts";
import type { Commenting, CommentOutcome, CommentTarget } from "../platforms/commenting.ts";
import type { Json } from "../platforms/context.ts";
import { weighRefusal } from "../platforms/outcomes.ts";
import { type ActingAs, asking, checkRateLimits, failedLook, handleFailure } from "./acting.ts";
import type { Pacing } from "./paced-act.ts";
import { prepareAgain, readPrepared, writePrepared } from "./prepared.ts";

/** The step of a job that writes its comment. */
export const COMMENT_STEP = "comment";

/**
 * Writing one comment as a channel, at most once, for whatever job asks for it: under a post of ours, or in
 * answer to somebody. The act is the `once` step `COMMENT_STEP` of the job's journal, so a job writes one.
 */
export interface CommentAct extends ActingAs {
  readonly comments: Commenting;
  readonly target: CommentTarget;
  readonly text: string;
  /** Ids of what else of ours is there: never to be taken for the comment. */
  readonly taken: ReadonlySet<string>;
  /** Whether a doubt that looking does not end is told, also by a patient job. */
  readonly endsDoubt?: boolean;
  /** Must not hold when the intent is stored. */
  readonly unless?: SQL;
  /** Where acts are paced: their turns. */
  readonly pacing?: Pacing;
  /** Written with the result, in its transaction. */
  settles(comment: Commented): readonly Statement[];
  /** What to do where the platform takes no text twice, and has taken this one before any act of this job. */
  repeated?(): Promise<Commented | null>;
}

const Commented = z.object({ id: z.string() });
export type Commented = z.output<typeof Commented>;

/**
 * Null where `unless` forbade it, and it is surely not there. Other ends of the act end the delivery, or the
 * job.
 */
export async function writeComment(act: CommentAct): Promise<Commented | null> {
  const { deps, journal, comments } = act;
  const isOpen = journal.read(COMMENT_STEP, Commented) === null && !journal.hasUnconfirmed();
  const mayBeThere = journal.isUnconfirmed(COMMENT_STEP);
  const progress = isOpen ? await prepare(act) : (readPrepared(journal)?.progress ?? null);
  const outcome = await journal.once<Commented, Refusal>(COMMENT_STEP, {
    schema: Commented,
    codes: { unknown: "may_be_published", duplicate: "duplicate" },
    ...visibilityLag(deps.config, comments.lagSeconds),
    refusesRepeat: false,
    checksUntilDeadline: act.isPatient && act.endsDoubt !== true,
    ...(act.unless ? { unless: act.unless } : {}),
    ...act.pacing?.once,
    settles: (comment) => act.settles(comment),
    act: async () => {
      const created = await create(act, progress, journal.begunAt(COMMENT_STEP));
      const isAnothers = created.kind === "duplicate" && !mayBeThere && act.repeated !== undefined;
      return isAnothers ? { kind: "refused", failure: REPEATED } : toActed(created);
    },
    find: (since) => find(act, progress, since),
  });
  switch (outcome.kind) {
    case "done":
      return outcome.value;
    case "forbidden":
      await act.pacing?.wait();
      return null;
    case "refused":
      return afterRefusal(act, outcome.failure);
    case "unresolved":
      throw new JobFailed(outcome.cause.code, outcome.cause.message);
  }
}

async function afterRefusal(act: CommentAct, refusal: Refusal): Promise<Commented | null> {
  switch (refusal.kind) {
    case "repeated":
      return act.repeated?.() ?? null;
    case "failed":
      return handleFailure(act, refusal, COMMENT_STEP);
    case "unprepared":
      return prepareAgain(act.journal, COMMENT_STEP, refusal);
  }
}

/** What the comment needs before it is written, where the platform has it wait for that. */
async function prepare(act: CommentAct): Promise<Json> {
  const { journal, target, text, comments } = act;
  let known = readPrepared(journal);
  while (comments.prepare && !known?.ready) {
    checkRateLimits(act);
    await journal.checkpoint();
    const outcome = await comments.prepare(asking(act), target, text, known?.progress ?? null);
    if (outcome.kind === "failed") return handleFailure(act, outcome, "prepared");
    known = { ready: outcome.kind === "ready", progress: outcome.progress };
    await writePrepared(journal, known);
    if (outcome.kind === "more" && outcome.afterSeconds !== undefined) {
      return journal.retryLater(
        outcome.afterSeconds,
        outcome.reason ?? "The platform is processing the comment.",
        null,
      );
    }
  }
  checkRateLimits(act);
  return known?.progress ?? null;
}

/** Why an act surely did nothing. */
type Refusal = Extract<CommentOutcome, { readonly kind: "failed" | "unprepared" }> | typeof REPEATED;

/** The account wrote these words before. */
const REPEATED = { kind: "repeated" } as const;

function toActed(outcome: CommentOutcome): ActResult<Commented, Refusal> {
  switch (outcome.kind) {
    case "published":
      return { kind: "done", value: { id: outcome.id } };
    case "unknown":
      return { kind: "unknown", message: outcome.message };
    case "duplicate":
      return outcome;
    case "unprepared":
    case "failed":
      return { kind: "refused", failure: outcome };
  }
}

/**
 * The act itself. What is refused is looked for before the refusal is believed, and before it stops the
 * channel.
 */
async function create(act: CommentAct, progress: Json, since: number): Promise<CommentOutcome> {
  const { comments, target, text, taken, context, hearing } = act;
  const created = await comments.create(asking(act), target, text, progress);
  if (created.kind !== "failed") return created;
  const answer = hearing.latest();
  const seen = await comments.find(context, target, { text, since, taken, progress });
  hearing.recall(answer);
  return weighRefusal(created, seen);
}

async function find(act: CommentAct, progress: Json, since: number): Promise<FindResult<Commented>> {
  const { target, text, comments, taken } = act;
  const outcome = await comments.find(asking(act), target, { text, since, taken, progress });
  switch (outcome.kind) {
    case "found":
      return { kind: "found", value: { id: outcome.id } };
    case "absent":
    case "unreadable":
      return outcome;
    case "unknown":
      return { kind: "unclear", message: outcome.message };
    case "failed":
      return failedLook(act, outcome);
  }
}
