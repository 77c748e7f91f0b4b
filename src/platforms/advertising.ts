import type { AccountContext, Failure, Json, Unknown } from "./context.ts";
import type { PostType } from "./names.ts";
import type { PlatformPost, PrepareOutcome } from "./publishing.ts";

/**
 * Boosts: a live post that is shown to more people for money (spec 2.10). The credentials are those of the
 * grant `ads`. A boost consists of a few objects at the platform. They are created one after the other, each
 * at most once by the calling job. Nothing spends before `enable`.
 *
 * Money is in minor units of the ad account's currency (`AdAccount.decimals` digits); instants are epoch
 * milliseconds.
 */
export interface Advertising {
  /** The post types that can be boosted. */
  readonly types: readonly PostType[];
  /** In the order of creation, the outermost first: deleting it deletes the others. */
  readonly objects: readonly [string, ...string[]];
  /** How late the platform's lists may show what it has created. */
  readonly lagSeconds: number;
  /**
   * The maximum total cost, in minor units, if the platform may exceed a day's budget; absent if it never
   * does.
   */
  readonly mostMinor?: (terms: Pick<BoostTerms, "budgetType" | "budgetMinor" | "days">) => number;
  /** How many days' budgets it may spend on one day; never more than seven in a calendar week. */
  readonly mostADay: number;
  /** The fields that can be changed on existing objects; for other fields the objects are replaced. */
  readonly changeable: ReadonlySet<BoostField>;
  /** The objectives that the platform supports. */
  readonly objectives: readonly Objective[];

  accounts(
    context: AccountContext,
  ): Promise<{ readonly kind: "accounts"; readonly accounts: readonly AdAccount[] } | Failure>;
  /** Whether the platform would boost the post, as far as it reports that beforehand. */
  eligibility(context: AccountContext, post: PlatformPost, adAccountId: string | null): Promise<Eligibility | Failure>;
  /** The minimum budget of such a boost, and whether its account may spend. */
  floor(context: AccountContext, terms: BoostTerms): Promise<Floor | Failure>;
  /** The countries where ads can be shown, by ISO 3166-1 alpha-2. */
  countries(
    context: AccountContext,
    adAccountId: string,
  ): Promise<{ readonly kind: "countries"; readonly countries: readonly Country[] } | Failure>;
  interests(
    context: AccountContext,
    adAccountId: string,
    query: string,
  ): Promise<{ readonly kind: "interests"; readonly interests: readonly Interest[] } | Failure>;
  reach(context: AccountContext, terms: BoostTerms): Promise<Reach | Failure>;

  /**
   * What must exist before the first object: the right to use the post, ids of countries. May be repeated.
   * Absent: nothing.
   */
  prepare?(context: AccountContext, boost: Boost, progress: Json | null): Promise<PrepareOutcome>;
  /** Creates the next object, paused. */
  createObject(context: AccountContext, boost: Boost, next: NextObject): Promise<CreateOutcome>;
  /** Whether an earlier `createObject` since then created the object, by its name or key. Only reads. */
  find(context: AccountContext, boost: Boost, sought: SoughtObject): Promise<FindMadeOutcome>;
  /** Switches all of it on, or off. Idempotent. `done`: the platform itself confirms the new state. */
  enable(context: AccountContext, boost: Boost, made: Made, creation: Creation): Promise<Applied>;
  pause(context: AccountContext, boost: Boost, made: Made): Promise<Applied>;
  /**
   * Deletes all of it, even if only some objects exist. If they are already deleted, the result is `done`.
   */
  remove(context: AccountContext, boost: Boost, made: Made): Promise<Applied>;
  /** Replaces the boost's live terms with these. Idempotent. */
  change(context: AccountContext, boost: Boost, made: Made, change: TermsChange): Promise<Applied>;
  /** The status of the boost, and its results so far. */
  read(context: AccountContext, boost: Boost, made: Made): Promise<Standing | Failure>;
}

export const OBJECTIVES = [
  "awareness",
  "traffic",
  "engagement",
  "leads",
  "sales",
  "app_promotion",
  "video_views",
] as const;
export type Objective = (typeof OBJECTIVES)[number];

export const BOOST_FIELDS = [
  "budget",
  "duration_type",
  "duration",
  "countries",
  "interests",
  "audience",
  "campaign_objective",
] as const;
export type BoostField = (typeof BOOST_FIELDS)[number];

/** The terms of a boost that can be changed. */
export interface BoostTerms {
  readonly adAccountId: string;
  readonly objective: Objective;
  /** For each day, or for the whole period. */
  readonly budgetType: "daily" | "lifetime";
  readonly budgetMinor: number;
  readonly currency: string;
  /** From its start. */
  readonly days: number;
  readonly countries: readonly string[];
  readonly interests: readonly Interest[];
  /** Ids of custom audiences. */
  readonly audiences: readonly string[];
}

export interface Boost extends BoostTerms {
  /**
   * Our unique reference: short; letters, digits and hyphens. It is part of the name of each object and
   * distinguishes them.
   */
  readonly reference: string;
  readonly name: string;
  readonly post: PlatformPost;
  readonly postType: PostType;
  readonly startAt: number;
  /** `startAt` plus its days. */
  readonly endAt: number;
}

/** Ids of the existing objects, by their names in `Advertising.objects`. */
export type Made = Readonly<Partial<Record<string, string>>>;

/** `object` is a name of `Advertising.objects`. */
export interface NextObject {
  readonly object: string;
  readonly made: Made;
  /** The progress of `prepare`, null without it. */
  readonly progress: Json;
}

export interface SoughtObject {
  readonly object: string;
  readonly made: Made;
  /** Epoch milliseconds. */
  readonly since: number;
}

export interface TermsChange {
  readonly wanted: BoostTerms;
  /** As above. */
  readonly progress: Json;
}

/** How the objects were created. */
export interface Creation {
  /**
   * An object was sent again after a lost answer, so there may be two: the one that does not count is
   * deleted.
   */
  readonly mayHaveTwins: boolean;
}

export interface AdAccount {
  readonly id: string;
  readonly name: string;
  /** ISO 4217. */
  readonly currency: string;
  /** Digits after the decimal point in that currency's amounts: 2 for most, 0 for JPY. */
  readonly decimals: number;
  /** IANA name, or null. */
  readonly timeZone: string | null;
  /** Why the account cannot start a boost, in a sentence; null if it can. */
  readonly problem: string | null;
  /** The cause of the problem: the person may only view the account. */
  readonly isViewOnly?: true;
}

export interface Eligibility {
  readonly kind: "eligibility";
  readonly isEligible: boolean;
  /** Why the post is not eligible, in the platform's or our words; null if it is. */
  readonly reason: string | null;
  /** The page of the account (spec 2.11). */
  readonly page: { readonly id: string; readonly name: string } | null;
}

export interface Floor {
  readonly kind: "floor";
  /** For the requested budget type and all its days. */
  readonly leastMinor: number;
  /** The account as it is now. */
  readonly account: AdAccount;
}

export interface Country {
  readonly code: string;
  readonly name: string;
}

export interface Interest {
  readonly id: string;
  readonly name: string;
}

export interface Reach {
  readonly kind: "reach";
  /** The estimated number of people, as a range; null if the platform hides it. */
  readonly lower: number | null;
  readonly upper: number | null;
  /** False while the platform still computes the estimate: call again later. */
  readonly isReady: boolean;
}

export type CreateOutcome = { readonly kind: "made"; readonly id: string } | Unknown | Failure;

export type FindMadeOutcome =
  | { readonly kind: "found"; readonly id: string }
  /**
   * `isSure`: no later look-up can find it, or its existence does not matter. It is created again without
   * waiting for the lists.
   */
  | { readonly kind: "absent"; readonly isSure?: true }
  | Unknown
  | Failure;

/** The result of a repeatable call: a lost answer is a `Failure` of reason `down`. */
export type Applied = { readonly kind: "done" } | Failure;

export interface Standing {
  readonly kind: "standing";
  readonly state: "in_review" | "active" | "paused" | "completed" | "rejected" | "deleted";
  /** The platform's reason for a problem; null otherwise. */
  readonly reason: string | null;
  /** The platform's current value; null if it does not report it. */
  readonly budgetMinor: number | null;
  readonly reach: number;
  readonly impressions: number;
  readonly spendMinor: number;
}
