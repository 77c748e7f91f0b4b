// Errors of a server's methods (`{ error, message }`), and how the platform reports faults.

import type { Context } from "hono";
import type { Misbehaviour } from "../operation";
import type { PlatformBindings } from "../platform";
import type { Sandbox } from "../sandbox";
import { killSession } from "./store";

export interface Caller {
  readonly did: string;
  readonly sessionId: number;
}

export interface BlueskyEnv {
  Bindings: PlatformBindings;
  Variables: { caller: Caller };
}
export type BlueskyContext = Context<BlueskyEnv>;

export class XrpcError extends Error {
  readonly status: number;
  readonly error: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, error: string, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.status = status;
    this.error = error;
    this.headers = headers;
  }

  toResponse(): Response {
    const body = { error: this.error, message: this.message };
    return Response.json(body, { status: this.status, headers: this.headers });
  }
}

export const invalid = (message: string) => new XrpcError(400, "InvalidRequest", message);

/** Writes count against the account: 5,000 points in an hour. */
export function limited(sandbox: Sandbox, resetAt: number): XrpcError {
  return new XrpcError(429, "RateLimitExceeded", "Rate Limit Exceeded", {
    "RateLimit-Limit": String(Math.round(5000 * sandbox.settings.all.bluesky_rate_limit_scale)),
    "RateLimit-Remaining": "0",
    "RateLimit-Reset": String(Math.ceil(resetAt / 1000)),
    "RateLimit-Policy": "5000;w=3600",
  });
}

export const accessTokenOf = (c: Context) => /^DPoP (\S+)$/i.exec(c.req.header("authorization") ?? "")?.[1];

type Owner = { session_id: number };

export const misbehaviour = (sandbox: Sandbox): Misbehaviour<BlueskyContext> => ({
  refusals: { proof_refused: () => new XrpcError(401, "invalid_dpop_proof", "DPoP proof replayed").toResponse() },
  outage: () => new XrpcError(500, "InternalServerError", "Internal Server Error").toResponse(),
  rateLimited: () => limited(sandbox, sandbox.now() + sandbox.settings.all.rate_limit_reset_ms).toResponse(),
  expireToken(c) {
    sandbox.db.run("UPDATE bluesky_tokens SET expires_at = ? WHERE id = ?", sandbox.now(), accessTokenOf(c) ?? "");
  },
  async revokeToken(c) {
    const isForm = (c.req.header("content-type") ?? "").includes("form");
    const form: Record<string, unknown> = isForm ? await c.req.parseBody() : {};
    const token = accessTokenOf(c) ?? String(form.refresh_token ?? "");
    const owner = sandbox.db.first<Owner>("SELECT session_id FROM bluesky_tokens WHERE id = ?", token);
    if (owner) killSession(sandbox, owner.session_id);
  },
});
