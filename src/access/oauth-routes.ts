import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Context } from "hono";
import { bodyLimit } from "hono/body-limit";
import { createMiddleware } from "hono/factory";
import { findProject } from "../accounts/store.ts";
import { findTokenRecord, revokeToken } from "../accounts/tokens.ts";
import { beginAct, endAct } from "../audit/store.ts";
import { AppError, orRefusal } from "../core/errors.ts";
import { PERMISSIONS } from "../core/permissions.ts";
import { requireUsableTexts } from "../core/text-refusal.ts";
import { SECOND } from "../core/time.ts";
import type { AppEnv } from "../http/environment.ts";
import { apiOrigin } from "../http/origin.ts";
import { senderOf } from "../http/sender.ts";
import { STATUS } from "../http/statuses.ts";
import { readTextBody, readUrlencoded } from "../http/text-input.ts";
import { parseJson } from "../platforms/json.ts";
import { ClientMetadata, registerClient } from "./clients.ts";
import { isThisService, openDeviceRequest } from "./open-request.ts";
import { type OAuthError, redeemCode, redeemDeviceCode } from "./redeem.ts";
import { POLL_SECONDS, REQUEST_LIFE_MS } from "./store.ts";

/**
 * How terminals and agents get an access token of a project: OAuth 2.1 with PKCE for apps, RFC 8628 for
 * terminals, and their metadata (RFC 8414, RFC 9728). A person decides in the console; what is issued is an
 * access token like any other (docs/decisions/0065).
 */
export function oauthRoutes(app: OpenAPIHono<AppEnv>): void {
  app.get("/.well-known/oauth-protected-resource", showResource);
  app.get("/.well-known/oauth-protected-resource/mcp", showResource);
  app.get("/.well-known/oauth-authorization-server", showServer);
  app.post("/oauth/register", ...form, refusingTexts(register));
  app.post("/oauth/device", ...form, refusingTexts(openDevice));
  app.post("/oauth/token", ...form, refusingTexts(exchange));
  app.post("/oauth/revoke", ...form, refusingTexts(revoke));
}

const DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code";
const MAX_BYTES = 32 * 1024;

const form = [
  bodyLimit({ maxSize: MAX_BYTES, onError: (c) => c.json({ error: "invalid_request" }, 413) }),
  createMiddleware<AppEnv>(async (c, next) => {
    c.set("operationId", "oauth");
    c.header("Cache-Control", "no-store");
    await next();
  }),
] as const;

type OAuthContext = Context<AppEnv>;

/** Texts that are not UTF-8 are refused in the form of OAuth. */
function refusingTexts(handler: (c: OAuthContext) => Promise<Response>) {
  return async (c: OAuthContext): Promise<Response> => {
    const answer = await orRefusal(() => handler(c));
    if (!(answer instanceof AppError)) return answer;
    if (STATUS[answer.code] !== 422) throw answer;
    return refuse(c, "invalid_request", answer.message);
  };
}

function showResource(c: OAuthContext): Response {
  c.set("operationId", "oauth");
  const origin = apiOrigin(c);
  return c.json({
    resource: `${origin}/mcp`,
    authorization_servers: [origin],
    scopes_supported: PERMISSIONS,
    bearer_methods_supported: ["header"],
    resource_name: "Belfry",
    resource_documentation: `${origin}/docs/guides/agents`,
  });
}

function showServer(c: OAuthContext): Response {
  c.set("operationId", "oauth");
  const origin = apiOrigin(c);
  return c.json({
    issuer: origin,
    authorization_endpoint: `${origin}/console/authorize`,
    token_endpoint: `${origin}/oauth/token`,
    registration_endpoint: `${origin}/oauth/register`,
    device_authorization_endpoint: `${origin}/oauth/device`,
    revocation_endpoint: `${origin}/oauth/revoke`,
    scopes_supported: PERMISSIONS,
    response_types_supported: ["code"],
    response_modes_supported: ["query"],
    grant_types_supported: ["authorization_code", DEVICE_GRANT],
    token_endpoint_auth_methods_supported: ["none"],
    revocation_endpoint_auth_methods_supported: ["none"],
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: true,
    service_documentation: `${origin}/docs/guides/agents`,
  });
}

async function register(c: OAuthContext): Promise<Response> {
  const text = await readTextBody(c.req.raw);
  const metadata = parseJson(text);
  requireUsableTexts(metadata);
  const read = ClientMetadata.safeParse(metadata);
  if (!read.success) {
    const isAddress = read.error.issues.some(({ path }) => path[0] === "redirect_uris");
    const { message = "The body is not valid." } = read.error.issues[0] ?? {};
    return refuse(c, isAddress ? "invalid_redirect_uri" : "invalid_client_metadata", message);
  }
  const { id, name, redirectUris } = await registerClient(c.var.deps.config.signingKey, read.data);
  const client = {
    client_id: id,
    client_id_issued_at: Math.floor(Date.now() / SECOND),
    client_name: name,
    redirect_uris: redirectUris,
    grant_types: redirectUris.length > 0 ? ["authorization_code", DEVICE_GRANT] : [DEVICE_GRANT],
    response_types: redirectUris.length > 0 ? ["code"] : [],
    token_endpoint_auth_method: "none",
  };
  return c.json(client, 201);
}

async function openDevice(c: OAuthContext): Promise<Response> {
  const fields = await readFields(c);
  const { client_id: clientId = "", client_name: name = "", scope = "" } = fields;
  const opened = await openDeviceRequest(c.var.deps, { clientId, name, scope, sender: senderOf(c) }, Date.now());
  if (opened === "unknown_client") return refuse(c, "invalid_client", "The client is unknown. Register it again.", 401);
  if (opened === "too_many") return refuse(c, "temporarily_unavailable", "Too many requests are open. Try later.", 429);
  const page = `${apiOrigin(c)}/console/device`;
  return c.json({
    device_code: opened.deviceCode,
    user_code: opened.userCode,
    verification_uri: page,
    verification_uri_complete: `${page}/${opened.userCode}`,
    expires_in: REQUEST_LIFE_MS / SECOND,
    interval: POLL_SECONDS,
  });
}

async function exchange(c: OAuthContext): Promise<Response> {
  const fields = await readFields(c);
  const { deps } = c.var;
  const { grant_type: grant, client_id: clientId = "", device_code: deviceCode = "", code = "", resource } = fields;
  const { redirect_uri: redirectUri = "", code_verifier: verifier = "" } = fields;
  const now = Date.now();
  if (!isThisService(resource, apiOrigin(c))) return refuse(c, "invalid_target", "Tokens are for this service only.");
  if (grant !== DEVICE_GRANT && grant !== "authorization_code") {
    return refuse(c, "unsupported_grant_type", `Use authorization_code or ${DEVICE_GRANT}.`);
  }
  const redeemed =
    grant === DEVICE_GRANT
      ? await redeemDeviceCode(deps, deviceCode, clientId, now)
      : await redeemCode(deps, { code, clientId, redirectUri, verifier }, now);
  if (redeemed.kind === "refused") return refuse(c, redeemed.error, redeemed.description);
  const { token, permissions, expiresAt } = redeemed;
  const life = expiresAt === null ? {} : { expires_in: Math.floor((expiresAt - now) / SECOND) };
  return c.json({ access_token: token, token_type: "Bearer", ...life, scope: permissions.join(" ") });
}

/** RFC 7009: an unknown token is as good as a revoked one. */
async function revoke(c: OAuthContext): Promise<Response> {
  const { token = "" } = await readFields(c);
  const { deps } = c.var;
  const found = await findTokenRecord(deps, token);
  if (!found) return c.body(null, 200);
  const { projectId, tokenId } = found;
  // The record may be older than a move of the project.
  const project = await findProject(deps.directory, projectId);
  const home = project && project.movingAt === null ? deps.in(project.database) : null;
  const act = { projectId, at: Date.now(), source: "token", actor: String(tokenId) } as const;
  const entry = home && (await beginAct(home.db, { ...act, action: "revokeToken", path: "/oauth/revoke" }));
  const isRevoked = await revokeToken(deps, tokenId);
  if (home && entry !== null) await endAct(home, entry, isRevoked ? "done" : "nothing");
  return c.body(null, 200);
}

function refuse(c: OAuthContext, error: OAuthError, description: string, status: 400 | 401 | 429 = 400): Response {
  return c.json({ error, error_description: description }, status);
}

async function readFields(c: OAuthContext): Promise<Readonly<Record<string, string | undefined>>> {
  const fields = Object.fromEntries(await readUrlencoded(c.req.raw));
  requireUsableTexts(fields);
  return fields;
}
