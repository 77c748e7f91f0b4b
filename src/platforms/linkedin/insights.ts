import { z } from "zod";
import { DAY } from "../../core/time.ts";
import type { AccountContext, AccountRef, Failure } from "../context.ts";
import {
  addTo,
  type DayRange,
  dayOf,
  type Insights,
  type MeasuredPost,
  numbersIn,
  type OwnNumbers,
  type ReadDays,
} from "../insights.ts";
import { lenient, readable } from "../lists.ts";
import { ORGANIZATION } from "./account.ts";
import { encodeUrn, read } from "./api.ts";

/**
 * What posts of a page achieved: organic only, for twelve months. A post without an impression has no
 * element.
 *
 * Posts of people need another LinkedIn product and one call for each metric, which the daily limit does not
 * cover. So only pages have numbers.
 */
const OF_POST = {
  impressions: "impressionCount",
  reach: "uniqueImpressionsCount",
  likes: "likeCount",
  comments: "commentCount",
  shares: "shareCount",
  clicks: "clickCount",
} as const;
const OF_PAGE = {
  followers: "firstDegreeSize",
  impressions: "impressionCount",
  reach: "uniqueImpressionsCount",
} as const;

export const INSIGHTS_SCOPES = ["rw_organization_admin"];
const YEAR_MS = 365 * DAY;

export function whyUnmeasured({ id }: Pick<AccountRef, "id">): string | null {
  return id.startsWith(ORGANIZATION)
    ? null
    : "LinkedIn shows apps the numbers of posts of a page, not of a person's posts.";
}

const Statistics = lenient(z.record(z.string(), z.unknown()));
const Element = z.object({
  share: lenient(z.string()),
  ugcPost: lenient(z.string()),
  timeRange: lenient(z.object({ start: z.number() })),
  totalShareStatistics: Statistics,
});
const Elements = z.object({ elements: readable(Element) });
const Size = z.object({ firstDegreeSize: lenient(z.number()) });

const RESOURCE = "rest/organizationalEntityShareStatistics";

function readElements({ account, ...context }: AccountContext, asked: string) {
  const path = `${RESOURCE}?q=organizationalEntity&organizationalEntity=${encodeUrn(account.id)}&${asked}`;
  return read(context, { method: "GET", path, restli: "FINDER" }, Elements);
}

const listOf = (name: string, urns: readonly string[]): string[] =>
  urns.length === 0 ? [] : [`${name}=List(${urns.map(encodeUrn).join(",")})`];

const isShare = (urn: string): boolean => urn.startsWith("urn:li:share:");

async function readDays(context: AccountContext, { since, until }: DayRange): Promise<ReadDays | Failure> {
  const asked = `timeIntervals=(timeRange:(start:${since},end:${until}),timeGranularityType:DAY)`;
  const listed = await readElements(context, asked);
  if (listed.kind === "failed") return listed;
  const days = listed.value.elements.flatMap(({ timeRange, totalShareStatistics = {} }) =>
    timeRange ? [[dayOf(timeRange.start), { values: numbersIn(totalShareStatistics) }] as const] : [],
  );
  return { kind: "days", days: Object.fromEntries(days) };
}

export const insights: Insights = {
  most: 20,
  scope: "organic",
  names: () => OF_POST,
  definitions: {},
  async read(context, items) {
    const urns = items.map(({ post }) => post.id);
    const asked = [
      ...listOf("shares", urns.filter(isShare)),
      ...listOf(
        "ugcPosts",
        urns.filter((urn) => !isShare(urn)),
      ),
    ].join("&");
    const listed = await readElements(context, asked);
    if (listed.kind === "failed") return listed;
    return {
      kind: "numbers",
      posts: items.map(({ post, publishedAt }: MeasuredPost): OwnNumbers => {
        const found = listed.value.elements.find(({ share, ugcPost }) => (share ?? ugcPost) === post.id);
        if (found) return { values: numbersIn(found.totalShareStatistics ?? {}) };
        return { values: {}, rest: context.now - publishedAt > YEAR_MS ? "expired" : "not_ready" };
      }),
    };
  },
  accountNames: OF_PAGE,
  mostDays: 90,
  async *readAccount(context, range) {
    const path = `rest/networkSizes/${encodeUrn(context.account.id)}?edgeType=COMPANY_FOLLOWED_BY_MEMBER`;
    const size = await read(context, { method: "GET", path }, Size);
    if (size.kind === "failed") return yield size;
    yield { kind: "days", days: addTo({}, dayOf(context.now), size.value) };
    yield await readDays(context, range);
  },
};
