import type { FailureCode } from "../core/failures.ts";
import { listWords } from "../core/text.ts";
import { DAY } from "../core/time.ts";
import type { CapabilityRules } from "../platforms/login.ts";
import type { Capability, GrantPurpose, PlatformName } from "../platforms/names.ts";
import { findPlatform } from "../platforms/registry.ts";
import type { GrantState } from "./grant-store.ts";
import type { Channel } from "./store.ts";
import type { ChannelHealth } from "./table.ts";

/**
 * What a channel can do. Pure. Credentials live and die by grant, permissions by capability: a grant that is over stops
 * what it serves, a missing permission stops that capability alone.
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

/** How long before its end a grant that nothing renews is told to be ending. */
export const ENDING_MS = 7 * DAY;

/** By which grant the capability acts; null where the platform has no such thing. */
export function capabilityRules(platform: PlatformName, capability: Capability): CapabilityRules | null {
  return findPlatform(platform)?.capabilities[capability] ?? null;
}

/** Whether the channel can do this now, and what helps where it cannot. */
export function healthOf(
  channel: Pick<Channel, "platform" | "name">,
  grants: readonly GrantState[],
  capability: Capability,
  now: number,
): Health {
  // A channel whose adapter is gone is still told of.
  const { grant: purpose, scopes } = capabilityRules(channel.platform, capability) ?? { grant: capability, scopes: [] };
  const grant = grants.find((one) => one.purpose === purpose);
  const again = reconnectSentence(channel, capability);
  if (!grant || grant.health === "reconnect_needed") return broken("reconnect_needed", grant?.healthReason ?? again);
  const stopped = grant.stopped[capability];
  if (stopped !== undefined) return broken("permission_missing", stopped);
  const missing = scopes.filter((scope) => grant.scopes !== null && !grant.scopes.includes(scope));
  if (missing.length > 0) {
    return broken("permission_missing", `${channel.name} was connected without ${listWords(missing)}. ${again}`);
  }
  const { expiresAt, refreshDueAt } = grant;
  if (refreshDueAt !== null || expiresAt === null || expiresAt - now >= ENDING_MS) {
    return { health: grant.health, reason: grant.healthReason, code: null };
  }
  const until = new Date(expiresAt).toISOString().slice(0, 16).replace("T", " ");
  return {
    health: "expiring",
    reason: `The connection ends at ${until} UTC and cannot be renewed without you. ${again}`,
    code: null,
  };
}

function broken(code: BrokenCode, reason: string): Health {
  return { health: "reconnect_needed", reason, code };
}

const DEED: Readonly<Record<Capability | GrantPurpose, string>> = {
  publish: "publish with it",
  comments: "write comments with it",
  messages: "send messages with it",
  ads: "advertise with it",
};

export function reconnectSentence(
  { name, platform }: Pick<Channel, "platform" | "name">,
  what: Capability | GrantPurpose,
) {
  return `Connect ${name} (${platform}) again to ${DEED[what]}.`;
}
