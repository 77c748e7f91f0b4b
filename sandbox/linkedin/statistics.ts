// Statistics of an organization and of its posts. Written from LinkedIn's documentation.

import { Hono } from "hono";
import { z } from "zod";
import { accountDay, daysBetween, followersAt, openBooks, shownCounts, startOfDay } from "../books";
import type { Sandbox } from "../sandbox";
import { endpoint, type LinkedinContext, type LinkedinEnv } from "./api";
import { badInput, denied, RestError } from "./errors";
import { readKey, readList, readQuery } from "./input";
import { findPost, keyOf, rolesOn } from "./store";

const Statistics = z.object({
  q: z.literal("organizationalEntity"),
  organizationalEntity: z.string(),
  shares: z.string().optional(),
  ugcPosts: z.string().optional(),
  timeIntervals: z.string().optional(),
});

export function statisticsRoutes(sandbox: Sandbox) {
  const app = new Hono<LinkedinEnv>();
  const scopes = ["rw_organization_admin", "r_organization_admin"];
  const admin = (resource: string) => endpoint(sandbox, { operation: "insights", resource, scopes });

  app.get("/rest/organizationalEntityShareStatistics", ...admin("organizationalEntityShareStatistics.FINDER"), (c) => {
    const query = readQuery(sandbox, c, Statistics);
    const organization = organizationOf(sandbox, c, query.organizationalEntity);
    const kinds = (["shares", "ugcPosts"] as const).filter((kind) => query[kind] !== undefined);
    if (kinds.length > 0 && query.timeIntervals !== undefined) {
      throw new RestError(400, "PARAM_INVALID", "Posts and timeIntervals do not go together");
    }
    const countsOf = openBooks(sandbox, "linkedin");
    const posts = kinds.flatMap((kind) =>
      readList(c, kind).flatMap((urn) => {
        const post = findPost(sandbox, urn);
        if (!post || post.author !== organization) return [];
        const stats = shareStatistics(shownCounts(countsOf(post.urn) ?? {}));
        // A post without an impression has no element.
        const isSilent = Object.values(stats).every((value) => value === 0);
        const key = kind === "shares" ? "share" : "ugcPost";
        return isSilent ? [] : [{ ...element(query.organizationalEntity, stats), [key]: urn }];
      }),
    );
    if (kinds.length > 0) return c.json({ elements: posts, paging: PAGING });
    const elements = intervalsIn(query.timeIntervals, sandbox.now()).map((day) => {
      const { views, reach, interactions } = accountDay(query.organizationalEntity, day, sandbox.now());
      const stats = shareStatistics({ views, reach, likes: interactions });
      const timeRange = { start: startOfDay(day), end: startOfDay(day + 1) };
      return { ...element(query.organizationalEntity, stats), timeRange };
    });
    return c.json({ elements, paging: PAGING });
  });

  app.get("/rest/networkSizes/:urn", ...admin("networkSizes.GET"), (c) => {
    readQuery(sandbox, c, z.object({ edgeType: z.literal("COMPANY_FOLLOWED_BY_MEMBER") }));
    const urn = readKey(c, "urn");
    organizationOf(sandbox, c, urn);
    return c.json({ firstDegreeSize: followersAt(urn, sandbox.now()) });
  });
  return app;
}

const PAGING = { start: 0, count: 10, links: [] };

function organizationOf(sandbox: Sandbox, c: LinkedinContext, urn: string): string {
  const { clientId, personId } = c.var.caller;
  const key = keyOf(sandbox, clientId, urn);
  if (!key?.startsWith("organization:")) throw badInput("INVALID_URN_ID", "/organizationalEntity", `${urn} is unknown`);
  const roles = rolesOn(sandbox, personId, key.slice("organization:".length));
  if (!roles.includes("ADMINISTRATOR")) throw denied("organizationalEntityShareStatistics.FINDER");
  return key;
}

/** Organic counts only. */
function shareStatistics(counts: Partial<Record<string, number>>) {
  const { views = 0, reach = 0, clicks = 0, likes = 0, comments = 0, shares = 0 } = counts;
  return {
    impressionCount: views,
    uniqueImpressionsCount: reach,
    clickCount: clicks,
    likeCount: likes,
    commentCount: comments,
    shareCount: shares,
  };
}

function element(urn: string, stats: ReturnType<typeof shareStatistics>) {
  const { impressionCount, clickCount, likeCount, commentCount, shareCount } = stats;
  const acts = clickCount + likeCount + commentCount + shareCount;
  const engagement = impressionCount === 0 ? 0 : acts / impressionCount;
  return { organizationalEntity: urn, totalShareStatistics: { ...stats, engagement } };
}

/** The days of `(timeRange:(start:1,end:2),timeGranularityType:DAY)`. */
function intervalsIn(text: string | undefined, now: number): number[] {
  const [, start, end] = /^\(timeRange:\(start:(\d+),end:(\d+)\),timeGranularityType:DAY\)$/.exec(text ?? "") ?? [];
  if (start === undefined || end === undefined) {
    throw new RestError(
      400,
      "PARAM_INVALID",
      "timeIntervals must be (timeRange:(start:…,end:…),timeGranularityType:DAY)",
    );
  }
  return daysBetween(Number(start), Math.min(Number(end), now) - 1);
}
