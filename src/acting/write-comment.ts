import { z } from "zod";
import type { Statement } from "../db/client.ts";
import type { Commenting, CommentTarget } from "../platforms/commenting.ts";
import type { ActingAs } from "./acting.ts";
import { type ActIntent, perform, type Suspicion } from "./perform.ts";
import { PREPARED, type Preparation, prepareFor } from "./prepared.ts";

/** The journal step that writes the comment of a job. */
export const COMMENT_STEP = "comment";

/**
 * Writes one comment as a channel, at most once: under one of our posts, or in reply to a comment. The act is
 * the `once` step `COMMENT_STEP` of the job's journal, so a job writes one comment.
 */
export interface CommentAct extends ActingAs {
  readonly comments: Commenting;
  readonly target: CommentTarget;
  readonly text: string;
  /** Ids of our other comments and posts: a look-up must never adopt them. */
  readonly taken: ReadonlySet<string>;
  /** Whether an outcome that look-ups cannot settle is reported, even by a patient job. */
  readonly endsDoubt?: boolean;
  readonly intent: ActIntent;
  readonly suspect?: Suspicion | null;
  /** Written with the result, in its transaction. */
  settles(comment: Commented): readonly Statement[];
  /** For platforms that reject duplicate texts: called if the text was posted before any act of this job. */
  repeated?(): Promise<Commented | null>;
}

const Commented = z.object({ id: z.string() });
export type Commented = z.output<typeof Commented>;

/** Null if `intent` forbids the comment and it certainly does not exist. Other outcomes are thrown. */
export async function writeComment(act: CommentAct): Promise<Commented | null> {
  const { comments, target, text, taken } = act;
  const progress = comments.prepare ? await prepareFor(act, COMMENT_STEP, preparationOf(act, comments.prepare)) : null;
  return perform<Commented>(act, {
    step: COMMENT_STEP,
    schema: Commented,
    evidence: {
      lagSeconds: comments.lagSeconds,
      checksUntilDeadline: act.isPatient && act.endsDoubt !== true,
      believes: "after_look_up",
    },
    intent: act.intent,
    suspect: act.suspect ?? null,
    cost: { act: { kind: target.comment === null ? "comment" : "answer", text } },
    ...(act.repeated ? { repeated: act.repeated } : {}),
    settles: (comment) => act.settles(comment),
    async act(context) {
      const created = await comments.create(context, target, text, progress);
      return created.kind === "published" ? { kind: "done", value: { id: created.id } } : created;
    },
    async find(context, since) {
      const found = await comments.find(context, target, { text, since, taken, progress });
      return found.kind === "found" ? { kind: "found", value: { id: found.id } } : found;
    },
  });
}

function preparationOf(
  { comments, target, text }: CommentAct,
  prepare: NonNullable<Commenting["prepare"]>,
): Preparation {
  return {
    step: PREPARED,
    waitsFor: "The platform is processing the comment.",
    next: (context, progress) => prepare.call(comments, context, target, text, progress),
  };
}
