// The consent pages: Facebook's for accounts with a Page, and Instagram's for one account. Also the posts
// behind permalinks.

import { Hono } from "hono";
import { type Brand, type ConsentRequest, consentRefused, consentRoutes, scopesIn } from "../consent";
import { CODE_CHALLENGE } from "../digest";
import { postPage } from "../feed";
import { wantedBy } from "../meta/login-configs";
import { grantLogin, isRegisteredRedirect, strings } from "../meta/logins";
import type { PlatformBindings } from "../platform";
import type { Sandbox } from "../sandbox";
import { mediaAt } from "./media";
import { type AccountRow, listAccounts, PERSON } from "./store";
import { APP_ID, LOGIN_APP, type Login } from "./tokens";

const BRAND: Brand = {
  name: "Instagram",
  accent: "#c13584",
  background: "#fafafa",
  header: "background:#fff;color:#c13584;border-bottom:1px solid #eaeef2",
};

interface Dialog {
  login: Login;
  clientId: string;
  scopes: Readonly<Record<string, string>>;
  /** Scopes that every login grants. */
  always: readonly string[];
  kind: "checkbox" | "radio";
  heading: string;
  /** URL fragment of the redirect after a grant. */
  fragment?: string;
}

const DIALOGS: Readonly<Record<Login, Dialog>> = {
  facebook: {
    login: "facebook",
    clientId: APP_ID,
    scopes: {
      public_profile: "Your name and picture",
      pages_show_list: "See the Pages you manage",
      pages_read_engagement: "Read what your Pages publish",
      business_management: "Manage your business",
      instagram_basic: "See your Instagram accounts",
      instagram_content_publish: "Publish on your Instagram accounts",
      instagram_manage_comments: "Manage comments on your Instagram accounts",
      instagram_manage_contents: "Delete posts of your Instagram accounts",
      instagram_manage_messages: "Manage messages of your Instagram accounts",
      instagram_manage_insights: "Read the statistics of your Instagram accounts",
      pages_manage_metadata: "Receive events of your Pages",
      ads_management: "Manage your ads",
      ads_read: "Read the results of your ads",
      pages_manage_ads: "Manage ads of your Pages",
    },
    always: ["public_profile"],
    kind: "checkbox",
    heading: "Belfry would like to use your Instagram accounts",
  },
  instagram: {
    login: "instagram",
    clientId: LOGIN_APP.id,
    scopes: {
      instagram_business_basic: "See your profile and your posts",
      instagram_business_content_publish: "Publish for you",
      instagram_business_manage_comments: "Manage comments",
      instagram_business_manage_messages: "Manage messages",
      instagram_business_manage_insights: "Read your statistics",
    },
    always: ["instagram_business_basic"],
    kind: "radio",
    heading: "Belfry would like to use your Instagram account",
    fragment: "_",
  },
};

interface LoginRequest extends ConsentRequest {
  readonly challenge: string | null;
  /** All or nothing. */
  readonly isConfigured: boolean;
}

export const facebookWebsite = (sandbox: Sandbox) =>
  consentPages(sandbox, ["/:version{v2[1-7]\\.0}/dialog/oauth", "/dialog/oauth"], DIALOGS.facebook);

export function instagramWebsite(sandbox: Sandbox) {
  const app = new Hono<{ Bindings: PlatformBindings }>();
  app.route("/", consentPages(sandbox, ["/oauth/authorize"], DIALOGS.instagram));
  app.get("*", (c) => postPage(sandbox, "instagram", mediaAt(sandbox, c.req.path)));
  return app;
}

function consentPages(sandbox: Sandbox, paths: string[], dialog: Dialog) {
  return consentRoutes<LoginRequest>(paths, {
    brand: BRAND,
    accountField: "account",
    fragment: dialog.fragment,
    read: (query) => readLogin(sandbox, dialog, query),
    view: ({ scopes, isConfigured }) => ({
      heading: dialog.heading,
      accounts: {
        legend: "Instagram accounts",
        kind: dialog.kind,
        choices: listAccounts(sandbox).map(toChoice),
      },
      scopes: {
        title: "Permissions",
        canUntick: !isConfigured,
        offered: scopes.filter((scope) => !dialog.always.includes(scope)),
        labels: dialog.scopes,
      },
      allow: dialog.login === "facebook" ? "Continue as Robin" : "Allow",
      fiction: `${PERSON.name} and the accounts live`,
    }),
    denied: { error: "access_denied", error_reason: "user_denied", error_description: "Permissions error" },
    grant: (request, { accounts, scopes: ticked }) => {
      const isGranted = (scope: string) =>
        request.isConfigured || ticked.includes(scope) || dialog.always.includes(scope);
      const known = listAccounts(sandbox).map(({ id }) => id);
      const code = grantLogin(sandbox, {
        appId: dialog.clientId,
        scopes: request.scopes.filter(isGranted),
        declined: request.scopes.filter((scope) => !isGranted(scope)),
        subjects: accounts.filter((id) => known.includes(id)),
        redirectUri: request.redirectUri,
        challenge: request.challenge === null ? null : { text: request.challenge, method: "S256" },
        codeSeconds: sandbox.settings.all.instagram_code_seconds,
      });
      return { code };
    },
  });
}

const toChoice = ({ id, name, username, tasks }: AccountRow) => ({
  value: id,
  label: name,
  about: `@${username}${strings(tasks).includes("CREATE_CONTENT") ? "" : " · read only"}`,
});

const refused = (title: string, detail: string) => consentRefused(BRAND, title, detail);

function readLogin(sandbox: Sandbox, dialog: Dialog, query: Record<string, string>): LoginRequest | Response {
  if (query.client_id !== dialog.clientId) return refused("Invalid App ID", "The app ID is not a valid one.");
  const redirectUri = query.redirect_uri ?? "";
  if (!isRegisteredRedirect("instagram", redirectUri)) {
    const detail =
      "The redirect URI is not registered. Here every address whose path ends in /connect/callback/instagram is.";
    return refused("URL blocked", detail);
  }
  if (query.response_type !== "code") return refused("Invalid parameter", "Only response_type=code is simulated.");
  const scopes = scopesIn(query, /[\s,]+/);
  const invalid = scopes.filter((scope) => !(scope in dialog.scopes));
  if (invalid.length > 0) return refused("Invalid Scopes", `Invalid Scopes: ${invalid.join(", ")}.`);
  const { code_challenge: challenge = null, code_challenge_method: method } = query;
  if (challenge !== null && (method !== "S256" || !CODE_CHALLENGE.test(challenge))) {
    return refused("Invalid parameter", "Only S256 challenges of 43 to 128 characters are simulated here.");
  }
  // Instagram's own dialog knows no configurations.
  const product = dialog.login === "facebook" ? sandbox.settings.all.instagram_login_product : "classic";
  const wanted = wantedBy("instagram", query, Object.keys(dialog.scopes), product);
  if (wanted.kind === "refused") return refused(wanted.title, wanted.detail);
  const isConfigured = wanted.kind === "configured";
  const all = [...new Set([...dialog.always, ...(isConfigured ? wanted.scopes : scopes)])];
  return { redirectUri, state: query.state, scopes: all, challenge, isConfigured };
}
