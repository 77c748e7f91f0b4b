import type { Advertising } from "./advertising.ts";
import type { Commenting } from "./commenting.ts";
import type { AccountAttributes, ReachedLimit } from "./context.ts";
import type { AdditionalLogin, CapabilityRules, GrantRules, OAuth } from "./login.ts";
import type { Messaging } from "./messaging.ts";
import type { Capability, GrantPurpose, PlatformName } from "./names.ts";
import type { Publishing } from "./publishing.ts";
import type { Answered, CallRequest } from "./request.ts";
import type { AccountKind, PostRules, Quota } from "./rules.ts";
import type { Webhooks } from "./webhooks.ts";

/**
 * What every platform adapter offers (style.md, "One platform adapter").
 *
 * An adapter is credentials and content in, an outcome out. It keeps no state, never sleeps, loops for time
 * or retries: waiting belongs to the job that calls it. Whatever it must remember between calls is the
 * `progress` value, plain JSON that the job stores after each call and hands back with the next one.
 */
export interface Platform {
  readonly name: PlatformName;
  /** What can be posted by an account with these attributes; read by validation and by the documentation. */
  readonly rules: (attributes: AccountAttributes) => PostRules;
  /** Kinds of accounts for which the rules differ; absent where they are the same for all. */
  readonly accountKinds?: readonly AccountKind[];
  /** For documentation: what refuses is the platform. */
  readonly quotas?: readonly Quota[];
  readonly oauth: OAuth;
  /** Absent where the one login gives all that there is. */
  readonly additionalLogins?: readonly AdditionalLogin[];
  /** The grants that an account can have. */
  readonly grants: Readonly<Partial<Record<GrantPurpose, GrantRules>>>;
  /** What an account can be asked to do, and by which grant. */
  readonly capabilities: Readonly<Partial<Record<Capability, CapabilityRules>>>;
  readonly posts: Publishing;
  /**
   * Absent where a channel cannot write comments. What of it an account may do: the capability `comments`.
   */
  readonly comments?: Commenting;
  /**
   * Absent where a channel cannot write to whoever commented. What of it an account may do: the capability
   * `messages`.
   */
  readonly messages?: Messaging;
  /** Absent where posts cannot be boosted. What of it an account may do: the capability `ads`. */
  readonly ads?: Advertising;
  /** Absent where the platform sends nothing by itself, or nothing about comments. */
  readonly webhooks?: Webhooks;
  /**
   * What an answer says of allowances, before anything is refused: the one that is used up with this call;
   * null for none. Asked of every answer to a call as a channel but refusals, which say it as failures
   * (`Failure.limit`). Pure.
   */
  readonly usedUp?: (call: CallRequest, answer: Answered, now: number) => ReachedLimit | null;
}
