import type { FailureCode, RawAnswer } from "../core/failures.ts";
import type { Send } from "./request.ts";

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/**
 * Facts about an account that change what it may do, e.g. `{ "subscription_type": "Premium" }`. Stored as
 * JSON.
 */
export type AccountAttributes = Readonly<Record<string, Json>>;

/** Our registration at the platform. */
export interface AppCredentials {
  readonly id: string;
  readonly secret: string;
  /**
   * What the operator has set of the registration's variables (apps.ts); absent ones are the adapter's to
   * choose.
   */
  readonly options?: Readonly<Record<string, string>>;
}

/**
 * What a platform gave us for one account. Stored encrypted only. Times are epoch milliseconds; null = does
 * not expire.
 */
export interface Credentials {
  readonly accessToken: string;
  readonly refreshToken: string | null;
  readonly expiresAt: number | null;
  /**
   * When it is over for good, renewals included: the end of a refresh token, or of what the person allowed
   * for a time. Null or absent where none is told.
   */
  readonly reconnectBy?: number | null | undefined;
  readonly scopes: readonly string[];
  /** The account as the app of this grant knows it, where that is another id than the channel's. */
  readonly accountId?: string | undefined;
}

export interface AccountRef {
  readonly id: string;
  readonly username: string | null;
  readonly attributes: AccountAttributes;
}

/** What an adapter calls a platform with. */
export interface AppContext {
  readonly send: Send;
  readonly app: AppCredentials;
  /** Epoch milliseconds. */
  readonly now: number;
}

export interface AccountContext extends AppContext {
  readonly account: AccountRef;
  readonly credentials: Credentials;
}

/**
 * Why the platform did not do it. Our few reasons, sorted from its codes by each adapter:
 * - `token_expired`: these credentials are over, others may work; - `disconnected`: only the person can
 *   reconnect;
 * - `permission_missing`: the same, for what was asked alone: whatever else the credentials allow goes on;
 * - `rejected`: final, the message says why; - `throttled`: come back after `retryAfterSeconds`;
 * - `down`: passing trouble, nothing was done; - `blocked`: our own app registration or plan; an operator
 *   must act.
 */
export type FailureReason =
  | "token_expired"
  | "disconnected"
  | "permission_missing"
  | "rejected"
  | "throttled"
  | "down"
  | "blocked";

/** What a platform says beyond the reason: what exactly it does not take, or whose move it is. */
export type SaidCode = Extract<
  FailureCode,
  | "account_restricted"
  | "content_invalid"
  | "content_refused"
  | "media_invalid"
  | "media_unreachable"
  | "unsupported_by_platform"
>;

/** Whose allowance at the platform is used up: the account's, or that of our app, which is everyone's. */
export type LimitScope = "account" | "app";

/** At most `most` in any `perSeconds`: by the account, or by all of them through our app. */
export interface Pace {
  readonly most: number;
  readonly perSeconds: number;
  readonly scope: LimitScope;
}

/** An allowance that is used up: what else needs it waits too, without asking the platform. */
export interface ReachedLimit {
  readonly scope: LimitScope;
  /** When the platform allows again, epoch milliseconds. */
  readonly until: number;
  /** One sentence for the person who posts: whose limit it is. */
  readonly message: string;
}

/** What an outcome may bring beside its own words. */
interface FromAnswer {
  readonly message: string;
  /** The platform's answer that it comes from, for the timeline. */
  readonly answer?: RawAnswer | undefined;
}

export interface Failure extends FromAnswer {
  readonly kind: "failed";
  readonly reason: FailureReason;
  /** Where the platform says more than the reason does; else the reason gives the code (outcomes.ts). */
  readonly code?: SaidCode;
  /** One sentence for the person who posts: what is wrong and what to do next. */
  readonly message: string;
  readonly retryAfterSeconds?: number;
  /**
   * Of `throttled`: whose allowance is used up for `retryAfterSeconds`. All that is to be done as the
   * account, or through the app, waits for it then, and the wait does not count against deadlines. Absent
   * where only this call was too much.
   */
  readonly limit?: LimitScope;
}

/** The answer was lost after the platform may have acted. Never sent again blindly: looked up with `find`. */
export interface Unknown extends FromAnswer {
  readonly kind: "unknown";
  /**
   * Of a look-up: something speaks for it that the call was carried out. Then not even a documented refusal
   * is believed.
   */
  readonly mayBeLive?: true;
}

/**
 * No look-up will ever show it: the platform has no call that reads it. Different from "not visible yet"
 * (`Unknown`): the job ends at once as "may have been published".
 */
export interface Unreadable extends FromAnswer {
  readonly kind: "unreadable";
}

/**
 * The platform says that the same thing is there already: evidence that an earlier call of ours was carried
 * out. Looked up with `find`, and never sent again.
 */
export interface Duplicate extends FromAnswer {
  readonly kind: "duplicate";
}

/** Surely not public: what was prepared is not ready, or of no use any more. `prepare` goes on from `progress`. */
export interface Unprepared extends FromAnswer {
  readonly kind: "unprepared";
  readonly progress: Json;
  readonly afterSeconds: number;
}
