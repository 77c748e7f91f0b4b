// The consent page at /portal/auth, for ad accounts.

import { type Brand, type ConsentRequest, consentRefused, consentRoutes } from "../../consent";
import type { Sandbox } from "../../sandbox";
import { ADS_APP, isRegisteredBusinessRedirect, REGISTERED_BUSINESS_REDIRECTS } from "../apps";
import { ADVERTISERS } from "./advertisers";
import { grantAdsLogin } from "./login";

const BRAND: Brand = {
  name: "TikTok for Business",
  accent: "#007572",
  background: "#f1f1f2",
  header: "background:#121415;color:#fff",
};

export function adsConsent(sandbox: Sandbox) {
  const denied = { error: "access_denied" };
  return consentRoutes<ConsentRequest>(["/"], {
    brand: BRAND,
    accountField: "advertiser",
    read: readLogin,
    view: () => ({
      heading: "Belfry wants to manage your TikTok ads",
      accounts: { legend: "Ad accounts", kind: "checkbox", choices: ADVERTISERS.map(toChoice) },
      allow: "Confirm",
      fiction: "no money is spent, and these ad accounts live",
    }),
    denied,
    grant: (_request, { accounts }) => {
      const chosen = ADVERTISERS.map(({ id }) => id).filter((id) => accounts.includes(id));
      if (chosen.length === 0) return denied;
      const code = grantAdsLogin(sandbox, chosen);
      return { auth_code: code, code };
    },
  });
}

const toChoice = ({ id, name, currency, isEnabled }: (typeof ADVERTISERS)[number]) => ({
  value: id,
  label: name,
  about: `${id}, ${currency}${isEnabled ? "" : ", disabled"}`,
});

function readLogin(query: Readonly<Record<string, string>>): ConsentRequest | Response {
  const refused = (detail: string) => consentRefused(BRAND, "Something went wrong", detail);
  if (query.app_id !== ADS_APP.id) return refused("app_id");
  const redirectUri = query.redirect_uri ?? "";
  if (!isRegisteredBusinessRedirect(redirectUri)) return refused(`redirect_uri. ${REGISTERED_BUSINESS_REDIRECTS}`);
  return { redirectUri, state: query.state, scopes: [] };
}
