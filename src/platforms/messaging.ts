import type { AnsweredComment } from "./commenting.ts";
import type { AccountContext, Duplicate, Failure, Pace, Unknown, Unreadable } from "./context.ts";
import type { PlatformPost } from "./publishing.ts";
import type { TextRules } from "./rules.ts";

/** Sending direct messages to one kind of target, each at most once by the calling job. */
export interface DirectMessages<Target> {
  /** How late the platform may show a message that it has accepted. */
  readonly lagSeconds: number;
  /**
   * Whether the platform itself refuses a second message to the target and says so (`Duplicate`): proof that
   * one was sent.
   */
  readonly refusesRepeat: boolean;
  send(context: AccountContext, to: Target, text: string): Promise<MessageOutcome>;
  /**
   * Whether a message with this text was sent. Only reads. A platform without such a read returns `absent`
   * too, if it refuses repeats.
   */
  find(context: AccountContext, to: Target, request: FindMessage): Promise<FindMessageOutcome>;
}

/** Direct messages of a channel to the authors of comments on its posts: one per comment. */
export interface Messaging extends DirectMessages<MessageTarget> {
  readonly text: TextRules;
  /** How long after a comment its author can receive a message; null if there is no limit. */
  readonly windowSeconds: number | null;
  /** How many messages may be sent in a period, even if the platform allows more. */
  readonly pace: Pace;
}

/** The comment whose author receives the message, and the post of that comment. */
export interface MessageTarget {
  readonly post: PlatformPost;
  readonly comment: AnsweredComment;
}

export interface FindMessage {
  readonly text: string;
  /** Epoch milliseconds at which the act was begun. */
  readonly since: number;
  /** Ids of other messages that were sent: never to be adopted as this one. */
  readonly taken: ReadonlySet<string>;
}

export type MessageOutcome =
  /** `id` is null if the platform returns none. */
  { readonly kind: "sent"; readonly id: string | null } | Unknown | Duplicate | Failure;

export type FindMessageOutcome =
  | { readonly kind: "found"; readonly id: string | null }
  | { readonly kind: "absent" }
  | Unknown
  | Unreadable
  | Failure;
