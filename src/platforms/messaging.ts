import type { AnsweredComment } from "./commenting.ts";
import type { AccountContext, Duplicate, Failure, Pace, Unknown, Unreadable } from "./context.ts";
import type { PlatformPost } from "./publishing.ts";
import type { TextRules } from "./rules.ts";

/**
 * Direct messages of a channel to whoever commented on its posts: one for a comment, sent at most once by the
 * job that calls it.
 */
export interface Messaging {
  readonly text: TextRules;
  /** How long after a comment its author can be written to; null where that never ends. */
  readonly windowSeconds: number | null;
  /** How many may be sent in a time, whatever the platform would still take. */
  readonly pace: Pace;
  /** How late the platform may show a message that it has accepted. */
  readonly lagSeconds: number;
  /**
   * Whether the platform itself refuses a second message for a comment, and says so (`Duplicate`): the proof
   * that one was sent.
   */
  readonly refusesRepeat: boolean;
  send(context: AccountContext, to: MessageTarget, text: string): Promise<MessageOutcome>;
  /**
   * Whether a message of this text went out. Only reads. Absent, where nothing can be read, is `absent` too
   * if repeats are refused.
   */
  find(context: AccountContext, to: MessageTarget, request: FindMessage): Promise<FindMessageOutcome>;
}

/** The comment whose author is written to, and the post that it stands under. */
export interface MessageTarget {
  readonly post: PlatformPost;
  readonly comment: AnsweredComment;
}

export interface FindMessage {
  readonly text: string;
  /** Epoch milliseconds at which the act was begun. */
  readonly since: number;
  /** Ids of messages that were sent for other comments: never to be taken for this one. */
  readonly taken: ReadonlySet<string>;
}

export type MessageOutcome =
  /** `id` null where the platform names none. */
  { readonly kind: "sent"; readonly id: string | null } | Unknown | Duplicate | Failure;

export type FindMessageOutcome =
  | { readonly kind: "found"; readonly id: string | null }
  | { readonly kind: "absent" }
  | Unknown
  | Unreadable
  | Failure;
