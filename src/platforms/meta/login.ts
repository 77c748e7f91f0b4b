import { z } from "zod";
import { interpretRead, type ReadResult } from "../answers.ts";
import type { AppContext, AppCredentials, Failure } from "../context.ts";
import { readable } from "../lists.ts";
import { type AuthorizeRequest, addressWith, type CodeGrant, missingScopes } from "../login.ts";
import { graphTable } from "./errors.ts";
import { type GraphApi, get, graphClient, VERSION } from "./graph.ts";

/**
 * Login of a person at Facebook, which returns the person's Pages, or the Instagram accounts that are linked
 * to them.
 *
 * - There are no refresh tokens. A working token is exchanged for one of about sixty days.
 * - A person may decline permissions or select only some Pages, and the login still succeeds.
 * - With Facebook Login for Business, a configuration in the app's dashboard names the permissions
 *   (`config_id` in place of `scope`), and the person allows all of them or none
 *   (developers.facebook.com/docs/facebook-login/facebook-login-for-business, checked 2026-11-28).
 * - PKCE is documented for the OpenID Connect form of the manual flow (checked 2026-11-21). The challenge is
 *   always sent, the verifier together with the app's secret.
 */
const DIALOG = `https://www.facebook.com/${VERSION}/dialog/oauth`;

/** Permissions to buy ads, which only a person's token can. Requested if the operator has enabled boosts. */
export const ADS_SCOPES = ["ads_management", "ads_read", "pages_manage_ads"];

/** Whether the operator has enabled boosts with this app (`FACEBOOK_ADS`, `INSTAGRAM_ADS`). */
export const isForAds = (options: AppCredentials["options"]): boolean => options?.ads === "yes";

/** Whether a login may buy ads. */
export const mayAdvertise = (scopes: readonly string[]): boolean => ADS_SCOPES.every((scope) => scopes.includes(scope));

/** At most 20 times 100 Pages are read, so that the request ends even for a large portfolio. */
const MAX_ACCOUNT_PAGES = 20;

const Token = z.object({ access_token: z.string().min(1), expires_in: z.number().positive().optional() });
const Permissions = z.object({ data: readable(z.object({ permission: z.string(), status: z.string() })) });

export interface PersonToken {
  readonly token: string;
  /** Epoch milliseconds; null if Facebook returns no expiry. */
  readonly expiresAt: number | null;
}

export interface PersonLogin extends PersonToken {
  readonly kind: "person";
  /** The granted permissions. */
  readonly scopes: readonly string[];
}

/** The configuration of Facebook Login for Business; null: the login requests scopes. */
const configOf = (options: AppCredentials["options"]): string | null => options?.config || null;

/** Why a login lacks permissions, and who can change it. */
export function missingPermissions({ options }: AppCredentials, missing: readonly string[]): string {
  if (configOf(options) === null) return missingScopes(missing);
  return `Missing permissions: ${missing.join(", ")}. The operator of this service must add them to the configuration of Facebook Login for Business; then connect again.`;
}

export function dialogUrl(
  app: AppCredentials,
  { redirectUri, state, codeChallenge }: AuthorizeRequest,
  scopes: readonly string[],
): URL {
  const config = configOf(app.options);
  return addressWith(DIALOG, {
    client_id: app.id,
    redirect_uri: redirectUri,
    state,
    response_type: "code",
    // Requests declined permissions again; without it the dialog would skip them. A configuration has none.
    ...(config === null ? { scope: scopes.join(","), auth_type: "rerequest" } : { config_id: config }),
    ...(codeChallenge === null ? {} : { code_challenge: codeChallenge, code_challenge_method: "S256" }),
  });
}

/** Exchanges the code for the person's long-lived token, and returns its permissions. */
export async function loginPerson(
  api: GraphApi,
  context: AppContext,
  { code, redirectUri, codeVerifier }: CodeGrant,
): Promise<PersonLogin | Failure> {
  const proof = codeVerifier === null ? {} : { code_verifier: codeVerifier };
  const form = { ...clientOf(context), ...proof, redirect_uri: redirectUri, code };
  const answer = await context.send({ method: "POST", url: tokenUrl(api), form });
  const short = interpretRead(graphTable(api), answer, Token, context.now);
  if (short.kind === "failed") return short;
  const long = await prolongToken(api, context, short.value.access_token);
  if (long.kind === "failed") return long;
  const permissions = await graphClient(api, context, long.value.token).read(get("me/permissions"), Permissions);
  if (permissions.kind === "failed") return permissions;
  const granted = permissions.value.data.filter((one) => one.status === "granted");
  return { kind: "person", ...long.value, scopes: granted.map((one) => one.permission) };
}

/** Exchanges a working token for one that lasts longer. */
export async function prolongToken(
  api: GraphApi,
  context: AppContext,
  token: string,
): Promise<ReadResult<PersonToken>> {
  // Documented as a GET only, so the secrets are in the query.
  const query = { ...clientOf(context), grant_type: "fb_exchange_token", fb_exchange_token: token };
  const answer = await context.send({ method: "GET", url: tokenUrl(api), query });
  const long = interpretRead(graphTable(api), answer, Token, context.now);
  if (long.kind === "failed") return long;
  const { access_token, expires_in } = long.value;
  const expiresAt = expires_in === undefined ? null : context.now + expires_in * 1000;
  return { kind: "ok", value: { token: access_token, expiresAt } };
}

/** The Pages of the login, each once. */
export async function listPages<S extends z.ZodType<{ readonly id: string }>>(
  api: GraphApi,
  context: AppContext,
  token: string,
  { fields, page }: { readonly fields: string; readonly page: S },
): Promise<readonly z.output<S>[] | Failure> {
  const graph = graphClient(api, context, token);
  const readPage = (after: string | undefined) => graph.request(get("me/accounts", { fields, limit: 100, after }));
  const listed = await graph.list(readPage, page, MAX_ACCOUNT_PAGES);
  if (listed.kind === "failed") return listed;
  return [...new Map(listed.items.map((one) => [one.id, one])).values()];
}

const tokenUrl = (api: GraphApi): string => `${api.baseUrl}/oauth/access_token`;
const clientOf = ({ app }: AppContext) => ({ client_id: app.id, client_secret: app.secret });
