import type { Context } from "hono";
import { AppError } from "../core/errors.ts";
import type { AppEnv } from "../http/environment.ts";
import { answerError } from "../http/errors.ts";

/** Headers that a request over plain http has exposed on its way. */
const SECRET_HEADERS = ["Authorization", "X-Operator-Key"];

/**
 * The answer to a request over plain http in production; null over https. A page is redirected. A request
 * with a secret or a body is refused, so that its sender notices: a redirect would hide that everything was
 * readable on the way, each time again.
 */
export function answerPlainHttp(c: Context<AppEnv>): Response | null {
  const url = new URL(c.req.url);
  if (url.protocol !== "http:" || !c.var.deps.config.isProduction) return null;
  c.set("operationId", "plain_http");
  const isReading = c.req.method === "GET" || c.req.method === "HEAD";
  if (isReading && SECRET_HEADERS.every((name) => c.req.header(name) === undefined)) {
    url.protocol = "https:";
    url.port = "";
    return c.redirect(url.href, 308);
  }
  const sentence =
    "This service is reached by https only. Use https:// in the address; replace an access token that was sent over http.";
  return answerError(new AppError("invalid_request", sentence), c);
}
