import { accessAs } from "../acting/acting.ts";
import { impossibleReason } from "../channels/health.ts";
import { type Channel, findActor } from "../channels/store.ts";
import { openSession } from "../connect/session.ts";
import type { Caller } from "../core/caller.ts";
import { AppError, absent, type FieldCode, invalid } from "../core/errors.ts";
import type { ChannelId } from "../core/ids.ts";
import type { Advertising } from "../platforms/advertising.ts";
import type { AccountContext, Failure } from "../platforms/context.ts";
import { findPlatform } from "../platforms/registry.ts";
import type { Deps } from "../service/deps.ts";

/** What a request asks a platform about boosts while its caller waits. */
export interface AdAccess {
  readonly channel: Channel;
  readonly ads: Advertising;
  readonly context: AccountContext;
}

/** A request, as far as asking needs it. */
export interface AdRequest {
  readonly deps: Deps;
  readonly caller: Caller;
  /** Of addresses that people open. */
  readonly origin: string;
}

/** How long a caller may be kept waiting; a platform that says nothing gets its `Retry-After` from this. */
const RETRY_SECONDS = 30;

/**
 * A channel of the project that can advertise. Errors: `not_found` for no channel of the project; a 422 on
 * `field` where its platform has no boosts, or its person has to connect it again with ads, with the link.
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
  return `Connect it again with ads, within ${Math.round(secondsLeft / 60)} minutes here: ${origin}/connect/${token}`;
}

/** The field of an ad account: what the person may not do there is said of it. */
export const ACCOUNT = "ad_account_id";

/**
 * What the platform answered, or the request's end. `field`: what its refusal is about; `account`: whether an
 * ad account was named.
 */
export function requireAnswer<T extends { readonly kind: string }>(
  outcome: T | Failure,
  field: string,
  account: typeof ACCOUNT | null = null,
): Exclude<T, Failure> {
  if (!isFailure(outcome)) return outcome as Exclude<T, Failure>;
  const { reason, message, retryAfterSeconds } = outcome;
  switch (reason) {
    case "rejected":
      throw invalid({ [field]: [`${field}: ${message}`] }, refusalCode(outcome));
    case "permission_missing":
      if (account) throw invalid({ [account]: [`${account}: ${message}`] }, "permission_missing");
      throw invalid({ [field]: [`${field}: ${message}`] }, "reconnect_needed");
    case "token_expired":
    case "disconnected":
      throw invalid({ [field]: [`${field}: ${message}`] }, "reconnect_needed");
    case "throttled":
    case "down":
    case "blocked":
      throw unavailable(message, retryAfterSeconds ?? RETRY_SECONDS);
  }
}

const isFailure = (outcome: { readonly kind: string }): outcome is Failure => outcome.kind === "failed";

function refusalCode({ code }: Failure): FieldCode {
  return code === "unsupported_by_platform" || code === "content_invalid" ? code : "invalid_request";
}

function unavailable(message: string, retryAfterSeconds: number): AppError {
  return new AppError("platform_unavailable", message, {
    retryAfterSeconds: Math.max(1, Math.ceil(retryAfterSeconds)),
  });
}
