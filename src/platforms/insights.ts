import type { AccountAttributes, AccountContext, Failure } from "./context.ts";
import type { PostType } from "./names.ts";
import type { PlatformPost } from "./publishing.ts";

/** What a post or an account achieved, in one shape for all platforms. */

/** Numbers of a post so far. */
export const POST_METRICS = [
  "views",
  "impressions",
  "reach",
  "likes",
  "comments",
  "shares",
  "reposts",
  "quotes",
  "saves",
  "clicks",
  "link_clicks",
  "profile_visits",
  "follows",
  "engagements",
  "watch_time_ms",
  "avg_watch_ms",
  "completion_rate",
] as const;
export type PostMetric = (typeof POST_METRICS)[number];

/** Of an account: followers at the end of a day, the others of that day. */
export const ACCOUNT_METRICS = [
  "followers",
  "follows",
  "unfollows",
  "views",
  "impressions",
  "reach",
  "interactions",
  "profile_visits",
] as const;
export type AccountMetric = (typeof ACCOUNT_METRICS)[number];

/**
 * Why a number is missing: not counted yet, not offered by the platform, not permitted by the account owner,
 * too few people, too old, deleted or hidden there, or an error of the platform.
 */
export const MISSING = ["not_ready", "not_offered", "no_permission", "too_small", "expired", "gone", "error"] as const;
export type Missing = (typeof MISSING)[number];

/** The platform's name of a number, and the factor from its unit to ours. */
export interface Named {
  readonly name: string;
  /** Its name where the platform made something else of the post. */
  readonly otherwise?: string;
  readonly times?: number;
}

/** Ours to the platform's. */
export type Names<M extends string> = Readonly<Partial<Record<M, string | Named>>>;

/**
 * By the platform's own names. An absent value is missing by its own reason, else by `rest`: it is never
 * zero.
 */
export interface OwnNumbers {
  readonly values: Readonly<Record<string, number>>;
  readonly missing?: Readonly<Record<string, Missing>>;
  /** Left out: `not_ready`. */
  readonly rest?: Missing;
}

export interface MeasuredPost {
  readonly type: PostType;
  readonly post: PlatformPost;
  /** Epoch milliseconds. */
  readonly publishedAt: number;
}

export interface ReadNumbers {
  readonly kind: "numbers";
  /** For each item, in the order of the request. */
  readonly posts: readonly OwnNumbers[];
  /** Names that the platform refused for this account: not to be sent again for a day. */
  readonly dead?: readonly string[];
  /** Why some of the numbers could not be read; they are missing with a reason. */
  readonly failed?: Failure;
}

/** Some days of an account, as the platform counts them: `2026-11-26`. */
export interface ReadDays {
  readonly kind: "days";
  readonly days: Readonly<Record<string, OwnNumbers>>;
  readonly dead?: readonly string[];
  /** Why other numbers of these days could not be read. */
  readonly failed?: Failure;
}

export interface DayRange {
  /** Epoch milliseconds; whole days of UTC. */
  readonly since: number;
  readonly until: number;
}

/** Reading what posts and the account achieved. Only reads. */
export interface Insights {
  /** The most items in one call of `read`. */
  readonly most: number;
  /** Whether the numbers count paid distribution too. */
  readonly scope: "organic" | "total" | "unknown";
  /** What a post of this type may have. */
  readonly names: (type: PostType, attributes: AccountAttributes) => Names<PostMetric>;
  /** What to do about numbers that are missing as `no_permission`, while others are read. */
  readonly whenNotPermitted?: string;
  /** Since when the platform counts a metric as it does now, e.g. `2026-08`. */
  readonly definitions: Readonly<Partial<Record<PostMetric, string>>>;
  /** At most once per item and UTC day: each read costs money. */
  readonly isPaid?: true;
  read(
    context: AccountContext,
    items: readonly MeasuredPost[],
    dead: ReadonlySet<string>,
  ): Promise<ReadNumbers | Failure>;
  readonly accountNames: Names<AccountMetric>;
  /** The most days of one call of `readAccount`. */
  readonly mostDays: number;
  /**
   * The whole days of the range, as far as the platform has them, and the followers of today: the days of
   * each call as soon as it is answered. After a failure the caller may continue where calls fail apart.
   */
  readAccount(context: AccountContext, range: DayRange, dead: ReadonlySet<string>): AsyncGenerator<ReadDays | Failure>;
}

/** The day of a time, UTC. */
export const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

/** The days with these numbers of one of them, beside those that it has. */
export function addTo(
  days: Readonly<Record<string, OwnNumbers>>,
  day: string,
  values: Readonly<Record<string, unknown>>,
): Record<string, OwnNumbers> {
  return { ...days, [day]: { ...days[day], values: { ...days[day]?.values, ...numbersIn(values) } } };
}

/** Only what is a number. */
export function numbersIn(values: Readonly<Record<string, unknown>>): Record<string, number> {
  const numbers: Record<string, number> = {};
  for (const [name, value] of Object.entries(values)) {
    const number = typeof value === "string" && /^\d+$/.test(value) ? Number(value) : value;
    if (typeof number === "number" && Number.isFinite(number)) numbers[name] = number;
  }
  return numbers;
}
