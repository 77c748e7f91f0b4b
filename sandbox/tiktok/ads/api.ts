// Middleware of TikTok's Marketing API: faults, tokens, rate limits per minute, the ad account parameter, and
// paging.

import type { Context, MiddlewareHandler } from "hono";
import { z } from "zod";
import type { Operation } from "../../faults";
import { type Misbehaviour, operation } from "../../operation";
import type { PlatformBindings } from "../../platform";
import type { Sandbox } from "../../sandbox";
import { countCall, queryNumber, read, readJson } from "../business-api";
import { BusinessError, badParam, outage, tooOften } from "../business-errors";
import { type Advertiser, findAdvertiser } from "./advertisers";
import { settle } from "./delivery";

interface AdsCaller {
  readonly loginId: number;
  readonly advertiserIds: readonly string[];
}
export interface AdsEnv {
  Bindings: PlatformBindings;
  Variables: { caller: AdsCaller };
}
export type AdsContext = Context<AdsEnv>;

/** The middleware before every handler except the two that authenticate the app itself. */
export function adsEndpoint(sandbox: Sandbox, which: Which): [MiddlewareHandler<AdsEnv>, MiddlewareHandler<AdsEnv>] {
  const enter: MiddlewareHandler<AdsEnv> = async (c, next) => {
    const caller = callerOf(sandbox, tokenOf(c));
    c.set("caller", caller);
    countCall(sandbox, `ads ${caller.loginId}`, c.req.path, sandbox.settings.all.tiktok_ads_calls_per_minute);
    await next();
  };
  return [adsFaults(sandbox, which), enter];
}

type Which = Operation | ((c: AdsContext) => Promise<Operation>);

export const adsFaults = (sandbox: Sandbox, which: Which) =>
  operation<AdsEnv>(sandbox, "tiktok", which, misbehaviour(sandbox));

const tokenOf = (c: AdsContext): string => c.req.header("access-token") ?? "";

function callerOf(sandbox: Sandbox, token: string): AdsCaller {
  if (token === "") throw new BusinessError("noToken", "Access token is empty.");
  const found = sandbox.db.first<{ id: number; advertiser_ids: string }>(
    `SELECT l.id, l.advertiser_ids FROM tiktok_ads_tokens t JOIN tiktok_ads_logins l ON l.id = t.login_id
     WHERE t.token = ? AND l.is_dead = 0`,
    token,
  );
  if (!found) throw new BusinessError("badToken", "Access token is incorrect or has been revoked.");
  return { loginId: found.id, advertiserIds: found.advertiser_ids.split(",") };
}

const Named = z.object({ advertiser_id: z.string() });

interface Requested<T> {
  readonly advertiser: Advertiser;
  readonly requested: T;
}

/** The query of a GET on an ad account. Strict mode rejects unknown names. */
export function readAdsQuery<S extends z.ZodObject>(
  sandbox: Sandbox,
  c: AdsContext,
  schema: S,
): Requested<z.output<S>> {
  const query = c.req.query();
  const advertiser = namedAdvertiser(sandbox, c, query);
  return { advertiser, requested: read(sandbox, schema, query, ["advertiser_id"]) };
}

/** The same for a JSON body. */
export async function readAdsBody<S extends z.ZodObject>(
  sandbox: Sandbox,
  c: AdsContext,
  schema: S,
): Promise<Requested<z.output<S>>> {
  const sent = await readJson(c);
  const advertiser = namedAdvertiser(sandbox, c, sent);
  return { advertiser, requested: read(sandbox, schema, sent, ["advertiser_id"]) };
}

function namedAdvertiser(sandbox: Sandbox, c: AdsContext, sent: unknown): Advertiser {
  const named = Named.safeParse(sent).data;
  if (!named) throw badParam("advertiser_id: Missing data for required field.");
  const advertiser = sharedAdvertiser(c, named.advertiser_id);
  settle(sandbox, advertiser);
  return advertiser;
}

/** An ad account that the user has shared on the consent page. */
export function sharedAdvertiser(c: AdsContext, id: string): Advertiser {
  const advertiser = findAdvertiser(id);
  if (!advertiser) throw new BusinessError("noAdvertiser", `The advertiser ${id} does not exist.`);
  if (c.var.caller.advertiserIds.includes(id)) return advertiser;
  throw new BusinessError("permission", `No permission to operate advertiser ${id}.`);
}

/** JSON within one query parameter. */
export const jsonIn = <S extends z.ZodType>(schema: S) =>
  z
    .string()
    .transform((text, context): unknown => {
      try {
        return JSON.parse(text);
      } catch {
        context.addIssue({ code: "custom", message: "must be JSON" });
        return z.NEVER;
      }
    })
    .pipe(schema);

export const PAGING = (largest: number, usual = 10) => ({
  page: queryNumber(1, 1_000_000).default(1),
  page_size: queryNumber(1, largest).default(usual),
});

export function pageOf<T>(rows: readonly T[], { page, page_size }: { page: number; page_size: number }) {
  const shown = rows.slice((page - 1) * page_size, page * page_size);
  const total_page = Math.ceil(rows.length / page_size);
  return { shown, page_info: { page, page_size, total_number: rows.length, total_page } };
}

/** The selected fields of a view; ids are always included. */
export function chosenOf(view: Readonly<Record<string, unknown>>, fields: readonly string[] | undefined) {
  if (!fields) return view;
  const unknown = fields.find((field) => !Object.hasOwn(view, field));
  if (unknown !== undefined) throw badParam(`fields: ${unknown} is not a field.`);
  return Object.fromEntries(Object.entries(view).filter(([name]) => fields.includes(name) || name.endsWith("_id")));
}

const misbehaviour = (sandbox: Sandbox): Misbehaviour<AdsContext> => ({
  refusals: {},
  // Reads do not use up `accept_then_…` faults; these wait for a write. Some look-ups are POSTs.
  isWrite: (c) => c.req.method === "POST" && c.env.call.operation !== "ads_search",
  outage: () => outage().toResponse(),
  rateLimited: () => tooOften().toResponse(),
  // Tokens never expire, so this fault revokes the token.
  expireToken: (c) => sandbox.db.run("DELETE FROM tiktok_ads_tokens WHERE token = ?", tokenOf(c)),
  revokeToken(c) {
    sandbox.db.run(
      "UPDATE tiktok_ads_logins SET is_dead = 1 WHERE id = (SELECT login_id FROM tiktok_ads_tokens WHERE token = ?)",
      tokenOf(c),
    );
  },
});
