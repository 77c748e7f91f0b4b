// Facebook Login for an Instagram app: a code becomes a short token of the person, that a long one; the Pages
// of the person lead to the accounts.

import { Hono } from "hono";
import { z } from "zod";
import { sha256 } from "../digest";
import { badParameter, GraphError } from "../meta/errors";
import { type JsonObject, project } from "../meta/fields";
import { pageOf } from "../meta/paging";
import { type GraphContext, type GraphEnv, parse, text, wholeNumber } from "../meta/params";
import { operation } from "../operation";
import { randomText } from "../random";
import type { Sandbox } from "../sandbox";
import { GRAPH_OF, PageShape } from "./shapes";
import { type AccountRow, listAccounts, PERSON, strings } from "./store";
import {
  APP_ID,
  APP_NAME,
  APP_SECRET,
  authenticate,
  findToken,
  issueToken,
  type Login,
  misbehaviour,
  type Token,
} from "./tokens";

interface AllowedLogin {
  login: Login;
  scopes: string[];
  declined: string[];
  accountIds: string[];
  redirectUri: string;
  /** S256, where the dialog was given one. */
  challenge: string | null;
}

/** What the person allowed on a consent page; answers the code for the way back. */
export function grantLogin(sandbox: Sandbox, allowed: AllowedLogin): string {
  const now = sandbox.now();
  const grant = sandbox.db.first<{ id: number }>(
    `INSERT INTO instagram_grants (login, scopes, declined, account_ids, created_at) VALUES (?, ?, ?, ?, ?) RETURNING id`,
    allowed.login,
    JSON.stringify(allowed.scopes),
    JSON.stringify(allowed.declined),
    JSON.stringify(allowed.accountIds),
    now,
  );
  const code = `AQD${randomText(120)}`;
  sandbox.db.run(
    "INSERT INTO instagram_codes (code, grant_id, redirect_uri, expires_at, challenge) VALUES (?, ?, ?, ?, ?)",
    code,
    grant?.id ?? 0,
    allowed.redirectUri,
    now + sandbox.settings.all.instagram_code_seconds * 1000,
    allowed.challenge,
  );
  return code;
}

export type CodeRow = {
  code: string;
  grant_id: number;
  redirect_uri: string;
  expires_at: number;
  used: number;
  challenge: string | null;
};

export const findCode = (sandbox: Sandbox, code: string) =>
  sandbox.db.first<CodeRow>("SELECT * FROM instagram_codes WHERE code = ?", code);

export const useCode = (sandbox: Sandbox, { code }: CodeRow) =>
  sandbox.db.run("UPDATE instagram_codes SET used = 1 WHERE code = ?", code);

/** The redirect addresses this app has registered: the connect callback of any of our installations. */
export function isRegisteredRedirect(uri: string): boolean {
  const url = URL.parse(uri);
  return url !== null && /^https?:$/.test(url.protocol) && url.pathname.endsWith("/connect/callback/instagram");
}

const TokenCall = z.object({
  client_id: text,
  client_secret: text,
  redirect_uri: text.optional(),
  code: text.optional(),
  grant_type: z.enum(["authorization_code", "fb_exchange_token"]).optional(),
  fb_exchange_token: text.optional(),
  code_verifier: text.optional(),
});
const Paged = z.object({
  fields: text.optional(),
  limit: wholeNumber.optional(),
  after: text.optional(),
  before: text.optional(),
});

export function loginRoutes(sandbox: Sandbox) {
  const app = new Hono<GraphEnv>();
  const tokenCall = operation<GraphEnv>(sandbox, "instagram", "token", misbehaviour(sandbox));

  app.on(["GET", "POST"], "/oauth/access_token", tokenCall, async (c) => {
    const input = parse(c, TokenCall);
    checkClient(input);
    if (input.grant_type === "fb_exchange_token") return c.json(exchange(sandbox, c, input.fb_exchange_token));
    const digest = input.code_verifier === undefined ? null : await sha256(input.code_verifier);
    return c.json(redeem(sandbox, c, input, digest));
  });

  app.get("/oauth/revoke", tokenCall, async (c) => {
    const input = parse(c, z.object({ client_id: text, client_secret: text, revoke_token: text }));
    checkClient(input);
    await authenticate(sandbox, c, ["app", "short", "long", "page"]);
    sandbox.db.run("UPDATE instagram_tokens SET dead_subcode = 458 WHERE token = ?", input.revoke_token);
    return c.json({ success: true });
  });

  app.get("/debug_token", async (c) => {
    const { input_token } = parse(c, z.object({ input_token: text }));
    await authenticate(sandbox, c, ["app", "short", "long"]);
    return c.json({ data: describeToken(sandbox, input_token) });
  });

  app.get("/me/permissions", async (c) => {
    parse(c, Paged);
    const token = await authenticate(sandbox, c, ["short", "long"]);
    const grant = grantOf(sandbox, token);
    return c.json({
      data: [
        ...strings(grant.scopes).map((permission) => ({ permission, status: "granted" })),
        ...strings(grant.declined).map((permission) => ({ permission, status: "declined" })),
      ],
    });
  });

  app.delete("/:person/permissions", async (c) => {
    parse(c, z.object({}));
    const token = await authenticate(sandbox, c, ["short", "long"]);
    if (!["me", PERSON.id].includes(c.req.param("person"))) throw badParameter("Permissions of another person");
    sandbox.db.run("UPDATE instagram_grants SET dead_subcode = 458 WHERE id = ?", token.grantId);
    return c.json({ success: true });
  });

  app.get("/me/accounts", async (c) => {
    const { fields, ...paging } = parse(c, Paged);
    const token = await authenticate(sandbox, c, ["short", "long"]);
    const pages = token.scopes.includes("pages_show_list") ? pagesOf(sandbox, token) : [];
    const view = (page: AccountRow) => project(pageView(sandbox, c, page, token), PageShape, fields);
    const isShort = sandbox.settings.all.instagram_short_pages;
    return c.json(
      pageOf(c, { items: pages, keyOf: ({ page_id }) => page_id, view, origin: GRAPH_OF.facebook, isShort }, paging),
    );
  });
  return app;
}

function checkClient({ client_id, client_secret }: { client_id: string; client_secret: string }): void {
  if (client_id !== APP_ID) {
    throw new GraphError(101, "Error validating application. Cannot get application info due to a system error.");
  }
  if (client_secret !== APP_SECRET) throw new GraphError(1, "Error validating client secret.", { status: 400 });
}

/** `digest` is that of the verifier. */
function redeem(
  sandbox: Sandbox,
  c: GraphContext,
  { code, redirect_uri }: z.infer<typeof TokenCall>,
  digest: string | null,
): JsonObject {
  if (redirect_uri === undefined || !isRegisteredRedirect(redirect_uri)) {
    throw new GraphError(191, "Can't load URL: The domain of this URL isn't included in the app's domains.");
  }
  const found = code === undefined ? null : findCode(sandbox, code);
  if (!found) throw new GraphError(100, "Invalid verification code format.");
  if (found.used) throw new GraphError(100, "This authorization code has been used.", { subcode: 36009 });
  if (found.expires_at <= sandbox.now() || c.env.call.fault?.kind === "expire_token") {
    throw new GraphError(100, "This authorization code has expired.", { subcode: 36007 });
  }
  if (found.redirect_uri !== redirect_uri) {
    throw new GraphError(100, "Error validating verification code.", { subcode: 36008 });
  }
  if (found.challenge !== null && found.challenge !== digest) {
    throw new GraphError(100, "Invalid code_verifier: it does not match the code_challenge of the login dialog.");
  }
  useCode(sandbox, found);
  return answerToken(sandbox, found.grant_id, "short");
}

function answerToken(sandbox: Sandbox, grantId: number, kind: "short" | "long", lastsMs?: number): JsonObject {
  const { instagram_short_token_seconds, instagram_long_token_seconds } = sandbox.settings.all;
  const usual = 1000 * (kind === "short" ? instagram_short_token_seconds : instagram_long_token_seconds);
  const lasts = lastsMs ?? usual;
  const token = issueToken(sandbox, { grantId, kind, login: "facebook", lastsMs: lasts });
  return { access_token: token, token_type: "bearer", expires_in: Math.floor(lasts / 1000) };
}

function exchange(sandbox: Sandbox, c: GraphContext, sent: string | undefined): JsonObject {
  const token = findToken(sandbox, sent ?? "");
  if (token?.login !== "facebook" || (token.kind !== "short" && token.kind !== "long")) {
    throw new GraphError(190, "Invalid OAuth access token - Cannot parse access token");
  }
  const subcode = c.env.call.fault?.kind === "expire_token" ? 463 : token.trouble?.subcode;
  if (subcode !== undefined) {
    throw new GraphError(190, "Error validating access token: Session has expired.", { subcode });
  }
  const isKept = token.kind === "long" && !sandbox.settings.all.instagram_prolongs;
  return answerToken(sandbox, token.grantId, "long", isKept ? token.expiresAt - sandbox.now() : undefined);
}

type Grant = { scopes: string; declined: string };

function grantOf(sandbox: Sandbox, { grantId }: Token): Grant {
  const grant = sandbox.db.first<Grant>("SELECT scopes, declined FROM instagram_grants WHERE id = ?", grantId);
  if (!grant) throw new GraphError(190, "Error validating access token.", { subcode: 467 });
  return grant;
}

/** A Page of which no professional account is known is one too: its row has no id of an account. */
export function pagesOf(sandbox: Sandbox, token: Token): AccountRow[] {
  const accounts = listAccounts(sandbox).filter(({ id }) => token.accountIds.includes(id));
  const unlinked = { id: "", username: "", name: "", tasks: '["MANAGE"]' };
  return [...accounts, { ...unlinked, page_id: "105000000000009", page_name: "Page Without Instagram" }];
}

/** A Page of the login by its id; null for any other. */
export function findPage(sandbox: Sandbox, token: Token, id: string): AccountRow | null {
  return token.login === "facebook" ? (pagesOf(sandbox, token).find(({ page_id }) => page_id === id) ?? null) : null;
}

export function pageView(sandbox: Sandbox, c: GraphContext, row: AccountRow, token: Token): JsonObject {
  const tasks = strings(row.tasks);
  const mayAct = tasks.includes("CREATE_CONTENT") || tasks.includes("MANAGE");
  const lastsMs = token.kind === "short" ? token.expiresAt - sandbox.now() : null;
  const { grantId } = token;
  const account = {
    id: row.id,
    username: row.username,
    name: row.name,
    profile_picture_url: `${c.env.origin}/_media/square.jpg`,
  };
  const asksForToken = /\baccess_token\b/.test(String(c.var.params.fields ?? "access_token"));
  return {
    id: row.page_id,
    name: row.page_name,
    category: "Local business",
    tasks,
    ...(row.id === "" ? {} : { instagram_business_account: account }),
    ...(mayAct && asksForToken
      ? {
          access_token: issueToken(sandbox, { grantId, kind: "page", login: "facebook", pageId: row.page_id, lastsMs }),
        }
      : {}),
  };
}

function describeToken(sandbox: Sandbox, sent: string): JsonObject {
  const token = findToken(sandbox, sent);
  if (!token) {
    const error = { code: 190, message: "Invalid OAuth access token - Cannot parse access token" };
    return { is_valid: false, scopes: [], error };
  }
  const base = { app_id: APP_ID, application: APP_NAME };
  if (token.kind === "app") return { ...base, type: "APP", is_valid: true, scopes: [] };
  // As long as a person's consent lasts; no exchange lengthens it.
  const consent = sandbox.db.first<{ at: number }>(
    "SELECT created_at AS at FROM instagram_grants WHERE id = ?",
    token.grantId,
  );
  return {
    ...base,
    data_access_expires_at: Math.floor((consent?.at ?? 0) / 1000) + 90 * 86_400,
    type: token.kind === "page" ? "PAGE" : "USER",
    is_valid: token.trouble === null,
    issued_at: Math.floor(token.issuedAt / 1000),
    expires_at: Math.floor(token.expiresAt / 1000),
    user_id: PERSON.id,
    scopes: token.scopes,
    ...(token.trouble ? { error: { code: 190, message: token.trouble.message, subcode: token.trouble.subcode } } : {}),
  };
}
