import { z } from "zod";
import type { AppCredentials, Credentials } from "../context.ts";
import { PlatformId } from "../json.ts";
import { lenient, lenientList } from "../lists.ts";
import type { GrantedAccount, RedirectLogin } from "../login.ts";
import {
  ADS_SCOPES,
  dialogUrl,
  isForAds,
  listPages,
  loginPerson,
  mayAdvertise,
  missingPermissions,
} from "../meta/login.ts";
import { readLogin } from "../meta/token-facts.ts";
import { rejected } from "../outcomes.ts";
import { FACEBOOK } from "./api.ts";
import { appSetup } from "./app-setup.ts";

/**
 * Login at Facebook (meta/login.ts). One login returns several Pages, each with its own token.
 *
 * - A Page token from a long-lived user token does not expire, but a password change, a lost role, a removed
 *   app or a security check revokes it. A Page token from a short-lived user token expires with it.
 * - Ads are bought with the person's own token, which expires after about sixty days.
 * - A Page has no token if the person has no suitable task on it.
 */
const REQUIRED_SCOPES = ["pages_show_list", "pages_read_engagement", "pages_manage_posts"];
/** Optional permissions: without one of them the channel lacks the features that require it. */
export const COMMENT_SCOPE = "pages_manage_engagement";
export const READ_SCOPE = "pages_read_user_content";
export const MESSAGE_SCOPE = "pages_messaging";
export const INSIGHTS_SCOPE = "read_insights";
const OPTIONAL_SCOPES = [
  COMMENT_SCOPE,
  READ_SCOPE,
  MESSAGE_SCOPE,
  INSIGHTS_SCOPE,
  // For webhooks of new comments.
  "pages_manage_metadata",
  // Without it, Pages that a business portfolio holds are not listed.
  "business_management",
];
const OWN_SCOPES = [...REQUIRED_SCOPES, ...OPTIONAL_SCOPES];
const SCOPES = [...OWN_SCOPES, ...ADS_SCOPES];
const scopesWith = (options: AppCredentials["options"]) => (isForAds(options) ? SCOPES : OWN_SCOPES);

const Page = z.object({
  id: PlatformId,
  name: z.string(),
  access_token: lenient(z.string()),
  tasks: lenientList(z.string()),
  picture: lenient(z.object({ data: lenient(z.object({ url: z.string() })), url: lenient(z.string()) })),
});
type Page = z.output<typeof Page>;
const PAGES = { fields: "id,name,access_token,tasks,picture{url}", page: Page };

export const oauth: RedirectLogin = {
  app: "facebook",
  scopes: SCOPES,
  scopesWith,
  setup: appSetup,
  pkce: true,

  authorizeUrl: (app, request) => dialogUrl(app, request, scopesWith(app.options)),

  async exchange(context, grant) {
    const person = await loginPerson(FACEBOOK, context, grant);
    if (person.kind === "failed") return person;
    const { token, expiresAt, scopes: granted } = person;
    const { personId, reconnectBy } = await readLogin(FACEBOOK, context, token);
    const lacks = REQUIRED_SCOPES.filter((scope) => !granted.includes(scope));
    const missing = lacks.length > 0 ? missingPermissions(context.app, lacks) : null;
    const pages = lacks.includes("pages_show_list") ? [] : await listPages(FACEBOOK, context, token, PAGES);
    if ("kind" in pages) return pages;
    const user = mayAdvertise(granted) ? { ...credentialsOf(token, expiresAt, granted), reconnectBy } : null;
    if (pages.length > 0) {
      const accounts = pages.map((page) => ({
        ...toAccount(page, { granted, reconnectBy }, missing, user),
        login: personId,
      }));
      return { kind: "granted", accounts };
    }
    return rejected(missing ?? "This login shared no Facebook Page. Connect again and select at least one.");
  },
};

function toAccount(
  page: Page,
  { granted, reconnectBy }: { readonly granted: readonly string[]; readonly reconnectBy: number | null },
  missing: string | null,
  user: Credentials | null,
): GrantedAccount {
  const unusableReason = reasonUnusable(page, missing);
  const accessToken = unusableReason === null ? page.access_token : undefined;
  return {
    id: page.id,
    name: page.name,
    username: null,
    pictureUrl: page.picture?.data?.url ?? page.picture?.url ?? null,
    attributes: {},
    grants: accessToken
      ? { publish: { ...credentialsOf(accessToken, null, granted), reconnectBy }, ...(user ? { ads: user } : {}) }
      : {},
    unusableReason,
  };
}

function credentialsOf(accessToken: string, expiresAt: number | null, scopes: readonly string[]): Credentials {
  return { accessToken, refreshToken: null, expiresAt, scopes };
}

/** `missing`: what the whole login lacks, in a sentence. */
function reasonUnusable(page: Page, missing: string | null): string | null {
  if (missing !== null) return missing;
  const mayPublish =
    page.tasks === undefined || page.tasks.some((task) => task === "CREATE_CONTENT" || task === "MANAGE");
  if (page.access_token && mayPublish) return null;
  return `You may not publish on ${page.name}. Ask an admin of the Page for content access, then connect again.`;
}
