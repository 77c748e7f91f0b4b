// accounts.google.com, where a channel is chosen and scopes can be unticked, and the pages behind permalinks.

import { Hono } from "hono";
import { type Brand, ChoiceRow, consentPage, consentRefused, initials, redirectBack, sentQuery } from "../consent";
import { postPage } from "../feed";
import type { PlatformBindings } from "../platform";
import type { Sandbox } from "../sandbox";
import { grantLogin, isRegisteredRedirect } from "./oauth";
import { type ChannelRow, CLIENT_ID, findChannel } from "./store";

const BRAND: Brand = {
  name: "Google",
  logo: <span class="logo">Google</span>,
  accent: "#1a73e8",
  accentText: "#fff",
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
  [`${PREFIX}userinfo.email`]: "See your e-mail address",
  [`${PREFIX}userinfo.profile`]: "See your name and picture",
  openid: "Associate you with your personal information on Google",
};

/** An account of Google's that has no channel. */
const NO_CHANNEL = "none";
const ONE_ACCOUNT = "one-for-all";

interface Asked {
  redirectUri: string;
  state: string | null;
  scopes: string[];
  challenge: string | null;
  method: string | null;
  isOffline: boolean;
  isAskedAgain: boolean;
  isAddition: boolean;
}

/** `accounts.google.com`. */
export function googleAccounts(sandbox: Sandbox) {
  const app = new Hono<{ Bindings: PlatformBindings }>();
  const channels = () => sandbox.db.all<ChannelRow>("SELECT * FROM youtube_channels ORDER BY created_at, id");

  app.get("/o/oauth2/v2/auth", (c) => {
    const query = c.req.query();
    const asked = readAuthorize(query);
    return asked instanceof Response ? asked : authorizePage(query, asked, channels());
  });

  app.post("/o/oauth2/v2/auth", async (c) => {
    const form = await c.req.formData().catch(() => new FormData());
    const asked = readAuthorize(sentQuery(form));
    if (asked instanceof Response) return asked;
    const state: Record<string, string> = asked.state === null ? {} : { state: asked.state };
    const ticked = form.getAll("scope").map(String);
    const scopes = asked.scopes.filter((scope) => ticked.includes(scope));
    if (form.get("decision") !== "allow" || scopes.length === 0) {
      return redirectBack(asked.redirectUri, { error: "access_denied", ...state });
    }
    const account = String(form.get("account") ?? "");
    const channel = findChannel(sandbox, account);
    if (!channel && account !== NO_CHANNEL) return refused("Choose one of your accounts and try again.");
    const ownAccount = channel?.id ?? NO_CHANNEL;
    const isOne = sandbox.settings.all.youtube_one_google_account;
    const login = { accountId: isOne ? ONE_ACCOUNT : ownAccount, channelId: channel?.id ?? null };
    const code = grantLogin(sandbox, { ...asked, ...login, scopes });
    return redirectBack(asked.redirectUri, { ...state, code, scope: scopes.join(" ") });
  });
  return app;
}

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

function readAuthorize(query: Record<string, string>): Asked | Response {
  if (query.client_id !== CLIENT_ID) return refused("Error 401: invalid_client. The OAuth client was not found.");
  const redirectUri = query.redirect_uri ?? "";
  if (!isRegisteredRedirect(redirectUri)) {
    return refused(
      "Error 400: redirect_uri_mismatch. Registered is every https address whose path ends in /connect/callback/youtube.",
    );
  }
  if (query.response_type !== "code") return refused("Error 400: unsupported_response_type.");
  const scopes = (query.scope ?? "").split(" ").filter(Boolean);
  const invalid = scopes.filter((scope) => !(scope in SCOPES));
  if (scopes.length === 0) return refused("Error 400: invalid_request. Missing required parameter: scope");
  if (invalid.length > 0) return refused(`Error 400: invalid_scope. Some requested scopes were invalid: ${invalid}`);
  const prompts = (query.prompt ?? "").split(" ").filter(Boolean);
  if (prompts.some((prompt) => !["none", "consent", "select_account"].includes(prompt))) {
    return refused("Error 400: invalid_request. Invalid parameter value for prompt.");
  }
  const challenge = query.code_challenge ?? null;
  const method = challenge === null ? null : (query.code_challenge_method ?? "plain");
  if (challenge !== null && !/^[\w.~-]{43,128}$/.test(challenge))
    return refused("Error 400: invalid_request. code_challenge");
  if (method !== null && method !== "S256" && method !== "plain") {
    return refused("Error 400: invalid_request. code_challenge_method");
  }
  if (!["online", "offline", undefined].includes(query.access_type)) {
    return refused("Error 400: invalid_request. Invalid parameter value for access_type.");
  }
  return {
    redirectUri,
    state: query.state ?? null,
    scopes: [...new Set(scopes)],
    challenge,
    method,
    isOffline: query.access_type === "offline",
    isAskedAgain: prompts.includes("consent"),
    isAddition: query.include_granted_scopes === "true",
  };
}

function authorizePage(query: Record<string, string>, asked: Asked, channels: ChannelRow[]): Response {
  return consentPage({
    brand: BRAND,
    query,
    heading: "Belfry wants access to your Google Account",
    allow: "Continue",
    note: (
      <>
        Nothing here is real: these channels live in this sandbox only. You go back to{" "}
        <code>{new URL(asked.redirectUri).origin}</code>.
      </>
    ),
    children: (
      <>
        <fieldset>
          <legend>
            <span class="legend">Choose your account or a brand account</span>
          </legend>
          {channels.map((channel, index) => (
            <ChoiceRow
              kind="radio"
              name="account"
              value={channel.id}
              label={channel.title}
              about={`@${channel.handle}${channel.long_uploads === "allowed" ? "" : " · not verified"}`}
              initials={initials(channel.title)}
              checked={index === 0}
            />
          ))}
          <ChoiceRow
            kind="radio"
            name="account"
            value={NO_CHANNEL}
            label="Robin Sandbox"
            about="A Google account without a channel"
            initials="RS"
            checked={false}
          />
        </fieldset>
        <fieldset>
          <legend>
            <span class="legend">Select what Belfry can access</span>
          </legend>
          {asked.scopes.map((scope) => (
            <ChoiceRow
              kind="checkbox"
              name="scope"
              value={scope}
              label={SCOPES[scope] ?? scope}
              about={scope.replace(PREFIX, "")}
              checked={true}
            />
          ))}
        </fieldset>
      </>
    ),
  });
}
