import { z } from "zod";
import type { Statement } from "../db/client.ts";
import type { DirectMessages } from "../platforms/messaging.ts";
import type { ActingAs } from "./acting.ts";
import { type ActIntent, perform } from "./perform.ts";

/** The journal step that sends the direct message of a job. */
export const MESSAGE_STEP = "message";

/**
 * Sends one direct message, to the author of a comment or in a conversation, at most once: the `once` step
 * `MESSAGE_STEP` of the job's journal.
 */
export interface MessageAct<Target> extends ActingAs {
  readonly messages: DirectMessages<Target>;
  readonly target: Target;
  readonly text: string;
  readonly intent: ActIntent;
  /** Other messages that were, or may have been, sent to the same person: read before a look-up by text. */
  others(): Promise<OtherMessages>;
  /** Written with the result, in its transaction. */
  settles(message: Sent): readonly Statement[];
}

export interface OtherMessages {
  /** The platform's ids of the messages that were sent. */
  readonly ids: ReadonlySet<string>;
  /** Whether the outcome of one of them is unknown. */
  readonly isContested: boolean;
}

const Sent = z.object({ id: z.string().nullable() });
export type Sent = z.output<typeof Sent>;

const CONTESTED = "A matching message exists, but another message to this person may be the one that was sent.";

/**
 * Null if the message is no longer wanted. Other outcomes are thrown: one that look-ups cannot settle too,
 * even if the job is patient.
 */
export function sendMessage<Target>(act: MessageAct<Target>): Promise<Sent | null> {
  const { journal, messages, target, text } = act;
  const { refusesRepeat } = messages;
  // Where repeats are refused, a refused second message proves that the first was sent. Its condition
  // excludes all other automations.
  const isRepeat = journal.isUnconfirmed(MESSAGE_STEP) && refusesRepeat;
  return perform<Sent>(act, {
    step: MESSAGE_STEP,
    schema: Sent,
    evidence: { lagSeconds: messages.lagSeconds, refusesRepeat, checksUntilDeadline: false, believes: "at_once" },
    intent: act.intent,
    cost: { act: { kind: "message", text } },
    settles: (message) => act.settles(message),
    async act(context) {
      const sent = await messages.send(context, target, text);
      if (sent.kind === "sent") return { kind: "done", value: { id: sent.id } };
      return sent.kind === "duplicate" && isRepeat ? { kind: "done", value: { id: null } } : sent;
    },
    async find(context, since) {
      const { ids: taken, isContested } = await act.others();
      const found = await messages.find(context, target, { text, since, taken });
      if (found.kind !== "found") return found;
      const value = { id: found.id };
      if (!isContested) return { kind: "found", value };
      // If the platform refuses repeats, the next act shows whose message it is.
      const adopted = refusesRepeat
        ? ({ kind: "absent" } as const)
        : ({ kind: "unclear", message: CONTESTED } as const);
      return { kind: "found", value, adopt: async () => adopted };
    },
  });
}
