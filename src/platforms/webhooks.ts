import type { AppName } from "./apps.ts";
import type { ReadComment } from "./commenting.ts";
import type { AccountContext, AppCredentials, Failure } from "./context.ts";

/**
 * What a platform sends us by itself: comments under posts of accounts that are connected. Hints that save
 * time: whatever is lost on the way is found by reading (`CommentReading`).
 */
export interface Webhooks {
  /** The app registration whose secret signs. */
  readonly app: AppName;
  /** How our address comes into the platform's console. */
  readonly setup: (app: AppCredentials) => WebhookSetup;
  /**
   * Answers the platform's question whether the address is ours; null for a request that asks nothing of the
   * kind, or wrongly.
   */
  handshake(query: URLSearchParams, secrets: HandshakeSecrets): Promise<HandshakeAnswer | null>;
  /** Whether the platform has signed these very bytes. In constant time; asked before anything is parsed. */
  verify(body: Uint8Array, headers: Headers, secrets: HandshakeSecrets): Promise<boolean>;
  /**
   * The comments that a verified body tells of; what it tells beside them is left out, as is what has a form
   * that nobody knows.
   */
  parse(body: unknown): readonly InboundComment[];
  /**
   * Has the platform send us what happens under posts of the account, to this address. May be repeated: what
   * is set up is left as it is. Asked when a channel is connected, and again from time to time.
   */
  subscribe(context: AccountContext, to: WebhookAddress): Promise<{ readonly kind: "subscribed" } | Failure>;
}

export interface HandshakeSecrets {
  readonly app: AppCredentials;
  /** What we have given the platform to prove itself by (Meta's `hub.verify_token`). */
  readonly verifyToken: string;
}

export interface WebhookSetup {
  /** Whether a person must enter the address; else `subscribe` does. */
  readonly isByHand: boolean;
  /** The console's own words for where it stands. */
  readonly setting: string;
  /** What is to be ticked there. */
  readonly fields: readonly string[];
  /** Whether it goes with a verify token. */
  readonly hasVerifyToken: boolean;
}

export interface WebhookAddress {
  readonly url: string;
  readonly verifyToken: string;
}

export interface HandshakeAnswer {
  readonly contentType: "text/plain" | "application/json";
  readonly body: string;
}

const CHALLENGE = /^[A-Za-z0-9_=-]{1,128}$/;

/**
 * Whether a text may be signed to prove an address. Where the same secret signs events, a handshake that
 * signs any text signs events for anybody: an event is a JSON object, and no such text is one. `verify`
 * refuses these texts as events.
 */
export const isChallenge = (text: string): boolean => CHALLENGE.test(text);

export interface InboundComment {
  /** The platform's id of the account that it was sent for. */
  readonly accountId: string;
  /**
   * Any id of the post by which we may know it (`PlatformPost.id` or `secondaryId`); null where the comment
   * comes without one.
   */
  readonly postId: string | null;
  readonly comment: ReadComment;
}
