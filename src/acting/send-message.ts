import { z } from "zod";
import type { Statement } from "../db/client.ts";
import { type ActResult, type FindResult, JobFailed } from "../jobs/outcomes.ts";
import { visibilityLag } from "../jobs/recheck-policy.ts";
import type { Failure } from "../platforms/context.ts";
import type { MessageOutcome, MessageTarget, Messaging } from "../platforms/messaging.ts";
import { type ActingAs, asking, checkRateLimits, failedLook, handleFailure } from "./acting.ts";
import type { Pacing } from "./paced-act.ts";

/** The step of a job that sends its direct message. */
export const MESSAGE_STEP = "message";

/**
 * Writing one direct message to whoever commented, at most once: the `once` step `MESSAGE_STEP` of the job's
 * journal.
 */
export interface MessageAct extends ActingAs {
  readonly messages: Messaging;
  readonly target: MessageTarget;
  readonly text: string;
  /** Whether a doubt that looking does not end is told, also by a patient job. */
  readonly endsDoubt?: boolean;
  /** When it may be sent. */
  readonly pacing: Pacing;
  /**
   * What else went, or may have gone, to the same person: asked before a message is looked for by its words.
   */
  others(): Promise<OtherMessages>;
  /** Written with the result, in its transaction. */
  settles(message: Sent): readonly Statement[];
}

export interface OtherMessages {
  /** The platform's ids of those that were sent. */
  readonly ids: ReadonlySet<string>;
  /** Whether there is one of which nobody knows whether it was. */
  readonly isContested: boolean;
}

const Sent = z.object({ id: z.string().nullable() });
export type Sent = z.output<typeof Sent>;

/** Null where it is not to be sent any more. Other ends of the act end the delivery, or the job. */
export async function sendMessage(act: MessageAct): Promise<Sent | null> {
  const { deps, journal, messages, target, text } = act;
  checkRateLimits(act);
  const hadActed = journal.isUnconfirmed(MESSAGE_STEP);
  const outcome = await journal.once<Sent, Failure>(MESSAGE_STEP, {
    schema: Sent,
    codes: { unknown: "may_be_published", duplicate: "duplicate" },
    ...visibilityLag(deps.config, messages.lagSeconds),
    refusesRepeat: messages.refusesRepeat,
    checksUntilDeadline: act.isPatient && act.endsDoubt !== true,
    ...act.pacing.once,
    settles: (message) => act.settles(message),
    act: async () => toActed(await messages.send(asking(act), target, text), hadActed && messages.refusesRepeat),
    find: (since) => find(act, since),
  });
  switch (outcome.kind) {
    case "done":
      return outcome.value;
    case "forbidden":
      await act.pacing.wait();
      return null;
    case "refused":
      return handleFailure(act, outcome.failure, MESSAGE_STEP);
    case "unresolved":
      throw new JobFailed(outcome.cause.code, outcome.cause.message);
  }
}

/**
 * `isRepeat`: we have sent one before, and the platform takes none twice: that it refuses another one proves
 * the first, for its condition keeps all other automations from it.
 */
function toActed(outcome: MessageOutcome, isRepeat: boolean): ActResult<Sent, Failure> {
  switch (outcome.kind) {
    case "sent":
      return { kind: "done", value: { id: outcome.id } };
    case "unknown":
      return { kind: "unknown", message: outcome.message };
    case "duplicate":
      return isRepeat ? { kind: "done", value: { id: null } } : outcome;
    case "failed":
      return { kind: "refused", failure: outcome };
  }
}

const CONTESTED =
  "There is such a message, and two comments of this person were to be answered by it: nobody can tell which one was.";

async function find(act: MessageAct, since: number): Promise<FindResult<Sent>> {
  const { target, text, messages } = act;
  const { ids: taken, isContested } = await act.others();
  const outcome = await messages.find(asking(act), target, { text, since, taken });
  switch (outcome.kind) {
    case "found":
      // Where a repeat is refused, the next act tells whose it is.
      if (isContested) return messages.refusesRepeat ? { kind: "absent" } : { kind: "unclear", message: CONTESTED };
      return { kind: "found", value: { id: outcome.id } };
    case "absent":
    case "unreadable":
      return outcome;
    case "unknown":
      return { kind: "unclear", message: outcome.message };
    case "failed":
      return failedLook(act, outcome, "find_message");
  }
}
