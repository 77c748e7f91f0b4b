import type { AppName } from "./apps.ts";
import type { ReadComment } from "./commenting.ts";
import type { AccountContext, AppCredentials, Failure } from "./context.ts";
import type { ReadMessage } from "./conversing.ts";

/**
 * Webhooks from a platform: comments under posts of connected accounts, and their direct messages. They only
 * save time: lost ones are found by reading (`CommentReading`, `Conversing`).
 */
export interface Webhooks {
  /** The app registration whose secret signs. */
  readonly app: AppName;
  /** How our address is registered in the platform's console. */
  readonly setup: (app: AppCredentials) => WebhookSetup;
  /**
   * Answers the platform's challenge that verifies our address; null for a request that is not a valid
   * challenge.
   */
  handshake(query: URLSearchParams, secrets: HandshakeSecrets): Promise<HandshakeAnswer | null>;
  /** Whether the platform signed exactly these bytes. Constant time; called before anything is parsed. */
  verify(body: Uint8Array, headers: Headers, secrets: HandshakeSecrets): Promise<boolean>;
  /** The comments in a verified body; other events and unknown forms are ignored. */
  parse(body: unknown): readonly InboundComment[];
  /** The same for direct messages; absent if the platform does not report them, or charges for it. */
  parseMessages?(body: unknown): readonly InboundMessage[];
  /**
   * Subscribes this address to events under posts of the account, and if wanted to its messages. May be
   * repeated: an existing subscription stays unchanged. Called when a channel is connected, and again
   * periodically.
   */
  subscribe(context: AccountContext, to: WebhookAddress): Promise<{ readonly kind: "subscribed" } | Failure>;
}

export interface HandshakeSecrets {
  readonly app: AppCredentials;
  /** The token that we gave the platform to identify itself (Meta's `hub.verify_token`). */
  readonly verifyToken: string;
}

interface WebhookSetup {
  /** Whether a person must enter the address; else `subscribe` does. */
  readonly isByHand: boolean;
  /** The console's own words for the location of the setting. */
  readonly setting: string;
  /** The fields to select there. */
  readonly fields: readonly string[];
  /** Whether the setting needs a verify token. */
  readonly hasVerifyToken: boolean;
}

export interface WebhookAddress {
  readonly url: string;
  readonly verifyToken: string;
  /** Whether direct messages of the account are wanted too; left out: they are not. */
  readonly withMessages?: boolean;
}

interface HandshakeAnswer {
  readonly contentType: "text/plain" | "application/json";
  readonly body: string;
}

const CHALLENGE = /^[A-Za-z0-9_=-]{1,128}$/;

/**
 * Whether a text may be signed to verify an address. If the same secret signs events, signing any challenge
 * would let anyone forge events. An event is a JSON object, and no valid challenge is one. `verify` rejects
 * these texts as events.
 */
export const isChallenge = (text: string): boolean => CHALLENGE.test(text);

export interface InboundMessage {
  /** The platform's id of the account that it was sent for. */
  readonly accountId: string;
  readonly message: ReadMessage;
  /** Whether its sender has withdrawn it. */
  readonly isDeleted: boolean;
}

export interface InboundComment {
  /** The platform's id of the account that it was sent for. */
  readonly accountId: string;
  /**
   * Any id of the post that we may know (`PlatformPost.id` or `secondaryId`); null if the comment comes
   * without one.
   */
  readonly postId: string | null;
  readonly comment: ReadComment;
}
