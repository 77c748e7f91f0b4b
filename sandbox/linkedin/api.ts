// Middleware of LinkedIn's API: versions, tokens, scopes, daily limits.

import type { Context, MiddlewareHandler } from "hono";
import type { Operation } from "../faults";
import { type Misbehaviour, operation } from "../operation";
import type { PlatformBindings } from "../platform";
import type { Sandbox } from "../sandbox";
import { isSelfServe } from "./apps";
import { denied, marks, personalPermissions, RestError, throttledDay } from "./errors";

export interface Caller {
  readonly token: string;
  readonly grantId: number;
  readonly clientId: string;
  readonly personId: string;
  readonly scopes: readonly string[];
}
export interface LinkedinEnv {
  Bindings: PlatformBindings;
  Variables: { caller: Caller };
}
export type LinkedinContext = Context<LinkedinEnv>;

interface Endpoint {
  readonly operation: Operation | null | ((c: LinkedinContext) => Operation | null);
  /** The resource name in error messages. */
  readonly resource: string;
  /** One of these scopes is required. */
  readonly scopes: readonly string[];
}
type Entrance = [MiddlewareHandler<LinkedinEnv>, MiddlewareHandler<LinkedinEnv>];

/** The middleware of every handler: faults, version, token, limits, scopes. */
export function endpoint(sandbox: Sandbox, { operation: which, resource, scopes }: Endpoint): Entrance {
  const enter: MiddlewareHandler<LinkedinEnv> = async (c, next) => {
    if (c.req.path.startsWith("/rest/")) checkVersion(sandbox, c);
    const caller = authenticate(sandbox, c);
    c.set("caller", caller);
    count(sandbox, caller);
    if (!scopes.some((scope) => caller.scopes.includes(scope))) throw denied(resource);
    for (const [name, value] of Object.entries(marks())) c.header(name, value);
    await next();
  };
  const faulty = operation<LinkedinEnv>(
    sandbox,
    "linkedin",
    (c) => (typeof which === "function" ? which(c) : which),
    misbehaviour(sandbox),
  );
  return [faulty, enter];
}

/** Clients send `YYYYMM`, `YYYYMM.RR` and `YYYYMMDD`. */
function checkVersion(sandbox: Sandbox, c: LinkedinContext): void {
  const sent = c.req.header("linkedin-version");
  const { linkedin_oldest_version: oldest, linkedin_newest_version: newest, strict } = sandbox.settings.all;
  if (!sent) {
    const message = "A version must be present. Please specify a version by adding the Linkedin-Version header.";
    throw new RestError(400, "VERSION_MISSING", message);
  }
  const month = /^(\d{6})(?:\.\d{2}|\d{2})?$/.exec(sent)?.[1];
  if (month === undefined || month < oldest || month > newest) {
    const named = /^\d{6}$/.test(sent) ? `${sent}01` : sent;
    throw new RestError(426, "NONEXISTENT_VERSION", `Requested version ${named} is not active`);
  }
  // Without this header, protocol 1.0 applies, with other key and list formats.
  if (c.req.header("x-restli-protocol-version") !== "2.0.0" && strict) {
    throw new RestError(400, "PARAM_INVALID", "The header X-Restli-Protocol-Version: 2.0.0 is missing");
  }
}

/** The Rest.li method in lower case; clients send either case. */
export const restliMethod = (c: LinkedinContext) => c.req.header("x-restli-method")?.toLowerCase();

const bearer = (c: LinkedinContext) => /^Bearer (\S+)$/i.exec(c.req.header("authorization") ?? "")?.[1];

/** The caller; throws LinkedIn's error for an invalid token. */
export function authenticate(sandbox: Sandbox, c: LinkedinContext): Caller {
  const token = bearer(c);
  if (token === undefined)
    throw new RestError(401, "EMPTY_ACCESS_TOKEN", "Empty oauth2 access token", { serviceErrorCode: 401 });
  type Found = {
    grant_id: number;
    client_id: string;
    person_id: string;
    scopes: string;
    is_dead: number;
    is_revoked: number;
    issued_at: number;
    expires_at: number;
  };
  const found = sandbox.db.first<Found>(
    `SELECT t.grant_id, t.is_revoked, t.issued_at, t.expires_at, g.client_id, g.person_id, g.scopes, g.is_dead
     FROM linkedin_tokens t JOIN linkedin_grants g ON g.id = t.grant_id WHERE t.token = ? AND t.kind = 'access'`,
    token,
  );
  const refused = (serviceErrorCode: number, code: string, message: string) =>
    new RestError(401, code, message, { serviceErrorCode });
  if (!found) throw refused(65_600, "INVALID_ACCESS_TOKEN", "Invalid access token");
  const now = sandbox.now();
  const isNew = now - found.issued_at < sandbox.settings.all.linkedin_activation_lag_ms;
  if (found.is_dead || found.is_revoked || isNew) {
    throw refused(65_601, "REVOKED_ACCESS_TOKEN", "The token used in the request has been revoked by the user");
  }
  if (found.expires_at <= now) {
    throw refused(65_602, "EXPIRED_ACCESS_TOKEN", "The token used in the request has expired");
  }
  const { grant_id: grantId, client_id: clientId, person_id: personId } = found;
  return { token, grantId, clientId, personId, scopes: found.scopes.split(" ") };
}

export function killGrant(sandbox: Sandbox, id: number): void {
  sandbox.db.run("UPDATE linkedin_grants SET is_dead = 1 WHERE id = ?", id);
}

const DAY_MS = 86_400_000;
const SELF_SERVE_APP_CALLS = 100_000;
const DEVELOPMENT = { app: 500, member: 100 };

/** Counts the call against the limits of the UTC day. */
function count(sandbox: Sandbox, { clientId, personId }: Caller): void {
  const { linkedin_tier: tier, linkedin_self_serve_calls_per_day: selfServe, ...settings } = sandbox.settings.all;
  // The limits of the standard tier are not public.
  const open =
    tier === "development" ? DEVELOPMENT : { app: Number.POSITIVE_INFINITY, member: Number.POSITIVE_INFINITY };
  const ofTier = isSelfServe(clientId) ? { app: SELF_SERVE_APP_CALLS, member: selfServe } : open;
  const limits = {
    app: settings.linkedin_app_calls_per_day || ofTier.app,
    member: settings.linkedin_member_calls_per_day || ofTier.member,
  };
  const day = Math.floor(sandbox.now() / DAY_MS);
  const used = (name: string) =>
    sandbox.db.first<{ used: number }>(
      `INSERT INTO linkedin_allowances (day, name, used) VALUES (?, ?, 1)
       ON CONFLICT (day, name) DO UPDATE SET used = used + 1 RETURNING used`,
      day,
      name,
    )?.used ?? 0;
  if (used(clientId) > limits.app) throw throttledDay("APPLICATION");
  if (used(`${clientId} ${personId}`) > limits.member) throw throttledDay("MEMBER");
}

export const misbehaviour = (sandbox: Sandbox): Misbehaviour<LinkedinContext> => ({
  refusals: { organization_permission_missing: () => personalPermissions().toResponse() },
  outage: () => new RestError(500, undefined, "Internal Server Error").toResponse(),
  rateLimited() {
    switch (sandbox.settings.all.linkedin_throttle) {
      case "application_day":
        return throttledDay("APPLICATION").toResponse();
      case "member_day":
        return throttledDay("MEMBER").toResponse();
      case "burst":
        return new RestError(429, "TOO_MANY_REQUESTS", "Too many requests", { serviceErrorCode: 101 }).toResponse();
    }
  },
  expireToken(c) {
    sandbox.db.run("UPDATE linkedin_tokens SET expires_at = ? WHERE token = ?", sandbox.now(), bearer(c) ?? "");
  },
  async revokeToken(c) {
    const form = c.req.header("content-type")?.includes("form") ? await c.req.parseBody() : {};
    const token = bearer(c) ?? String(form.refresh_token ?? "");
    const found = sandbox.db.first<{ grant_id: number }>("SELECT grant_id FROM linkedin_tokens WHERE token = ?", token);
    if (found) killGrant(sandbox, found.grant_id);
  },
});
