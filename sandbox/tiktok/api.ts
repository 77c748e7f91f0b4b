// Middleware of TikTok's API: faults, bearer tokens, scopes, rate limits per minute, and parsers for bodies
// and fields.

import type { Context, MiddlewareHandler } from "hono";
import type { z } from "zod";
import type { Operation } from "../faults";
import { formOf } from "../oauth";
import { type Misbehaviour, operation, type Which } from "../operation";
import type { PlatformBindings } from "../platform";
import type { Sandbox } from "../sandbox";
import type { Settings } from "../settings";
import { ApiError, badToken, invalidParams, outage, tooFast } from "./errors";
import { type AccountRow, countHit, findAccount, killGrants } from "./store";

export interface Caller {
  readonly clientKey: string;
  readonly grantId: number;
  readonly account: AccountRow;
  readonly scopes: readonly string[];
}
export interface TiktokEnv {
  Bindings: PlatformBindings;
  Variables: { caller: Caller };
}
export type TiktokContext = Context<TiktokEnv>;

type Rate = Extract<keyof Settings, `tiktok_${string}_per_minute`>;

interface Endpoint {
  readonly operation: Operation | null;
  /** One of these scopes is required. */
  readonly scopes: readonly string[];
  readonly rate: Rate;
}

/** The middleware before every handler. */
export function endpoint(
  sandbox: Sandbox,
  { operation: which, scopes, rate }: Endpoint,
): [MiddlewareHandler<TiktokEnv>, MiddlewareHandler<TiktokEnv>] {
  const enter: MiddlewareHandler<TiktokEnv> = async (c, next) => {
    const token = bearerOf(c);
    const caller = callerOf(sandbox, token);
    c.set("caller", caller);
    if (!scopes.some((scope) => caller.scopes.includes(scope))) {
      throw new ApiError("scope_not_authorized", `The user did not authorize the scope ${scopes.join(" or ")}.`);
    }
    if (!countHit(sandbox, token, c.req.path, sandbox.settings.all[rate])) throw tooFast();
    await next();
  };
  return [faults(sandbox, which), enter];
}

export const faults = (sandbox: Sandbox, which: Which<TiktokContext>) =>
  operation<TiktokEnv>(sandbox, "tiktok", which, misbehaviour(sandbox));

function bearerOf(c: TiktokContext): string {
  return /^Bearer (\S+)$/.exec(c.req.header("authorization") ?? "")?.[1] ?? "";
}

function callerOf(sandbox: Sandbox, token: string): Caller {
  type Found = { expires_at: number; grant_id: number; client_key: string; account_id: string; scopes: string };
  const found = sandbox.db.first<Found>(
    `SELECT t.expires_at, t.grant_id, g.client_key, g.account_id, g.scopes FROM tiktok_tokens t
     JOIN tiktok_grants g ON g.id = t.grant_id WHERE t.token = ? AND t.kind = 'access' AND g.is_dead = 0`,
    token,
  );
  const account = found && findAccount(sandbox, found.account_id);
  if (!found || !account || found.expires_at <= sandbox.now()) throw badToken();
  return { clientKey: found.client_key, grantId: found.grant_id, account, scopes: found.scopes.split(",") };
}

/** The body as JSON in this shape; an empty body is an empty object. Strict mode rejects unknown names. */
export async function readJson<S extends z.ZodObject>(
  sandbox: Sandbox,
  c: TiktokContext,
  schema: S,
): Promise<z.output<S>> {
  const type = c.req.header("content-type") ?? "";
  if (!/^application\/json(?:;\s*charset=utf-8)?$/i.test(type))
    throw invalidParams("Content-Type must be JSON, UTF-8.");
  const sent = parse(new TextDecoder().decode(await c.req.arrayBuffer()));
  const parsed = schema.safeParse(sent);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw invalidParams(`${issue?.path.join(".") || "The body"}: ${issue?.message ?? "is not valid"}`);
  }
  const unknown = Object.keys(Object(sent)).find((name) => !Object.hasOwn(schema.shape, name));
  if (unknown !== undefined && sandbox.settings.all.strict) throw invalidParams(`${unknown} is not known here.`);
  return parsed.data;
}

function parse(text: string): unknown {
  if (text === "") return {};
  try {
    return JSON.parse(text);
  } catch {
    throw invalidParams("The body is no JSON.");
  }
}

/** The requested `fields`. A request without any, or with an unknown one, is rejected. */
export function fieldsOf(c: TiktokContext, known: readonly string[]): string[] {
  const fields = (c.req.query("fields") ?? "").split(",").filter(Boolean);
  if (fields.length === 0) throw invalidParams("The parameter fields is required.");
  const unknown = fields.find((field) => !known.includes(field));
  if (unknown !== undefined) throw invalidParams(`The field ${unknown} does not exist.`);
  return fields;
}

const misbehaviour = (sandbox: Sandbox): Misbehaviour<TiktokContext> => ({
  refusals: {},
  outage: () => outage().toResponse(),
  rateLimited: () => tooFast().toResponse(),
  expireToken(c) {
    const grantId = grantOf(sandbox, c);
    sandbox.db.run(
      "UPDATE tiktok_tokens SET expires_at = ? WHERE grant_id = ? AND kind = 'access'",
      sandbox.now(),
      grantId,
    );
  },
  async revokeToken(c) {
    killGrants(sandbox, grantOf(sandbox, c) || (await grantInForm(sandbox, c)));
  },
});

/** The grant of the token. Uploads carry no token, so their grant comes from the task. */
function grantOf(sandbox: Sandbox, c: TiktokContext): number {
  const byToken = sandbox.db.first<{ grant_id: number }>(
    "SELECT grant_id FROM tiktok_tokens WHERE token = ?",
    bearerOf(c),
  );
  const byUpload = sandbox.db.first<{ grant_id: number }>(
    "SELECT grant_id FROM tiktok_tasks WHERE upload_id = ?",
    c.req.query("upload_id") ?? "",
  );
  return byToken?.grant_id ?? byUpload?.grant_id ?? 0;
}

async function grantInForm(sandbox: Sandbox, c: TiktokContext): Promise<number> {
  const { refresh_token = "" } = await formOf(c);
  return (
    sandbox.db.first<{ grant_id: number }>("SELECT grant_id FROM tiktok_tokens WHERE token = ?", refresh_token)
      ?.grant_id ?? 0
  );
}
