import { z } from "zod";
import { DAY, SECOND } from "../../core/time.ts";
import type { Credentials } from "../context.ts";
import { readable } from "../lists.ts";
import { addressWith, type GrantedAccount, type GrantRules, type RedirectLogin, type Renewal } from "../login.ts";
import { rejected } from "../outcomes.ts";
import { renewByRefreshToken, requestTokenForCode, revokeToken, type TokenEndpoint } from "../tokens.ts";
import { read } from "./api.ts";
import { appSetup, TOKEN_URL } from "./app-setup.ts";
import { YOUTUBE } from "./errors.ts";

/**
 * Login at Google for a YouTube channel.
 *
 * - Google returns a refresh token only with `access_type=offline`, and reliably only with `prompt=consent`.
 *   The token can be used repeatedly; a renewal does not replace it.
 * - The account owner selects the channel on the consent screen (`select_account`): a login covers one
 *   channel.
 * - Consent is granular: the login succeeds even if the owner unchecks scopes.
 * - Revoking ends every connection of the Google account to this service. `openid` identifies the account.
 */
const AUTHORIZE = "https://accounts.google.com/o/oauth2/v2/auth";
const SCOPE_PREFIX = "https://www.googleapis.com/auth/";
export const UPLOAD_SCOPE = `${SCOPE_PREFIX}youtube.upload`;
export const READ_SCOPE = `${SCOPE_PREFIX}youtube.readonly`;
/** Required to delete videos, and for comments. */
export const FULL_SCOPE = `${SCOPE_PREFIX}youtube.force-ssl`;
const SCOPES = [UPLOAD_SCOPE, READ_SCOPE, FULL_SCOPE];
/** Identifies the account, and cannot be unchecked. */
const REQUESTED = ["openid", ...SCOPES];

const TOKEN: TokenEndpoint = {
  url: TOKEN_URL,
  table: YOUTUBE,
  client: { id: "client_id", secret: "client_secret" },
  // The second: the Workspace no longer allows our app.
  refusals: ["invalid_grant", "admin_policy_enforced"],
  assumed: { expiresInSeconds: 3600, scopes: SCOPES },
};

const Thumbnail = z.object({ url: z.string() });
const Channel = z.object({
  id: z.string().min(1),
  snippet: z.object({
    title: z.string(),
    customUrl: z.string().optional().catch(undefined),
    thumbnails: z.record(z.string(), Thumbnail).optional().catch(undefined),
  }),
  contentDetails: z
    .object({ relatedPlaylists: z.object({ uploads: z.string().optional() }) })
    .optional()
    .catch(undefined),
  status: z.object({ longUploadsStatus: z.string().optional() }).optional().catch(undefined),
});
type Channel = z.output<typeof Channel>;
// An account without a channel may have no items.
const Channels = z.object({ items: readable(Channel).nullish() });

const REVOKE_URL = "https://oauth2.googleapis.com/revoke";

const NO_CHANNEL = "This Google account has no YouTube channel. Create one at youtube.com, then connect again.";

export const oauth: RedirectLogin = {
  app: "google",
  scopes: REQUESTED,
  setup: appSetup,
  pkce: true,

  authorizeUrl: (app, { redirectUri, state, codeChallenge }) =>
    addressWith(AUTHORIZE, {
      client_id: app.id,
      redirect_uri: redirectUri,
      response_type: "code",
      scope: REQUESTED.join(" "),
      access_type: "offline",
      prompt: "select_account consent",
      state,
      code_challenge: codeChallenge ?? "",
      code_challenge_method: "S256",
    }),

  async exchange(context, grant) {
    const refusal = "Google did not accept the login, or it expired. Sign in again.";
    const login = await requestTokenForCode(context, TOKEN, grant, refusal);
    if (login.kind === "failed") return login;
    const credentials = login.value;
    const missing = SCOPES.filter((scope) => !credentials.scopes.includes(scope));
    // Without a reading scope, not even the channel's id can be read.
    if (missing.includes(READ_SCOPE) && missing.includes(FULL_SCOPE)) return rejected(missingSentence(missing));

    const query = { part: "id,snippet,contentDetails,status", mine: true };
    const channels = await read({ ...context, credentials }, "channels", query, Channels);
    if (channels.kind === "failed") {
      return channels.reason === "disconnected" ? rejected(channels.message) : channels;
    }
    const items = channels.value.items ?? [];
    if (items.length === 0) return rejected(NO_CHANNEL);
    return { kind: "granted", accounts: items.map((channel) => toAccount(channel, login, missing)) };
  },
};

function toAccount(
  channel: Channel,
  { value: credentials, subject = null }: { readonly value: Credentials; readonly subject?: string | null },
  missing: readonly string[],
): GrantedAccount {
  const { id, snippet, contentDetails, status } = channel;
  const unusableReason = reasonUnusable(credentials, missing);
  const uploads = contentDetails?.relatedPlaylists.uploads;
  const long = status?.longUploadsStatus;
  return {
    id,
    name: snippet.title,
    username: snippet.customUrl?.replace(/^@/, "") ?? null,
    pictureUrl: snippet.thumbnails?.default?.url ?? null,
    attributes: {
      ...(uploads === undefined ? {} : { uploads_playlist: uploads }),
      ...(long === undefined ? {} : { long_uploads: long }),
    },
    grants: unusableReason === null ? { publish: credentials } : {},
    unusableReason,
    login: subject,
  };
}

function reasonUnusable({ refreshToken }: Credentials, missing: readonly string[]): string | null {
  if (missing.length > 0) return missingSentence(missing);
  return refreshToken === null ? "Google granted access for one hour only. Reconnect and allow everything." : null;
}

function missingSentence(missing: readonly string[]): string {
  const names = missing.map((scope) => scope.replace(SCOPE_PREFIX, "")).join(", ");
  return `Missing permissions: ${names}. Reconnect and leave all boxes checked.`;
}

/** A token lasts an hour. A renewal each day shows that the login works. */
export const renewal = {
  by: "refresh_token",
  idleSeconds: DAY / SECOND,
  refresh: (context) => renewByRefreshToken(context, TOKEN, "The connection to Google expired. Reconnect the channel."),
} satisfies Renewal;

export const revoke: NonNullable<GrantRules["revoke"]> = (context) =>
  revokeToken(context, { ...TOKEN, url: REVOKE_URL, isIdentified: false });
