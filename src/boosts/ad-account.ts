import { accessAs } from "../acting/acting.ts";
import { unavailable } from "../acting/request-answer.ts";
import { impossibleReason } from "../channels/health.ts";
import { type Channel, findActor } from "../channels/store.ts";
import { openSession } from "../connect/session.ts";
import type { Caller } from "../core/caller.ts";
import { absent, invalid } from "../core/errors.ts";
import type { ChannelId } from "../core/ids.ts";
import type { Advertising } from "../platforms/advertising.ts";
import type { AccountContext } from "../platforms/context.ts";
import { findPlatform } from "../platforms/registry.ts";
import type { Deps } from "../service/deps.ts";

/** A channel's access to its ad platform, for calls that a request makes while its caller waits. */
export interface AdAccess {
  readonly channel: Channel;
  readonly ads: Advertising;
  readonly context: AccountContext;
}

/** The parts of a request that a platform call needs. */
export interface AdRequest {
  readonly deps: Deps;
  readonly caller: Caller;
  /** The origin of links for users. */
  readonly origin: string;
}

/**
 * Returns a channel of the project that can advertise. Errors: `not_found` for an unknown channel; a 422 on
 * `field` if the platform has no boosts, or if the account owner must reconnect with ads permission, with the
 * link.
 */
export async function requireAdAccess(asking: AdRequest, id: ChannelId, field: string): Promise<AdAccess> {
  const { deps, caller } = asking;
  const actor = await findActor(deps.db, id);
  if (!actor || actor.channel.projectId !== caller.projectId || actor.channel.disconnectedAt !== null) {
    throw absent("social account", id);
  }
  const { channel } = actor;
  const ads = findPlatform(channel.platform)?.ads;
  const never = ads ? impossibleReason(channel, "ads") : `Posts cannot be boosted on ${channel.platform}.`;
  if (!ads || never !== null) throw invalid({ [field]: [`${field}: ${never}`] }, "unsupported_by_platform");
  const access = await accessAs(deps, actor, "ads");
  if (access.kind === "ready") return { channel, ads, context: access.context };
  if (access.kind === "later") throw unavailable(access.reason, access.seconds);
  const link = await reconnectLink(asking, channel);
  throw invalid(
    { [field]: [`${field}: ${access.reason} ${link}`] },
    access.code === "channel_disconnected" ? access.code : "reconnect_needed",
  );
}

async function reconnectLink({ deps, caller, origin }: AdRequest, { userRef }: Channel): Promise<string> {
  const { token, secondsLeft } = await openSession(deps, caller, { userId: userRef }, null);
  return `Reconnect it with ads within ${Math.round(secondsLeft / 60)} minutes: ${origin}/connect/${token}`;
}

/** The ad account's field: permission errors of the account are reported on it. */
export const ACCOUNT = "ad_account_id";
