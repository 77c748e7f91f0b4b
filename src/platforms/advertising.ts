import type { AccountContext, Failure, Json, Unknown } from "./context.ts";
import type { PostType } from "./names.ts";
import type { PlatformPost, PrepareOutcome } from "./publishing.ts";

/**
 * Boosts: a live post that is shown to more people for money (spec 2.10). The credentials are those of the
 * grant `ads`. A boost is a few objects at the platform, made one after the other, each at most once by the
 * job that calls it; nothing spends before `enable`.
 *
 * Money is in minor units of the ad account's currency (`AdAccount.decimals` of them make one), instants are
 * epoch milliseconds.
 */
export interface Advertising {
  /** What can be boosted. */
  readonly types: readonly PostType[];
  /**
   * In the order in which they are made, the outermost first: what is deleted there takes the others with it.
   */
  readonly objects: readonly [string, ...string[]];
  /** How late the platform's lists may show what it has made. */
  readonly lagSeconds: number;
  /**
   * The most that it may cost in all, in minor units, where the platform may go above a day's budget; absent
   * where it keeps to it.
   */
  readonly mostMinor?: (terms: Pick<BoostTerms, "budgetType" | "budgetMinor" | "days">) => number;
  /** How many days' budgets it may spend on a day; never more than seven in a calendar week. */
  readonly mostADay: number;
  /** What can be changed of objects that exist; for other fields they are replaced. */
  readonly changeable: ReadonlySet<BoostField>;
  /** Objectives that it has (decisions.md, Boosts). */
  readonly objectives: readonly Objective[];

  accounts(
    context: AccountContext,
  ): Promise<{ readonly kind: "accounts"; readonly accounts: readonly AdAccount[] } | Failure>;
  /** Whether the platform would boost the post, as far as it tells beforehand. */
  eligibility(context: AccountContext, post: PlatformPost, adAccountId: string | null): Promise<Eligibility | Failure>;
  /** The least that such a boost may have, and whether its account may spend. */
  floor(context: AccountContext, terms: BoostTerms): Promise<Floor | Failure>;
  /** Where can be advertised, by ISO 3166-1 alpha-2. */
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
   * What has to be there before the first object, and may be repeated: the right to use the post, ids of
   * countries. Absent: nothing.
   */
  prepare?(context: AccountContext, boost: Boost, progress: Json | null): Promise<PrepareOutcome>;
  /** Makes the next object, switched off. `progress` is what `prepare` has reached, null without it. */
  make(context: AccountContext, boost: Boost, object: string, made: Made, progress: Json): Promise<MakeOutcome>;
  /** Whether an earlier `make` of it, since then, did it: by its name or key. Only reads. */
  find(context: AccountContext, boost: Boost, object: string, made: Made, since: number): Promise<FindMadeOutcome>;
  /**
   * Switches all of it on, or off. Absolute: repeated without harm. `done`: it is so now, as the platform
   * itself says when it is asked.
   */
  enable(context: AccountContext, boost: Boost, made: Made, creation: Creation): Promise<Applied>;
  pause(context: AccountContext, boost: Boost, made: Made): Promise<Applied>;
  /** Deletes all of it, also where only a part was made. What is gone is `done`. */
  remove(context: AccountContext, boost: Boost, made: Made): Promise<Applied>;
  /** Gives it these terms, in place of those that it has there. Absolute. */
  change(context: AccountContext, boost: Boost, made: Made, wanted: BoostTerms, progress: Json): Promise<Applied>;
  /** How it stands, and what it has brought. */
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

/** What can be changed of a boost. */
export interface BoostTerms {
  readonly adAccountId: string;
  readonly objective: Objective;
  /** For each day, or for all of it. */
  readonly budgetType: "daily" | "lifetime";
  readonly budgetMinor: number;
  readonly currency: string;
  /** From its beginning. */
  readonly days: number;
  readonly countries: readonly string[];
  readonly interests: readonly Interest[];
  /** Ids of custom audiences. */
  readonly audiences: readonly string[];
}

export interface Boost extends BoostTerms {
  /**
   * Ours, like no other, short, of letters, digits and hyphens: a part of the name of each object, which
   * tells them apart.
   */
  readonly reference: string;
  readonly name: string;
  readonly post: PlatformPost;
  readonly postType: PostType;
  readonly startAt: number;
  /** `startAt` and its days. */
  readonly endAt: number;
}

/** Ids of the objects that are there, by their names in `Advertising.objects`. */
export type Made = Readonly<Partial<Record<string, string>>>;

/** How its objects were made. */
export interface Creation {
  /** An object was sent again after a lost answer, so there may be two: what does not count is deleted. */
  readonly mayHaveTwins: boolean;
}

export interface AdAccount {
  readonly id: string;
  readonly name: string;
  /** ISO 4217. */
  readonly currency: string;
  /** Digits after the point in that currency's amounts: 2 of most, 0 of JPY. */
  readonly decimals: number;
  /** IANA name, or null. */
  readonly timeZone: string | null;
  /** Why it cannot start a boost, in a sentence; null where it can. */
  readonly problem: string | null;
  /** That is the problem: the person may view it, and nothing else. */
  readonly isViewOnly?: true;
}

export interface Eligibility {
  readonly kind: "eligibility";
  readonly isEligible: boolean;
  /** The platform's own words, or ours; null where it is. */
  readonly reason: string | null;
  /** The page behind the account (spec 2.11). */
  readonly page: { readonly id: string; readonly name: string } | null;
}

export interface Floor {
  readonly kind: "floor";
  /** Of the budget type that was asked about, for its days. */
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
  /** People; null where the platform hides it. */
  readonly lower: number | null;
  readonly upper: number | null;
  /** False: ask again later. */
  readonly isReady: boolean;
}

export type MakeOutcome = { readonly kind: "made"; readonly id: string } | Unknown | Failure;

export type FindMadeOutcome =
  | { readonly kind: "found"; readonly id: string }
  /**
   * `isSure`: no later look can find it, or it does not matter if it is there: made again without waiting for
   * lists.
   */
  | { readonly kind: "absent"; readonly isSure?: true }
  | Unknown
  | Failure;

/** Of what may be repeated: a lost answer is a `Failure` of reason `down`. */
export type Applied = { readonly kind: "done" } | Failure;

export interface Standing {
  readonly kind: "standing";
  readonly state: "in_review" | "active" | "paused" | "completed" | "rejected" | "deleted";
  /** The platform's reason, where something is wrong; null otherwise. */
  readonly reason: string | null;
  /** As the platform has it now; null where it does not tell. */
  readonly budgetMinor: number | null;
  readonly reach: number;
  readonly impressions: number;
  readonly spendMinor: number;
}
