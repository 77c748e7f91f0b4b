// The ground rules of the Graph API: error shape, parameters from query and body alike, token kinds, proofs, usage.

import type { Context } from "hono";
import { z } from "zod";
import type { Misbehaviour } from "../operation";
import type { PlatformBindings } from "../platform";
import { randomText } from "../random";
import type { Sandbox } from "../sandbox";

export const APP_ID = "100000000000001";
export const APP_SECRET = "sandbox-facebook-secret";
export const APP_NAME = "Belfry (simulated)";
export const GRAPH = "https://graph.facebook.com";

export type Params = Record<string, unknown>;

export interface FacebookEnv {
  Bindings: PlatformBindings;
  Variables: { params: Params; isStrict: boolean };
}
export type FacebookContext = Context<FacebookEnv>;

export type TokenKind = "app" | "user_short" | "user_long" | "page";

export interface Token {
  token: string;
  kind: TokenKind;
  grantId: number;
  personId: string;
  pageId: string | null;
  scopes: string[];
  /** What is wrong with it, null while it works. */
  trouble: { subcode: number; message: string } | null;
}

// --- errors ---

interface ErrorDetail {
  status?: number;
  type?: string;
  subcode?: number;
  userTitle?: string;
  userMessage?: string;
  detail?: unknown;
}

export class GraphError extends Error {
  readonly code: number;
  readonly detail: ErrorDetail;

  constructor(code: number, message: string, detail: ErrorDetail = {}) {
    super(message);
    this.code = code;
    this.detail = detail;
  }

  toResponse(): Response {
    const { status, type, subcode, userTitle, userMessage, detail } = this.detail;
    const error = {
      message: this.message,
      type: type ?? "OAuthException",
      code: this.code,
      ...(subcode === undefined ? {} : { error_subcode: subcode }),
      is_transient: [1, 2, 4, 17, 32, 613].includes(this.code),
      ...(userTitle === undefined ? {} : { error_user_title: userTitle }),
      ...(userMessage === undefined ? {} : { error_user_msg: userMessage }),
      ...(detail === undefined ? {} : { error_data: JSON.stringify(detail) }),
      fbtrace_id: `A${randomText(22)}`,
    };
    const fallback = this.code === 1 || this.code === 2 ? 500 : [10, 200].includes(this.code) ? 403 : 400;
    return Response.json({ error }, { status: status ?? fallback });
  }
}

export const badParameter = (message: string, subcode?: number) =>
  new GraphError(100, `(#100) ${message}`, subcode === undefined ? {} : { subcode });

export const missingObject = (id: string, method = "get") =>
  new GraphError(
    100,
    `Unsupported ${method} request. Object with ID '${id}' does not exist, cannot be loaded due to missing permissions, or does not support this operation.`,
    { type: "GraphMethodException", subcode: 33 },
  );

export const photoRefused = (why: string) =>
  new GraphError(100, "(#100) Invalid parameter", {
    subcode: 1366046,
    userTitle: "Can't Read Files",
    userMessage: `Your photos couldn't be uploaded. Photos should be less than 4 MB and saved as JPG, PNG, GIF or TIFF files (${why}).`,
  });

// --- parameters ---

/** Known everywhere; Meta's own SDK sends `id` with every write. */
const COMMON = ["access_token", "appsecret_proof", "id"];

/** Query and body together, the way the Graph API sees them. */
export async function readParams(request: Request): Promise<Params> {
  const params: Params = Object.fromEntries(new URL(request.url).searchParams);
  if (request.method === "GET" || request.method === "HEAD" || !request.body) return params;
  const type = request.headers.get("content-type") ?? "";
  try {
    if (type.includes("application/json")) {
      const body = z.record(z.string(), z.unknown()).safeParse(await request.json());
      if (!body.success) throw badParameter("The request body must be a JSON object");
      return { ...params, ...body.data };
    }
    if (type.includes("multipart/form-data") || type.includes("application/x-www-form-urlencoded")) {
      return { ...params, ...Object.fromEntries(await request.formData()) };
    }
  } catch (error) {
    if (error instanceof GraphError) throw error;
    throw badParameter("The request body could not be read");
  }
  if ((await request.arrayBuffer()).byteLength > 0) throw badParameter(`Unsupported content type '${type}'`);
  return params;
}

/** The parameters of one endpoint. Those it does not know are ignored, like the real ones; a strict sandbox refuses them. */
export function parse<S extends z.ZodObject>(c: FacebookContext, schema: S): z.infer<S> {
  const own = Object.entries(c.var.params).filter(([name]) => name in schema.shape);
  if (c.var.isStrict) {
    const unknown = Object.keys(c.var.params).find((name) => !(name in schema.shape) && !COMMON.includes(name));
    if (unknown !== undefined) throw badParameter(`Param ${unknown} is not a known parameter of this endpoint`);
  }
  const parsed = schema.safeParse(Object.fromEntries(own));
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw badParameter(`Param ${issue?.path.join(".") || "(body)"}: ${issue?.message ?? "is invalid"}`);
}

export const text = z.string();
export const flag = z
  .union([z.boolean(), z.enum(["true", "false", "1", "0"]), z.literal([0, 1])])
  .transform((value) => value === true || value === "true" || value === "1" || value === 1);
export const file = z.instanceof(File, { error: "must be a file (multipart)" });
export const wholeNumber = z.union([
  z.number().int().min(0),
  z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number),
]);

/** A nested value: JSON text in a form, real JSON in a JSON body. */
export const nested = <S extends z.ZodType>(schema: S) =>
  z.preprocess((value, context) => {
    if (typeof value !== "string") return value;
    try {
      return JSON.parse(value);
    } catch {
      context.addIssue("must be valid JSON");
      return z.NEVER;
    }
  }, schema);

/** Unix seconds, or what a date parser understands. */
export const moment = z.union([z.number(), z.string()]).transform((value, context) => {
  const seconds = typeof value === "number" || /^\d+$/.test(value) ? Number(value) : Date.parse(value) / 1000;
  if (Number.isFinite(seconds)) return Math.round(seconds * 1000);
  context.addIssue("must be a unix timestamp or a date");
  return z.NEVER;
});

// --- tokens ---

const CONNECT_AGAIN = "Error validating access token: ";
const DEAD: Readonly<Record<number, string>> = {
  458: `${CONNECT_AGAIN}The user has not authorized application ${APP_ID}.`,
  460: `${CONNECT_AGAIN}The session has been invalidated because the user changed their password.`,
  463: `${CONNECT_AGAIN}Session has expired.`,
  467: `${CONNECT_AGAIN}The session is invalid because the user logged out.`,
  492: `${CONNECT_AGAIN}The user no longer has a role on this Page.`,
};

type TokenRow = {
  token: string;
  kind: TokenKind;
  grant_id: number;
  page_id: string | null;
  expires_at: number;
  dead_subcode: number | null;
  person_id: string;
  scopes: string;
  grant_dead: number | null;
};

/** Any token we ever gave out, working or not; null for one we never did. */
export function findToken(sandbox: Sandbox, token: string): Token | null {
  if (token === `${APP_ID}|${APP_SECRET}`) {
    return { token, kind: "app", grantId: 0, personId: "", pageId: null, scopes: [], trouble: null };
  }
  const row = sandbox.db.first<TokenRow>(
    `SELECT t.token, t.kind, t.grant_id, t.page_id, t.expires_at, t.dead_subcode, g.person_id, g.scopes,
       g.dead_subcode AS grant_dead
     FROM facebook_tokens t JOIN facebook_grants g ON g.id = t.grant_id WHERE t.token = ?`,
    token,
  );
  if (!row) return null;
  const isExpired = row.expires_at > 0 && row.expires_at <= sandbox.now();
  const subcode = row.grant_dead ?? row.dead_subcode ?? (isExpired ? 463 : null);
  return {
    token,
    kind: row.kind,
    grantId: row.grant_id,
    personId: row.person_id,
    pageId: row.page_id,
    scopes: z.array(z.string()).parse(JSON.parse(row.scopes)),
    trouble: subcode === null ? null : { subcode, message: DEAD[subcode] ?? `${CONNECT_AGAIN}It is no longer valid.` },
  };
}

/** The token of the call, checked: known, alive, and proven with the app's secret where that is asked for. */
export async function authenticate(sandbox: Sandbox, c: FacebookContext, kinds: readonly TokenKind[]): Promise<Token> {
  const sent = sentToken(c);
  if (sent === null) {
    throw new GraphError(104, "An access token is required to request this resource.");
  }
  const token = findToken(sandbox, sent);
  if (!token) throw new GraphError(190, "Invalid OAuth access token - Cannot parse access token");
  if (token.trouble) throw new GraphError(190, token.trouble.message, { subcode: token.trouble.subcode });
  if (token.kind !== "app") await checkProof(sandbox, c, sent);
  if (!kinds.includes(token.kind)) {
    if (kinds.includes("page")) {
      const message = "A Page access token is required for this call for the new Pages experience.";
      throw new GraphError(190, message, { subcode: 2069032 });
    }
    throw new GraphError(200, `(#200) This call does not accept a token of this kind (${token.kind}).`);
  }
  return token;
}

export function sentToken(c: FacebookContext): string | null {
  const param = c.var.params.access_token;
  if (typeof param === "string" && param !== "") return param;
  return /^Bearer (\S+)$/i.exec(c.req.header("authorization") ?? "")?.[1] ?? null;
}

async function checkProof(sandbox: Sandbox, c: FacebookContext, token: string): Promise<void> {
  const proof = c.var.params.appsecret_proof;
  const type = "GraphMethodException";
  if (proof === undefined) {
    if (!sandbox.settings.all.facebook_require_appsecret_proof) return;
    throw new GraphError(100, "API calls from the server require an appsecret_proof argument", { type });
  }
  if (proof !== (await hmacHex(APP_SECRET, token))) {
    throw new GraphError(100, "Invalid appsecret_proof provided in the API argument", { type });
  }
}

async function hmacHex(secret: string, message: string): Promise<string> {
  const encode = (value: string) => new TextEncoder().encode(value);
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", encode(secret), algorithm, false, ["sign"]);
  const signature = await crypto.subtle.sign("HMAC", key, encode(message));
  return Array.from(new Uint8Array(signature), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export function requireScopes(token: Token, ...scopes: string[]): void {
  const lacking = scopes.filter((scope) => !token.scopes.includes(scope));
  if (lacking.length === 0) return;
  throw new GraphError(200, `(#200) Requires ${lacking.join(" and ")} permission to manage the object.`);
}

// --- usage and misbehaviour ---

/** Counts the call and puts the usage headers on its answer; null while there is room, else the refusal. */
export function countUse(sandbox: Sandbox, c: FacebookContext): GraphError | null {
  const token = findToken(sandbox, sentToken(c) ?? "");
  const subject = token?.pageId ?? "app";
  const hour = 3_600_000;
  const now = sandbox.now();
  sandbox.db.run("DELETE FROM facebook_usage WHERE at < ?", now - hour);
  sandbox.db.run(
    `INSERT INTO facebook_usage (subject, at, calls) VALUES (?, ?, 1)
     ON CONFLICT (subject, at) DO UPDATE SET calls = calls + 1`,
    subject,
    Math.floor(now / 60_000) * 60_000,
  );
  const used = sandbox.db.first<{ calls: number }>(
    "SELECT sum(calls) AS calls FROM facebook_usage WHERE subject = ?",
    subject,
  );
  const percent = Math.floor((100 * (used?.calls ?? 0)) / sandbox.settings.all.facebook_calls_per_hour);
  const usage = usageHeaders(token?.pageId ?? null, Math.min(percent, 100), percent >= 100 ? 60 : 0);
  for (const [name, value] of Object.entries(usage)) c.header(name, value);
  if (percent < 100) return null;
  return token?.pageId
    ? new GraphError(32, "(#32) Page request limit reached")
    : new GraphError(4, "(#4) Application request limit reached");
}

function usageHeaders(pageId: string | null, percent: number, minutes: number): Record<string, string> {
  const use = { call_count: percent, total_cputime: Math.ceil(percent / 3), total_time: Math.ceil(percent / 2) };
  const app = { "x-app-usage": JSON.stringify(use) };
  if (!pageId) return app;
  const pages = { [pageId]: [{ type: "pages", ...use, estimated_time_to_regain_access: minutes }] };
  return { ...app, "x-business-use-case-usage": JSON.stringify(pages) };
}

export const misbehaviour = (sandbox: Sandbox): Misbehaviour<FacebookContext> => ({
  refusals: {},
  outage: () => new GraphError(2, "An unexpected error has occurred. Please retry your request later.").toResponse(),
  rateLimited(c) {
    const pageId = findToken(sandbox, sentToken(c) ?? "")?.pageId ?? null;
    const refusal = new GraphError(32, "(#32) Page request limit reached").toResponse();
    // Minutes are the header's unit; a reset that lies seconds ahead is a fraction of one.
    const minutes = Math.ceil((sandbox.settings.all.rate_limit_reset_ms / 60_000) * 100) / 100;
    for (const [name, value] of Object.entries(usageHeaders(pageId, 100, minutes))) refusal.headers.set(name, value);
    return refusal;
  },
  expireToken(c) {
    const token = findToken(sandbox, sentToken(c) ?? "");
    if (!token) return;
    // The person's own tokens end too: else the next look at /me/accounts would hand out a fresh page token.
    sandbox.db.run(
      "UPDATE facebook_tokens SET dead_subcode = 463 WHERE token = ? OR (grant_id = ? AND kind <> 'page')",
      token.token,
      token.grantId,
    );
  },
  revokeToken(c) {
    const token = findToken(sandbox, sentToken(c) ?? "");
    if (token) sandbox.db.run("UPDATE facebook_grants SET dead_subcode = 458 WHERE id = ?", token.grantId);
  },
});
