import { z } from "zod";
import { DAY, SECOND } from "../../core/time.ts";
import { PlatformId } from "../json.ts";
import { addressWith, type GrantRules, type RedirectLogin, type Renewal } from "../login.ts";
import { renewByRefreshToken, requestTokenForCode, revokeToken, type TokenEndpoint } from "../tokens.ts";
import { API, read } from "./api.ts";
import { appSetup } from "./app-setup.ts";
import { X } from "./errors.ts";

/**
 * The login of X: OAuth 2 with PKCE.
 *
 * - An authorization code is valid for 30 seconds: it is exchanged inside the callback request.
 * - Access tokens are valid for two hours. A refresh token works once and returns its successor: replaying a
 *   used one may revoke the whole login. An invalid one answers 400 `invalid_request`, not `invalid_grant`.
 */

// The consent page is on x.com. The OpenAPI description names api.x.com, but browsers should not be sent
// there.
const AUTHORIZE = "https://x.com/i/oauth2/authorize";
const NEEDED = ["tweet.read", "tweet.write", "users.read", "media.write", "offline.access"];
/** Direct messages: without these scopes everything else still works. */
export const MESSAGE_SCOPES = ["dm.read", "dm.write"];
/** Hiding replies: the same. */
export const MODERATION_SCOPE = "tweet.moderate.write";
const SCOPES = [...NEEDED, ...MESSAGE_SCOPES, MODERATION_SCOPE];
const TOKEN: TokenEndpoint = {
  url: `${API}/oauth2/token`,
  table: X,
  client: "basic",
  refusals: ["invalid_request", "invalid_grant"],
  assumed: { expiresInSeconds: 7200, scopes: SCOPES },
};

const Me = z.object({
  data: z.object({
    id: PlatformId,
    name: z.string(),
    username: z.string(),
    profile_image_url: z.string().optional(),
    subscription_type: z.string().optional(),
  }),
});
export const oauth: RedirectLogin = {
  app: "twitter",
  scopes: SCOPES,
  setup: appSetup,
  pkce: true,

  authorizeUrl: (app, { redirectUri, state, codeChallenge }) =>
    addressWith(AUTHORIZE, {
      response_type: "code",
      client_id: app.id,
      redirect_uri: redirectUri,
      scope: SCOPES.join(" "),
      state,
      code_challenge: codeChallenge ?? "",
      code_challenge_method: "S256",
    }),

  async exchange(context, grant) {
    const refusal = "X did not accept the login, or it expired. Start again.";
    const credentials = await requestTokenForCode(context, TOKEN, grant, refusal);
    if (credentials.kind === "failed") return credentials;

    const query = { "user.fields": "id,name,username,profile_image_url,verified,verified_type,subscription_type" };
    const request = { method: "GET", path: "users/me", query } as const;
    const me = await read({ ...context, credentials: credentials.value }, request, Me);
    if (me.kind === "failed") return me;

    const { id, name, username, profile_image_url, subscription_type } = me.value.data;
    const missing = NEEDED.filter((scope) => !credentials.value.scopes.includes(scope));
    const isComplete = missing.length === 0 && credentials.value.refreshToken !== null;
    const granted = {
      id,
      name,
      username,
      pictureUrl: profile_image_url ?? null,
      attributes: subscription_type === undefined ? {} : { subscription_type },
      grants: isComplete ? { publish: credentials.value } : {},
      unusableReason: isComplete
        ? null
        : `X did not give ${missing.join(", ") || "offline.access"}. Connect again and allow everything.`,
    };
    return { kind: "granted", accounts: [granted] };
  },
};

/** A token lasts two hours. A renewal each day shows that the login works. */
export const renewal = {
  by: "refresh_token",
  idleSeconds: DAY / SECOND,
  refresh: (context) => renewByRefreshToken(context, TOKEN, "X has revoked this connection. Reconnect the account."),
} satisfies Renewal;

/** Revoking a refresh token revokes its access tokens too. An expired token already counts as revoked. */
export const revoke: NonNullable<GrantRules["revoke"]> = (context) =>
  revokeToken(context, { ...TOKEN, url: `${API}/oauth2/revoke`, isIdentified: true });
