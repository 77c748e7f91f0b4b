import { z } from "@hono/zod-openapi";
import { DAY, isoUtc } from "../core/time.ts";
import { ChannelIdQuery, LimitQuery, postPathId } from "../http/page.ts";
import {
  ACCOUNT_METRICS,
  type AccountMetric,
  MISSING,
  type Names,
  POST_METRICS,
  type PostMetric,
} from "../platforms/insights.ts";
import { PLATFORM_NAMES, POST_TYPES } from "../platforms/names.ts";
import { toDecimal } from "../platforms/pricing.ts";
import { namedOf, whole } from "./numbers.ts";
import type { ChannelNumbers, PostNumbers } from "./read.ts";
import type { PostInsights } from "./store.ts";

/** Schemas of insights. */
export const PostIdParam = z.object({ post_id: postPathId("post_id") });

type Nullable<M extends string> = Readonly<Record<M, z.ZodNullable<z.ZodNumber>>>;
const nullable = <M extends string>(metrics: readonly M[]): Nullable<M> =>
  Object.fromEntries(metrics.map((metric) => [metric, z.number().nullable()])) as Nullable<M>;

const PostMetrics = z.object(nullable(POST_METRICS)).openapi("PostMetrics", {
  description: "Numbers so far, in one shape for all platforms; null where the platform does not say, never 0.",
});
const AccountMetrics = z.object(nullable(ACCOUNT_METRICS)).openapi("AccountMetrics", {
  description: "Followers at the end of the day, the others of that day; null where the platform does not say.",
});

const STATES = ["waiting", "current", "final", "gone", "off", "no_permission", "not_published", "not_offered"] as const;

const Availability = {
  state: z.enum(STATES).openapi({
    description:
      "`waiting`: not read yet. `current`: read again at `next_read_at`. `final`: not read any more. `gone`: not to be seen at the platform; the last numbers. `off`: reading costs money and is not switched on. `no_permission`: connect the channel again. `not_published`, `not_offered`: there are none.",
  }),
  reason: z.string().nullable().openapi({ description: "Why numbers are missing, and what to do." }),
  as_of: z.string().nullable().openapi({ description: "When the numbers were read." }),
  next_read_at: z.string().nullable(),
};

export const PostInsightsView = z
  .object({
    post_id: z.int(),
    channel_id: z.int(),
    channel_type: z.enum(PLATFORM_NAMES),
    post_type: z.enum(POST_TYPES),
    published_at: z.string().nullable(),
    ...Availability,
    scope: z.enum(["organic", "total", "unknown"]).openapi({
      description: "Whether paid distribution is counted too (`total`).",
    }),
    metrics: PostMetrics,
    missing: z.partialRecord(z.enum(POST_METRICS), z.enum(MISSING)).openapi({
      description: "Why each missing number is missing.",
    }),
    names: z.partialRecord(z.enum(POST_METRICS), z.string()).openapi({
      description: "The platform's own name of each number that it offers.",
    }),
    definitions: z.partialRecord(z.enum(POST_METRICS), z.string()).openapi({
      description: "Which of its definitions a number follows: views differ by platform, and changed over time.",
    }),
    raw: z.record(z.string(), z.number()).openapi({ description: "What the platform said, by its own names." }),
    days: z
      .array(z.object({ day: z.string(), metrics: z.partialRecord(z.enum(POST_METRICS), z.number()) }))
      .readonly()
      .openapi({ description: "The last numbers of each day on which they were read; of an old post, of each week." }),
  })
  .openapi("PostInsights");

export const ChannelInsightsView = z
  .object({
    channel_id: z.int(),
    channel_type: z.enum(PLATFORM_NAMES),
    ...Availability,
    collects: z.boolean().openapi({ description: "Whether numbers are read." }),
    price: z
      .object({ per_post: z.number(), per_month: z.number(), currency: z.literal("USD") })
      .nullable()
      .openapi({
        description: "What the platform charges for reading a post, and the account for a month; null: nothing.",
      }),
    followers: z.number().nullable().openapi({ description: "The latest known number." }),
    totals: AccountMetrics.openapi({ description: "Sums of the days; `followers` is how many were gained." }),
    names: z.partialRecord(z.enum(ACCOUNT_METRICS), z.string()),
    days: z.array(z.object({ day: z.string(), metrics: AccountMetrics })).readonly(),
    posts: z.object({
      measured: z.int(),
      likes: z.number().nullable(),
      comments: z.number().nullable(),
      shares: z.number().nullable(),
    }),
  })
  .openapi("ChannelInsights");

const day = (description: string) =>
  z
    .string()
    .regex(/^2\d{3}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/, "must be a day such as 2026-11-26")
    .optional()
    .openapi({ description, example: "2026-11-01" });

const MOST_DAYS = 366;
const Range = {
  from: day("The first day, UTC. Default: 29 days before `to`."),
  to: day("The last day, UTC. Default: today."),
};

/** The range of a request: whole days, both included. */
export function rangeOf(
  { from, to }: { readonly from?: string | undefined; readonly to?: string | undefined },
  now: number,
) {
  const last = Date.parse(to ?? new Date(now).toISOString().slice(0, 10));
  const first = from === undefined ? last - 29 * DAY : Date.parse(from);
  return { since: first, until: last + DAY };
}

const checked = <S extends z.ZodObject>(schema: S) =>
  schema.superRefine((value, context) => {
    const { from, to } = value as { from?: string; to?: string };
    if (from === undefined) return;
    const { since, until } = rangeOf({ from, to }, Date.now());
    if (since >= until) context.addIssue({ code: "custom", path: ["from"], message: "must not be after to" });
    else if (until - since > MOST_DAYS * DAY)
      context.addIssue({ code: "custom", path: ["from"], message: `must be within ${MOST_DAYS} days before to` });
  });

const ChannelOnly = ChannelIdQuery.optional().openapi({ description: "Only posts of this channel." });

export const RangeQuery = checked(z.object(Range));
export const ExportQuery = checked(z.object({ ...Range, channel_id: ChannelOnly }));
export const TopPostsQuery = checked(
  z.object({
    ...Range,
    channel_id: ChannelOnly,
    metric: z.enum(POST_METRICS).default("likes").openapi({ description: "By which number." }),
    limit: LimitQuery.openapi({ description: "How many posts." }),
  }),
);
export const BestTimesQuery = z.object({ channel_id: ChannelOnly });

export const TopPostView = z
  .object({
    post_id: z.int(),
    channel_id: z.int(),
    channel_type: z.enum(PLATFORM_NAMES),
    published_at: z.string(),
    permalink: z.string().nullable(),
    as_of: z.string().nullable(),
    value: z.number(),
    metrics: PostMetrics,
  })
  .openapi("TopPost");

export const BestTimeView = z
  .object({
    weekday: z.int().openapi({ description: "1 = Monday, in the project's time zone." }),
    hour: z.int(),
    posts: z.int().openapi({ description: "How many posts it is from." }),
    average: z.number().openapi({ description: "Likes, comments and shares of a post, on average." }),
  })
  .openapi("BestTime");

const ownNames = <M extends string>(names: Names<M>) =>
  Object.fromEntries(
    Object.entries(names).map(([metric, named]) => [metric, namedOf(named as string).name]),
  ) as Partial<Record<M, string>>;

const timeOf = (at: number | null | undefined) => (at === null || at === undefined ? null : isoUtc(at));

export function toPostInsightsView({ post, row, availability, platform, attributes }: PostNumbers) {
  const names = platform?.names(post.postType, attributes) ?? {};
  const { metrics = {}, missing = {}, raw = {} } = row?.numbers ?? {};
  const unread = Object.fromEntries(
    POST_METRICS.map((metric) => [metric, metric in names ? availability.missing : "not_offered"] as const),
  );
  const since = Object.entries(platform?.definitions ?? {}).filter(([metric]) => metric in names);
  return {
    post_id: post.id,
    channel_id: post.channelId,
    channel_type: post.channelType,
    post_type: post.postType,
    published_at: timeOf(post.publishedAt),
    state: availability.state,
    reason: availability.reason,
    as_of: timeOf(row?.observedAt),
    next_read_at: timeOf(availability.nextReadAt),
    scope: platform?.scope ?? ("unknown" as const),
    metrics: whole(POST_METRICS, metrics),
    missing: row?.numbers ? missing : unread,
    names: ownNames(names),
    definitions: Object.fromEntries(since.map(([metric, date]) => [metric, `${post.channelType}.${metric}.${date}`])),
    raw,
    days: (row?.days ?? []).map(([of, own]) => ({ day: of, metrics: own })),
  };
}

export function toChannelInsightsView({ channel, availability, platform, days, measured, price }: ChannelNumbers) {
  const shown = days.map((one) => ({ day: one.day, metrics: whole(ACCOUNT_METRICS, one.numbers) }));
  const known = shown.flatMap(({ metrics: { followers } }) => followers ?? []);
  const [first, last] = [known[0], known.at(-1)];
  const sums = (metric: AccountMetric) => addedUp(shown.map(({ metrics }) => metrics[metric]));
  const gained = first === undefined || last === undefined || known.length < 2 ? null : last - first;
  const all = Object.fromEntries(ACCOUNT_METRICS.map((metric) => [metric, sums(metric)]));
  const ofPosts = (metric: PostMetric) => addedUp(measured.map(({ numbers }) => numbers?.metrics[metric] ?? null));
  return {
    channel_id: channel.id,
    channel_type: channel.platform,
    state: availability.state,
    reason: availability.reason,
    as_of: days.at(-1)?.day ?? null,
    next_read_at: timeOf(availability.nextReadAt),
    collects: availability.state !== "off" && availability.state !== "not_offered",
    price: price && {
      per_post: toDecimal(price.postMicros),
      per_month: toDecimal(price.accountMicros),
      currency: "USD" as const,
    },
    followers: last ?? null,
    totals: { ...all, followers: gained } as Record<AccountMetric, number | null>,
    names: ownNames(platform?.accountNames ?? {}),
    days: shown,
    posts: {
      measured: measured.length,
      likes: ofPosts("likes"),
      comments: ofPosts("comments"),
      shares: ofPosts("shares"),
    },
  };
}

/** Null where none of them is known. */
function addedUp(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0);
}

export function toTopPostView(row: PostInsights, metric: PostMetric) {
  const metrics = row.numbers?.metrics ?? {};
  return {
    post_id: row.postId,
    channel_id: row.channelId,
    channel_type: row.platform,
    published_at: isoUtc(row.publishedAt),
    permalink: row.items[0]?.permalink ?? null,
    as_of: timeOf(row.observedAt),
    value: metrics[metric] ?? 0,
    metrics: whole(POST_METRICS, metrics),
  };
}
