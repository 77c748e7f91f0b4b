// threads.net and threads.com: the page where a person lets the app in, and the posts behind permalinks.

import { Hono } from "hono";
import { type Brand, ChoiceRow, consentPage, consentRefused, initials, redirectBack, sentQuery } from "../consent";
import { postPage } from "../feed";
import type { PlatformBindings } from "../platform";
import type { Sandbox } from "../sandbox";
import { grantLogin, isRegisteredRedirect } from "./oauth";
import { type AccountRow, findAccount, listAccounts } from "./store";
import { APP_ID } from "./tokens";

const BRAND: Brand = {
  name: "Threads",
  logo: <span class="logo">@ Threads</span>,
  accent: "#101014",
  accentText: "#fff",
  background: "#f5f5f5",
  header: "background:#fff;color:#101014;border-bottom:1px solid #e5e5e5",
};

const BASIC = "threads_basic";
const SCOPES: Readonly<Record<string, string>> = {
  threads_basic: "See your profile and your posts",
  threads_content_publish: "Publish posts for you",
  threads_delete: "Delete your posts",
  threads_read_replies: "Read replies to your posts",
  threads_manage_replies: "Answer and hide replies",
  threads_manage_insights: "Read how your posts do",
  threads_manage_mentions: "Read posts that mention you",
  threads_keyword_search: "Search posts",
  threads_location_tagging: "Tag places",
  threads_profile_discovery: "Look at public profiles",
};

interface Asked {
  readonly redirectUri: string;
  readonly state: string | undefined;
  readonly scopes: readonly string[];
}

export function threadsWebsite(sandbox: Sandbox) {
  const app = new Hono<{ Bindings: PlatformBindings }>();

  app.get("/oauth/authorize", (c) => {
    const query = c.req.query();
    const asked = readAsked(query);
    return asked instanceof Response ? asked : authorizePage(query, asked, listAccounts(sandbox));
  });

  app.post("/oauth/authorize", async (c) => {
    const form = await c.req.formData().catch(() => new FormData());
    const asked = readAsked(sentQuery(form));
    if (asked instanceof Response) return asked;
    const state: Record<string, string> = asked.state === undefined ? {} : { state: asked.state };
    if (form.get("decision") !== "allow") {
      return redirectBack(asked.redirectUri, {
        error: "access_denied",
        error_reason: "user_denied",
        error_description: "The user denied your request",
        ...state,
      });
    }
    const account = findAccount(sandbox, String(form.get("account") ?? ""));
    if (!account) return refused("Choose who you are and try again.");
    if (!isInvited(sandbox, account))
      return refused(`@${account.username} has not accepted the invitation to test this app (1349245).`);
    const ticked = form.getAll("scope").map(String);
    const scopes = asked.scopes.filter((scope) => scope === BASIC || ticked.includes(scope));
    const code = grantLogin(sandbox, { accountId: account.id, scopes, redirectUri: asked.redirectUri });
    return redirectBack(`${asked.redirectUri}#_`, { code, ...state });
  });

  app.get("/:who/post/:shortcode", (c) => {
    const found = sandbox.db.first<{ id: string }>(
      "SELECT id FROM threads_media WHERE shortcode = ?",
      c.req.param("shortcode"),
    );
    return postPage(sandbox, "threads", found?.id ?? null);
  });
  app.get("*", () => postPage(sandbox, "threads", null));
  return app;
}

const refused = (detail: string) => consentRefused(BRAND, "Something went wrong", detail);

/**
 * An app in development mode is for its testers alone: of the seeded accounts, the first has accepted the
 * invitation.
 */
function isInvited(sandbox: Sandbox, { id }: AccountRow): boolean {
  return sandbox.settings.all.threads_app_mode === "live" || listAccounts(sandbox)[0]?.id === id;
}

function readAsked(query: Record<string, string>): Asked | Response {
  if (query.client_id !== APP_ID) return refused("Invalid platform app.");
  const redirectUri = query.redirect_uri ?? "";
  if (!isRegisteredRedirect(redirectUri)) {
    return refused(
      "Invalid redirect_uri. Here every address whose path ends in /connect/callback/threads is registered.",
    );
  }
  if (query.response_type !== "code") return refused("The response_type must be code.");
  const scopes = [...new Set((query.scope ?? "").split(/[\s,]+/).filter(Boolean))];
  const invalid = scopes.find((scope) => !(scope in SCOPES));
  if (invalid !== undefined || !scopes.includes(BASIC)) {
    return refused(`Invalid scope: ${invalid ?? `${BASIC} is missing`}.`);
  }
  return { redirectUri, state: query.state, scopes };
}

function authorizePage(query: Record<string, string>, asked: Asked, accounts: readonly AccountRow[]): Response {
  return consentPage({
    brand: BRAND,
    query,
    heading: "Belfry would like to use your Threads profile",
    allow: "Continue",
    note: (
      <>
        Nothing here is real: these profiles live in this sandbox only. You go back to{" "}
        <code>{new URL(asked.redirectUri).origin}</code>.
      </>
    ),
    children: (
      <>
        <fieldset>
          <legend>
            <span class="legend">You are</span>
          </legend>
          {accounts.map((account, index) => (
            <ChoiceRow
              kind="radio"
              name="account"
              value={account.id}
              label={account.name}
              about={`@${account.username}`}
              initials={initials(account.name)}
              checked={index === 0}
            />
          ))}
        </fieldset>
        <fieldset>
          <legend>
            <span class="legend">Belfry may</span>
          </legend>
          {asked.scopes.map((scope) => (
            <ChoiceRow
              kind="checkbox"
              name="scope"
              value={scope}
              label={SCOPES[scope] ?? scope}
              about={scope}
              checked
            />
          ))}
        </fieldset>
      </>
    ),
  });
}
