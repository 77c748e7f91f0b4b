import type { SQL } from "drizzle-orm";
import { z } from "zod";
import type { Statement } from "../db/client.ts";
import type { Commenting, CommentTarget } from "../platforms/commenting.ts";
import type { ActingAs } from "./acting.ts";
import type { Pacing } from "./paced-act.ts";
import { perform } from "./perform.ts";
import { PREPARED, type Preparation } from "./prepared.ts";

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

/** Null where `unless` forbids it, and it is surely not there. Other ends are thrown. */
export function writeComment(act: CommentAct): Promise<Commented | null> {
  const { comments, target, text, taken, unless, pacing } = act;
  return perform<Commented>(act, {
    step: COMMENT_STEP,
    schema: Commented,
    lagSeconds: comments.lagSeconds,
    checksUntilDeadline: act.isPatient && act.endsDoubt !== true,
    believes: "after_look_up",
    ...(unless ? { unless } : {}),
    ...(pacing ? { pacing } : {}),
    ...(act.repeated ? { repeated: act.repeated } : {}),
    settles: (comment) => act.settles(comment),
    ...(comments.prepare ? { preparation: preparationOf(act, comments.prepare) } : {}),
    async act(context, progress) {
      const created = await comments.create(context, target, text, progress);
      return created.kind === "published" ? { kind: "done", value: { id: created.id } } : created;
    },
    async find(context, since, progress) {
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
