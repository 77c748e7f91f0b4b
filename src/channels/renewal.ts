import { backoff } from "../core/backoff.ts";
import { MINUTE, SECOND } from "../core/time.ts";
import type { Credentials, Failure } from "../platforms/context.ts";
import type { GrantRules, Renewal } from "../platforms/login.ts";
import type { GrantPurpose, PlatformName } from "../platforms/names.ts";
import { codeOf } from "../platforms/outcomes.ts";
import { findPlatform } from "../platforms/registry.ts";
import type { Deps } from "../service/deps.ts";
import { accountContext, isRenewable, openGrant, reconnect, sealGrant, type Unusable } from "./credentials.ts";
import {
  claimRefresh,
  type Grant,
  type GrantRef,
  type GrantVersion,
  markReconnectNeeded,
  postponeRefresh,
  type StoredCredentials,
} from "./grant-store.ts";
import { reconnectSentence } from "./health.ts";
import { findPendingRefresh, saveRefreshed } from "./pending-refresh.ts";
import { type Actor, type Channel, findActor } from "./store.ts";

/**
 * Renews credentials. One delivery renews at a time, and stores the new credentials before they are used.
 * Only the platform's answer ends a grant, never a network failure. A refusal names the version of the
 * refused credentials, so that it cannot affect newer ones.
 */
const REFRESH_LEASE_MS = MINUTE;
/** If credentials are refused this soon after a renewal, another renewal would not help. */
const FRESH_MS = 10 * MINUTE;

export type Renewed = { readonly kind: "renewed" } | Unusable;

export const DISCONNECTED = {
  kind: "reconnect_needed",
  code: "channel_disconnected",
  reason: "The channel is disconnected. Reconnect it to publish.",
} as const;

export function grantRules(platform: PlatformName, purpose: GrantPurpose): GrantRules | null {
  return findPlatform(platform)?.grants[purpose] ?? null;
}

export function grantOf({ grants }: Actor, purpose: GrantPurpose): Grant | null {
  return grants.find((grant) => grant.purpose === purpose) ?? null;
}

/** Renews credentials that are due; does nothing for others. Idempotent. */
export async function renewDue(deps: Deps, ref: GrantRef): Promise<void> {
  await renew(deps, ref, "due", null);
}

/** Renews credentials that are too close to their expiry to be used. */
export async function renewEnding(deps: Deps, ending: GrantVersion): Promise<Renewed> {
  return renew(deps, ending, { version: ending.version }, null);
}

/**
 * Renews credentials that the platform refused with the message `words`, or finds that newer ones are already
 * stored. If they cannot be renewed, or were renewed just before, the grant stops.
 */
export async function renewRefused(deps: Deps, refused: GrantVersion, words: string): Promise<Renewed> {
  const actor = await findActor(deps.db, refused.channelId);
  const grant = actor && grantOf(actor, refused.purpose);
  if (!actor || !grant || actor.channel.disconnectedAt !== null) return DISCONNECTED;
  const { channel } = actor;
  if (grant.version !== refused.version && grant.health !== "reconnect_needed") return { kind: "renewed" };
  const isFresh = grant.storedBy === "renewal" && Date.now() - grant.storedAt < FRESH_MS;
  if (isFresh || !grantRules(channel.platform, refused.purpose)?.renewal)
    return stopGrant(deps, channel, refused, words);
  return renew(deps, refused, { version: refused.version }, words);
}

/** Ends a grant that the platform reported as dead, unless its credentials were replaced meanwhile. */
export async function stopGrant(
  deps: Deps,
  channel: Channel,
  grant: GrantVersion,
  words: string | null,
): Promise<Renewed> {
  const sentence = reconnectSentence(channel, grant.purpose);
  const reason = words === null ? sentence : `${words} ${sentence}`;
  const isStopped = await markReconnectNeeded(deps.db, channel.projectId, grant, { reason, now: Date.now() });
  if (!isStopped) return { kind: "renewed" };
  deps.log.event("channel_reconnect_needed", {
    channelId: channel.id,
    platform: channel.platform,
    grant: grant.purpose,
  });
  return reconnect(reason);
}

/** `words`: the platform's message about the credentials, if any. */
async function renew(
  deps: Deps,
  ref: GrantRef,
  what: { readonly version: number } | "due",
  words: string | null,
): Promise<Renewed> {
  const now = Date.now();
  const lease = now + REFRESH_LEASE_MS;
  if (!(await claimRefresh(deps.db, ref, what, { now, until: lease }))) {
    return { kind: "later", seconds: 3, code: null, reason: "The channel's credentials are being renewed." };
  }
  // Read under the lease: an earlier read may have a pair that another delivery has already used.
  const actor = await findActor(deps.db, ref.channelId);
  const grant = actor && grantOf(actor, ref.purpose);
  if (!actor || !grant) return DISCONNECTED;
  const opened = await openGrant(deps, actor.channel, grant);
  if (opened.kind !== "open") return opened;
  const unstored = await findPendingRefresh(deps, grant);
  if (unstored) return storeSurely(deps, grant, unstored);
  const rules = grantRules(actor.channel.platform, ref.purpose);
  const renewal = rules?.renewal;
  if (!rules || !renewal || !isRenewable(renewal, opened.credentials, grant.storedAt, now)) {
    return stopGrant(deps, actor.channel, grant, words);
  }
  const made = accountContext(deps, actor, rules, opened.credentials);
  if (made.kind !== "ready") return made;
  const outcome = await renewal.refresh(made.context);
  if (outcome.kind === "failed") return endRefused(deps, actor.channel, { grant, lease }, outcome);
  const kept = keepRefreshToken(renewal, opened.credentials, outcome.credentials);
  const stored = await storeSurely(deps, grant, await sealGrant(deps, grant, rules, kept));
  if (stored.kind === "renewed") {
    deps.log.event("credentials_renewed", { channelId: ref.channelId, platform: actor.channel.platform });
  }
  return stored;
}

/** Keeps the old refresh token, or its expiry, if the renewal returned none. */
function keepRefreshToken({ by }: Renewal, before: Credentials, renewed: Credentials): Credentials {
  if (by !== "refresh_token" || renewed.refreshToken !== null) return renewed;
  return {
    ...renewed,
    refreshToken: before.refreshToken,
    reconnectBy: renewed.reconnectBy ?? before.reconnectBy ?? null,
  };
}

async function storeSurely(deps: Deps, replaced: Grant, renewed: StoredCredentials): Promise<Renewed> {
  if (await saveRefreshed(deps, replaced, renewed)) return { kind: "renewed" };
  // The refresh lease blocks other renewals until then.
  return {
    kind: "later",
    seconds: REFRESH_LEASE_MS / SECOND,
    code: "unexpected",
    reason: "The renewed credentials could not be stored yet.",
  };
}

/**
 * Handles a refused renewal: the platform's answer ends the grant. After any other failure the renewal is
 * retried, and the grant stays active.
 */
async function endRefused(
  deps: Deps,
  channel: Channel,
  { grant, lease }: { readonly grant: Grant; readonly lease: number },
  failure: Failure,
): Promise<Renewed> {
  const { reason, message, retryAfterSeconds } = failure;
  const now = Date.now();
  const isOver = grant.expiresAt !== null && grant.expiresAt <= now;
  const isDead = reason === "disconnected" || reason === "token_expired";
  // Without the permission to renew, the credentials work until they expire.
  if (isDead || (reason === "permission_missing" && isOver)) return stopGrant(deps, channel, grant, message);
  const waitMs = retryAfterSeconds ? retryAfterSeconds * SECOND : backoff(grant.refreshAttempts + 1);
  await postponeRefresh(deps.db, grant, lease, {
    retryAt: now + waitMs,
    health: isOver || reason === "permission_missing" ? "expiring" : grant.health,
    reason: `The credentials could not be renewed yet: ${message}`,
  });
  return { kind: "later", seconds: Math.ceil(waitMs / SECOND), code: codeOf(failure), reason: message };
}
