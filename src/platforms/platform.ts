import type { Advertising } from "./advertising.ts";
import type { Commenting } from "./commenting.ts";
import type { AccountAttributes, ReachedLimit } from "./context.ts";
import type { Conversing } from "./conversing.ts";
import type { Deauthorizing } from "./deauthorizing.ts";
import type { Insights } from "./insights.ts";
import type { AdditionalLogin, CapabilityRules, GrantRules, OAuth } from "./login.ts";
import type { Messaging } from "./messaging.ts";
import type { Capability, GrantPurpose, PlatformName } from "./names.ts";
import type { Pricing } from "./pricing.ts";
import type { Publishing } from "./publishing.ts";
import type { Answered, CallRequest } from "./request.ts";
import type { RuleSources } from "./rule-sources.ts";
import type { AccountKind, PostRules, Quota } from "./rules.ts";
import type { Webhooks } from "./webhooks.ts";

/**
 * The interface of every platform adapter.
 *
 * An adapter takes credentials and content and returns an outcome. It keeps no state, and never sleeps, polls
 * or retries: waiting belongs to the calling job. Whatever it must remember between calls is the `progress`
 * value, plain JSON. The job stores it after each call and passes it to the next one.
 */
export interface Platform {
  readonly name: PlatformName;
  /** Where and when the rules below were read. */
  readonly sources: RuleSources;
  /** What an account with these attributes can post; read by validation and by the documentation. */
  readonly rules: (attributes: AccountAttributes) => PostRules;
  /** Kinds of accounts with different rules; absent if the rules are the same for all. */
  readonly accountKinds?: readonly AccountKind[];
  /** For documentation only: the platform itself enforces them. */
  readonly quotas?: readonly Quota[];
  /** Absent if the platform charges nothing for calls. */
  readonly pricing?: Pricing;
  readonly oauth: OAuth;
  /** Absent if one login gives everything. */
  readonly additionalLogins?: readonly AdditionalLogin[];
  /** The grants that an account can have. */
  readonly grants: Readonly<Partial<Record<GrantPurpose, GrantRules>>>;
  /** What an account can do, and by which grant. */
  readonly capabilities: Readonly<Partial<Record<Capability, CapabilityRules>>>;
  readonly posts: Publishing;
  /** Absent if a channel cannot write comments. The capability `comments` says whether an account may. */
  readonly comments?: Commenting;
  /**
   * Absent if a channel cannot send messages to authors of comments. The capability `messages` says whether
   * an account may.
   */
  readonly messages?: Messaging;
  /**
   * Absent if a channel has no conversations by direct messages. The capability `messages` says whether an
   * account may read and answer them.
   */
  readonly conversations?: Conversing;
  /** Absent if posts cannot be boosted. The capability `ads` says whether an account may. */
  readonly ads?: Advertising;
  /**
   * Absent if the platform has no numbers of posts. The capability `insights` says whether an account may
   * read them.
   */
  readonly insights?: Insights;
  /** Absent if the platform sends no webhooks, or none about comments. */
  readonly webhooks?: Webhooks;
  /** Absent if the platform does not report that a person has removed our app. */
  readonly deauthorizing?: Deauthorizing;
  /**
   * How long what was read of an account may be stored without a check of its authorization, in days; absent
   * if the platform sets no such time.
   */
  readonly uncheckedDays?: number;
  /**
   * The limit that this call reached, according to its answer, before any call is refused; null for none.
   * Called for every answer to a call as a channel except refusals, which report it as failures
   * (`Failure.limit`). Pure.
   */
  readonly usedUp?: (call: CallRequest, answer: Answered, now: number) => ReachedLimit | null;
}
