import type { AccountContext, Failure, Pace } from "./context.ts";
import type { DirectMessages } from "./messaging.ts";
import type { TextRules } from "./rules.ts";

/**
 * Conversations of a channel by direct messages, each with one person. Groups are left out.
 *
 * A platform that lets an account answer only for a time after the person's last message has a window.
 */
export interface Conversing extends DirectMessages<Recipient> {
  readonly text: TextRules;
  /** How many messages may be sent in a period, even if the platform allows more. */
  readonly pace: Pace;
  /** Null if messages are allowed at any time. */
  readonly window: MessageWindow | null;
  /** The operation of `Pricing` that a message costs when it is read; absent: reading is free. */
  readonly readPrice?: string;
  /** The messages of all conversations since a time. Only reads. */
  read(context: AccountContext, since: number): Promise<MessagesRead | Failure>;
}

export interface MessageWindow {
  /** After the person's last message. */
  readonly seconds: number;
  /** The same for a message that a person has typed, which is sent marked as such. */
  readonly typedSeconds: number;
}

export interface Recipient {
  /** The platform's id of the person. */
  readonly personId: string;
  /** Whether the message is sent as one that a person has typed, after the shorter window. */
  readonly isTyped: boolean;
}

export interface MessagesRead {
  readonly kind: "read";
  readonly messages: readonly ReadMessage[];
}

export interface ReadMessage {
  readonly id: string;
  readonly person: { readonly id: string; readonly name: string | null };
  /** Whether the channel sent it, by whatever application. */
  readonly isOwn: boolean;
  /** Empty if it has attachments only. */
  readonly text: string;
  readonly attachments: readonly MessageAttachment[];
  /** Epoch milliseconds. */
  readonly sentAt: number;
}

export interface MessageAttachment {
  /** The platform's word: "image", "sticker". */
  readonly type: string;
  /** Null if the platform shows none. It expires. */
  readonly url: string | null;
}

/** The end of a refusal, before the platform is called or by its answer. Final. */
export const WINDOW_CLOSED =
  "The window for answers has closed: the platform allows messages only for a time after the person's last message. Wait until the person writes again.";
