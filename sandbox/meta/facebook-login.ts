// Facebook Login, shared by all apps that use it. A code is exchanged for a short-lived user token, and that
// for a long-lived one. The user's Pages have their own tokens.

import { Hono } from "hono";
import { z } from "zod";
import { CODE_CHALLENGE, sha256 } from "../digest";
import { type Misbehaviour, operation } from "../operation";
import type { Sandbox } from "../sandbox";
import { badParameter, GraphError } from "./errors";
import type { JsonObject } from "./fields";
import {
  type Challenge,
  type CodeRow,
  describeToken,
  findCode,
  isRegisteredRedirect,
  issueToken,
  type LoginToken,
  MALFORMED_TOKEN,
  type TokenKind,
  useCode,
} from "./logins";
import type { Paging } from "./paging";
import { type GraphContext, type GraphEnv, Paged, parse, text } from "./params";
import { sentToken } from "./tokens";

export interface LoginApp<T extends LoginToken = LoginToken> {
  platform: "facebook" | "instagram";
  id: string;
  secret: string;
  name: string;
  personId: string;
  misbehaviour: Misbehaviour<GraphContext>;
  find(token: string): T | null;
  authenticate(c: GraphContext, kinds: readonly TokenKind[]): Promise<T>;
  seconds(kind: "short" | "long"): number;
  /** False if the exchange of a long-lived token keeps its expiry. */
  isProlonged(): boolean;
  /** A page of `me/accounts`. */
  pages(c: GraphContext, token: T, fields: string | undefined, paging: Paging): JsonObject;
}

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
const USER: readonly TokenKind[] = ["short", "long"];

export function facebookLoginRoutes<T extends LoginToken>(sandbox: Sandbox, login: LoginApp<T>) {
  const app = new Hono<GraphEnv>();
  const tokenCall = operation<GraphEnv>(sandbox, login.platform, "token", login.misbehaviour);

  app.on(["GET", "POST"], "/oauth/access_token", tokenCall, async (c) => {
    const input = parse(c, TokenCall);
    checkClient(login, input);
    if (input.grant_type === "fb_exchange_token") return c.json(exchange(sandbox, login, c, input.fb_exchange_token));
    if (input.grant_type === "client_credentials")
      return c.json({ access_token: `${login.id}|${login.secret}`, token_type: "bearer" });
    return c.json(await redeem(sandbox, login, c, input));
  });

  app.get("/debug_token", async (c) => {
    const { input_token } = parse(c, z.object({ input_token: text }));
    await login.authenticate(c, ["app", ...USER]);
    const { user_id, ...described } = describe(login, login.find(input_token));
    const isNamed = sandbox.settings.all.debug_token_person === "named" && user_id !== undefined;
    return c.json({ data: isNamed ? { ...described, user_id } : described });
  });

  app.get("/me", async (c, next) => {
    // Of a Page's token it is the Page.
    if (login.find(sentToken(c) ?? "")?.kind === "page") return next();
    const { fields = "id,name" } = parse(c, z.object({ fields: text.optional() }));
    await login.authenticate(c, USER);
    const me: JsonObject = { id: login.personId, name: "A person" };
    const known = Object.entries(me).filter(([field]) => field === "id" || fields.split(",").includes(field));
    return c.json(Object.fromEntries(known));
  });

  app.get("/oauth/revoke", tokenCall, async (c) => {
    const input = parse(c, z.object({ client_id: text, client_secret: text, revoke_token: text }));
    checkClient(login, input);
    await login.authenticate(c, ["app", ...USER, "page"]);
    const token = login.find(input.revoke_token);
    if (token) sandbox.db.run("UPDATE meta_tokens SET dead_subcode = 458 WHERE token = ?", token.token);
    return c.json({ success: true });
  });

  app.get("/me/permissions", async (c) => {
    parse(c, Paged);
    const { scopes, declined } = await login.authenticate(c, USER);
    const data = [
      ...scopes.map((permission) => ({ permission, status: "granted" })),
      ...declined.map((permission) => ({ permission, status: "declined" })),
    ];
    return c.json({ data });
  });

  app.delete("/:person/permissions/:scope?", async (c) => {
    parse(c, z.object({}));
    // The app may also revoke a user's permissions (Graph API reference, User permissions).
    const token = await login.authenticate(c, [...USER, "app"]);
    const person = c.req.param("person");
    const isOwn = person === login.personId || (person === "me" && token.kind !== "app");
    if (!isOwn) throw badParameter("Permissions of another person");
    const scope = c.req.param("scope");
    if (scope === undefined) sandbox.db.run("UPDATE meta_grants SET dead_subcode = 458 WHERE app_id = ?", login.id);
    else declineScope(sandbox, token, scope);
    return c.json({ success: true });
  });

  app.get("/me/accounts", async (c) => {
    const { fields, ...paging } = parse(c, Paged);
    return c.json(login.pages(c, await login.authenticate(c, USER), fields, paging));
  });

  return app;
}

function checkClient(login: Pick<LoginApp, "id" | "secret">, { client_id, client_secret }: TokenCall): void {
  if (client_id === undefined) throw new GraphError(101, "Missing client_id parameter.");
  if (client_id !== login.id) {
    throw new GraphError(101, "Error validating application. Cannot get application info due to a system error.");
  }
  if (client_secret === undefined) throw new GraphError(1, "Missing client_secret parameter.", { status: 400 });
  if (client_secret !== login.secret) throw new GraphError(1, "Error validating client secret.", { status: 400 });
}

type Exchanging = Pick<LoginApp, "platform" | "id" | "find" | "seconds" | "isProlonged">;

async function redeem(sandbox: Sandbox, login: Exchanging, c: GraphContext, call: TokenCall): Promise<JsonObject> {
  const { code, redirect_uri } = call;
  // No await between finding a code and using it: two concurrent calls must not both succeed.
  const digest = call.code_verifier === undefined ? null : await sha256(call.code_verifier);
  if (redirect_uri === undefined) throw new GraphError(191, "Missing redirect_uri parameter.");
  if (code === undefined) throw badParameter("Missing authorization code");
  if (!isRegisteredRedirect(login.platform, redirect_uri)) {
    throw new GraphError(191, "Can't load URL: The domain of this URL isn't included in the app's domains.");
  }
  const found = findCode(sandbox, login.id, code);
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
  useCode(sandbox, found);
  return userToken(sandbox, found.grant_id, "short", login.seconds("short") * 1000);
}

/** A code requested with a challenge requires its verifier; without a challenge, the verifier is ignored. */
function requireVerifier({ challenge, method }: CodeRow, verifier: string | undefined, digest: string | null): void {
  if (challenge === null) return;
  if (verifier === undefined) throw new GraphError(100, "Missing code_verifier parameter.");
  if (!CODE_CHALLENGE.test(verifier) || (method === "plain" ? verifier : digest) !== challenge) {
    throw new GraphError(100, "Invalid code_verifier: it does not match the code_challenge of the login dialog.");
  }
}

/** The PKCE challenge of the dialog's query. PKCE is optional; `plain` is the default method (RFC 7636). */
export function readChallenge(query: Readonly<Record<string, string>>): Challenge | null | "bad" {
  const { code_challenge: challenge, code_challenge_method: method = "plain" } = query;
  if (challenge === undefined) return query.code_challenge_method === undefined ? null : "bad";
  if ((method !== "S256" && method !== "plain") || !CODE_CHALLENGE.test(challenge)) return "bad";
  return { text: challenge, method };
}

function exchange(sandbox: Sandbox, login: Exchanging, c: GraphContext, sent: string | undefined): JsonObject {
  if (sent === undefined) throw badParameter("The parameter fb_exchange_token is required");
  const token = login.find(sent);
  if (!token || !USER.includes(token.kind) || token.appId !== login.id) throw new GraphError(190, MALFORMED_TOKEN);
  const subcode = c.env.call.fault?.kind === "expire_token" ? 463 : token.trouble?.subcode;
  if (subcode !== undefined) {
    throw new GraphError(190, "Error validating access token: Session has expired.", { subcode });
  }
  const keepsEnd = token.kind === "long" && !login.isProlonged();
  const lastsMs = keepsEnd ? token.expiresAt - sandbox.now() : login.seconds("long") * 1000;
  return userToken(sandbox, token.grantId, "long", lastsMs);
}

function userToken(sandbox: Sandbox, grantId: number, kind: "short" | "long", lastsMs: number): JsonObject {
  const token = issueToken(sandbox, { grantId, kind, prefix: "EAAB", lastsMs });
  return { access_token: token, token_type: "bearer", expires_in: Math.floor(lastsMs / 1000) };
}

function declineScope(sandbox: Sandbox, { grantId, scopes, declined }: LoginToken, scope: string): void {
  if (!scopes.includes(scope)) throw badParameter(`The permission ${scope} was not granted`);
  sandbox.db.run(
    "UPDATE meta_grants SET scopes = ?, declined = ? WHERE id = ?",
    JSON.stringify(scopes.filter((one) => one !== scope)),
    JSON.stringify([...declined, scope]),
    grantId,
  );
}

const DATA_ACCESS_SECONDS = 90 * 86_400;

function describe(login: Pick<LoginApp, "name" | "personId">, token: LoginToken | null): JsonObject {
  const described = describeToken(token, login.name, login.personId);
  if (!token || token.kind === "app") return described;
  return {
    ...described,
    // A token exchange does not extend the data access that the user's consent gave.
    data_access_expires_at: Math.floor(token.consentAt / 1000) + DATA_ACCESS_SECONDS,
    granular_scopes: token.scopes.map((scope) =>
      scope.startsWith("pages_") ? { scope, target_ids: token.subjects } : { scope },
    ),
  };
}
