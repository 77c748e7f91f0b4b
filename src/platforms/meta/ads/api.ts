import { z } from "zod";
import type { Objective } from "../../advertising.ts";
import type { AccountContext, AccountRef, Failure } from "../../context.ts";
import type { PostType } from "../../names.ts";
import { rejected } from "../../outcomes.ts";
import type { PlatformPost } from "../../publishing.ts";
import { type GraphApi, type GraphClient, graphClient, VERSION } from "../graph.ts";
import { ADS_ERRORS } from "./errors.ts";

/**
 * Meta's ads (Marketing API), which are one for all of its products: campaign → ad set → creative → ad. The
 * token is a person's, never a Page's.
 *
 * Versions of this API live about a year, shorter than Graph's two.
 */
const ADS: GraphApi = {
  ...ADS_ERRORS,
  baseUrl: `https://graph.facebook.com/${VERSION}`,
  tokenIn: "header",
  isProven: true,
  listEnd: "no_next",
  // Otherwise user texts have the language of the person who logged in.
  always: { locale: "en_US" },
};

export function adsGraph(context: AccountContext): GraphClient {
  return graphClient(ADS, context, context.credentials.accessToken);
}

/** What a product contributes to ads: its posts, and their placement. */
export interface AdsProduct {
  /** One of Meta's `publisher_platforms`. */
  readonly placement: "facebook" | "instagram";
  readonly types: readonly PostType[];
  /** The objectives that an existing post supports. */
  readonly goals: Readonly<Partial<Record<Objective, Goal>>>;
  /** The Page of the account; null if it is unknown. */
  readonly pageId: (account: AccountRef) => string | null;
  /** Calls for the product's own objects: its error texts, without a locale. */
  readonly graphOf: (context: AccountContext) => GraphClient;
  readonly promotable: (context: AccountContext, post: PlatformPost) => Promise<Promotable | Failure>;
  /** The part of a creative that names the promoted post. */
  readonly shows: (account: AccountRef, promotedId: string) => Readonly<Record<string, string>>;
}

/** An objective in Meta's terms. */
export interface Goal {
  readonly objective: string;
  readonly optimization: string;
  /** `destination_type`; null if there is none. */
  readonly destination: string | null;
  /** Whether the ad set must name the promoted Page. */
  readonly promotesPage: boolean;
}

/** Objectives of both placements; the destination of traffic differs. */
export const COMMON_GOALS: AdsProduct["goals"] = {
  awareness: { objective: "OUTCOME_AWARENESS", optimization: "REACH", destination: null, promotesPage: true },
  engagement: {
    objective: "OUTCOME_ENGAGEMENT",
    optimization: "POST_ENGAGEMENT",
    destination: "ON_POST",
    promotesPage: false,
  },
  video_views: {
    objective: "OUTCOME_ENGAGEMENT",
    optimization: "THRUPLAY",
    destination: "ON_VIDEO",
    promotesPage: true,
  },
};

/** `reason`: the reason that is known beforehand; null if nothing is against it. */
export interface Promotable {
  readonly kind: "promotable";
  /** The id by which ads know the post. */
  readonly id: string;
  readonly reason: string | null;
}

export const OBJECTS = ["campaign", "adset", "creative", "ad"] as const;

/** All statuses: without them, lists omit deleted and archived objects. */
export const ANY_STATUS = JSON.stringify([
  "ACTIVE",
  "PAUSED",
  "DELETED",
  "ARCHIVED",
  "IN_PROCESS",
  "WITH_ISSUES",
  "CAMPAIGN_PAUSED",
  "ADSET_PAUSED",
  "PENDING_REVIEW",
  "DISAPPROVED",
  "PREAPPROVED",
  "PENDING_BILLING_INFO",
]);

/** `act_…`, the id of an ad account in calls. It comes from callers and goes into URLs, so it is checked. */
export function accountPath(adAccountId: string): string | Failure {
  const digits = /^(?:act_)?(\d{1,20})$/.exec(adAccountId)?.[1];
  if (digits !== undefined) return `act_${digits}`;
  return rejected(`“${adAccountId.slice(0, 50)}” is not the id of an ad account. An id is “act_” and digits.`);
}

/** An amount in minor units, written as a number or as a string. */
export const Amount = z.union([z.int(), z.string().regex(/^\d{1,15}$/)]).transform(Number);

/** A time in the form that Graph takes. */
export function toGraphTime(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19)}+0000`;
}
