// accounts.google.com: the consent page for one channel; www.youtube.com and youtu.be: the pages behind
// permalinks.

import { Hono } from "hono";
import { type Brand, type ConsentRequest, consentRefused, consentRoutes, scopesIn } from "../consent";
import { CODE_CHALLENGE } from "../digest";
import { postPage } from "../feed";
import type { PlatformBindings } from "../platform";
import type { Sandbox } from "../sandbox";
import { grantLogin, isRegisteredRedirect } from "./oauth";
import { type ChannelRow, CLIENT_ID, findChannel } from "./store";

const BRAND: Brand = {
  name: "Google",
  accent: "#1a73e8",
  background: "#f0f4f9",
  header: "background:#fff;color:#1f1f1f",
};

const PREFIX = "https://www.googleapis.com/auth/";
const SCOPES: Readonly<Record<string, string>> = {
  [`${PREFIX}youtube`]: "Manage your YouTube account",
  [`${PREFIX}youtube.force-ssl`]:
    "See, edit and permanently delete your YouTube videos, ratings, comments and captions",
  [`${PREFIX}youtube.readonly`]: "View your YouTube account",
  [`${PREFIX}youtube.upload`]: "Manage your YouTube videos",
  [`${PREFIX}userinfo.email`]: "See your email address",
  [`${PREFIX}userinfo.profile`]: "See your name and picture",
  openid: "Associate you with your personal information on Google",
};

/** A Google account without a channel. */
const NO_CHANNEL = "none";
const ONE_ACCOUNT = "one-for-all";

interface Login extends ConsentRequest {
  readonly challenge: string | null;
  readonly method: string | null;
  readonly isOffline: boolean;
  readonly isAskedAgain: boolean;
  readonly isAddition: boolean;
}

/** `accounts.google.com`. */
export function googleAccounts(sandbox: Sandbox) {
  const channels = () => sandbox.db.all<ChannelRow>("SELECT * FROM youtube_channels ORDER BY created_at, id");
  const robin = { value: NO_CHANNEL, label: "Robin Sandbox", about: "A Google account without a channel" };
  const denied = { error: "access_denied" };
  return consentRoutes<Login>(["/o/oauth2/v2/auth"], {
    brand: BRAND,
    accountField: "account",
    read: readLogin,
    view: ({ scopes }) => ({
      heading: "Belfry wants access to your Google Account",
      accounts: {
        legend: "Choose your account or a brand account",
        kind: "radio",
        choices: [...channels().map(toChoice), robin],
      },
      scopes: { title: "Select what Belfry can access", canUntick: true, offered: scopes, labels: SCOPES },
      allow: "Continue",
      fiction: "these channels live",
    }),
    denied,
    grant: (login, { accounts: [account = ""], scopes }) => {
      if (scopes.length === 0) return denied;
      const channel = findChannel(sandbox, account);
      if (!channel && account !== NO_CHANNEL) return refused("Choose one of your accounts and try again.");
      const isOne = sandbox.settings.all.youtube_one_google_account;
      const accountId = isOne ? ONE_ACCOUNT : (channel?.id ?? NO_CHANNEL);
      const code = grantLogin(sandbox, { ...login, scopes, accountId, channelId: channel?.id ?? null });
      return { code, scope: scopes.join(" ") };
    },
  });
}

const toChoice = ({ id, title, handle, long_uploads }: ChannelRow) => ({
  value: id,
  label: title,
  about: `@${handle}${long_uploads === "allowed" ? "" : " · not verified"}`,
});

/** `www.youtube.com` and `youtu.be`. */
export function youtubeWebsite(sandbox: Sandbox) {
  const app = new Hono<{ Bindings: PlatformBindings }>();
  app.get("/watch", (c) => postPage(sandbox, "youtube", c.req.query("v") ?? null));
  app.get("/shorts/:id", (c) => postPage(sandbox, "youtube", c.req.param("id")));
  app.get("/:id", (c) => postPage(sandbox, "youtube", c.req.param("id")));
  app.get("*", () => postPage(sandbox, "youtube", null));
  return app;
}

const refused = (detail: string) => consentRefused(BRAND, "Access blocked: authorization error", detail);

function readLogin(query: Record<string, string>): Login | Response {
  if (query.client_id !== CLIENT_ID) return refused("Error 401: invalid_client. The OAuth client was not found.");
  const redirectUri = query.redirect_uri ?? "";
  if (!isRegisteredRedirect(redirectUri)) {
    return refused(
      "Error 400: redirect_uri_mismatch. Registered is every https address whose path ends in /connect/callback/youtube.",
    );
  }
  if (query.response_type !== "code") return refused("Error 400: unsupported_response_type.");
  const scopes = scopesIn(query, " ");
  const invalid = scopes.filter((scope) => !(scope in SCOPES));
  if (scopes.length === 0) return refused("Error 400: invalid_request. Missing required parameter: scope");
  if (invalid.length > 0) return refused(`Error 400: invalid_scope. Some requested scopes were invalid: ${invalid}`);
  const prompts = (query.prompt ?? "").split(" ").filter(Boolean);
  if (prompts.some((prompt) => !["none", "consent", "select_account"].includes(prompt))) {
    return refused("Error 400: invalid_request. Invalid parameter value for prompt.");
  }
  const challenge = query.code_challenge ?? null;
  const method = challenge === null ? null : (query.code_challenge_method ?? "plain");
  if (challenge !== null && !CODE_CHALLENGE.test(challenge))
    return refused("Error 400: invalid_request. code_challenge");
  if (method !== null && method !== "S256" && method !== "plain") {
    return refused("Error 400: invalid_request. code_challenge_method");
  }
  if (!["online", "offline", undefined].includes(query.access_type)) {
    return refused("Error 400: invalid_request. Invalid parameter value for access_type.");
  }
  return {
    redirectUri,
    state: query.state,
    scopes,
    challenge,
    method,
    isOffline: query.access_type === "offline",
    isAskedAgain: prompts.includes("consent"),
    isAddition: query.include_granted_scopes === "true",
  };
}
