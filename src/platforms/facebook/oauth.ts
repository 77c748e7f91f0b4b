import { z } from "zod";
import { interpretRead } from "../answers.ts";
import type { AppContext, Credentials, Failure } from "../context.ts";
import { PlatformId } from "../json.ts";
import type { GrantedAccount, OAuth } from "../login.ts";
import { graphDialect } from "../meta/errors.ts";
import { get, graphClient, VERSION } from "../meta/graph.ts";
import { rejected } from "../outcomes.ts";
import { FACEBOOK } from "./api.ts";
import { appSetup } from "./app-setup.ts";

/**
 * Logging in at Facebook. One login yields several Pages, each with a token of its own.
 *
 * - There are no refresh tokens. A Page token taken with a long-lived user token has no expiry date, but dies with a
 *   password change, a lost role, a removed app or a security check; one taken with a short-lived token dies with it.
 * - A person may decline single permissions, or tick only some Pages, and the login succeeds all the same.
 * - PKCE is documented for the OpenID Connect form of the manual flow (checked 2026-11-21); the challenge is sent in any case, the
 *   verifier beside the app's secret.
 * - A Page comes without a token when the person has no suitable task on it.
 */
const DIALOG = `https://www.facebook.com/${VERSION}/dialog/oauth`;
const TOKEN = `${FACEBOOK.baseUrl}/oauth/access_token`;
const DIALECT = graphDialect(FACEBOOK);

const REQUIRED_SCOPES = ["pages_show_list", "pages_read_engagement", "pages_manage_posts"];
// Without it, Pages that a business portfolio holds are not listed.
const SCOPES = [...REQUIRED_SCOPES, "business_management"];
// Not asked for yet. With them the person's own token buys ads; a Page's never does.
const ADS_SCOPES = ["ads_management", "ads_read", "pages_manage_ads"];

/** At most 20 times 100 Pages are read: a login with more is a portfolio, and the request must end. */
const MAX_ACCOUNT_PAGES = 20;

const Token = z.object({ access_token: z.string().min(1), expires_in: z.number().positive().optional() });
const Permissions = z.object({ data: z.array(z.object({ permission: z.string(), status: z.string() })) });
const Page = z.object({
  id: PlatformId,
  name: z.string(),
  access_token: z.string().optional(),
  tasks: z.array(z.string()).optional(),
  picture: z.object({ data: z.object({ url: z.string() }).optional(), url: z.string().optional() }).optional(),
});
type Page = z.output<typeof Page>;

export const oauth: OAuth = {
  app: "facebook",
  scopes: SCOPES,
  setup: appSetup,
  pkce: true,

  authorizeUrl(app, { redirectUri, state, codeChallenge }) {
    const url = new URL(DIALOG);
    url.searchParams.set("client_id", app.id);
    url.searchParams.set("redirect_uri", redirectUri);
    url.searchParams.set("state", state);
    url.searchParams.set("response_type", "code");
    url.searchParams.set("scope", SCOPES.join(","));
    // Asks again for what was declined an earlier time; without it the dialog would skip those.
    url.searchParams.set("auth_type", "rerequest");
    if (codeChallenge !== null) {
      url.searchParams.set("code_challenge", codeChallenge);
      url.searchParams.set("code_challenge_method", "S256");
    }
    return url;
  },

  async exchange(context, { code, redirectUri, codeVerifier }) {
    const client = { client_id: context.app.id, client_secret: context.app.secret };
    const proof = codeVerifier === null ? {} : { code_verifier: codeVerifier };
    const login = { ...client, ...proof, redirect_uri: redirectUri, code };
    const first = await context.send({ method: "POST", url: TOKEN, form: login });
    const short = interpretRead(DIALECT, first, Token, context.now);
    if (short.kind === "failed") return short;
    // Documented as a GET only, so here the secrets do travel in the query.
    const renewal = { ...client, grant_type: "fb_exchange_token", fb_exchange_token: short.value.access_token };
    const second = await context.send({ method: "GET", url: TOKEN, query: renewal });
    const long = interpretRead(DIALECT, second, Token, context.now);
    if (long.kind === "failed") return long;
    const { access_token: userToken, expires_in } = long.value;

    const permissions = await graphClient(FACEBOOK, context, userToken).read(get("me/permissions"), Permissions);
    if (permissions.kind === "failed") return permissions;
    const granted = permissions.value.data.filter((one) => one.status === "granted").map((one) => one.permission);
    const missing = REQUIRED_SCOPES.filter((scope) => !granted.includes(scope));

    const pages = missing.includes("pages_show_list") ? [] : await listPages(context, userToken);
    if ("kind" in pages) return pages;
    const mayAdvertise = ADS_SCOPES.every((scope) => granted.includes(scope));
    const userExpiresAt = expires_in === undefined ? null : context.now + expires_in * 1000;
    const user = mayAdvertise ? credentialsOf(userToken, userExpiresAt, granted) : null;
    if (pages.length > 0) {
      return { kind: "granted", accounts: pages.map((page) => toAccount(page, granted, missing, user)) };
    }
    const message =
      missing.length > 0 ? missingScopes(missing) : "This login shared no Facebook Page. Tick at least one.";
    return rejected(message);
  },
};

async function listPages(context: AppContext, userToken: string): Promise<readonly Page[] | Failure> {
  const query = { fields: "id,name,access_token,tasks,picture{url}", limit: 100 };
  const graph = graphClient(FACEBOOK, context, userToken);
  const readPage = (after: string | undefined) => graph.request(get("me/accounts", { ...query, after }));
  const listed = await graph.list(readPage, Page, MAX_ACCOUNT_PAGES);
  if (listed.kind === "failed") return listed;
  return [...new Map(listed.items.map((page) => [page.id, page])).values()];
}

function toAccount(
  page: Page,
  granted: readonly string[],
  missing: readonly string[],
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
    grants: accessToken ? { publish: credentialsOf(accessToken, null, granted), ...(user ? { ads: user } : {}) } : {},
    unusableReason,
  };
}

function credentialsOf(accessToken: string, expiresAt: number | null, scopes: readonly string[]): Credentials {
  return { accessToken, refreshToken: null, expiresAt, scopes };
}

function reasonUnusable(page: Page, missing: readonly string[]): string | null {
  if (missing.length > 0) return missingScopes(missing);
  const mayPublish =
    page.tasks === undefined || page.tasks.some((task) => task === "CREATE_CONTENT" || task === "MANAGE");
  if (page.access_token && mayPublish) return null;
  return `You may not publish on ${page.name}. Ask an admin of the Page for content access, then connect again.`;
}

function missingScopes(missing: readonly string[]): string {
  return `Facebook was not allowed to give ${missing.join(", ")}. Connect again and leave everything ticked.`;
}
