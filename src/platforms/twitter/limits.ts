import type { LimitScope } from "../context.ts";
import type { Platform } from "../platform.ts";

/**
 * X's rate limits, from the headers of every answer: per endpoint in 15 minutes, and for posts also per
 * account and per app in 24 hours. Times are epoch seconds; there is no Retry-After.
 */
const LIMITS = [
  { name: "x-rate-limit", scope: "account" },
  { name: "x-app-limit-24hour", scope: "app" },
  { name: "x-user-limit-24hour", scope: "account" },
] as const;

interface Exhausted {
  readonly scope: LimitScope;
  /** Epoch seconds; `NaN` without the header. */
  readonly resetAt: number;
}

/** Seconds until the latest reset of the limits that are reached (or of the plain one, if none is). */
export function resetSeconds(headers: Headers, now: number): number | null {
  const used = exhausted(headers);
  const resets = (used.length > 0 ? used.map(({ resetAt }) => resetAt) : [resetOf(headers, LIMITS[0].name)]).filter(
    Number.isFinite,
  );
  return resets.length === 0 ? null : Math.max(1, Math.ceil(Math.max(...resets) - now / 1000));
}

/** Whose limit is reached: the one that lasts longest, by the headers; without headers the account's. */
export function limitOf(headers: Headers): LimitScope {
  return longest(headers)?.scope ?? "account";
}

/**
 * Publishing and deleting are blocked when the answer to one of them reports that it was the last allowed
 * call. Reads and uploads have limits of their own, which block nothing else.
 */
export const usedUp: NonNullable<Platform["usedUp"]> = ({ method, url }, { headers }) => {
  if (!/\/2\/tweets(?:\/\d+)?$/.test(new URL(url).pathname) || method === "GET") return null;
  const limit = longest(headers);
  if (!limit || !Number.isFinite(limit.resetAt)) return null;
  const whose = limit.scope === "app" ? "this service" : "this account";
  return { scope: limit.scope, until: limit.resetAt * 1000, message: `X's rate limit for ${whose} is reached.` };
};

function longest(headers: Headers): Exhausted | undefined {
  return exhausted(headers).toSorted((a, b) => (b.resetAt || 0) - (a.resetAt || 0))[0];
}

function exhausted(headers: Headers): Exhausted[] {
  return LIMITS.filter(({ name }) => headers.get(`${name}-remaining`) === "0").map(({ name, scope }) => ({
    scope,
    resetAt: resetOf(headers, name),
  }));
}

function resetOf(headers: Headers, name: string): number {
  return Number.parseInt(headers.get(`${name}-reset`) ?? "", 10);
}
