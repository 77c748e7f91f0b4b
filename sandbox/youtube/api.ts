// Middleware of YouTube's Data API: faults, bearer tokens, quota, scopes, parameters.

import type { Context, MiddlewareHandler } from "hono";
import type { z } from "zod";
import { formOf } from "../oauth";
import { type Misbehaviour, operation, type Which } from "../operation";
import type { PlatformBindings } from "../platform";
import type { Sandbox } from "../sandbox";
import {
  ApiError,
  badToken,
  invalidValue,
  lacksScope,
  loginRequired,
  missingParameter,
  outage,
  quotaExceeded,
  signupRequired,
  tooFast,
  uploadsExceeded,
} from "./errors";
import { findChannel, killAccount } from "./store";

export interface Caller {
  accountId: string;
  /** Empty if the Google account has no channel. */
  channelId: string;
  scopes: string[];
}
export interface YoutubeEnv {
  Bindings: PlatformBindings;
  Variables: { caller: Caller };
}
export type YoutubeContext = Context<YoutubeEnv>;

const PREFIX = "https://www.googleapis.com/auth/";
const scopes = (...names: string[]) => names.map((name) => `${PREFIX}${name}`);
/** One scope of each list is required. */
export const UPLOAD = scopes("youtube.upload", "youtube", "youtube.force-ssl");
export const READ = scopes("youtube.readonly", "youtube", "youtube.force-ssl");
export const MANAGE = scopes("youtube", "youtube.force-ssl");
export const COMMENTS = scopes("youtube.force-ssl");

/** Accepted by every call and mostly ignored. */
const COMMON = ["key", "prettyPrint", "alt", "quotaUser", "fields", "access_token", "oauth_token", "userIp", "$.xgafv"];

interface Endpoint {
  operation: Which<YoutubeContext>;
  scopes: readonly string[];
  /** In units of the general quota, or one upload. */
  cost: number | "upload";
  /** Known query parameters; strict mode rejects others. */
  params: readonly string[];
  /** Whether a Google account without a channel may call this endpoint. */
  needsChannel?: boolean;
}

type Entrance = [MiddlewareHandler<YoutubeEnv>, MiddlewareHandler<YoutubeEnv>];

/** The middleware of every handler. */
export function endpoint(sandbox: Sandbox, rules: Endpoint): Entrance {
  const { operation: which } = rules;
  const enter: MiddlewareHandler<YoutubeEnv> = async (c, next) => {
    const caller = callerOf(sandbox, c);
    c.set("caller", caller);
    charge(sandbox, rules.cost);
    if (!rules.scopes.some((scope) => caller.scopes.includes(scope))) throw lacksScope();
    refuseUnknown(sandbox, c, rules.params);
    if (rules.needsChannel !== false && caller.channelId === "") throw signupRequired();
    await next();
  };
  return [faults(sandbox, which), enter];
}

export function faults(sandbox: Sandbox, which: Endpoint["operation"]): MiddlewareHandler<YoutubeEnv> {
  return operation<YoutubeEnv>(sandbox, "youtube", which, misbehaviour(sandbox));
}

function refuseUnknown(sandbox: Sandbox, c: YoutubeContext, params: readonly string[]): void {
  if (!sandbox.settings.all.strict) return;
  const unknown = Object.keys(c.req.query()).find((name) => !params.includes(name) && !COMMON.includes(name));
  if (unknown !== undefined) {
    throw new ApiError(400, "unexpectedParameter", `The parameter ${unknown} is not known here.`, {
      location: unknown,
    });
  }
}

export function callerOf(sandbox: Sandbox, c: YoutubeContext): Caller {
  const token = tokenOf(sandbox, c);
  if (token === null) throw loginRequired();
  type Found = { expires_at: number; account_id: string; channel_id: string | null; scopes: string };
  const found = sandbox.db.first<Found>(
    `SELECT t.expires_at, g.account_id, g.channel_id, g.scopes FROM youtube_tokens t
     JOIN youtube_grants g ON g.id = t.grant_id WHERE t.token = ? AND t.kind = 'access' AND g.is_dead = 0`,
    token,
  );
  if (!found || found.expires_at <= sandbox.now()) throw badToken();
  const channel = findChannel(sandbox, found.channel_id ?? "");
  return { accountId: found.account_id, channelId: channel?.id ?? "", scopes: found.scopes.split(" ") };
}

function tokenOf(sandbox: Sandbox, c: YoutubeContext): string | null {
  const [, inHeader] = /^Bearer (\S+)$/i.exec(c.req.header("authorization") ?? "") ?? [];
  const inQuery = sandbox.settings.all.youtube_query_token === "taken" ? c.req.query("access_token") : undefined;
  return inHeader ?? inQuery ?? null;
}

/** Failed requests are charged too. */
function charge(sandbox: Sandbox, cost: number | "upload"): void {
  const { youtube_uploads_per_day, youtube_uploads_refusal, youtube_units_per_day } = sandbox.settings.all;
  const [bucket, units, limit] =
    cost === "upload" ? ["uploads", 1, youtube_uploads_per_day] : ["general", cost, youtube_units_per_day];
  const day = pacificDay(sandbox.now());
  const used =
    sandbox.db.first<{ used: number }>("SELECT used FROM youtube_usage WHERE day = ? AND bucket = ?", day, bucket)
      ?.used ?? 0;
  if (used + units > limit) {
    const isRate = cost === "upload" && youtube_uploads_refusal === "rate_limit";
    throw isRate ? uploadsExceeded() : quotaExceeded();
  }
  sandbox.db.run(
    "INSERT OR REPLACE INTO youtube_usage (day, bucket, used) VALUES (?, ?, ?)",
    day,
    bucket,
    used + units,
  );
}

/** The date in Los Angeles, as YYYY-MM-DD. */
const pacificDay = (at: number) =>
  new Intl.DateTimeFormat("en-CA", { timeZone: "America/Los_Angeles", dateStyle: "short" }).format(at);

/** A list parameter: repeated, or separated by commas. */
export function listParam(c: YoutubeContext, name: string): string[] {
  const values = (c.req.queries(name) ?? []).flatMap((value) => value.split(","));
  return [...new Set(values.map((value) => value.trim()).filter(Boolean))];
}

/** The `part` parameter. */
export function partsOf(c: YoutubeContext, known: readonly string[]): string[] {
  const parts = listParam(c, "part");
  if (parts.length === 0) throw missingParameter("part");
  const unknown = parts.find((part) => !known.includes(part));
  if (unknown !== undefined) {
    throw new ApiError(400, "unknownPart", `'${unknown}'`, { domain: "youtube.part", location: "part" });
  }
  return parts;
}

/** Which of these filters the request has. */
export const given = (c: YoutubeContext, names: readonly string[]) =>
  names.filter((name) => (c.req.query(name) ?? "") !== "");

/** The number of items on a page. */
function pageSize(c: YoutubeContext, usual: number, most: number): number {
  const sent = c.req.query("maxResults");
  if (sent === undefined) return usual;
  const size = Number(sent);
  if (!Number.isInteger(size) || size < 1 || size > most) {
    throw invalidValue("maxResults", `maxResults must be a number from 1 to ${most}.`);
  }
  return size;
}

/** One page of a list, with the tokens of its neighbours. */
export function pageOf<T>(c: YoutubeContext, all: readonly T[], usual: number, most: number) {
  const size = pageSize(c, usual, most);
  const start = startOf(c.req.query("pageToken"));
  if (start > all.length) throw badPage();
  const end = start + size;
  return {
    items: all.slice(start, end),
    envelope: {
      ...(end < all.length ? { nextPageToken: tokenAt(end) } : {}),
      ...(start > 0 ? { prevPageToken: tokenAt(Math.max(0, start - size)) } : {}),
      pageInfo: { totalResults: all.length, resultsPerPage: size },
    },
  };
}

const badPage = () =>
  new ApiError(400, "invalidPageToken", "The request specifies an invalid page token.", { location: "pageToken" });
const tokenAt = (at: number) => btoa(`at:${at}`).replaceAll("=", "");

function startOf(token: string | undefined): number {
  if (token === undefined) return 0;
  try {
    const [, at] = /^at:(\d+)$/.exec(atob(token)) ?? [];
    if (at !== undefined) return Number(at);
  } catch {
    // Not base64, so not our token.
  }
  throw badPage();
}

/** The body as JSON in this shape. */
export async function readJson<S extends z.ZodType>(c: YoutubeContext, schema: S): Promise<z.output<S>> {
  let sent: unknown;
  try {
    sent = await c.req.json();
  } catch {
    throw new ApiError(400, "parseError", "Parse Error");
  }
  return checkJson(schema, sent);
}

function checkJson<S extends z.ZodType>(schema: S, sent: unknown): z.output<S> {
  const parsed = schema.safeParse(sent);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const path = issue?.path.join(".") || "body";
  throw new ApiError(400, "badRequest", `Invalid JSON payload received. ${path}: ${issue?.message ?? "is not valid"}`, {
    location: path,
    locationType: "body",
  });
}

const misbehaviour = (sandbox: Sandbox): Misbehaviour<YoutubeContext> => ({
  refusals: {},
  outage: () => outage().toResponse(),
  rateLimited() {
    const seconds = Math.max(1, Math.ceil(sandbox.settings.all.rate_limit_reset_ms / 1000));
    return tooFast().toResponse({ "retry-after": String(seconds) });
  },
  expireToken(c) {
    const token = tokenOf(sandbox, c) ?? "";
    sandbox.db.run("UPDATE youtube_tokens SET expires_at = ? WHERE token = ?", sandbox.now(), token);
  },
  async revokeToken(c) {
    const token = tokenOf(sandbox, c) ?? (await formOf(c)).refresh_token ?? "";
    const owner = sandbox.db.first<{ account_id: string }>(
      "SELECT g.account_id FROM youtube_tokens t JOIN youtube_grants g ON g.id = t.grant_id WHERE t.token = ?",
      token,
    );
    if (owner) killAccount(sandbox, owner.account_id);
  },
});
