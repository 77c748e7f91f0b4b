// threads.net and threads.com: the consent page, and the posts behind permalinks.

import { Hono } from "hono";
import { type Brand, type ConsentRequest, consentRefused, consentRoutes, scopesIn } from "../consent";
import { postPage } from "../feed";
import { grantLogin, isRegisteredRedirect } from "../meta/logins";
import type { PlatformBindings } from "../platform";
import type { Sandbox } from "../sandbox";
import { type AccountRow, findAccount, listAccounts } from "./store";
import { APP_ID } from "./tokens";

const BRAND: Brand = {
  name: "Threads",
  logo: "@ Threads",
  accent: "#101014",
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
  threads_manage_insights: "Read the statistics of your posts",
  threads_manage_mentions: "Read posts that mention you",
  threads_keyword_search: "Search posts",
  threads_location_tagging: "Tag places",
  threads_profile_discovery: "See public profiles",
};

export function threadsWebsite(sandbox: Sandbox) {
  const app = new Hono<{ Bindings: PlatformBindings }>();
  app.route("/", consentPages(sandbox));
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

function consentPages(sandbox: Sandbox) {
  return consentRoutes<ConsentRequest>(["/oauth/authorize"], {
    brand: BRAND,
    accountField: "account",
    read: readLogin,
    view: ({ scopes }) => ({
      heading: "Belfry would like to use your Threads profile",
      accounts: { legend: "You are", kind: "radio", choices: listAccounts(sandbox).map(toChoice) },
      scopes: { title: "Belfry may", canUntick: true, offered: scopes, labels: SCOPES },
      allow: "Continue",
      fiction: "these profiles live",
    }),
    denied: {
      error: "access_denied",
      error_reason: "user_denied",
      error_description: "The user denied your request",
    },
    fragment: "_",
    grant: (login, { accounts: [id = ""], scopes: ticked }) => {
      const account = findAccount(sandbox, id);
      if (!account) return refused("Choose who you are and try again.");
      if (!isInvited(sandbox, account))
        return refused(`@${account.username} has not accepted the invitation to test this app (1349245).`);
      const scopes = login.scopes.filter((scope) => scope === BASIC || ticked.includes(scope));
      const { redirectUri } = login;
      const codeSeconds = sandbox.settings.all.threads_code_seconds;
      const allowed = { appId: APP_ID, subjects: [account.id], scopes, redirectUri };
      return { code: grantLogin(sandbox, { ...allowed, codeSeconds, codePrefix: "AQB" }) };
    },
  });
}

const toChoice = ({ id, name, username }: AccountRow) => ({ value: id, label: name, about: `@${username}` });

const refused = (detail: string) => consentRefused(BRAND, "Something went wrong", detail);

/**
 * An app in development mode accepts only its testers: the first of the default accounts has accepted the
 * invitation.
 */
function isInvited(sandbox: Sandbox, { id }: AccountRow): boolean {
  return sandbox.settings.all.threads_app_mode === "live" || listAccounts(sandbox)[0]?.id === id;
}

function readLogin(query: Record<string, string>): ConsentRequest | Response {
  if (query.client_id !== APP_ID) return refused("Invalid platform app.");
  const redirectUri = query.redirect_uri ?? "";
  if (!isRegisteredRedirect("threads", redirectUri)) {
    return refused(
      "Invalid redirect_uri. Here every address whose path ends in /connect/callback/threads is registered.",
    );
  }
  if (query.response_type !== "code") return refused("The response_type must be code.");
  const scopes = scopesIn(query, /[\s,]+/);
  const invalid = scopes.find((scope) => !(scope in SCOPES));
  if (invalid !== undefined || !scopes.includes(BASIC)) {
    return refused(`Invalid scope: ${invalid ?? `${BASIC} is missing`}.`);
  }
  return { redirectUri, state: query.state, scopes };
}
