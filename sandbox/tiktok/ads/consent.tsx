// The page at /portal/auth: which ad accounts the app may use.

import { Hono } from "hono";
import { type Brand, ChoiceRow, consentPage, consentRefused, initials, redirectBack, sentQuery } from "../../consent";
import type { PlatformBindings } from "../../platform";
import type { Sandbox } from "../../sandbox";
import { ADS_APP, isRegisteredBusinessRedirect } from "../apps";
import { ADVERTISERS } from "./advertisers";
import { grantAdsLogin } from "./login";

const BRAND: Brand = {
  name: "TikTok for Business",
  logo: <span class="logo">TikTok for Business</span>,
  accent: "#007572",
  accentText: "#fff",
  background: "#f1f1f2",
  header: "background:#121415;color:#fff",
};

interface Asked {
  readonly redirectUri: string;
  readonly state: string | undefined;
}

export function adsConsent(sandbox: Sandbox) {
  const app = new Hono<{ Bindings: PlatformBindings }>({ strict: false });

  app.get("/", (c) => {
    const query = c.req.query();
    const asked = readAsked(query);
    return asked instanceof Response ? asked : authorizePage(query, asked);
  });

  app.post("/", async (c) => {
    const form = await c.req.formData().catch(() => new FormData());
    const asked = readAsked(sentQuery(form));
    if (asked instanceof Response) return asked;
    const state: Record<string, string> = asked.state === undefined ? {} : { state: asked.state };
    const ticked = form.getAll("advertiser").map(String);
    const chosen = ADVERTISERS.map(({ id }) => id).filter((id) => ticked.includes(id));
    if (form.get("decision") !== "allow" || chosen.length === 0) {
      return redirectBack(asked.redirectUri, { error: "access_denied", ...state });
    }
    const code = grantAdsLogin(sandbox, chosen);
    return redirectBack(asked.redirectUri, { auth_code: code, code, ...state });
  });
  return app;
}

const refused = (detail: string) => consentRefused(BRAND, "Something went wrong", detail);

function readAsked(query: Record<string, string>): Asked | Response {
  if (query.app_id !== ADS_APP.id) return refused("app_id");
  const redirectUri = query.redirect_uri ?? "";
  if (isRegisteredBusinessRedirect(redirectUri)) return { redirectUri, state: query.state };
  return refused(
    "redirect_uri. Registered is every https address without port and query whose path ends in /connect/callback/tiktok/, or goes on from there and ends with a slash.",
  );
}

function authorizePage(query: Record<string, string>, { redirectUri }: Asked): Response {
  return consentPage({
    brand: BRAND,
    query,
    heading: "Belfry wants to manage your TikTok ads",
    allow: "Confirm",
    note: (
      <>
        Nothing here is real: these ad accounts live in this sandbox only, and no money is spent. You go back to{" "}
        <code>{new URL(redirectUri).origin}</code>.
      </>
    ),
    children: (
      <fieldset>
        <legend>
          <span class="legend">Ad accounts</span>
        </legend>
        {ADVERTISERS.map(({ id, name, currency, isEnabled }) => (
          <ChoiceRow
            kind="checkbox"
            name="advertiser"
            value={id}
            label={name}
            about={`${id}, ${currency}${isEnabled ? "" : ", disabled"}`}
            initials={initials(name)}
            checked={true}
          />
        ))}
      </fieldset>
    ),
  });
}
