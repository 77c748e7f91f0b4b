// The way into an endpoint of X's API, before its handler.

import type { MiddlewareHandler } from "hono";
import type { Operation } from "../faults";
import { operation } from "../operation";
import type { Sandbox } from "../sandbox";
import {
  findCaller,
  forbidden,
  misbehaviour,
  Problem,
  replyHeaders,
  type TwitterContext,
  type TwitterEnv,
  unauthorized,
  use,
} from "./api";
import { CLIENT_ID } from "./oauth";
import { charging } from "./till";

const QUARTER_HOUR = 900_000;
const DAY = 86_400_000;

interface Endpoint {
  /** Endpoints with the same name share a rate limit. */
  name: string;
  /** Allowed calls per user in fifteen minutes. */
  limit: number;
  operation: Operation | null | ((c: TwitterContext) => Operation | null | Promise<Operation | null>);
  scopes: readonly string[];
}

type Entrance = [MiddlewareHandler<TwitterEnv>, MiddlewareHandler<TwitterEnv>, MiddlewareHandler<TwitterEnv>];

/** The middleware before every handler: faults, token, rate limit, scopes, till. */
export function endpoint(sandbox: Sandbox, { name, limit, operation: which, scopes }: Endpoint): Entrance {
  const enter: MiddlewareHandler<TwitterEnv> = async (c, next) => {
    const caller = findCaller(sandbox, c);
    if (!caller) throw unauthorized();
    c.set("caller", caller);
    const scaled = Math.max(1, Math.floor(limit * sandbox.settings.all.twitter_rate_limit_scale));
    const allowance = use(sandbox, caller.userId, name, { limit: scaled, windowMs: QUARTER_HOUR });
    c.header("x-rate-limit-limit", String(allowance.limit));
    c.header("x-rate-limit-remaining", String(allowance.remaining));
    c.header("x-rate-limit-reset", String(Math.ceil(allowance.resetAt / 1000)));
    for (const [header, value] of Object.entries(replyHeaders())) c.header(header, value);
    const isDayOver = name === "POST /2/tweets" && countDaily(sandbox, c, caller.userId);
    if (allowance.isExhausted || isDayOver) throw new Problem(429, "Too Many Requests", "Too Many Requests");
    const lacking = scopes.filter((scope) => !caller.scopes.includes(scope));
    if (lacking.length > 0) {
      throw forbidden(`Your token lacks the scope ${lacking.join(", ")} that this endpoint needs.`);
    }
    await next();
  };
  return [
    operation<TwitterEnv>(
      sandbox,
      "twitter",
      (c) => (typeof which === "function" ? which(c) : which),
      misbehaviour(sandbox),
    ),
    enter,
    charging(sandbox, CLIENT_ID, name),
  ];
}

/**
 * Counts a post against the 24-hour limits of the user and the app, and sets their headers. Returns whether a
 * limit was already reached.
 */
function countDaily(sandbox: Sandbox, c: TwitterContext, userId: string): boolean {
  const { twitter_posts_per_day: ofUser, twitter_app_posts_per_day: ofApp } = sandbox.settings.all;
  const name = "POST /2/tweets in 24 hours";
  const days = {
    user: use(sandbox, userId, name, { limit: ofUser, windowMs: DAY }),
    app: use(sandbox, "", name, { limit: ofApp, windowMs: DAY }),
  };
  for (const [kind, day] of Object.entries(days)) {
    c.header(`x-${kind}-limit-24hour-limit`, String(day.limit));
    c.header(`x-${kind}-limit-24hour-remaining`, String(day.remaining));
    c.header(`x-${kind}-limit-24hour-reset`, String(Math.ceil(day.resetAt / 1000)));
  }
  return days.user.isExhausted || days.app.isExhausted;
}
