import type { FailureCode } from "../core/failures.ts";
import { listWords } from "../core/text.ts";
import type { CapabilityRules } from "../platforms/login.ts";
import { CAPABILITIES, type Capability, type GrantPurpose, type PlatformName } from "../platforms/names.ts";
import { findPlatform } from "../platforms/registry.ts";
import type { GrantState } from "./grant-store.ts";
import { ENDING_MS } from "./health-mark.ts";
import type { Channel } from "./store.ts";
import type { ChannelHealth } from "./table.ts";

/**
 * The health of a channel's capabilities. Pure. Credentials belong to a grant, permissions to a capability.
 * An expired grant stops everything that it serves, a missing permission stops only that capability.
 */
export interface Health {
  readonly health: ChannelHealth;
  /** The problem and its fix. */
  readonly reason: string | null;
  /** Why the channel cannot do this; null if it can. */
  readonly code: BrokenCode | null;
}

/** Problems that only the account owner can fix: the connection, or a missing permission. */
export type BrokenCode = Extract<FailureCode, "reconnect_needed" | "permission_missing">;

/** The grant by which the capability acts; null if the platform has no such capability. */
export function capabilityRules(platform: PlatformName, capability: Capability): CapabilityRules | null {
  return findPlatform(platform)?.capabilities[capability] ?? null;
}

/** Why this channel's account can never do this, as a sentence; null if it can, or could. */
export function impossibleReason(
  { platform, accountId, attributes }: Pick<Channel, "platform" | "accountId" | "attributes">,
  capability: Capability,
): string | null {
  return capabilityRules(platform, capability)?.impossible?.({ id: accountId, attributes }) ?? null;
}

/** Whether the channel can do this now, and the fix if it cannot. */
export function healthOf(
  channel: Pick<Channel, "platform" | "name" | "accountId" | "attributes">,
  grants: readonly GrantState[],
  capability: Capability,
  now: number,
): Health {
  // A channel whose adapter was removed is still shown.
  const { grant: purpose, scopes } = capabilityRules(channel.platform, capability) ?? { grant: capability, scopes: [] };
  const grant = grants.find((one) => one.purpose === purpose);
  const never = impossibleReason(channel, capability);
  if (never !== null) return broken("permission_missing", never);
  const again = reconnectSentence(channel, capability);
  if (!grant || grant.health === "reconnect_needed") return broken("reconnect_needed", grant?.healthReason ?? again);
  const stopped = grant.stopped[capability];
  if (stopped !== undefined) return broken("permission_missing", stopped);
  const missing = scopes.filter((scope) => grant.scopes !== null && !grant.scopes.includes(scope));
  if (missing.length > 0) {
    return broken("permission_missing", `${channel.name} was connected without ${listWords(missing)}. ${again}`);
  }
  const end = endOf(grant);
  if (end === null || end - now >= ENDING_MS) {
    return { health: grant.health, reason: grant.healthReason, code: null };
  }
  return { health: "expiring", reason: `${endingSentence(end, now)} ${again}`, code: null };
}

/**
 * When a grant expires that is no longer renewed, in epoch milliseconds. Null if no expiry is known, or if
 * renewals continue without limit. The last credentials may outlive the refresh token that renewed them.
 */
export function endOf({
  expiresAt,
  refreshDueAt,
  reconnectBy,
}: Pick<GrantState, "expiresAt" | "refreshDueAt" | "reconnectBy">) {
  if (refreshDueAt !== null) return reconnectBy === null ? null : Math.max(reconnectBy, expiresAt ?? 0);
  return expiresAt === null || reconnectBy === null ? (expiresAt ?? reconnectBy) : Math.min(expiresAt, reconnectBy);
}

/** Says that the grant expires or has expired, and that the account owner must reconnect. */
export function endingSentence(end: number, now: number): string {
  const at = new Date(end).toISOString().slice(0, 16).replace("T", " ");
  return end > now
    ? `The connection expires at ${at} UTC and cannot be renewed automatically.`
    : `The connection was allowed until ${at} UTC and may stop at any time.`;
}

function broken(code: BrokenCode, reason: string): Health {
  return { health: "reconnect_needed", reason, code };
}

const DEED: Readonly<Record<Capability | GrantPurpose, string>> = {
  publish: "publish with it",
  comments: "write comments with it",
  replies: "answer comments with it",
  messages: "send messages with it",
  ads: "advertise with it",
  insights: "read its numbers",
};

export function reconnectSentence(
  { name, platform }: Pick<Channel, "platform" | "name">,
  what: Capability | GrantPurpose,
) {
  const offer = offerFor(platform, what);
  const ticked = offer === null ? "" : `, with “${offer}” selected,`;
  return `Connect ${name} (${platform}) again${ticked} to ${DEED[what]}.`;
}

/** The permission that the account owner must select, if an additional login grants it. */
function offerFor(platform: PlatformName, what: Capability | GrantPurpose): string | null {
  const { additionalLogins = [], capabilities = {} } = findPlatform(platform) ?? {};
  const capability = CAPABILITIES.find((one) => one === what);
  const purpose = (capability && capabilities[capability]?.grant) ?? what;
  return additionalLogins.find((further) => further.purpose === purpose)?.offer ?? null;
}
