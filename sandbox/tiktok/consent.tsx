// www.tiktok.com: the page where a person chooses an account and may untick scopes, one for the apps of both
// products, and the posts behind permalinks.

import { Hono } from "hono";
import { type Brand, ChoiceRow, consentPage, consentRefused, initials, redirectBack, sentQuery } from "../consent";
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
  SCOPES,
} from "./apps";
import { grantBusinessLogin } from "./business-oauth";
import { grantLogin } from "./oauth";
import { type AccountRow, findAccount, listAccounts } from "./store";

const BRAND: Brand = {
  name: "TikTok",
  logo: <span class="logo">TikTok</span>,
  accent: "#d8123f",
  accentText: "#fff",
  background: "#f1f1f2",
  header: "background:#000;color:#fff",
};

interface Asked {
  /** Whether for the API for business. */
  readonly isBusiness: boolean;
  readonly clientKey: string;
  readonly redirectUri: string;
  readonly state: string | undefined;
  readonly scopes: readonly string[];
  readonly challenge: string | null;
}

export function tiktokWebsite(sandbox: Sandbox) {
  const app = new Hono<{ Bindings: PlatformBindings }>({ strict: false });

  app.get("/v2/auth/authorize", (c) => {
    const query = c.req.query();
    const asked = readAsked(query);
    return asked instanceof Response ? asked : authorizePage(query, asked, listAccounts(sandbox));
  });

  app.post("/v2/auth/authorize", async (c) => {
    const form = await c.req.formData().catch(() => new FormData());
    const asked = readAsked(sentQuery(form));
    if (asked instanceof Response) return asked;
    const state: Record<string, string> = asked.state === undefined ? {} : { state: asked.state };
    const ticked = form.getAll("scope").map(String);
    const scopes = asked.scopes.filter((scope) => ticked.includes(scope));
    if (form.get("decision") !== "allow" || scopes.length === 0) {
      const denied = { error: "access_denied", error_description: "User denied the authorization" };
      return redirectBack(asked.redirectUri, { ...denied, ...state });
    }
    const account = findAccount(sandbox, accountOf(String(form.get("account") ?? "")));
    if (!account) return refused("Choose an account and try again.");
    const login = { ...asked, accountId: account.id, scopes };
    if (asked.isBusiness)
      return redirectBack(asked.redirectUri, { code: grantBusinessLogin(sandbox, login), ...state });
    const code = grantLogin(sandbox, login);
    return redirectBack(asked.redirectUri, { code, scopes: scopes.join(","), ...state });
  });

  app.get("/:handle/:kind{video|photo}/:id", (c) => postPage(sandbox, "tiktok", c.req.param("id")));
  app.get("*", () => postPage(sandbox, "tiktok", null));
  return app;
}

const refused = (detail: string) => consentRefused(BRAND, "Something went wrong", detail);

function readAsked(query: Record<string, string>): Asked | Response {
  if (query.client_key === BUSINESS_APP.id) return readBusinessAsked(query);
  const app = findApp(query.client_key);
  if (!app) return refused("client_key");
  const redirectUri = query.redirect_uri ?? "";
  if (!isRegisteredRedirect(redirectUri)) {
    return refused(
      "redirect_uri. Registered is every https address without a query whose path ends in /connect/callback/tiktok.",
    );
  }
  if (query.response_type !== "code") return refused("response_type");
  const scopes = (query.scope ?? "").split(",").filter(Boolean);
  if (scopes.length === 0 || scopes.some((scope) => !Object.hasOwn(SCOPES, scope))) return refused("scope");
  const challenge = query.code_challenge ?? null;
  if (challenge !== null && query.code_challenge_method !== "S256") return refused("code_challenge");
  return { isBusiness: false, clientKey: app.key, redirectUri, state: query.state, scopes, challenge };
}

function readBusinessAsked(query: Record<string, string>): Asked | Response {
  const redirectUri = query.redirect_uri ?? "";
  if (!isRegisteredBusinessRedirect(redirectUri)) {
    return refused(
      "redirect_uri. Registered is every https address without port and query whose path ends in /connect/callback/tiktok/, or goes on from there and ends with a slash.",
    );
  }
  if (query.response_type !== "code") return refused("response_type");
  const scopes = (query.scope ?? "").split(",").filter(Boolean);
  if (scopes.length === 0 || scopes.some((scope) => !Object.hasOwn(BUSINESS_SCOPES, scope))) return refused("scope");
  return { isBusiness: true, clientKey: BUSINESS_APP.id, redirectUri, state: query.state, scopes, challenge: null };
}

function authorizePage(query: Record<string, string>, asked: Asked, accounts: readonly AccountRow[]): Response {
  return consentPage({
    brand: BRAND,
    query,
    heading: asked.isBusiness
      ? "Belfry wants to access your TikTok business account"
      : "Belfry wants to access your TikTok account",
    allow: "Continue",
    note: (
      <>
        Nothing here is real: these accounts live in this sandbox only. You go back to{" "}
        <code>{new URL(asked.redirectUri).origin}</code>.
      </>
    ),
    children: (
      <>
        <fieldset>
          <legend>
            <span class="legend">Account</span>
          </legend>
          {accounts.map((account, index) => (
            <ChoiceRow
              kind="radio"
              name="account"
              value={openIdOf(MAIN_APP.key, account.id)}
              label={account.display_name}
              about={`@${account.username}, ${account.is_private ? "private" : "public"}`}
              initials={initials(account.display_name)}
              checked={index === 0}
            />
          ))}
        </fieldset>
        <fieldset>
          <legend>
            <span class="legend">Access</span>
          </legend>
          {asked.scopes.map((scope) => (
            <ChoiceRow
              kind="checkbox"
              name="scope"
              value={scope}
              label={(asked.isBusiness ? BUSINESS_SCOPES : SCOPES)[scope] ?? scope}
              about={scope}
              checked={true}
            />
          ))}
        </fieldset>
      </>
    ),
  });
}
