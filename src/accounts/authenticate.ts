import type { Caller } from "../core/caller.ts";
import { AppError, projectMoving } from "../core/errors.ts";
import { RATE_LIMIT } from "../core/limits.ts";
import { hasOurChecksum, sha256Hex } from "../core/tokens.ts";
import type { Deps } from "../service/deps.ts";
import { RateLimitLeases } from "./rate-limit-lease.ts";
import { tokenKvKey } from "./revocation.ts";
import { limiterOf, TokenRecord } from "./tokens.ts";

const RECORD_FRESH_MS = 10_000;
const MAX_TOKENS_IN_MEMORY = 5_000;

/**
 * This isolate's cache of a token, by its text: a repeated request needs not even a hash. KV and the limiter
 * object are authoritative.
 */
interface Known {
  readonly hash: string;
  record: TokenRecord;
  readAt: number;
  readonly permits: RateLimitLeases;
}
const known = new Map<string, Known>();

/**
 * Identifies the caller and takes a permit of the rate limit. An invented token costs no look-up, a token
 * that we once issued costs a KV read; neither reaches the limiter object or D1. Errors: `unauthenticated`,
 * `token_expired`, `token_revoked`, `rate_limited`, `project_moving`.
 */
export async function authenticate(deps: Deps, authorization: string | null): Promise<Caller> {
  const [, token] = /^Bearer +(\S+)$/i.exec(authorization?.trim() ?? "") ?? [];
  if (token === undefined) {
    throw new AppError("unauthenticated", "Send an access token in the header: Authorization: Bearer <token>.");
  }
  const entry = await recall(deps, token);
  if (!entry) throw unknownToken();
  const { hash, record, permits } = entry;
  if (record.expiresAt !== null && record.expiresAt <= Date.now()) {
    throw new AppError("token_expired", "This access token has expired. Create a new one.");
  }
  const permit = await permits.take(
    Date.now,
    (request) => {
      deps.meter.objectCalls++;
      return limiterOf(deps, hash).acquire(request, hash);
    },
    (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  );
  switch (permit.kind) {
    case "revoked":
      known.delete(token);
      throw new AppError("token_revoked", "This access token was revoked. Create a new one.");
    case "denied":
      throw new AppError(
        "rate_limited",
        `This access token has used its ${RATE_LIMIT} requests for this second. Try again in a second.`,
        { retryAfterSeconds: Math.max(1, Math.ceil(permit.retryAfterMs / 1000)) },
      );
    case "moving":
      throw projectMoving();
    case "granted":
      // The object knows where the project is now; copies of the record may be a minute old.
      return { ...record, remaining: permit.remaining, database: permit.database ?? record.database };
  }
}

function unknownToken(): AppError {
  return new AppError("unauthenticated", "This access token is unknown. Check that it was copied completely.");
}

async function recall(deps: Deps, token: string): Promise<Known | null> {
  const entry = known.get(token);
  const now = Date.now();
  if (entry && Math.abs(now - entry.readAt) < RECORD_FRESH_MS) return entry;
  if (!(await hasOurChecksum(deps.config.checksumKeys, token))) return null;
  const hash = await sha256Hex(token);
  const parsed = TokenRecord.safeParse(await deps.kv.get(tokenKvKey(hash), "json"));
  if (!parsed.success) {
    known.delete(token);
    return null;
  }
  // Looked up again: another request may have added it meanwhile, and a token has only one pool of permits.
  const present = known.get(token);
  if (present) {
    present.record = parsed.data;
    present.readAt = now;
    return present;
  }
  if (known.size >= MAX_TOKENS_IN_MEMORY) {
    for (const oldest of known.keys()) {
      known.delete(oldest);
      break;
    }
  }
  const fresh: Known = { hash, record: parsed.data, readAt: now, permits: new RateLimitLeases() };
  known.set(token, fresh);
  return fresh;
}
