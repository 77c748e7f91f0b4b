import { z } from "zod";
import { interpretRead, type ReadResult } from "./answers.ts";
import type { AccountContext, AppContext, AppCredentials, Credentials, Failure } from "./context.ts";
import { PlatformId } from "./json.ts";
import type { CodeGrant, Refreshed, RevokeOutcome } from "./login.ts";
import { down, okAs } from "./outcomes.ts";
import type { RefusalTable } from "./refusals.ts";
import { type Answered, type Lost, parseBody } from "./request.ts";

/**
 * Token endpoints of OAuth 2 (RFC 6749, section 5), which exchange a code or a refresh token for credentials.
 *
 * Only an OAuth error body refuses a login here, whatever its status (TikTok's come with 200). A refusal by a
 * gateway, or in the form of the API's other errors, is a temporary failure: it must not disconnect a
 * channel.
 */
export interface TokenEndpoint {
  readonly url: string;
  readonly table: RefusalTable;
  /** How our app authenticates: by Basic authentication, or by form fields with these names. */
  readonly client: "basic" | { readonly id: string; readonly secret: string };
  /** The errors that refuse a code or a refresh token; other errors are caused by our request or our app. */
  readonly refusals: readonly string[];
  /** Defaults for fields that are missing from the answer. */
  readonly assumed: { readonly expiresInSeconds: number | null; readonly scopes: readonly string[] };
}

const Token = z.object({
  access_token: z.string().min(1),
  refresh_token: z.string().min(1).optional(),
  expires_in: z.number().optional(),
  // The lifetime of the refresh token, or of the account owner's permission: the name used by LinkedIn and
  // Google, and TikTok's.
  refresh_token_expires_in: z.number().optional().catch(undefined),
  refresh_expires_in: z.number().optional().catch(undefined),
  scope: z.string().optional(),
  id_token: z.string().optional().catch(undefined),
});
const OAuthError = z.object({ error: z.string(), error_description: z.string().optional().catch(undefined) });

/** `subject`: the person who logged in, by OpenID Connect; absent if it was not requested. */
export type Login = ReadResult<Credentials> & { readonly subject?: string | null };

/** `refusal` is the reason to report if the code or the refresh token in the form is refused. */
export async function requestToken(
  context: AppContext,
  endpoint: TokenEndpoint,
  grant: Readonly<Record<string, string>>,
  refusal: Pick<Failure, "reason" | "message">,
): Promise<Login> {
  const { table, assumed } = endpoint;
  const answer = await context.send({ method: "POST", url: endpoint.url, ...identified(endpoint, context.app, grant) });
  const refused = refusalOf(endpoint, answer, refusal);
  if (refused) return refused;
  const token = interpretRead(table, answer, Token, context.now);
  if (token.kind === "failed") {
    // Limits and problems of our app are the same wherever the platform reports them.
    return token.reason === "throttled" || token.reason === "blocked" ? token : down(token.message);
  }
  const { access_token, refresh_token = null, expires_in = assumed.expiresInSeconds, scope, id_token } = token.value;
  const { refresh_expires_in, refresh_token_expires_in: lasts = refresh_expires_in } = token.value;
  const value = {
    accessToken: access_token,
    refreshToken: refresh_token,
    expiresAt: expires_in === null ? null : context.now + expires_in * 1000,
    ...(lasts === undefined || refresh_token === null ? {} : { reconnectBy: context.now + lasts * 1000 }),
    scopes: scope === undefined ? assumed.scopes : scope.split(/[\s,]+/).filter((one) => one !== ""),
  };
  return { kind: "ok", value, ...(id_token === undefined ? {} : { subject: subjectOf(id_token) }) };
}

/** Exchanges the code of a login. `message`: what to report if the platform refuses the code. */
export function requestTokenForCode(
  context: AppContext,
  endpoint: TokenEndpoint,
  { code, redirectUri, codeVerifier }: CodeGrant,
  message: string,
): Promise<Login> {
  const verifier = codeVerifier === null ? {} : { code_verifier: codeVerifier };
  const form = { grant_type: "authorization_code", code, redirect_uri: redirectUri, ...verifier };
  return requestToken(context, endpoint, form, { reason: "rejected", message });
}

/** Renews credentials by their refresh token. `message`: what to report if it is missing or refused. */
export async function renewByRefreshToken(
  context: AccountContext,
  endpoint: TokenEndpoint,
  message: string,
): Promise<Refreshed | Failure> {
  const dead = { reason: "disconnected", message } as const;
  const { refreshToken } = context.credentials;
  if (refreshToken === null) return { kind: "failed", ...dead };
  const form = { grant_type: "refresh_token", refresh_token: refreshToken };
  const renewed = await requestToken(context, endpoint, form, dead);
  return renewed.kind === "failed" ? renewed : { kind: "refreshed", credentials: renewed.value };
}

/** An answer whose status alone matters. */
const ANY_BODY = z.unknown().transform(() => true);

const Claims = z.object({ sub: PlatformId });

/**
 * The subject of an id token. It came directly from the platform, so its signature need not be checked
 * (OpenID Connect Core 3.1.3.7).
 */
function subjectOf(idToken: string): string | null {
  const payload = (idToken.split(".")[1] ?? "").replaceAll("-", "+").replaceAll("_", "/");
  try {
    return Claims.safeParse(JSON.parse(atob(payload))).data?.sub ?? null;
  } catch {
    return null;
  }
}

/**
 * Revokes the refresh token, or else the access token, at the platform (RFC 7009). `endpoint.refusals`, and
 * `invalid_token`, mean that it was invalid already. `isIdentified`: whether our app authenticates.
 */
export async function revokeToken(
  context: AccountContext,
  {
    url,
    isIdentified,
    ...endpoint
  }: Pick<TokenEndpoint, "url" | "table" | "client" | "refusals"> & { readonly isIdentified: boolean },
): Promise<RevokeOutcome> {
  const token = context.credentials.refreshToken ?? context.credentials.accessToken;
  const sent = isIdentified ? identified(endpoint, context.app, { token }) : { form: { token } };
  const answer = await context.send({ method: "POST", url, ...sent });
  const error = answer.kind === "answered" ? parseBody(OAuthError, answer)?.error : undefined;
  if (error !== undefined && ["invalid_token", ...endpoint.refusals].includes(error)) return { kind: "revoked" };
  return okAs(interpretRead(endpoint.table, answer, ANY_BODY, context.now), "revoked");
}

function identified(
  { client }: Pick<TokenEndpoint, "client">,
  { id, secret }: AppCredentials,
  grant: Readonly<Record<string, string>>,
) {
  if (client !== "basic") return { form: { ...grant, [client.id]: id, [client.secret]: secret } };
  const authorization = `Basic ${btoa(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`)}`;
  return { headers: { authorization }, form: grant };
}

/** The meaning of an OAuth error body; null if there is none, or its error is not one of OAuth's. */
function refusalOf(
  { refusals, table: { title } }: TokenEndpoint,
  answer: Answered | Lost,
  refusal: Pick<Failure, "reason" | "message">,
): Failure | null {
  if (answer.kind === "lost" || answer.status === 429 || answer.status >= 500) return null;
  const body = parseBody(OAuthError, answer);
  if (body === null) return null;
  const blocked = (message: string): Failure => ({ kind: "failed", reason: "blocked", message });
  // Some platforms use the same error for a missing parameter: our fault, which must not disconnect a
  // channel.
  const isOurs = /missing required|required parameter|unknown parameter/i.test(body.error_description ?? "");
  if (refusals.includes(body.error) && !isOurs) return { kind: "failed", ...refusal };
  switch (body.error) {
    case "invalid_client":
    case "unauthorized_client":
    case "deleted_client":
      return blocked(`${title} does not accept our app's credentials.`);
    case "unsupported_grant_type":
    case "invalid_scope":
      return blocked(`${title} does not allow our app to request this login.`);
    case "redirect_uri_mismatch":
      return blocked(`${title} does not accept our redirect address.`);
    case "invalid_request":
    case "invalid_grant":
      return blocked(`${title} did not understand our login request.`);
    default:
      return null;
  }
}
