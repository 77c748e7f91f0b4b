// Shared parts of X's API: problem responses, bearer tokens and scopes, rate limits with their headers.

import type { Context } from "hono";
import { z } from "zod";
import type { OwnFault } from "../faults";
import type { Misbehaviour } from "../operation";
import type { PlatformBindings } from "../platform";
import { randomText } from "../random";
import type { Sandbox } from "../sandbox";
import { type GrantRow, killGrant } from "./store";

export interface Caller {
  userId: string;
  scopes: string[];
}

export interface TwitterEnv {
  Bindings: PlatformBindings;
  Variables: { caller: Caller };
}
export type TwitterContext = Context<TwitterEnv>;

export const PROBLEMS = "https://api.x.com/2/problems/";

export class Problem extends Error {
  readonly status: number;
  readonly body: Record<string, unknown>;

  constructor(status: number, title: string, detail: string, more: Record<string, unknown> = {}) {
    super(detail);
    this.status = status;
    this.body = { title, type: "about:blank", status, detail, ...more };
  }

  toResponse(): Response {
    return Response.json(this.body, {
      status: this.status,
      headers: { "content-type": "application/problem+json", ...replyHeaders() },
    });
  }
}

export const replyHeaders = () => ({
  "x-transaction-id": randomText(16).toLowerCase(),
  "x-access-level": "read-write",
  "api-version": "2.167",
});

/** Status 400 with the name of the invalid parameter. */
export function invalid(message: string, parameter?: string, value?: unknown): Problem {
  const values = value === undefined ? [] : [typeof value === "string" ? value : JSON.stringify(value)];
  return new Problem(400, "Invalid Request", "One or more parameters to your request was invalid.", {
    type: `${PROBLEMS}invalid-request`,
    errors: [{ message, ...(parameter === undefined ? {} : { parameters: { [parameter]: values } }) }],
  });
}

export const forbidden = (detail: string) => new Problem(403, "Forbidden", detail);
export const unauthorized = () => new Problem(401, "Unauthorized", "Unauthorized");
export const NOT_PERMITTED = "You are not permitted to perform this action.";

/** An entry of the `errors` list in an otherwise successful response. */
export const notFoundEntry = (resource: "tweet" | "user", parameter: string, value: string) => ({
  value,
  detail: `Could not find ${resource} with ${parameter}: [${value}].`,
  title: "Not Found Error",
  resource_type: resource,
  parameter,
  resource_id: value,
  type: `${PROBLEMS}resource-not-found`,
});

export const missing = (resource: string, id: string) =>
  new Problem(404, "Not Found Error", `Could not find ${resource} with id: [${id}].`, {
    type: `${PROBLEMS}resource-not-found`,
    resource_type: resource,
    resource_id: id,
    value: id,
  });

/** The query of an endpoint. Rejects a name that is neither in the schema nor in `alsoKnown`. */
export function readQuery<S extends z.ZodObject>(
  c: TwitterContext,
  schema: S,
  alsoKnown: readonly string[] = [],
): z.infer<S> {
  const sent = c.req.query();
  const known = [...Object.keys(schema.shape), ...alsoKnown];
  const unknown = Object.keys(sent).find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw invalid(`The query parameter [${unknown}] is not one of [${known.join(",")}]`, unknown, sent[unknown]);
  }
  return check(schema, sent);
}

export async function readJson<S extends z.ZodType>(c: TwitterContext, schema: S): Promise<z.infer<S>> {
  if (!(c.req.header("content-type") ?? "").includes("application/json")) {
    throw invalid("The request body must be sent as application/json");
  }
  let sent: unknown;
  try {
    sent = await c.req.json();
  } catch {
    throw invalid("The request body is not valid JSON");
  }
  return check(schema, sent);
}

function check<S extends z.ZodType>(schema: S, sent: unknown): z.infer<S> {
  const parsed = schema.safeParse(sent);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const unknown = issue?.code === "unrecognized_keys" ? issue.keys[0] : undefined;
  const path = [...(issue?.path ?? []), ...(unknown === undefined ? [] : [unknown])].join(".");
  throw invalid(`$.${path}: ${issue?.message ?? "is not valid"}`, path || "$");
}

export const id = z.string().regex(/^\d{1,19}$/, "must be a string of 1 to 19 digits");
export const count = (least: number, most: number) =>
  z
    .string()
    .regex(/^\d{1,4}$/, "must be a number")
    .transform(Number)
    .pipe(
      z.number().min(least, `must be between ${least} and ${most}`).max(most, `must be between ${least} and ${most}`),
    );
export const instant = z.iso
  .datetime({ offset: true, error: "must be an ISO 8601 / RFC 3339 moment" })
  .transform((value) => Date.parse(value));

/** Counts a call. An empty user id stands for the app as a whole. */
export function use(
  sandbox: Sandbox,
  userId: string,
  name: string,
  { limit, windowMs }: { limit: number; windowMs: number },
) {
  const now = sandbox.now();
  type Window = { started_at: number; used: number };
  const window = sandbox.db.first<Window>(
    "SELECT started_at, used FROM twitter_allowances WHERE user_id = ? AND name = ?",
    userId,
    name,
  );
  const isOpen = window !== null && window.started_at <= now && window.started_at + windowMs > now;
  const startedAt = isOpen ? window.started_at : now;
  const used = isOpen ? window.used : 0;
  const isExhausted = used >= limit;
  const after = isExhausted ? used : used + 1;
  sandbox.db.replace("twitter_allowances", { user_id: userId, name, started_at: startedAt, used: after });
  return { limit, remaining: Math.max(0, limit - after), resetAt: startedAt + windowMs, isExhausted };
}

/** The fields of a call to the token endpoint, sent as a form or as JSON; null for anything else. */
export async function tokenForm(c: TwitterContext): Promise<Record<string, string> | null> {
  const type = c.req.header("content-type") ?? "";
  const isForm = type.includes("application/x-www-form-urlencoded");
  if (!isForm && !type.includes("application/json")) return null;
  const body = z
    .record(z.string(), z.unknown())
    .safeParse(await (isForm ? c.req.parseBody() : c.req.json().catch(() => null)));
  if (!body.success) return null;
  return Object.fromEntries(
    Object.entries(body.data).flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : [])),
  );
}

export const bearer = (c: TwitterContext) => /^Bearer (\S+)$/i.exec(c.req.header("authorization") ?? "")?.[1];

export function findCaller(sandbox: Sandbox, c: TwitterContext): Caller | null {
  type Found = { expires_at: number; user_id: string; scopes: string; is_dead: number };
  const found = sandbox.db.first<Found>(
    `SELECT t.expires_at, g.user_id, g.scopes, g.is_dead FROM twitter_tokens t
     JOIN twitter_grants g ON g.id = t.grant_id WHERE t.token = ? AND t.kind = 'access' AND t.is_used = 0`,
    bearer(c) ?? "",
  );
  if (!found || found.is_dead || found.expires_at <= sandbox.now()) return null;
  return { userId: found.user_id, scopes: found.scopes.split(" ") };
}

/**
 * Both "credits depleted" errors that X was seen to return, and the error of a locked account (in the format
 * of the previous API).
 */
const REFUSALS: Readonly<Partial<Record<OwnFault, () => Response>>> = {
  credits_depleted: () =>
    new Problem(402, "Payment Required", "credits depleted", { type: `${PROBLEMS}credits-depleted` }).toResponse(),
  credits_depleted_old: () =>
    new Problem(
      402,
      "CreditsDepleted",
      "Your enrolled account [1900000000000000001] does not have any credits to fulfill this request.",
      { type: `${PROBLEMS}credits`, account_id: "1900000000000000001" },
    ).toResponse(),
  account_locked: () => {
    const message =
      "To protect our users from spam and other malicious activity, this account is temporarily locked. Please log in to https://x.com to unlock your account.";
    return Response.json({ errors: [{ code: 326, message }] }, { status: 403, headers: replyHeaders() });
  },
};
export const misbehaviour = (sandbox: Sandbox): Misbehaviour<TwitterContext> => ({
  refusals: REFUSALS,
  outage: () => new Problem(503, "Service Unavailable", "Service Unavailable").toResponse(),
  rateLimited() {
    const answer = new Problem(429, "Too Many Requests", "Too Many Requests").toResponse();
    const reset = Math.ceil((sandbox.now() + sandbox.settings.all.rate_limit_reset_ms) / 1000);
    answer.headers.set("x-rate-limit-limit", "100");
    answer.headers.set("x-rate-limit-remaining", "0");
    answer.headers.set("x-rate-limit-reset", String(reset));
    return answer;
  },
  expireToken(c) {
    sandbox.db.run("UPDATE twitter_tokens SET expires_at = ? WHERE token = ?", sandbox.now(), bearer(c) ?? "");
  },
  async revokeToken(c) {
    const token = bearer(c) ?? (await tokenForm(c))?.refresh_token ?? "";
    const grant = sandbox.db.first<Pick<GrantRow, "id">>(
      "SELECT grant_id AS id FROM twitter_tokens WHERE token = ?",
      token,
    );
    if (grant) killGrant(sandbox, grant.id);
  },
});
