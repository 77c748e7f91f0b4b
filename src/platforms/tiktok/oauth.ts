import { z } from "zod";
import { interpretRead } from "../answers.ts";
import type { AccountContext, Credentials } from "../context.ts";
import {
  addressWith,
  type GrantedAccount,
  missingScopes,
  type RedirectLogin,
  type Renewal,
  type RevokeOutcome,
} from "../login.ts";
import { down, quoting, rejected } from "../outcomes.ts";
import { parseBody } from "../request.ts";
import { renewByRefreshToken, requestTokenForCode, type TokenEndpoint } from "../tokens.ts";
import { API, read, SCOPES, STATS_SCOPE } from "./api.ts";
import { appSetup, TOKEN_URL } from "./app-setup.ts";
import { TIKTOK } from "./errors.ts";

/**
 * The login of TikTok (Login Kit for web): OAuth 2 with a `client_key`, comma-separated scopes and no PKCE,
 * which TikTok supports for desktop and mobile apps only.
 *
 * - Refusals come with status 200 too: the body decides.
 * - The account owner may deselect any scope, and the login still succeeds.
 * - Access tokens are valid for a day, refresh tokens for a year. A renewal may return another refresh token,
 *   which replaces the old one.
 */
const AUTHORIZE = "https://www.tiktok.com/v2/auth/authorize/";
const DAY_SECONDS = 86_400;
const REQUESTED = [...SCOPES, STATS_SCOPE];

const TOKEN: TokenEndpoint = {
  url: TOKEN_URL,
  table: TIKTOK,
  client: { id: "client_key", secret: "client_secret" },
  refusals: ["invalid_grant", "access_denied"],
  assumed: { expiresInSeconds: DAY_SECONDS, scopes: SCOPES },
};

const Profile = z.object({
  user: z.object({
    open_id: z.string().min(1),
    display_name: z.string().optional(),
    username: z.string().min(1).optional(),
    avatar_url: z.string().optional(),
  }),
});

export const oauth: RedirectLogin = {
  app: "tiktok",
  scopes: REQUESTED,
  setup: appSetup,
  pkce: false,

  authorizeUrl: (app, { redirectUri, state }) =>
    addressWith(AUTHORIZE, {
      client_key: app.id,
      response_type: "code",
      scope: REQUESTED.join(","),
      redirect_uri: redirectUri,
      state,
      // Otherwise TikTok skips the consent page for the last account, and no other can be chosen.
      disable_auto_auth: "1",
    }),

  async exchange(context, grant) {
    const refusal = "TikTok did not accept the login, or it expired. Start again.";
    const login = await requestTokenForCode(context, TOKEN, grant, refusal);
    if (login.kind === "failed") return login;
    const credentials = login.value;
    const missing = SCOPES.filter((scope) => !credentials.scopes.includes(scope));
    // If one requested field is not permitted, TikTok rejects all of them.
    if (missing.length > 0) return rejected(missingScopes(missing));
    const query = { fields: "open_id,display_name,username,avatar_url" };
    const profile = await read({ ...context, credentials }, "GET", { path: "user/info/", query }, Profile);
    if (profile.kind === "failed") return profile;
    return { kind: "granted", accounts: [toAccount(profile.value.user, credentials)] };
  },
};

function toAccount(user: z.output<typeof Profile>["user"], credentials: Credentials): GrantedAccount {
  const { open_id, username = null, display_name = username ?? "TikTok account", avatar_url = null } = user;
  const isLasting = credentials.refreshToken !== null;
  return {
    id: open_id,
    name: display_name,
    username,
    pictureUrl: avatar_url,
    attributes: {},
    grants: isLasting ? { publish: credentials } : {},
    unusableReason: isLasting ? null : "TikTok granted access for one day only. Reconnect and allow everything.",
  };
}

export const renewal = {
  by: "refresh_token",
  refresh(context) {
    const endpoint = { ...TOKEN, assumed: { ...TOKEN.assumed, scopes: context.credentials.scopes } };
    return renewByRefreshToken(context, endpoint, "TikTok has revoked this connection. Reconnect the account.");
  },
} satisfies Renewal;

const Refused = z.object({ error: z.string().min(1), error_description: z.string().optional() });
const Nothing = z.unknown().transform(() => true as const);

/**
 * Revokes what the account owner has allowed our app, for this account. A grant that had already expired is
 * `revoked` too.
 */
export async function revoke({ send, app, credentials, now }: AccountContext): Promise<RevokeOutcome> {
  const form = { client_key: app.id, client_secret: app.secret, token: credentials.accessToken };
  const answer = await send({ method: "POST", url: `${API}/oauth/revoke/`, form });
  const refused = answer.kind === "answered" && answer.status < 500 ? parseBody(Refused, answer) : null;
  switch (refused?.error) {
    case undefined: {
      const ended = interpretRead(TIKTOK, answer, Nothing, now);
      return ended.kind === "ok" || ended.reason === "token_expired" ? { kind: "revoked" } : ended;
    }
    case "invalid_grant":
      return { kind: "revoked" };
    case "invalid_client":
      return { kind: "failed", reason: "blocked", message: "TikTok does not accept our app's credentials." };
    default:
      return down(
        quoting("TikTok did not end the connection.", "TikTok", refused?.error_description ?? refused?.error),
      );
  }
}
