import type { FailureCode, RawAnswer } from "../core/failures.ts";
import type { Send } from "./request.ts";

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/**
 * Facts about an account that change what it may do, for example `{ "subscription_type": "Premium" }`. Stored
 * as JSON.
 */
export type AccountAttributes = Readonly<Record<string, Json>>;

/** Our registration at the platform. */
export interface AppCredentials {
  readonly id: string;
  readonly secret: string;
  /**
   * The registration's variables that the operator has set (apps.ts); the adapter chooses the values of
   * absent ones.
   */
  readonly options?: Readonly<Record<string, string>>;
}

/**
 * Credentials that a platform issued for one account. Stored only encrypted. Times are epoch milliseconds;
 * null = does not expire.
 */
export interface Credentials {
  readonly accessToken: string;
  readonly refreshToken: string | null;
  readonly expiresAt: number | null;
  /**
   * When they expire for good, renewals included: the expiry of a refresh token, or of a permission that the
   * account owner granted for a period. Null or absent if the platform does not report it.
   */
  readonly reconnectBy?: number | null | undefined;
  readonly scopes: readonly string[];
  /** The account's id for the app of this grant, if it differs from the channel's. */
  readonly accountId?: string | undefined;
  /** What these tokens are bound to: the account's server, and a private key. Renewals return it again. */
  readonly binding?: Json | undefined;
}

export interface AccountRef {
  readonly id: string;
  readonly username: string | null;
  readonly attributes: AccountAttributes;
}

/** What an adapter needs to call a platform. */
export interface AppContext {
  readonly send: Send;
  readonly app: AppCredentials;
  /** Epoch milliseconds. */
  readonly now: number;
}

export interface AccountContext extends AppContext {
  readonly account: AccountRef;
  readonly credentials: Credentials;
  readonly pageSizes: PageSizes;
}

/** The page of a list that the platform gave, after it had refused a larger one. */
export interface PageSize {
  readonly size: number;
  /** When a larger page was refused, epoch milliseconds. */
  readonly at: number;
}

/** What is remembered of the account's lists, by a name that the adapter gives each kind of list. */
export interface PageSizes {
  get(list: string): PageSize | null;
  /** Stores the size for later calls as the account, also those of other isolates. Does not throw. */
  keep(list: string, size: PageSize): Promise<void>;
}

/**
 * Why the platform did not carry out the call. Each adapter maps its platform's codes to these reasons:
 * - `token_expired`: these credentials expired, others may work;
 * - `disconnected`: only the account owner can reconnect;
 * - `permission_missing`: the same, for this capability alone; the credentials still serve the others;
 * - `rejected`: final, the message says why;
 * - `throttled`: retry after `retryAfterSeconds`;
 * - `down`: temporary trouble, nothing was done;
 * - `blocked`: our own app registration or plan; an operator must act.
 */
export type FailureReason =
  | "token_expired"
  | "disconnected"
  | "permission_missing"
  | "rejected"
  | "throttled"
  | "down"
  | "blocked";

/** What a platform reports beyond the reason: what exactly it does not accept, or who must act. */
export type SaidCode = Extract<
  FailureCode,
  | "account_restricted"
  | "content_invalid"
  | "content_refused"
  | "media_invalid"
  | "media_unreachable"
  | "unsupported_by_platform"
>;

/** Whose limit at the platform is reached: the account's, or our app's, which all accounts share. */
export type LimitScope = "account" | "app";

/** At most `most` in any `perSeconds`: by the account, or by all accounts through our app. */
export interface Pace {
  readonly most: number;
  readonly perSeconds: number;
  readonly scope: LimitScope;
}

/** A limit that is reached: other acts under it wait too, without calling the platform. */
export interface ReachedLimit {
  readonly scope: LimitScope;
  /** When the platform allows calls again, epoch milliseconds. */
  readonly until: number;
  /** One sentence for the account owner: whose limit it is. */
  readonly message: string;
}

/** What an outcome may carry beside its own message. */
interface FromAnswer {
  readonly message: string;
  /** The platform's answer that caused it, for the timeline. */
  readonly answer?: RawAnswer | undefined;
}

export interface Failure extends FromAnswer {
  readonly kind: "failed";
  readonly reason: FailureReason;
  /** Set if the platform reports more than the reason; else the reason gives the code (outcomes.ts). */
  readonly code?: SaidCode;
  /** One sentence for the account owner: what is wrong and what to do next. */
  readonly message: string;
  readonly retryAfterSeconds?: number;
  /**
   * For `throttled`: whose limit is reached for `retryAfterSeconds`. All acts of the account, or through
   * the app, then wait for it. Absent if only this call was too much. For `blocked`: set if our plan or its
   * credits are used up. No wait for a limit counts against deadlines, for a day in all.
   */
  readonly limit?: LimitScope;
}

/** The answer was lost after the platform may have acted. Never sent again blindly: looked up with `find`. */
export interface Unknown extends FromAnswer {
  readonly kind: "unknown";
  /**
   * For a look-up: there is evidence that the call was carried out. Then even a documented refusal is not
   * believed.
   */
  readonly mayBeLive?: true;
}

/**
 * No look-up can ever show it: the platform has no call that reads it. Different from "not visible yet"
 * (`Unknown`): the job fails at once as "may have been published".
 */
export interface Unreadable extends FromAnswer {
  readonly kind: "unreadable";
}

/**
 * The platform reports that the same content already exists: evidence that our earlier call was
 * carried out. Looked up with `find`, and never sent again.
 */
export interface Duplicate extends FromAnswer {
  readonly kind: "duplicate";
}

/**
 * Certainly not public: the preparation is not ready, or no longer usable. `prepare` continues from
 * `progress`.
 */
export interface Unprepared extends FromAnswer {
  readonly kind: "unprepared";
  readonly progress: Json;
  readonly afterSeconds: number;
}
