// www.tiktok.com: the consent page of both products, and the posts behind permalinks.

import { Hono } from "hono";
import { type Brand, type ConsentRequest, consentRefused, consentRoutes, scopesIn } from "../consent";
import { postPage } from "../feed";
import type { PlatformBindings } from "../platform";
import type { Sandbox } from "../sandbox";
import {
  accountOf,
  BUSINESS_APP,
  BUSINESS_SCOPES,
  findApp,
  isRegisteredBusinessRedirect,
  isRegisteredRedirect,
  MAIN_APP,
  openIdOf,
  REGISTERED_BUSINESS_REDIRECTS,
  SCOPES,
} from "./apps";
import { grantBusinessLogin } from "./business-oauth";
import { grantLogin } from "./oauth";
import { type AccountRow, findAccount, listAccounts } from "./store";

const BRAND: Brand = {
  name: "TikTok",
  accent: "#d8123f",
  background: "#f1f1f2",
  header: "background:#000;color:#fff",
};

interface Login extends ConsentRequest {
  readonly isBusiness: boolean;
  readonly clientKey: string;
  readonly challenge: string | null;
}

export function tiktokWebsite(sandbox: Sandbox) {
  const app = new Hono<{ Bindings: PlatformBindings }>({ strict: false });
  app.route("/", consentPages(sandbox));
  app.get("/:handle/:kind{video|photo}/:id", (c) => postPage(sandbox, "tiktok", c.req.param("id")));
  app.get("*", () => postPage(sandbox, "tiktok", null));
  return app;
}

function consentPages(sandbox: Sandbox) {
  const denied = { error: "access_denied", error_description: "User denied the authorization" };
  return consentRoutes<Login>(["/v2/auth/authorize"], {
    brand: BRAND,
    accountField: "account",
    read: readLogin,
    view: ({ isBusiness, scopes }) => ({
      heading: `Belfry wants to access your TikTok ${isBusiness ? "business account" : "account"}`,
      accounts: { legend: "Account", kind: "radio", choices: listAccounts(sandbox).map(toChoice) },
      scopes: { title: "Access", canUntick: true, offered: scopes, labels: isBusiness ? BUSINESS_SCOPES : SCOPES },
      allow: "Continue",
      fiction: "these accounts live",
    }),
    denied,
    grant: (request, { accounts: [id = ""], scopes }) => {
      if (scopes.length === 0) return denied;
      const account = findAccount(sandbox, accountOf(id));
      if (!account) return refused("Choose an account and try again.");
      const login = { ...request, accountId: account.id, scopes };
      return request.isBusiness
        ? { code: grantBusinessLogin(sandbox, login) }
        : { code: grantLogin(sandbox, login), scopes: scopes.join(",") };
    },
  });
}

const toChoice = (account: AccountRow) => ({
  value: openIdOf(MAIN_APP.key, account.id),
  label: account.display_name,
  about: `@${account.username}, ${account.is_private ? "private" : "public"}`,
});

const refused = (detail: string) => consentRefused(BRAND, "Something went wrong", detail);

function readLogin(query: Readonly<Record<string, string>>): Login | Response {
  const isBusiness = query.client_key === BUSINESS_APP.id;
  const clientKey = isBusiness ? BUSINESS_APP.id : findApp(query.client_key)?.key;
  if (clientKey === undefined) return refused("client_key");
  const redirectUri = query.redirect_uri ?? "";
  if (isBusiness && !isRegisteredBusinessRedirect(redirectUri)) {
    return refused(`redirect_uri. ${REGISTERED_BUSINESS_REDIRECTS}`);
  }
  if (!isBusiness && !isRegisteredRedirect(redirectUri)) {
    return refused(
      "redirect_uri. Every https address without a query whose path ends in /connect/callback/tiktok is registered.",
    );
  }
  if (query.response_type !== "code") return refused("response_type");
  const scopes = scopesIn(query, ",");
  const labels = isBusiness ? BUSINESS_SCOPES : SCOPES;
  if (scopes.length === 0 || scopes.some((scope) => !Object.hasOwn(labels, scope))) return refused("scope");
  const challenge = isBusiness ? null : (query.code_challenge ?? null);
  if (challenge !== null && query.code_challenge_method !== "S256") return refused("code_challenge");
  return { isBusiness, clientKey, redirectUri, state: query.state, scopes, challenge };
}
