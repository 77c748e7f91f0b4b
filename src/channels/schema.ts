import { z } from "@hono/zod-openapi";
import { isoUtc } from "../core/time.ts";
import { IdCursorQuery, LimitQuery, PageBesideCursor, pageView, pathId, refuseBoth } from "../http/page.ts";
import { wordList } from "../http/word-list.ts";
import { CAPABILITIES, type Capability, PLATFORM_NAMES } from "../platforms/names.ts";
import { findPlatform } from "../platforms/registry.ts";
import { capabilityRules, endingSentence, endOf, healthOf, impossibleReason } from "./health.ts";
import type { ChannelState } from "./store.ts";
import { CHANNEL_HEALTH } from "./table.ts";

/** Schemas of the channel extensions. */

export const EXAMPLE_CHANNEL = {
  channel_id: 12,
  channel_type: "facebook",
  name: "Northwind Bikes",
  username: null,
  picture_url: null,
  user_id: "user-1842",
  health: "connected",
  health_reason: null,
  expires_at: "2030-06-03T10:00:00.000+00:00",
  expires_reason: "The connection expires at 2030-06-03 10:00 UTC and cannot be renewed automatically.",
  capabilities: [{ name: "publish", health: "connected", reason: null }],
  connected_at: "2030-03-05T10:00:00.000+00:00",
} as const;

export const ListChannelsQuery = z
  .object({
    user_id: z.string().min(1).max(255).optional().openapi({ description: "Only the channels of this user." }),
    platform: wordList(PLATFORM_NAMES)
      .optional()
      .openapi({
        type: "string",
        example: "facebook,twitter",
        description: `Only channels of these types, comma-separated: ${PLATFORM_NAMES.join(", ")}.`,
      }),
    health: wordList(CHANNEL_HEALTH)
      .optional()
      .openapi({
        type: "string",
        example: "expiring,reconnect_needed",
        description: `Only channels whose \`health\` (that of publishing) is one of these, comma-separated: ${CHANNEL_HEALTH.join(", ")}.`,
      }),
    limit: LimitQuery,
    page: PageBesideCursor,
    cursor: IdCursorQuery,
  })
  .superRefine(refuseBoth);

export const ChannelView = z
  .object({
    channel_id: z.int(),
    channel_type: z.enum(PLATFORM_NAMES),
    name: z.string(),
    username: z.string().nullable(),
    picture_url: z.string().nullable(),
    user_id: z.string().openapi({ description: "The `userId` of the connection." }),
    health: z.enum(CHANNEL_HEALTH).openapi({ description: "That of publishing." }),
    health_reason: z.string().nullable().openapi({ description: "The problem and its fix." }),
    expires_at: z.string().nullable().openapi({
      description: "When publishing with it stops. `health` is `expiring` in the week before. Null if no end is known.",
    }),
    expires_reason: z.string().openapi({ description: "Why it expires then, or does not, and the fix." }),
    capabilities: z
      .array(
        z.object({
          name: z.enum(CAPABILITIES),
          health: z.enum(CHANNEL_HEALTH),
          reason: z.string().nullable().openapi({ description: "The problem and its fix." }),
        }),
      )
      .readonly()
      .openapi({
        description:
          "The health of each capability of the channel. One may need its permission again while the others work.",
      }),
    connected_at: z.string().openapi({ description: "When it was first connected." }),
  })
  .openapi("Channel", {
    example: EXAMPLE_CHANNEL,
  });

export const ChannelPage = pageView(ChannelView, "ChannelPage");

export const ChannelIdParam = z.object({ channel_id: pathId("channel_id") });

/** The expiry of the publishing grant. */
function lastingOf({ platform, grants }: ChannelState, now: number) {
  const purpose = capabilityRules(platform, "publish")?.grant ?? "publish";
  const grant = grants.find((one) => one.purpose === purpose);
  if (!grant || grant.health === "reconnect_needed") {
    return { expires_at: null, expires_reason: "The connection expired. Reconnect the account." };
  }
  const end = endOf(grant);
  if (end !== null) return { expires_at: isoUtc(end), expires_reason: endingSentence(end, now) };
  const expires_reason =
    grant.refreshDueAt === null
      ? "Valid until the account owner or the platform revokes it."
      : "Renewed automatically until the account owner or the platform revokes it.";
  return { expires_at: null, expires_reason };
}

/**
 * `isCapabilityOffered`: whether a login to this service can grant a capability; capabilities that the
 * channel has are always shown.
 */
export function toChannelView(
  row: ChannelState,
  isOffered: (capability: Capability) => boolean,
): z.output<typeof ChannelView> {
  const now = Date.now();
  const declared = findPlatform(row.platform)?.capabilities ?? {};
  const publishing = healthOf(row, row.grants, "publish", now);
  return {
    channel_id: row.id,
    channel_type: row.platform,
    name: row.name,
    username: row.username,
    picture_url: row.pictureUrl,
    user_id: row.userRef,
    health: publishing.health,
    health_reason: publishing.reason,
    ...lastingOf(row, now),
    capabilities: CAPABILITIES.filter((name) => {
      const rules = declared[name];
      const isThere = row.grants.some(({ purpose }) => purpose === rules?.grant);
      return rules && impossibleReason(row, name) === null && (isThere || isOffered(name));
    }).map((name) => {
      const { health, reason } = healthOf(row, row.grants, name, now);
      return { name, health, reason };
    }),
    connected_at: isoUtc(row.createdAt),
  };
}
