// The two dialogs: Facebook's, where Robin chooses accounts by their Pages, and Instagram's, for one account.
// And the posts behind permalinks.

import { Hono } from "hono";
import { type Brand, ChoiceRow, consentPage, consentRefused, initials, redirectBack, sentQuery } from "../consent";
import { postPage } from "../feed";
import type { PlatformBindings } from "../platform";
import type { Sandbox } from "../sandbox";
import { LOGIN_APP } from "./instagram-login";
import { grantLogin, isRegisteredRedirect } from "./login";
import { mediaAt } from "./media";
import { type AccountRow, listAccounts, PERSON, strings } from "./store";
import { APP_ID, type Login } from "./tokens";

const BRAND: Brand = {
  name: "Instagram",
  logo: <span class="logo ig">Instagram</span>,
  accent: "#c13584",
  accentText: "#fff",
  background: "#fafafa",
  header: "background:#fff;color:#c13584;border-bottom:1px solid #eaeef2",
};

interface Dialog {
  login: Login;
  clientId: string;
  scopes: Readonly<Record<string, string>>;
  /** Granted with every login. */
  always: readonly string[];
  kind: "checkbox" | "radio";
  heading: string;
  /** What the way back ends with. */
  mark: string;
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
      instagram_manage_contents: "Delete what your Instagram accounts have published",
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
    mark: "",
  },
  instagram: {
    login: "instagram",
    clientId: LOGIN_APP.id,
    scopes: {
      instagram_business_basic: "See your profile and what you have published",
      instagram_business_content_publish: "Publish for you",
      instagram_business_manage_comments: "Manage comments",
      instagram_business_manage_messages: "Manage messages",
      instagram_business_manage_insights: "Read your statistics",
    },
    always: ["instagram_business_basic"],
    kind: "radio",
    heading: "Belfry would like to use your Instagram account",
    mark: "#_",
  },
};

interface Asked {
  redirectUri: string;
  state: string | undefined;
  scopes: string[];
  challenge: string | null;
}

type App = Hono<{ Bindings: PlatformBindings }>;

export function facebookWebsite(sandbox: Sandbox): App {
  const app: App = new Hono();
  mount(sandbox, app, ["/:version{v2[1-6]\\.0}/dialog/oauth", "/dialog/oauth"], DIALOGS.facebook);
  return app;
}

export function instagramWebsite(sandbox: Sandbox): App {
  const app: App = new Hono();
  mount(sandbox, app, ["/oauth/authorize"], DIALOGS.instagram);
  app.get("*", (c) => postPage(sandbox, "instagram", mediaAt(sandbox, c.req.path)));
  return app;
}

function mount(sandbox: Sandbox, app: App, paths: string[], dialog: Dialog): void {
  app.on("GET", paths, (c) => {
    const query = c.req.query();
    const asked = readDialog(dialog, query);
    return asked instanceof Response ? asked : show(dialog, query, asked, listAccounts(sandbox));
  });
  app.on("POST", paths, async (c) => {
    const form = await c.req.formData().catch(() => new FormData());
    const asked = readDialog(dialog, sentQuery(form));
    return asked instanceof Response ? asked : decide(sandbox, dialog, asked, form);
  });
}

function decide(sandbox: Sandbox, dialog: Dialog, asked: Asked, form: FormData): Response {
  const state: Record<string, string> = asked.state === undefined ? {} : { state: asked.state };
  if (form.get("decision") !== "allow") {
    return redirectBack(asked.redirectUri, {
      error: "access_denied",
      error_reason: "user_denied",
      error_description: "Permissions error",
      ...state,
    });
  }
  const ticked = form.getAll("scope").map(String);
  const isGiven = (scope: string) => ticked.includes(scope) || dialog.always.includes(scope);
  const known = listAccounts(sandbox).map(({ id }) => id);
  const code = grantLogin(sandbox, {
    login: dialog.login,
    scopes: asked.scopes.filter(isGiven),
    declined: asked.scopes.filter((scope) => !isGiven(scope)),
    accountIds: form
      .getAll("account")
      .map(String)
      .filter((id) => known.includes(id)),
    redirectUri: asked.redirectUri,
    challenge: asked.challenge,
  });
  const answer = redirectBack(asked.redirectUri, { code, ...state });
  answer.headers.set("location", `${answer.headers.get("location")}${dialog.mark}`);
  return answer;
}

function readDialog(dialog: Dialog, query: Record<string, string>): Asked | Response {
  if (query.client_id !== dialog.clientId) return refused("Invalid App ID", "The app ID is not a valid one.");
  const redirectUri = query.redirect_uri ?? "";
  if (!isRegisteredRedirect(redirectUri)) {
    const detail =
      "The redirect URI is not registered. Here every address whose path ends in /connect/callback/instagram is.";
    return refused("URL blocked", detail);
  }
  if (query.response_type !== "code") return refused("Invalid parameter", "Only response_type=code is simulated.");
  const scopes = (query.scope ?? "").split(/[\s,]+/).filter(Boolean);
  const invalid = scopes.filter((scope) => !(scope in dialog.scopes));
  if (invalid.length > 0) return refused("Invalid Scopes", `Invalid Scopes: ${invalid.join(", ")}.`);
  const { code_challenge: challenge = null, code_challenge_method: method } = query;
  if (challenge !== null && (method !== "S256" || !/^[\w.~-]{43,128}$/.test(challenge))) {
    return refused("Invalid parameter", "Only S256 challenges of 43 to 128 characters are simulated here.");
  }
  return { redirectUri, state: query.state, scopes: [...new Set([...dialog.always, ...scopes])], challenge };
}

const refused = (title: string, detail: string) => consentRefused(BRAND, title, detail);

function show(dialog: Dialog, query: Record<string, string>, asked: Asked, accounts: AccountRow[]): Response {
  const choosable = asked.scopes.filter((scope) => !dialog.always.includes(scope));
  return consentPage({
    brand: BRAND,
    query,
    heading: dialog.heading,
    allow: dialog.login === "facebook" ? "Continue as Robin" : "Allow",
    note: (
      <>
        Nothing here is real: {PERSON.name} and the accounts live in this sandbox only. You go back to{" "}
        <code>{new URL(asked.redirectUri).origin}</code>.
      </>
    ),
    children: (
      <>
        <fieldset>
          <legend>
            <span class="legend">Instagram accounts</span>
          </legend>
          {accounts.map((account, index) => (
            <ChoiceRow
              kind={dialog.kind}
              name="account"
              value={account.id}
              label={account.name}
              about={`@${account.username}${strings(account.tasks).includes("CREATE_CONTENT") ? "" : " · you may only look"}`}
              initials={initials(account.name)}
              checked={dialog.kind === "checkbox" || index === 0}
            />
          ))}
        </fieldset>
        {choosable.length === 0 ? null : (
          <fieldset>
            <legend>
              <span class="legend">Permissions</span>
            </legend>
            {choosable.map((scope) => (
              <ChoiceRow
                kind="checkbox"
                name="scope"
                value={scope}
                label={dialog.scopes[scope] ?? scope}
                about={scope}
                checked
              />
            ))}
          </fieldset>
        )}
      </>
    ),
  });
}
