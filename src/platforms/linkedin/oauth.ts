import { z } from "zod";
import { interpretRead, type ReadResult } from "../answers.ts";
import type { AccountContext, AppCredentials, Credentials, Failure } from "../context.ts";
import { PlatformId } from "../json.ts";
import {
  addressWith,
  type Granted,
  type GrantedAccount,
  type GrantRules,
  type Inspected,
  type RedirectLogin,
  type Renewal,
} from "../login.ts";
import { down, rejected } from "../outcomes.ts";
import { renewByRefreshToken, requestTokenForCode, revokeToken, type TokenEndpoint } from "../tokens.ts";
import { PERSON } from "./account.ts";
import {
  type Call,
  type Context,
  INTROSPECT,
  Introspected,
  type Read,
  request,
  TOKEN_SECONDS,
  tableOf,
} from "./api.ts";
import { appSetup } from "./app-setup.ts";
import { isActivating, LINKEDIN } from "./errors.ts";
import { findOrganizations } from "./organizations.ts";

/**
 * Login at LinkedIn: OAuth 2 without PKCE, with the secret in the form. A person allows all scopes or none.
 *
 * - The scopes depend on the products of the operator's app (LINKEDIN_PRODUCTS): one scope too many fails
 *   every login. Another set of scopes revokes all earlier tokens of the person, so it must not change
 *   lightly.
 * - Access tokens last sixty days. Only approved partners get a refresh token. It is never replaced and
 *   expires after a year, which LinkedIn reports; the last access token works until its own end.
 * - LinkedIn may refuse a new token for a moment.
 */

const AUTHORIZE = "https://www.linkedin.com/oauth/v2/authorization";

/** "Sign In with LinkedIn using OpenID Connect" and "Share on LinkedIn"; "Community Management API". */
const PRODUCTS = {
  member: ["openid", "profile", "w_member_social"],
  pages: [
    "rw_organization_admin",
    "r_organization_social",
    "w_organization_social",
    "r_organization_social_feed",
    "w_organization_social_feed",
    "w_member_social_feed",
  ],
} as const;
/** Commenting as a person, and as a page. */
export const COMMENT_SCOPES = ["w_member_social_feed", "w_organization_social_feed"];
/** Reading and answering comments under a page's posts. */
export const REPLY_SCOPES = ["r_organization_social_feed", "w_organization_social_feed"];
const SCOPES = [...PRODUCTS.member, ...PRODUCTS.pages];

/** `scopes` applies if the answer has none. */
function tokenEndpoint(scopes: readonly string[]): TokenEndpoint {
  return {
    url: "https://www.linkedin.com/oauth/v2/accessToken",
    table: LINKEDIN,
    client: { id: "client_id", secret: "client_secret" },
    refusals: ["invalid_request", "invalid_redirect_uri", "invalid_grant"],
    assumed: { expiresInSeconds: TOKEN_SECONDS, scopes },
  };
}

/** The scopes of the products that the operator has named; by default all. */
function scopesWith(options: AppCredentials["options"]): readonly string[] {
  const named = (options?.products ?? "").split(/[\s,]+/);
  const scopes = Object.entries(PRODUCTS).flatMap(([product, own]) => (named.includes(product) ? own : []));
  return scopes.length > 0 ? scopes : SCOPES;
}

export const oauth: RedirectLogin = {
  app: "linkedin",
  scopes: SCOPES,
  scopesWith,
  setup: appSetup,
  pkce: false,
  loginErrors: {
    user_cancelled_login: "declined",
    user_cancelled_authorize: "declined",
    unauthorized_scope_error: {
      message:
        "This service's app at LinkedIn lacks a product that it asks for. Its operator must add the product there, or leave it out (LINKEDIN_PRODUCTS).",
    },
  },

  authorizeUrl: (app, { redirectUri, state }) =>
    addressWith(AUTHORIZE, {
      response_type: "code",
      client_id: app.id,
      redirect_uri: redirectUri,
      state,
      scope: scopesWith(app.options).join(" "),
    }),

  async exchange(context, grant) {
    const refusal = "LinkedIn did not accept the login, or it expired. Sign in again.";
    const endpoint = tokenEndpoint(scopesWith(context.app.options));
    const credentials = await requestTokenForCode(context, endpoint, grant, refusal);
    if (credentials.kind === "failed") return credentials;
    return findAccounts({ ...context, credentials: credentials.value }, credentials.subject ?? null);
  },
};

/** `subject`: the person; null if the app does not request their identity. */
async function findAccounts(context: Context, subject: string | null): Promise<Granted | Failure> {
  const read = <S extends z.ZodType>(call: Call, schema: S) => readPatiently(context, call, schema);
  const person = await findPerson(context.credentials, read);
  if (person !== null && "reason" in person) return person;
  const organizations = await findOrganizations(context.credentials, read);
  if ("kind" in organizations) return organizations;
  const login = subject ?? person?.id.slice(PERSON.length) ?? null;
  const accounts = [...(person === null ? [] : [person]), ...organizations].map((account) => ({ ...account, login }));
  return accounts.length > 0
    ? { kind: "granted", accounts }
    : rejected("This login has no page at LinkedIn. Ask an administrator of the page for a role on it.");
}

const TRIES = 3;
/** A new token is active within two seconds. */
const TRY_AGAIN_MS = 1_100;

/**
 * Retries while the new token is not active. The only place where an adapter waits: the code is used up, so
 * nothing could be retried later.
 */
async function readPatiently<S extends z.ZodType>(
  context: Context,
  call: Call,
  schema: S,
): Promise<ReadResult<z.output<S>>> {
  let answer = await request(context, call);
  for (let tries = 1; tries < TRIES && isActivating(answer); tries += 1) {
    await scheduler.wait(TRY_AGAIN_MS);
    answer = await request(context, call);
  }
  return interpretRead(tableOf(context), answer, schema, context.now);
}

const UserInfo = z.object({ sub: PlatformId, name: z.string().optional(), picture: z.string().optional() });

/** Null if the app does not request the person's identity. */
async function findPerson(credentials: Credentials, read: Read): Promise<GrantedAccount | Failure | null> {
  if (!credentials.scopes.includes("openid")) return null;
  const answer = await read({ method: "GET", path: "v2/userinfo" }, UserInfo);
  if (answer.kind === "failed") return answer;
  const { sub, name = "LinkedIn member", picture = null } = answer.value;
  const mayPost = credentials.scopes.includes("w_member_social");
  return {
    id: `${PERSON}${sub}`,
    name,
    username: null,
    pictureUrl: picture,
    attributes: {},
    grants: mayPost ? { publish: credentials } : {},
    unusableReason: mayPost ? null : "Missing permission: w_member_social. Reconnect and allow everything.",
  };
}

const DEAD = {
  kind: "failed",
  reason: "disconnected",
  message: "The connection to LinkedIn expired. Reconnect the account.",
} as const satisfies Failure;

/** Whether the access token works; any other answer is a temporary error. */
export async function inspect({ send, app, credentials, now }: AccountContext): Promise<Inspected | Failure> {
  const form = { client_id: app.id, client_secret: app.secret, token: credentials.accessToken };
  const answer = await send({ method: "POST", url: INTROSPECT, form });
  const known = interpretRead(LINKEDIN, answer, Introspected, now);
  if (known.kind === "failed") return known.reason === "throttled" ? known : down(known.message);
  return known.value.active ? { kind: "alive", reconnectBy: credentials.reconnectBy ?? null } : DEAD;
}

/** Checks the access token after a refused renewal: it may outlive the refresh token. */
async function whatIsLeft(context: AccountContext): Promise<Failure> {
  const { expiresAt } = context.credentials;
  if (expiresAt === null || expiresAt <= context.now) return DEAD;
  const access = await inspect(context);
  if (access.kind === "failed") return access;
  const message = "LinkedIn no longer renews this connection. Reconnect the account before it expires.";
  return { kind: "failed", reason: "permission_missing", message };
}

export const renewal = {
  by: "refresh_token",
  async refresh(context) {
    const { refreshToken, scopes } = context.credentials;
    const renewed = await renewByRefreshToken(context, tokenEndpoint(scopes), DEAD.message);
    const isRefused = refreshToken !== null && renewed.kind === "failed" && renewed.reason === "disconnected";
    return isRefused ? whatIsLeft(context) : renewed;
  },
} satisfies Renewal;

/** Undocumented, but other clients use it. A refresh token revokes its access tokens too. */
export const revoke: NonNullable<GrantRules["revoke"]> = (context) => {
  const endpoint = tokenEndpoint(context.credentials.scopes);
  return revokeToken(context, { ...endpoint, url: "https://www.linkedin.com/oauth/v2/revoke", isIdentified: true });
};
