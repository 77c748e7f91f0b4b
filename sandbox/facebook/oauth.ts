// Tokens of the simulated facebook: a code becomes a short user token, that a long one, and a long one page
// tokens without an expiry. All tokens of one login hang off its grant and die with it.

import { Hono } from "hono";
import { z } from "zod";
import { sha256 } from "../digest";
import { badParameter, GraphError } from "../meta/errors";
import { type JsonObject, project } from "../meta/fields";
import { type GraphContext, type GraphEnv, parse, text, wholeNumber } from "../meta/params";
import { operation } from "../operation";
import { randomText } from "../random";
import type { Sandbox } from "../sandbox";
import { grantedPages, grantOf, insertToken, pageView, strings } from "./granted-pages";
import { pageOf } from "./paging";
import { AccountShape, UserShape } from "./shapes";
import { type PageRow, PERSON } from "./store";
import {
  APP_ID,
  APP_NAME,
  APP_SECRET,
  authenticate,
  findToken,
  misbehaviour,
  type Token,
  type TokenKind,
} from "./tokens";

/** RFC 7636: what the dialog was given to hold the exchange against. */
export interface Challenge {
  text: string;
  method: "S256" | "plain";
}

interface AllowedLogin {
  scopes: string[];
  declined: string[];
  pageIds: string[];
  redirectUri: string;
  challenge: Challenge | null;
}

/** What the person allowed on the consent page; answers the code for the way back. */
export function grantLogin(sandbox: Sandbox, allowed: AllowedLogin): string {
  const now = sandbox.now();
  const grant = sandbox.db.first<{ id: number }>(
    `INSERT INTO facebook_grants (person_id, scopes, declined, page_ids, created_at) VALUES (?, ?, ?, ?, ?) RETURNING id`,
    PERSON.id,
    JSON.stringify(allowed.scopes),
    JSON.stringify(allowed.declined),
    JSON.stringify(allowed.pageIds),
    now,
  );
  const code = `AQD${randomText(120)}`;
  sandbox.db.run(
    "INSERT INTO facebook_codes (code, grant_id, redirect_uri, expires_at, challenge, method) VALUES (?, ?, ?, ?, ?, ?)",
    code,
    grant?.id ?? 0,
    allowed.redirectUri,
    now + sandbox.settings.all.facebook_code_seconds * 1000,
    allowed.challenge?.text ?? null,
    allowed.challenge?.method ?? null,
  );
  return code;
}

export function oauthRoutes(sandbox: Sandbox) {
  const app = new Hono<GraphEnv>();
  const tokenCall = operation<GraphEnv>(sandbox, "facebook", "token", misbehaviour(sandbox));

  app.on(["GET", "POST"], "/oauth/access_token", tokenCall, async (c) => {
    const input = parse(c, TokenCall);
    checkClient(input);
    if (input.grant_type === "fb_exchange_token") return c.json(exchange(sandbox, c, input.fb_exchange_token));
    if (input.grant_type === "client_credentials")
      return c.json({ access_token: `${APP_ID}|${APP_SECRET}`, token_type: "bearer" });
    const digest = input.code_verifier === undefined ? null : await sha256(input.code_verifier);
    return c.json(redeem(sandbox, c, input, digest));
  });

  app.get("/debug_token", async (c) => {
    const { input_token } = parse(c, z.object({ input_token: text }));
    await authenticate(sandbox, c, ["app", "user_short", "user_long"]);
    return c.json({ data: describeToken(sandbox, input_token) });
  });

  app.get("/oauth/revoke", tokenCall, async (c) => {
    const input = parse(c, z.object({ client_id: text, client_secret: text, revoke_token: text }));
    checkClient(input);
    await authenticate(sandbox, c, ["app", "user_short", "user_long", "page"]);
    const token = findToken(sandbox, input.revoke_token);
    if (token) sandbox.db.run("UPDATE facebook_tokens SET dead_subcode = 458 WHERE token = ?", token.token);
    return c.json({ success: true });
  });

  app.get("/me/permissions", async (c) => {
    parse(c, Paged);
    const token = await authenticate(sandbox, c, USER);
    const grant = grantOf(sandbox, token.grantId);
    const list = [
      ...strings(grant.scopes).map((permission) => ({ permission, status: "granted" })),
      ...strings(grant.declined).map((permission) => ({ permission, status: "declined" })),
    ];
    return c.json({ data: list });
  });

  app.delete("/:person/permissions/:scope?", async (c) => {
    parse(c, z.object({}));
    // The app may take back what a person allowed it, too (Graph API reference, User permissions).
    const token = await authenticate(sandbox, c, [...USER, "app"]);
    const person = c.req.param("person");
    const isOwn = person === "me" || person === token.personId;
    if (token.kind === "app" ? person !== PERSON.id : !isOwn) throw badParameter("Permissions of another person");
    const scope = c.req.param("scope");
    if (scope === undefined) {
      sandbox.db.run("UPDATE facebook_grants SET dead_subcode = 458 WHERE person_id = ?", PERSON.id);
    } else declineScope(sandbox, token, scope);
    return c.json({ success: true });
  });

  app.get("/me/accounts", async (c) => {
    const { fields, ...paging } = parse(c, Paged);
    const token = await authenticate(sandbox, c, ["user_short", "user_long"]);
    const pages = token.scopes.includes("pages_show_list") ? grantedPages(sandbox, token) : [];
    const view = (page: PageRow) => project(pageView(sandbox, c, page, token), AccountShape, fields);
    return c.json(pageOf(sandbox, c, pages, (page) => page.id, paging, view));
  });

  return app;
}

const USER: readonly TokenKind[] = ["user_short", "user_long"];
const Paged = z.object({
  fields: text.optional(),
  limit: wholeNumber.optional(),
  after: text.optional(),
  before: text.optional(),
});
const TokenCall = z.object({
  client_id: text.optional(),
  client_secret: text.optional(),
  redirect_uri: text.optional(),
  code: text.optional(),
  grant_type: z.enum(["authorization_code", "fb_exchange_token", "client_credentials"]).optional(),
  fb_exchange_token: text.optional(),
  code_verifier: text.optional(),
});
type TokenCall = z.infer<typeof TokenCall>;

function checkClient(input: { client_id?: string | undefined; client_secret?: string | undefined }): void {
  if (input.client_id === undefined) throw new GraphError(101, "Missing client_id parameter.");
  if (input.client_id !== APP_ID) {
    throw new GraphError(101, "Error validating application. Cannot get application info due to a system error.");
  }
  if (input.client_secret === undefined) throw new GraphError(1, "Missing client_secret parameter.", { status: 400 });
  if (input.client_secret !== APP_SECRET) throw new GraphError(1, "Error validating client secret.", { status: 400 });
}

/** `digest` is that of the verifier. */
function redeem(sandbox: Sandbox, c: GraphContext, call: TokenCall, digest: string | null): JsonObject {
  const { code, redirect_uri } = call;
  if (redirect_uri === undefined) throw new GraphError(191, "Missing redirect_uri parameter.");
  if (code === undefined) throw badParameter("Missing authorization code");
  if (!isRegisteredRedirect(redirect_uri)) {
    throw new GraphError(191, "Can't load URL: The domain of this URL isn't included in the app's domains.");
  }
  const found = sandbox.db.first<CodeRow>("SELECT * FROM facebook_codes WHERE code = ?", code);
  if (!found) throw new GraphError(100, "Invalid verification code format.");
  if (found.used) throw new GraphError(100, "This authorization code has been used.", { subcode: 36009 });
  if (found.expires_at <= sandbox.now() || c.env.call.fault?.kind === "expire_token") {
    throw new GraphError(100, "This authorization code has expired.", { subcode: 36007 });
  }
  if (found.redirect_uri !== redirect_uri) {
    const message =
      "Error validating verification code. Please make sure your redirect_uri is identical to the one you used in the OAuth dialog request";
    throw new GraphError(100, message, { subcode: 36008 });
  }
  requireVerifier(found, call.code_verifier, digest);
  sandbox.db.run("UPDATE facebook_codes SET used = 1 WHERE code = ?", code);
  return issueUserToken(sandbox, found.grant_id, "user_short", sandbox.settings.all.facebook_short_token_seconds);
}

type CodeRow = {
  grant_id: number;
  redirect_uri: string;
  expires_at: number;
  used: number;
  challenge: string | null;
  method: Challenge["method"] | null;
};

/**
 * A code that was asked for with a challenge is given for its verifier only; without one, a verifier says
 * nothing.
 */
function requireVerifier({ challenge, method }: CodeRow, verifier: string | undefined, digest: string | null): void {
  if (challenge === null) return;
  if (verifier === undefined) throw new GraphError(100, "Missing code_verifier parameter.");
  if (!/^[\w.~-]{43,128}$/.test(verifier) || (method === "plain" ? verifier : digest) !== challenge) {
    throw new GraphError(100, "Invalid code_verifier: it does not match the code_challenge of the login dialog.");
  }
}

function exchange(sandbox: Sandbox, c: GraphContext, sent: string | undefined): JsonObject {
  if (sent === undefined) throw badParameter("The parameter fb_exchange_token is required");
  const token = findToken(sandbox, sent);
  if (!token || token.kind === "app" || token.kind === "page") {
    throw new GraphError(190, "Invalid OAuth access token - Cannot parse access token");
  }
  const isSpoilt = c.env.call.fault?.kind === "expire_token";
  const subcode = isSpoilt ? 463 : token.trouble?.subcode;
  if (subcode !== undefined)
    throw new GraphError(190, "Error validating access token: Session has expired.", { subcode });
  return issueUserToken(sandbox, token.grantId, "user_long", sandbox.settings.all.facebook_long_token_seconds);
}

function issueUserToken(sandbox: Sandbox, grantId: number, kind: TokenKind, seconds: number): JsonObject {
  const token = `EAAB${randomText(160)}`;
  const now = sandbox.now();
  insertToken(sandbox, { token, grantId, kind, pageId: null, parent: null, expiresAt: now + seconds * 1000 });
  return { access_token: token, token_type: "bearer", expires_in: seconds };
}

function declineScope(sandbox: Sandbox, token: Token, scope: string): void {
  const grant = grantOf(sandbox, token.grantId);
  const scopes = strings(grant.scopes);
  if (!scopes.includes(scope)) throw badParameter(`The permission ${scope} was not granted`);
  sandbox.db.run(
    "UPDATE facebook_grants SET scopes = ?, declined = ? WHERE id = ?",
    JSON.stringify(scopes.filter((one) => one !== scope)),
    JSON.stringify([...strings(grant.declined), scope]),
    token.grantId,
  );
}

export const userView = (c: GraphContext, fields: string | undefined) =>
  project(
    {
      ...PERSON,
      first_name: "Robin",
      last_name: "Sandbox",
      picture: { data: { url: `${c.env.origin}/_media/square.jpg`, width: 50, height: 50, is_silhouette: false } },
    },
    UserShape,
    fields,
  );

function describeToken(sandbox: Sandbox, sent: string): JsonObject {
  const token = findToken(sandbox, sent);
  if (!token) {
    const error = { code: 190, message: "Invalid OAuth access token - Cannot parse access token" };
    return { is_valid: false, scopes: [], error };
  }
  if (token.kind === "app") return { app_id: APP_ID, type: "APP", application: APP_NAME, is_valid: true, scopes: [] };
  const row = sandbox.db.first<{ issued_at: number; expires_at: number }>(
    "SELECT issued_at, expires_at FROM facebook_tokens WHERE token = ?",
    sent,
  );
  const grant = grantOf(sandbox, token.grantId);
  const issuedAt = Math.floor((row?.issued_at ?? 0) / 1000);
  return {
    app_id: APP_ID,
    type: token.kind === "page" ? "PAGE" : "USER",
    application: APP_NAME,
    is_valid: token.trouble === null,
    issued_at: issuedAt,
    expires_at: Math.floor((row?.expires_at ?? 0) / 1000),
    data_access_expires_at: issuedAt + 90 * 86_400,
    user_id: token.personId,
    ...(token.pageId ? { profile_id: token.pageId } : {}),
    scopes: token.scopes,
    granular_scopes: token.scopes.map((scope) =>
      scope.startsWith("pages_") ? { scope, target_ids: strings(grant.page_ids) } : { scope },
    ),
    ...(token.trouble ? { error: { code: 190, message: token.trouble.message, subcode: token.trouble.subcode } } : {}),
  };
}

/** The redirect addresses this app has registered: the connect callback of any of our installations. */
export function isRegisteredRedirect(uri: string): boolean {
  const url = URL.parse(uri);
  return url !== null && /^https?:$/.test(url.protocol) && url.pathname.endsWith("/connect/callback/facebook");
}
