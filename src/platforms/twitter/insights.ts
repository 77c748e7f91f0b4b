import { z } from "zod";
import { DAY, HOUR } from "../../core/time.ts";
import { interpretRead } from "../answers.ts";
import type { AccountContext, Failure } from "../context.ts";
import { dayOf, type Insights, type MeasuredPost, type Missing, numbersIn, type OwnNumbers } from "../insights.ts";
import { PlatformId } from "../json.ts";
import { lenient, readable } from "../lists.ts";
import { parseBody } from "../request.ts";
import { read, request } from "./api.ts";
import { X } from "./errors.ts";
import { callSpelt } from "./listed.ts";

/**
 * What posts achieved.
 *
 * - A post that is read costs the same whatever is read of it, once per UTC day. So everything is read at
 *   once, without the media, whose price is not documented.
 * - Clicks are shown for thirty days, to the author only; afterwards asking for them fails for that post.
 */
const PUBLIC = {
  impressions: "impression_count",
  likes: "like_count",
  comments: "reply_count",
  reposts: "repost_count",
  quotes: "quote_count",
  saves: "bookmark_count",
} as const;
const PRIVATE = {
  link_clicks: "url_link_clicks",
  profile_visits: "user_profile_clicks",
  engagements: "engagements",
} as const;
/** An hour less than X says: the post must not turn old on the way. */
const PRIVATE_MS = 30 * DAY - HOUR;

const counts = lenient(z.record(z.string(), z.unknown()));
const Found = z.object({ id: PlatformId, public_metrics: counts, non_public_metrics: counts });
const Answer = z
  .object({ data: readable(Found).optional(), errors: readable(z.looseObject({})).optional() })
  .refine(({ data, errors }) => data !== undefined || errors !== undefined);
const Me = z.object({ data: z.object({ public_metrics: counts }) });

async function readPosts(
  context: AccountContext,
  items: readonly MeasuredPost[],
  fields: string,
): Promise<Map<string, OwnNumbers> | Failure> {
  if (items.length === 0) return new Map();
  const ids = items.map(({ post }) => post.id).join(",");
  const spellings = [{ "post.fields": fields }, { "tweet.fields": fields }];
  const { answer } = await callSpelt(spellings, (spelling) =>
    request(context, { method: "GET", path: "tweets", query: { ids, ...spelling } }),
  );
  // Posts that are gone, and metrics that are not shown, are errors beside the others, in a success.
  const value = answer.kind === "answered" && answer.status === 200 ? parseBody(Answer, answer) : null;
  if (value === null) {
    const failed = interpretRead(X, answer, Answer, context.now);
    return failed.kind === "failed" ? failed : new Map();
  }
  return new Map(
    (value.data ?? []).map(({ id, public_metrics = {}, non_public_metrics = {} }) => {
      const { retweet_count, ...shown } = public_metrics;
      return [id, { values: numbersIn({ repost_count: retweet_count, ...non_public_metrics, ...shown }) }];
    }),
  );
}

const EXPIRED: Record<string, Missing> = Object.fromEntries(Object.values(PRIVATE).map((name) => [name, "expired"]));

export const insights: Insights = {
  most: 100,
  scope: "total",
  names: () => ({ ...PUBLIC, ...PRIVATE }),
  definitions: {},
  isPaid: true,
  async read(context, items) {
    const isYoung = ({ publishedAt }: MeasuredPost) => context.now - publishedAt < PRIVATE_MS;
    const young = await readPosts(context, items.filter(isYoung), "public_metrics,non_public_metrics");
    if ("kind" in young) return young;
    const old = await readPosts(
      context,
      items.filter((item) => !isYoung(item)),
      "public_metrics",
    );
    if ("kind" in old) return old;
    return {
      kind: "numbers",
      posts: items.map((item) => {
        const found = young.get(item.post.id) ?? old.get(item.post.id);
        if (!found) return { values: {}, rest: "gone" };
        return isYoung(item) ? found : { ...found, missing: EXPIRED };
      }),
    };
  },
  accountNames: { followers: "followers_count" },
  mostDays: 1,
  async *readAccount(context) {
    const call = { method: "GET", path: "users/me", query: { "user.fields": "public_metrics" } } as const;
    const me = await read(context, call, Me);
    if (me.kind === "failed") return yield me;
    yield { kind: "days", days: { [dayOf(context.now)]: { values: numbersIn(me.value.data.public_metrics ?? {}) } } };
  },
};
