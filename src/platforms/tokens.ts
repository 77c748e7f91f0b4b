import { z } from "zod";
import { interpretRead, type ReadResult } from "./answers.ts";
import type { AppContext, AppCredentials, Credentials, Failure } from "./context.ts";
import { PlatformId } from "./json.ts";
import type { RevokeOutcome } from "./login.ts";
import { down } from "./outcomes.ts";
import type { RefusalTable } from "./refusals.ts";
import { type Answered, type Lost, parseBody } from "./request.ts";

/**
 * Token endpoints of OAuth 2 (RFC 6749, section 5): a code or a refresh token becomes credentials.
 *
 * Only an OAuth error body refuses a login here, whatever its status (TikTok's come with 200). A refusal by a
 * gateway, or in the form of the API's other errors, is passing trouble: it must not end a connection.
 */
export interface TokenEndpoint {
  readonly url: string;
  readonly table: RefusalTable;
  /** How our app proves itself: by Basic authentication, or by fields of the form under these names. */
  readonly client: "basic" | { readonly id: string; readonly secret: string };
  /**
   * The errors with which it refuses a code or a refresh token; of others, our request or our app is the
   * cause.
   */
  readonly refusals: readonly string[];
  /** What an answer means that does not tell them. */
  readonly assumed: { readonly expiresInSeconds: number | null; readonly scopes: readonly string[] };
}

const Token = z.object({
  access_token: z.string().min(1),
  refresh_token: z.string().min(1).optional(),
  expires_in: z.number().optional(),
  // How long the refresh token, or what the person allowed, lasts: LinkedIn's and Google's name, and
  // TikTok's.
  refresh_token_expires_in: z.number().optional().catch(undefined),
  refresh_expires_in: z.number().optional().catch(undefined),
  scope: z.string().optional(),
  id_token: z.string().optional().catch(undefined),
});
const OAuthError = z.object({ error: z.string(), error_description: z.string().optional().catch(undefined) });

/** `subject`: who logged in, by OpenID Connect; absent where that was not asked for. */
export type Login = ReadResult<Credentials> & { readonly subject?: string | null };

/** `refusal` is what it means when the code or the refresh token in the form is refused. */
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
    // Limits, and what is wrong with our app, are the same wherever the platform says it.
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

/** An answer that is its status. */
const ANY_BODY = z.unknown().transform(() => true);

const Claims = z.object({ sub: PlatformId });

/**
 * Whom an id token names. It came from the platform itself, so its signature is not asked (OpenID Connect
 * Core 3.1.3.7).
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
 * Ends a token at the platform (RFC 7009). `endpoint.refusals`, and `invalid_token`, say that it was over
 * already; `isIdentified`: whether our app proves itself.
 */
export async function revokeToken(
  context: AppContext,
  {
    url,
    isIdentified,
    ...endpoint
  }: Pick<TokenEndpoint, "url" | "table" | "client" | "refusals"> & { readonly isIdentified: boolean },
  token: string,
): Promise<RevokeOutcome> {
  const sent = isIdentified ? identified(endpoint, context.app, { token }) : { form: { token } };
  const answer = await context.send({ method: "POST", url, ...sent });
  const error = answer.kind === "answered" ? parseBody(OAuthError, answer)?.error : undefined;
  if (error !== undefined && ["invalid_token", ...endpoint.refusals].includes(error)) return { kind: "revoked" };
  const outcome = interpretRead(endpoint.table, answer, ANY_BODY, context.now);
  return outcome.kind === "ok" ? { kind: "revoked" } : outcome;
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

/** What an OAuth error body says; null where there is none, or none of OAuth's errors. */
function refusalOf(
  { refusals, table: { title } }: TokenEndpoint,
  answer: Answered | Lost,
  refusal: Pick<Failure, "reason" | "message">,
): Failure | null {
  if (answer.kind === "lost" || answer.status === 429 || answer.status >= 500) return null;
  const body = parseBody(OAuthError, answer);
  if (body === null) return null;
  const blocked = (message: string): Failure => ({ kind: "failed", reason: "blocked", message });
  // Some use the same error for a parameter that they miss: our fault, which must not end a connection.
  const isOurs = /missing required|required parameter|unknown parameter/i.test(body.error_description ?? "");
  if (refusals.includes(body.error) && !isOurs) return { kind: "failed", ...refusal };
  switch (body.error) {
    case "invalid_client":
    case "unauthorized_client":
    case "deleted_client":
      return blocked(`${title} does not accept our app's credentials.`);
    case "unsupported_grant_type":
    case "invalid_scope":
      return blocked(`${title} does not let our app ask for this login.`);
    case "redirect_uri_mismatch":
      return blocked(`${title} does not know our redirect address.`);
    case "invalid_request":
    case "invalid_grant":
      return blocked(`${title} did not understand our request for a login.`);
    default:
      return null;
  }
}
