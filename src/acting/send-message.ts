import { z } from "zod";
import type { Statement } from "../db/client.ts";
import type { MessageTarget, Messaging } from "../platforms/messaging.ts";
import type { ActingAs } from "./acting.ts";
import type { Pacing } from "./paced-act.ts";
import { perform } from "./perform.ts";

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

const CONTESTED =
  "There is such a message, and two comments of this person were to be answered by it: nobody can tell which one was.";

/** Null where it is not to be sent any more. Other ends are thrown. */
export function sendMessage(act: MessageAct): Promise<Sent | null> {
  const { journal, messages, target, text } = act;
  const { refusesRepeat } = messages;
  // A second message is refused where the platform takes none twice. That proves the first, for its condition
  // keeps all other automations from it.
  const isRepeat = journal.isUnconfirmed(MESSAGE_STEP) && refusesRepeat;
  let isContested = false;
  return perform<Sent>(act, {
    step: MESSAGE_STEP,
    schema: Sent,
    lagSeconds: messages.lagSeconds,
    refusesRepeat,
    checksUntilDeadline: act.isPatient && act.endsDoubt !== true,
    believes: "at_once",
    pacing: act.pacing,
    settles: (message) => act.settles(message),
    async act(context) {
      const sent = await messages.send(context, target, text);
      if (sent.kind === "sent") return { kind: "done", value: { id: sent.id } };
      return sent.kind === "duplicate" && isRepeat ? { kind: "done", value: { id: null } } : sent;
    },
    async find(context, since) {
      const others = await act.others();
      isContested = others.isContested;
      const found = await messages.find(context, target, { text, since, taken: others.ids });
      return found.kind === "found" ? { kind: "found", value: { id: found.id } } : found;
    },
    async adopt(value) {
      if (!isContested) return { kind: "found", value };
      // Where a repeat is refused, the next act tells whose it is.
      return refusesRepeat ? { kind: "absent" } : { kind: "unclear", message: CONTESTED };
    },
  });
}
