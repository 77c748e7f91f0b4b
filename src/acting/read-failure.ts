import type { GrantVersion } from "../channels/grant-store.ts";
import { type RateLimitKey, storeRateLimit, toActiveLimit } from "../channels/rate-limits.ts";
import type { Actor } from "../channels/store.ts";
import { HOUR, MINUTE, SECOND } from "../core/time.ts";
import { runBatch } from "../db/client.ts";
import type { Failure } from "../platforms/context.ts";
import type { Capability } from "../platforms/names.ts";
import type { Deps } from "../service/deps.ts";
import { settleConnection, withScaledWait } from "./acting.ts";

/** What refused reads of recurring work mean: when to read again. */

/** The interval for a channel that needs its account owner. */
export const UNUSABLE_MS = 6 * HOUR;
const TROUBLE_MS = 5 * MINUTE;

export interface Reader {
  readonly actor: Actor;
  readonly grant: GrantVersion;
  readonly capability: Capability;
}

/** The limits of a channel's reads of this kind. */
export function limitOf({ channel, project }: Actor, act: Capability): RateLimitKey {
  const { platform, accountId, databases } = channel;
  return { platform, accountId, isTest: project.isTest, act, databases };
}

/** Milliseconds until the next read; null if the platform refuses this object to every account. */
export async function waitAfter(deps: Deps, reader: Reader, refusal: Failure): Promise<number | null> {
  const { actor, grant, capability } = reader;
  const { reason, message, limit: scope, retryAfterSeconds } = withScaledWait(deps, refusal);
  const now = Date.now();
  const defaultMs = Math.ceil(TROUBLE_MS / deps.config.paceFactor);
  const waitMs = retryAfterSeconds === undefined ? defaultMs : Math.max(SECOND, retryAfterSeconds * SECOND);
  switch (reason) {
    case "throttled": {
      const standing = scope ? toActiveLimit({ scope, until: now + waitMs, message }, capability, now) : null;
      if (standing) await runBatch(deps.db, [storeRateLimit(deps.db, limitOf(actor, capability), standing)]);
      return waitMs + jitter(deps);
    }
    case "down":
      return waitMs;
    case "rejected":
      // What the account owner has to do at the platform says nothing about the object.
      return refusal.code === "account_restricted" ? UNUSABLE_MS : null;
    case "blocked":
      return defaultMs;
    case "token_expired":
    case "disconnected":
    case "permission_missing": {
      const of = { channel: actor.channel, grant, capability };
      const { kind } = await settleConnection(deps, of, { reason, message });
      return kind === "renewed" ? SECOND : kind === "later" ? defaultMs : UNUSABLE_MS;
    }
  }
}

/** Reads of several channels do not resume in the same second. */
export function jitter({ config }: Pick<Deps, "config">): number {
  return Math.round((Math.random() * MINUTE) / config.paceFactor);
}
