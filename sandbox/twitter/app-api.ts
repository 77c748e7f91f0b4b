// App-only authentication: the app's bearer token, and the middleware of the endpoints that accept it.

import { Hono, type MiddlewareHandler } from "hono";
import { operation } from "../operation";
import type { Sandbox } from "../sandbox";
import {
  bearer,
  findCaller,
  misbehaviour,
  PROBLEMS,
  Problem,
  replyHeaders,
  type TwitterEnv,
  tokenForm,
  unauthorized,
  use,
} from "./api";

/** The consumer key of the app, which differs from its OAuth 2 client id. */
const CONSUMER_KEY = "sandbox-x-consumer-key";
export const CONSUMER_SECRET = "sandbox-x-consumer-secret";
const APP_BEARER = "sandbox-x-app-bearer";

const QUARTER_HOUR = 900_000;

interface AppEndpoint {
  name: string;
  /** Allowed calls of the app in fifteen minutes. */
  limit: number;
  /** Whether a user token is also accepted, for that user's own objects. */
  takesPeople?: boolean;
}

/** The middleware of an app-only handler; `caller.userId` is then empty. */
export function appEndpoint(
  sandbox: Sandbox,
  { name, limit, takesPeople }: AppEndpoint,
): MiddlewareHandler<TwitterEnv> {
  return async (c, next) => {
    const person = findCaller(sandbox, c);
    const isApp = bearer(c) === APP_BEARER;
    if (!person && !isApp) throw unauthorized();
    if (!isApp && !takesPeople) {
      const detail = "Authenticating with OAuth 2.0 User Context is forbidden for this endpoint.";
      throw new Problem(403, "Unsupported Authentication", detail, {
        type: `${PROBLEMS}unsupported-authentication`,
      });
    }
    c.set("caller", person ?? { userId: "", scopes: [] });
    const allowance = use(sandbox, "", name, { limit, windowMs: QUARTER_HOUR });
    c.header("x-rate-limit-limit", String(allowance.limit));
    c.header("x-rate-limit-remaining", String(allowance.remaining));
    c.header("x-rate-limit-reset", String(Math.ceil(allowance.resetAt / 1000)));
    for (const [header, value] of Object.entries(replyHeaders())) c.header(header, value);
    if (allowance.isExhausted) throw new Problem(429, "Too Many Requests", "Too Many Requests");
    await next();
  };
}

/** `POST /oauth2/token` of the app, separate from the user login; the bearer token never changes. */
export function appTokenRoutes(sandbox: Sandbox) {
  const app = new Hono<TwitterEnv>();
  app.post("/oauth2/token", operation<TwitterEnv>(sandbox, "twitter", "token", misbehaviour(sandbox)), async (c) => {
    const form = await tokenForm(c);
    const expected = `Basic ${btoa(`${CONSUMER_KEY}:${CONSUMER_SECRET}`)}`;
    const refuse = (code: number, message: string, label: string) =>
      Response.json({ errors: [{ code, message, label }] }, { status: 403 });
    if (c.req.header("authorization") !== expected) {
      return refuse(99, "Unable to verify your credentials", "authenticity_token_error");
    }
    if (form?.grant_type !== "client_credentials") {
      return refuse(170, "Missing required parameter: grant_type", "forbidden_missing_parameter");
    }
    return c.json({ token_type: "bearer", access_token: APP_BEARER });
  });
  return app;
}
