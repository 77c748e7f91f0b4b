import { z } from "zod";
import { sha256Hex } from "../../../core/tokens.ts";
import type { AccountContext, AppContext, Credentials, Failure } from "../../context.ts";
import { PlatformId } from "../../json.ts";
import {
  type AdditionalLogin,
  addressWith,
  type GrantedAccount,
  type GrantRules,
  type RedirectLogin,
  type RevokeOutcome,
} from "../../login.ts";
import { rejected } from "../../outcomes.ts";
import { listAdvertisers } from "./accounts.ts";
import { call } from "./api.ts";
import { type Linked, listLinked } from "./rights.ts";

/**
 * The login for boosting posts: a third one, to our app for advertisers. It gives access to ad accounts, not
 * TikTok accounts. The TikTok accounts linked with them determine whose posts it may boost.
 *
 * - The requested permissions are configured on the app in TikTok's portal and are not part of the address.
 *   The numbers returned as scopes are not documented.
 * - The token neither expires nor can be renewed. Revoking it revokes everything that this login gave, so its
 *   hash identifies the login.
 */
const AUTHORIZE = "https://business-api.tiktok.com/portal/auth";
const MOST_ADVERTISERS = 30;

const Token = z.object({
  access_token: z.string().min(1),
  advertiser_ids: z.array(PlatformId).nullish(),
  scope: z.array(PlatformId).nullish().catch(null),
});

const LINK =
  "In TikTok Ads Manager, link the TikTok account with the ad account (Tools, TikTok accounts), and allow it to use existing posts.";

const oauth: RedirectLogin = {
  app: "tiktok_ads",
  scopes: [],
  setup: {
    site: "business-api.tiktok.com/portal/apps",
    redirectSetting: "Advertiser redirect URL",
    scopesSetting:
      "Scope of permission: Ad Account Management, Ads Management, Reporting, TikTok Accounts (identities, authorized posts), and its review",
  },
  pkce: false,
  codeParameter: "auth_code",

  authorizeUrl: (app, { redirectUri, state }) =>
    addressWith(AUTHORIZE, { app_id: app.id, state, redirect_uri: redirectUri }),

  async exchange(context, { code }) {
    const { app } = context;
    const requested = { app_id: app.id, secret: app.secret, auth_code: code };
    const answer = await call(context, "oauth2/access_token", requested, Token);
    if (answer.kind === "failed") return answer;
    const { access_token, advertiser_ids, scope } = answer.value;
    const credentials = { accessToken: access_token, refreshToken: null, expiresAt: null, scopes: scope ?? [] };
    const advertisers = advertiser_ids ?? [];
    if (advertisers.length === 0) return rejected("No ad account was selected at TikTok. Start again and select one.");
    const linked = await linkedWith({ ...context, credentials }, advertisers.slice(0, MOST_ADVERTISERS));
    if (linked.kind === "failed") return linked;
    if (linked.found.size === 0) {
      return rejected(`None of the selected ad accounts is linked with a TikTok account. ${LINK} Then try again.`);
    }
    const login = await sha256Hex(access_token);
    const accounts = [...linked.found.values()].map((one) => toAccount(one, credentials, login));
    return { kind: "granted", accounts };
  },
};

interface Link {
  readonly identity: Linked;
  readonly username: string;
  readonly advertiserId: string;
}

/**
 * The TikTok accounts linked with these ad accounts, each with its first ad account. An ad account that
 * cannot be read has none.
 */
async function linkedWith(
  context: Pick<AccountContext, "send" | "now" | "credentials">,
  advertisers: readonly string[],
): Promise<{ readonly kind: "linked"; readonly found: ReadonlyMap<string, Link> } | Failure> {
  const found = new Map<string, Link>();
  let refusal: Failure | null = null;
  for (const advertiserId of advertisers) {
    const listed = await listLinked(context, advertiserId);
    if (listed.kind === "failed") {
      if (listed.reason !== "rejected" && listed.reason !== "permission_missing") return listed;
      refusal ??= listed;
      continue;
    }
    for (const identity of listed.items) {
      const { username } = identity;
      const key = username?.toLowerCase();
      if (username && key && !found.has(key)) found.set(key, { identity, username, advertiserId });
    }
  }
  return found.size === 0 && refusal ? refusal : { kind: "linked", found };
}

function toAccount({ identity, username, advertiserId }: Link, token: Credentials, login: string): GrantedAccount {
  return {
    id: identity.identity_id,
    name: identity.display_name || username,
    username,
    pictureUrl: identity.profile_image ?? null,
    attributes: {},
    grants: { ads: { ...token, accountId: advertiserId } },
    unusableReason: null,
    login,
  };
}

/** A token that was already invalid counts as revoked. */
async function revoke(context: AppContext & Pick<AccountContext, "credentials">): Promise<RevokeOutcome> {
  const { app, credentials } = context;
  const requested = { app_id: app.id, secret: app.secret, access_token: credentials.accessToken };
  const ended = await call(context, "oauth2/revoke_token", requested, z.unknown());
  const isOver = ended.kind === "ok" || ended.reason === "token_expired" || ended.reason === "disconnected";
  return isOver ? { kind: "revoked" } : ended;
}

export const adsLogin: AdditionalLogin = {
  purpose: "ads",
  title: "ads",
  offer: "Boost posts too",
  needs: "Requires an ad account that is linked with the TikTok account, and a sign-in there",
  mismatch: (found, wanted) =>
    `The selected ad accounts are linked with ${found}, but the connected account is ${wanted}. ${LINK} Or select another ad account.`,
  oauth,
};

export const adsGrant: GrantRules = {
  app: "tiktok_ads",
  revoke,
  async inspect(context) {
    const listed = await listAdvertisers(context);
    return listed.kind === "failed" ? listed : { kind: "alive", reconnectBy: null };
  },
};
