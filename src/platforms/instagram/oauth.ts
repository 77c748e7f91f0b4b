import { z } from "zod";
import { interpretRead } from "../answers.ts";
import type { AccountContext, AppContext, AppCredentials, Credentials, Failure } from "../context.ts";
import { PlatformId } from "../json.ts";
import { lenient, lenientList } from "../lists.ts";
import type {
  CodeGrant,
  Granted,
  GrantedAccount,
  Inspected,
  RedirectLogin,
  Refreshed,
  Renewal,
  RevokeOutcome,
} from "../login.ts";
import { metaAppSetup } from "../meta/app-setup.ts";
import { graphTable } from "../meta/errors.ts";
import { get, Success } from "../meta/graph.ts";
import {
  ADS_SCOPES,
  dialogUrl,
  isForAds,
  listPages,
  loginPerson,
  mayAdvertise,
  missingPermissions,
  type PersonLogin,
  prolongToken,
} from "../meta/login.ts";
import { appToken, readLogin, readTokenFacts } from "../meta/token-facts.ts";
import { down, rejected } from "../outcomes.ts";
import { graphOf, loginOf, loginOfApp, VIA_FACEBOOK } from "./api.ts";
import { exchangeCode, instagramUrl, refreshToken } from "./instagram-login.ts";

/**
 * Login with Facebook (meta/login.ts), which returns the professional accounts that are linked to the
 * person's Pages, or with Instagram (instagram-login.ts), which returns one account.
 *
 * - Calls use the person's token, not a Page's: it reads new posts more reliably, and only it can delete. It
 *   expires after about sixty days. Before that it can be exchanged for another one. That the new one lasts
 *   longer is not documented, so one that does not is refused, and the account owner is notified in time.
 * - A Page without a professional account lacks the field for it.
 */
const REQUIRED_SCOPES = ["instagram_basic", "instagram_content_publish", "pages_show_list", "pages_read_engagement"];
const OWN_SCOPES = [
  ...REQUIRED_SCOPES,
  "instagram_manage_comments",
  "instagram_manage_messages",
  "instagram_manage_insights",
  // For webhooks of new comments.
  "pages_manage_metadata",
  // To delete posts.
  "instagram_manage_contents",
  // Without it, Pages that a business portfolio holds are not listed.
  "business_management",
];
const SCOPES = [...OWN_SCOPES, ...ADS_SCOPES];
const scopesWith = (options: AppCredentials["options"]) => (isForAds(options) ? SCOPES : OWN_SCOPES);

const setup = metaAppSetup(VIA_FACEBOOK, {
  redirectSetting: "Facebook Login for Business › Settings › Valid OAuth Redirect URIs",
  scopesSetting: "App Review › Permissions and Features, Advanced Access for each",
  config: "INSTAGRAM_LOGIN_CONFIG",
});
const { check } = setup;

const Account = z.object({
  id: PlatformId,
  username: lenient(z.string()),
  name: lenient(z.string()),
  profile_picture_url: lenient(z.string()),
});
const Page = z.object({
  id: PlatformId,
  name: z.string(),
  tasks: lenientList(z.string()),
  instagram_business_account: lenient(Account),
});
type Page = z.output<typeof Page>;
const Me = z.object({ user_id: PlatformId });
const PAGES = {
  fields: "id,name,tasks,instagram_business_account{id,username,name,profile_picture_url}",
  page: Page,
};

export const oauth: RedirectLogin = {
  app: "instagram",
  scopes: SCOPES,
  scopesWith,
  // An Instagram Login app has its own id, which cannot be inspected.
  setup: check
    ? { ...setup, check: async (context, uri) => (loginOfApp(context.app) === "facebook" ? check(context, uri) : []) }
    : setup,
  pkce: true,
  authorizeUrl: (app, request) =>
    loginOfApp(app) === "instagram" ? instagramUrl(app, request) : dialogUrl(app, request, scopesWith(app.options)),
  exchange: (context, grant) =>
    loginOfApp(context.app) === "instagram" ? exchangeCode(context, grant) : exchangeAtFacebook(context, grant),
};

async function exchangeAtFacebook(context: AppContext, grant: CodeGrant): Promise<Granted | Failure> {
  const person = await loginPerson(VIA_FACEBOOK, context, grant);
  if (person.kind === "failed") return person;
  const missing = REQUIRED_SCOPES.filter((scope) => !person.scopes.includes(scope));
  const cannotLook = missing.includes("pages_show_list") || missing.includes("instagram_basic");
  const lacks = missing.length > 0 ? missingPermissions(context.app, missing) : null;
  if (cannotLook && lacks !== null) return rejected(lacks);
  const pages = await listPages(VIA_FACEBOOK, context, person.token, PAGES);
  if ("kind" in pages) return pages;
  const { personId, reconnectBy } = await readLogin(VIA_FACEBOOK, context, person.token);
  const login = { credentials: { ...credentialsOf(person), reconnectBy }, personId };
  const accounts = pages.flatMap((page) => toAccount(page, login, lacks) ?? []);
  // Several Pages may lead to one account. A Page that works comes last and counts.
  const usableLast = accounts.toSorted((a, b) => Number(a.unusableReason === null) - Number(b.unusableReason === null));
  const chosen = new Map(usableLast.map((account) => [account.id, account]));
  if (chosen.size > 0) return { kind: "granted", accounts: accounts.filter((one) => chosen.get(one.id) === one) };
  return rejected(
    pages.length === 0
      ? "This login shared no Facebook Page. Connect again and select the Page that your Instagram account is linked to."
      : "None of the Facebook Pages of this login is linked to an Instagram business or creator account. Link one in the Page's settings, then connect again.",
  );
}

function toAccount(
  page: Page,
  { credentials, personId }: { readonly credentials: Credentials; readonly personId: string | null },
  lacks: string | null,
): GrantedAccount | null {
  const account = page.instagram_business_account;
  if (!account) return null;
  const username = account.username ?? null;
  const mayPublish =
    page.tasks === undefined || page.tasks.some((task) => task === "CREATE_CONTENT" || task === "MANAGE");
  const unusableReason =
    lacks ??
    (mayPublish
      ? null
      : `You may not publish for ${page.name}. Ask an admin of the Facebook Page for content access, then connect again.`);
  return {
    id: account.id,
    name: account.name || username || page.name,
    username,
    pictureUrl: account.profile_picture_url ?? null,
    attributes: { login: "facebook", page_id: page.id },
    grants:
      unusableReason === null
        ? { publish: credentials, ...(mayAdvertise(credentials.scopes) ? { ads: credentials } : {}) }
        : {},
    unusableReason,
    login: personId,
  };
}

function credentialsOf({ token, expiresAt, scopes }: Pick<PersonLogin, "token" | "expiresAt" | "scopes">): Credentials {
  return { accessToken: token, refreshToken: null, expiresAt, scopes };
}

export const renewal: Renewal = {
  by: "access_token",
  minAgeSeconds: 86_400,
  refresh: (context) => (loginOf(context.account) === "instagram" ? refreshToken(context) : prolongAtFacebook(context)),
};

async function prolongAtFacebook(context: AccountContext): Promise<Refreshed | Failure> {
  const { accessToken, expiresAt: end, reconnectBy = null, scopes } = context.credentials;
  const renewed = await prolongToken(VIA_FACEBOOK, context, accessToken);
  if (renewed.kind === "failed") return renewed;
  const { token, expiresAt } = renewed.value;
  const isLonger = expiresAt === null || end === null || expiresAt > end;
  if (isLonger)
    return { kind: "refreshed", credentials: { ...credentialsOf({ token, expiresAt, scopes }), reconnectBy } };
  // The grant works until it expires, and its expiry is announced.
  const message = "Facebook does not extend this connection. Reconnect the account before it expires.";
  return { kind: "failed", reason: "permission_missing", message };
}

/** Whether the token works. A person may revoke it long before a renewal fails. */
export async function inspect(context: AccountContext): Promise<Inspected | Failure> {
  if (loginOf(context.account) === "instagram") {
    const me = await graphOf(context).read(get("me", { fields: "user_id" }), Me);
    return me.kind === "failed" ? me : { kind: "alive", reconnectBy: null };
  }
  const facts = await readTokenFacts(VIA_FACEBOOK, context, context.credentials.accessToken);
  // A refusal of our own app says nothing about the token.
  if (facts.kind === "failed") return facts.reason === "throttled" ? facts : down(facts.message);
  if (facts.isValid) return { kind: "alive", reconnectBy: facts.reconnectBy };
  return { kind: "failed", reason: "disconnected", message: "Facebook no longer accepts the connection." };
}

/**
 * Revokes the person's token, but not the app's permissions, which may also serve Facebook Pages. Instagram
 * Login has no such call.
 */
export async function revoke(context: AccountContext): Promise<RevokeOutcome> {
  if (loginOf(context.account) === "instagram") {
    return rejected(
      "Instagram has no API call to revoke this login. Remove the app in Instagram's settings.",
      UNSUPPORTED,
    );
  }
  const { id, secret } = context.app;
  const query = {
    client_id: id,
    client_secret: secret,
    revoke_token: context.credentials.accessToken,
    access_token: appToken(context),
  };
  const answer = await context.send({ method: "GET", url: `${VIA_FACEBOOK.baseUrl}/oauth/revoke`, query });
  const outcome = interpretRead(graphTable(VIA_FACEBOOK), answer, Success, context.now);
  const isOver = outcome.kind === "ok" || outcome.reason === "token_expired" || outcome.reason === "disconnected";
  return isOver ? { kind: "revoked" } : outcome;
}

const UNSUPPORTED = "unsupported_by_platform";
