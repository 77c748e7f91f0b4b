import { z } from "zod";
import type { ReadResult } from "../answers.ts";
import type { AccountContext, AppContext, Credentials } from "../context.ts";
import { PlatformId } from "../json.ts";
import {
  type AdditionalLogin,
  addressWith,
  type GrantedAccount,
  type GrantRules,
  type RedirectLogin,
  type Renewal,
  type RevokeOutcome,
} from "../login.ts";
import { rejected } from "../outcomes.ts";
import { BUSINESS_SCOPES, callBusiness, IDENTITY_SCOPES, readBusiness } from "./business-api.ts";

/**
 * The login for reading and writing comments: to another of our apps, at TikTok's portal for business, after
 * the login for publishing. Similar to OAuth 2, but with JSON in that API's envelope and without PKCE.
 *
 * - The account owner has another id here (`open_id`). Every call sends it as `business_id`, so it is stored
 *   with the credentials. The username proves that it is the same account.
 * - The redirect address must end with a slash.
 * - Access tokens are valid for a day, refresh tokens for a year; a renewal may return another refresh token.
 */
const AUTHORIZE = "https://www.tiktok.com/v2/auth/authorize";
const DAY_SECONDS = 86_400;

const Token = z.object({
  access_token: z.string().min(1),
  refresh_token: z.string().min(1).optional(),
  expires_in: z.coerce.number().optional().catch(undefined),
  refresh_token_expires_in: z.coerce.number().optional().catch(undefined),
  scope: z.string().optional().catch(undefined),
  open_id: PlatformId.optional().catch(undefined),
});

const Profile = z.object({
  username: z.string().min(1).optional(),
  display_name: z.string().optional().catch(undefined),
  profile_image: z.string().optional().catch(undefined),
});

const oauth: RedirectLogin = {
  app: "tiktok_business",
  scopes: BUSINESS_SCOPES,
  setup: {
    site: "business-api.tiktok.com/portal/apps",
    redirectSetting: "TikTok account holder redirect URL",
    scopesSetting: "Scope of permission: TikTok Accounts (account info, comments), and its review",
  },
  pkce: false,

  authorizeUrl: (app, { redirectUri, state }) =>
    addressWith(AUTHORIZE, {
      client_key: app.id,
      scope: BUSINESS_SCOPES.join(","),
      response_type: "code",
      redirect_uri: redirectUri,
      state,
      // Otherwise TikTok skips the consent page for the last account.
      disable_auto_auth: "1",
    }),

  async exchange(context, { code, redirectUri }) {
    const grant = { grant_type: "authorization_code", auth_code: code, redirect_uri: redirectUri };
    const login = await requestToken(context, "tt_user/oauth2/token", grant);
    if (login.kind === "failed") return login;
    const credentials = login.value;
    const { accountId } = credentials;
    if (accountId === undefined) return rejected("TikTok did not return the account of this login. Start again.");
    const missing = IDENTITY_SCOPES.filter((scope) => !credentials.scopes.includes(scope));
    if (missing.length > 0) {
      return rejected(`Missing permissions: ${missing.join(", ")}. Start again and leave everything selected.`);
    }
    const query = { business_id: accountId, fields: ["username", "display_name", "profile_image"] };
    const profile = await readBusiness({ ...context, credentials }, "business/get", query, Profile);
    if (profile.kind === "failed") return profile;
    return { kind: "granted", accounts: [toAccount(accountId, profile.value, credentials)] };
  },
};

function toAccount(id: string, profile: z.output<typeof Profile>, comments: Credentials): GrantedAccount {
  const { username = null, display_name = username ?? "TikTok account", profile_image = null } = profile;
  return {
    id,
    name: display_name,
    username,
    pictureUrl: profile_image,
    attributes: {},
    grants: { comments },
    unusableReason: null,
  };
}

/** Credentials from a code or a refresh token. */
async function requestToken(
  context: AppContext,
  path: string,
  grant: Readonly<Record<string, string>>,
  assumed: Pick<Credentials, "scopes" | "accountId"> = { scopes: BUSINESS_SCOPES },
): Promise<ReadResult<Credentials>> {
  const { app, now } = context;
  const wanted = { client_id: app.id, client_secret: app.secret, ...grant };
  const answer = await callBusiness(context, path, wanted, Token);
  if (answer.kind === "failed") return answer;
  const { access_token, refresh_token = null, scope, open_id = assumed.accountId } = answer.value;
  const { expires_in = DAY_SECONDS, refresh_token_expires_in: lasts } = answer.value;
  const value = {
    accessToken: access_token,
    refreshToken: refresh_token,
    expiresAt: now + expires_in * 1000,
    ...(lasts === undefined || refresh_token === null ? {} : { reconnectBy: now + lasts * 1000 }),
    scopes: scope === undefined ? assumed.scopes : scope.split(/[\s,]+/).filter((one) => one !== ""),
    accountId: open_id,
  };
  return { kind: "ok", value };
}

const renewal = {
  by: "refresh_token",
  async refresh(context) {
    const { refreshToken, scopes, accountId } = context.credentials;
    if (refreshToken === null) {
      return {
        kind: "failed",
        reason: "disconnected",
        message: "TikTok returned no refresh token. Reconnect the account.",
      };
    }
    const grant = { grant_type: "refresh_token", refresh_token: refreshToken };
    const renewed = await requestToken(context, "tt_user/oauth2/refresh_token", grant, { scopes, accountId });
    return renewed.kind === "failed" ? renewed : { kind: "refreshed", credentials: renewed.value };
  },
} satisfies Renewal;

/** A grant that had already expired is `revoked` too. */
async function revoke(context: AccountContext): Promise<RevokeOutcome> {
  const { app, credentials } = context;
  const wanted = { client_id: app.id, client_secret: app.secret, access_token: credentials.accessToken };
  const ended = await callBusiness(context, "tt_user/oauth2/revoke", wanted, z.unknown());
  const isOver = ended.kind === "ok" || ended.reason === "token_expired" || ended.reason === "disconnected";
  return isOver ? { kind: "revoked" } : ended;
}

export const commentLogin: AdditionalLogin = {
  purpose: "comments",
  title: "comments",
  offer: "Answer comments too",
  needs: "Requires a TikTok business account, and a second sign-in",
  oauth,
};

export const commentGrant: GrantRules = { app: "tiktok_business", renewal, revoke };
