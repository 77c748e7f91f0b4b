// Middleware of TikTok's API for Business: faults, tokens, scopes, rate limits per minute, and parsers for
// queries and bodies.

import type { Context, MiddlewareHandler } from "hono";
import { z } from "zod";
import type { Operation } from "../faults";
import { parseJson } from "../json";
import { type Misbehaviour, operation } from "../operation";
import type { PlatformBindings } from "../platform";
import type { Sandbox } from "../sandbox";
import { businessIdOf } from "./apps";
import { BusinessError, badParam, outage, tooOften } from "./business-errors";
import { type AccountRow, countHit, findAccount } from "./store";

export interface BusinessCaller {
  readonly grantId: number;
  readonly account: AccountRow;
  readonly scopes: readonly string[];
}
export interface BusinessEnv {
  Bindings: PlatformBindings;
  Variables: { caller: BusinessCaller };
}
export type BusinessContext = Context<BusinessEnv>;

/** The middleware before every handler except the login. */
export function businessEndpoint(
  sandbox: Sandbox,
  { operation: which, scope }: { readonly operation: Operation | null; readonly scope: string | null },
): [MiddlewareHandler<BusinessEnv>, MiddlewareHandler<BusinessEnv>] {
  const enter: MiddlewareHandler<BusinessEnv> = async (c, next) => {
    const caller = callerOf(sandbox, tokenOf(c));
    c.set("caller", caller);
    if (scope !== null) demandScope(caller, scope);
    const most = sandbox.settings.all;
    countCall(sandbox, "business app", "all", most.tiktok_business_app_calls_per_minute);
    countCall(sandbox, businessIdOf(caller.account.id), c.req.path, most.tiktok_business_calls_per_minute);
    await next();
  };
  return [businessFaults(sandbox, which), enter];
}

export const businessFaults = (sandbox: Sandbox, which: Operation | null) =>
  operation<BusinessEnv>(sandbox, "tiktok", which, misbehaviour(sandbox));

export function demandScope({ scopes }: BusinessCaller, scope: string): void {
  if (!scopes.includes(scope)) throw new BusinessError("scope", `The scope ${scope} is not authorized.`);
}

const tokenOf = (c: BusinessContext): string => c.req.header("access-token") ?? "";

function callerOf(sandbox: Sandbox, token: string): BusinessCaller {
  if (token === "") throw new BusinessError("noToken", "Access token is empty.");
  type Found = { grant_id: number; account_id: string; scopes: string; is_dead: number; expires_at: number };
  const found = sandbox.db.first<Found>(
    `SELECT t.grant_id, t.expires_at, g.account_id, g.scopes, g.is_dead FROM tiktok_business_tokens t
     JOIN tiktok_business_grants g ON g.id = t.grant_id WHERE t.token = ? AND t.kind = 'access'`,
    token,
  );
  const account = found && findAccount(sandbox, found.account_id);
  if (!found || !account || found.is_dead) throw new BusinessError("badToken", "Access token is incorrect or revoked.");
  if (found.expires_at <= sandbox.now()) throw new BusinessError("expired", "Access token has expired.");
  return { grantId: found.grant_id, account, scopes: found.scopes.split(",") };
}

export function countCall(sandbox: Sandbox, who: string, bucket: string, most: number): void {
  if (!countHit(sandbox, who, bucket, most)) throw tooOften();
}

/** A list, as JSON in one parameter. */
export const jsonList = z.string().transform((text, context): string[] => {
  const parsed = z.array(z.string()).safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  context.addIssue({ code: "custom", message: "must be a list, as JSON" });
  return z.NEVER;
});

/** A number in a query. */
export const queryNumber = (min: number, max: number) =>
  z.string().regex(/^\d+$/).transform(Number).pipe(z.number().min(min).max(max));

/** The query parameters of every account call. Strict mode rejects unknown names. */
export function readQuery<S extends z.ZodObject>(sandbox: Sandbox, c: BusinessContext, schema: S): z.output<S> {
  const query = c.req.query();
  demandOwn(c, query.business_id);
  return read(sandbox, schema, query, ["business_id"]);
}

/** The same for a JSON body. */
export async function readBody<S extends z.ZodObject>(
  sandbox: Sandbox,
  c: BusinessContext,
  schema: S,
): Promise<z.output<S>> {
  const sent = await readJson(c);
  demandOwn(c, z.object({ business_id: z.string() }).safeParse(sent).data?.business_id);
  return read(sandbox, schema, sent, ["business_id"]);
}

export async function readJson(c: Pick<Context, "req">): Promise<unknown> {
  if (!/^application\/json\b/.test(c.req.header("content-type") ?? "")) throw badParam("Content-Type must be JSON.");
  return parseJson(new TextDecoder().decode(await c.req.arrayBuffer()));
}

export function read<S extends z.ZodObject>(
  sandbox: Sandbox,
  schema: S,
  sent: unknown,
  alsoKnown: readonly string[] = [],
): z.output<S> {
  const parsed = schema.safeParse(sent);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw badParam(`${issue?.path.join(".") || "The request"}: ${issue?.message ?? "is not valid"}`);
  }
  const known = [...Object.keys(schema.shape), ...alsoKnown];
  const unknown = Object.keys(Object(sent)).find((name) => !known.includes(name));
  if (unknown !== undefined && sandbox.settings.all.strict) throw badParam(`${unknown}: Unknown field.`);
  return parsed.data;
}

function demandOwn(c: BusinessContext, businessId: string | undefined): void {
  if (businessId === undefined) throw badParam("business_id: Missing data for required field.");
  if (businessId !== businessIdOf(c.var.caller.account.id)) {
    throw new BusinessError("permission", `No permission to operate TikTok account ${businessId}.`);
  }
}

const misbehaviour = (sandbox: Sandbox): Misbehaviour<BusinessContext> => ({
  refusals: {},
  outage: () => outage().toResponse(),
  rateLimited: () => tooOften().toResponse(),
  expireToken(c) {
    sandbox.db.run(
      "UPDATE tiktok_business_tokens SET expires_at = ? WHERE token = ? AND kind = 'access'",
      sandbox.now(),
      tokenOf(c),
    );
  },
  async revokeToken(c) {
    killBusinessGrants(sandbox, await grantOf(sandbox, c));
  },
});

/** The grant of the call's token, from the header or the body. */
async function grantOf(sandbox: Sandbox, c: BusinessContext): Promise<number> {
  const Sent = z.object({ refresh_token: z.string().optional(), access_token: z.string().optional() });
  const sent = tokenOf(c) === "" ? Sent.safeParse(parseJson(await c.req.raw.clone().text())).data : undefined;
  const token = sent?.refresh_token ?? sent?.access_token ?? tokenOf(c);
  return (
    sandbox.db.first<{ grant_id: number }>("SELECT grant_id FROM tiktok_business_tokens WHERE token = ?", token)
      ?.grant_id ?? 0
  );
}

/** Revokes all logins of the grant's account. */
export function killBusinessGrants(sandbox: Sandbox, grantId: number): void {
  sandbox.db.run(
    `UPDATE tiktok_business_grants SET is_dead = 1
     WHERE account_id = (SELECT account_id FROM tiktok_business_grants WHERE id = ?)`,
    grantId,
  );
}
