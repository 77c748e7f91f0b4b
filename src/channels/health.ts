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
 * What a channel can do. Pure. Credentials live and die by grant, permissions by capability: a grant that is
 * over stops what it serves, a missing permission stops that capability alone.
 */
export interface Health {
  readonly health: ChannelHealth;
  /** What is wrong and what helps. */
  readonly reason: string | null;
  /** Why it cannot do this; null while it can. */
  readonly code: BrokenCode | null;
}

/** What only the person can mend: the connection, or a permission that it lacks. */
export type BrokenCode = Extract<FailureCode, "reconnect_needed" | "permission_missing">;

/** By which grant the capability acts; null where the platform has no such thing. */
export function capabilityRules(platform: PlatformName, capability: Capability): CapabilityRules | null {
  return findPlatform(platform)?.capabilities[capability] ?? null;
}

/** Why the account of this channel can never do this: a sentence; null where it can, or could. */
export function impossibleReason(
  { platform, accountId, attributes }: Pick<Channel, "platform" | "accountId" | "attributes">,
  capability: Capability,
): string | null {
  return capabilityRules(platform, capability)?.impossible?.({ id: accountId, attributes }) ?? null;
}

/** Whether the channel can do this now, and what helps where it cannot. */
export function healthOf(
  channel: Pick<Channel, "platform" | "name" | "accountId" | "attributes">,
  grants: readonly GrantState[],
  capability: Capability,
  now: number,
): Health {
  // A channel whose adapter is gone is still told of.
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
 * When a grant is over that nobody renews any more, epoch milliseconds; null where none is told, or renewals
 * go on without end. The last credentials of a renewal may outlast what renewed them.
 */
export function endOf({
  expiresAt,
  refreshDueAt,
  reconnectBy,
}: Pick<GrantState, "expiresAt" | "refreshDueAt" | "reconnectBy">) {
  if (refreshDueAt !== null) return reconnectBy === null ? null : Math.max(reconnectBy, expiresAt ?? 0);
  return expiresAt === null || reconnectBy === null ? (expiresAt ?? reconnectBy) : Math.min(expiresAt, reconnectBy);
}

/** That it ends, or should have ended, and that only its person helps. */
export function endingSentence(end: number, now: number): string {
  const at = new Date(end).toISOString().slice(0, 16).replace("T", " ");
  return end > now
    ? `The connection ends at ${at} UTC and cannot be renewed without you.`
    : `The connection was allowed until ${at} UTC: it may stop at any time.`;
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
};

export function reconnectSentence(
  { name, platform }: Pick<Channel, "platform" | "name">,
  what: Capability | GrantPurpose,
) {
  const offer = offerFor(platform, what);
  const ticked = offer === null ? "" : `, with “${offer}” ticked,`;
  return `Connect ${name} (${platform}) again${ticked} to ${DEED[what]}.`;
}

/** What the person has to tick for it, where a further login gives it. */
function offerFor(platform: PlatformName, what: Capability | GrantPurpose): string | null {
  const { additionalLogins = [], capabilities = {} } = findPlatform(platform) ?? {};
  const capability = CAPABILITIES.find((one) => one === what);
  const purpose = (capability && capabilities[capability]?.grant) ?? what;
  return additionalLogins.find((further) => further.purpose === purpose)?.offer ?? null;
}
