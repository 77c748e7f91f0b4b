import {
  type ActiveLimit,
  activeLimit,
  type RateLimitKey,
  storeRateLimit,
  toActiveLimit,
  waitForLimit,
} from "../channels/rate-limits.ts";
import type { Actor } from "../channels/store.ts";
import type { Act } from "../channels/table.ts";
import type { Journal } from "../jobs/journal.ts";
import { findPlatform } from "../platforms/registry.ts";
import type { Send } from "../platforms/request.ts";
import { type Deps, inOthers } from "../service/deps.ts";

/** The rate limits that apply to a delivery: the stored ones, and those from its own answers. */
export interface RateLimits {
  readonly act: Act;
  readonly of: RateLimitKey;
  /** The limit that blocks the act now; null for none. */
  current(): ActiveLimit | null;
  /** Sends, and records from the headers of a success that a limit is reached. */
  readonly send: Send;
}

export function rateLimitsOf(deps: Deps, { channel, project, limits }: Actor, act: Act, send: Send): RateLimits {
  const { platform, accountId, databases } = channel;
  const of: RateLimitKey = { platform, accountId, isTest: project.isTest, act, databases };
  const usedUp = findPlatform(channel.platform)?.usedUp;
  let limit = activeLimit(limits, act, Date.now());
  return {
    act,
    of,
    current: () => (limit && limit.until > Date.now() ? limit : null),
    async send(call) {
      const answer = await send(call);
      const now = Date.now();
      const isSuccess = answer.kind === "answered" && answer.status < 400;
      const shown = isSuccess ? (usedUp?.(call, answer, now) ?? null) : null;
      const learnt = shown && toActiveLimit(shown, act, now);
      if (learnt && learnt.until > (limit?.until ?? 0)) {
        limit = learnt;
        await share(deps, of, learnt);
      }
      return answer;
    },
  };
}

/** Before an act that a rate limit of the platform covers: ends the delivery while the limit is reached. */
export function checkRateLimits({ journal, limits }: { readonly journal: Journal; readonly limits: RateLimits }): void {
  const limit = limits.current();
  if (limit) waitForLimit(journal, limit);
}

/** The call succeeded regardless: an error here costs each other job one refused call. */
async function share(deps: Deps, of: RateLimitKey, limit: ActiveLimit): Promise<void> {
  const { platform, act } = of;
  deps.log.event("rate_limit_reached", {
    platform,
    scope: limit.scope,
    act,
    until: new Date(limit.until).toISOString(),
  });
  await store(deps, of, limit);
  await shareElsewhere(deps, of, limit);
}

/** The same for the other databases whose calls the limit stops. */
export async function shareElsewhere(deps: Deps, of: RateLimitKey, limit: ActiveLimit): Promise<void> {
  if (deps.databases === 1 || (limit.scope === "account" && of.databases === 1)) return;
  for (const other of inOthers(deps)) await store(other, of, limit);
}

async function store({ db, database, log }: Deps, of: RateLimitKey, limit: ActiveLimit): Promise<void> {
  try {
    await storeRateLimit(db, of, limit);
  } catch (error) {
    log.error("limit_unstored", error, { platform: of.platform, database });
  }
}
