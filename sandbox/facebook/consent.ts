// www.facebook.com: the consent page for Pages and permissions, and the posts behind permalinks.

import { Hono } from "hono";
import { type Brand, type ConsentRequest, consentRefused, consentRoutes, scopesIn } from "../consent";
import { postPage } from "../feed";
import { readChallenge } from "../meta/facebook-login";
import { wantedBy } from "../meta/login-configs";
import { type Challenge, grantLogin, isRegisteredRedirect } from "../meta/logins";
import type { PlatformBindings } from "../platform";
import type { Sandbox } from "../sandbox";
import { tasksOf } from "./pages";
import { findPost, findVideo, type PageRow, PERSON } from "./store";
import { APP_ID } from "./tokens";

const BRAND: Brand = {
  name: "Facebook",
  logo: "facebook",
  accent: "#0866ff",
  background: "#e9edf3",
  header: "background:#fff;color:#0866ff;border-bottom:1px solid #eaeef2",
};

/** Every login grants this scope. */
const ALWAYS = "public_profile";
const SCOPES: Readonly<Record<string, string>> = {
  public_profile: "Your name and picture",
  email: "Your email address",
  pages_show_list: "See the Pages you manage",
  pages_manage_posts: "Create, edit and delete posts of your Pages",
  pages_read_engagement: "Read what your Pages publish, and its statistics",
  pages_read_user_content: "Read what people write on your Pages",
  pages_manage_engagement: "Comment, hide and delete comments as your Pages",
  pages_manage_metadata: "Receive events of your Pages",
  pages_manage_ads: "Manage ads of your Pages",
  pages_messaging: "Send messages as your Pages",
  publish_video: "Publish videos",
  read_insights: "Read the statistics of your Pages",
  business_management: "Manage your business",
  ads_management: "Manage your ads",
  ads_read: "Read the results of your ads",
  instagram_basic: "See your Instagram account",
  instagram_content_publish: "Publish on your Instagram account",
  instagram_manage_comments: "Manage comments on your Instagram account",
  instagram_manage_messages: "Manage messages of your Instagram account",
  instagram_manage_insights: "Read the statistics of your Instagram account",
};

const DIALOG = ["/:version{v2[1-7]\\.0}/dialog/oauth", "/dialog/oauth"];

interface Login extends ConsentRequest {
  readonly challenge: Challenge | null;
  /** All or nothing. */
  readonly isConfigured: boolean;
}

export function facebookWebsite(sandbox: Sandbox) {
  const app = new Hono<{ Bindings: PlatformBindings }>();
  app.route("/", consentPages(sandbox));
  const postAt = (path: string): string | null => {
    const last = path.split("/").filter(Boolean);
    const [first, second, third] = last;
    if (first === "reel" && second) return findVideo(sandbox, second)?.post_id ?? null;
    if (second === "videos" && third) return findVideo(sandbox, third)?.post_id ?? null;
    if (second === "posts" && third) return findPost(sandbox, `${first}_${third}`)?.id ?? null;
    if (first === "stories" && third) return findPost(sandbox, third)?.id ?? null;
    return first && last.length === 1
      ? (findPost(sandbox, first)?.id ?? findVideo(sandbox, first)?.post_id ?? null)
      : null;
  };
  app.get("*", (c) => postPage(sandbox, "facebook", postAt(c.req.path)));
  return app;
}

function consentPages(sandbox: Sandbox) {
  const pages = () => sandbox.db.all<PageRow>("SELECT * FROM facebook_pages ORDER BY id");
  return consentRoutes<Login>(DIALOG, {
    brand: BRAND,
    accountField: "page",
    read: (query) => readLogin(sandbox, query),
    view: ({ scopes, isConfigured }) => ({
      heading: "Belfry would like to manage your Pages",
      lead: `You are logged in as ${PERSON.name}. Choose what Belfry may use.`,
      accounts: { legend: "Pages", kind: "checkbox", choices: pages().map(toChoice) },
      scopes: {
        title: "Permissions",
        canUntick: !isConfigured,
        offered: scopes.filter((scope) => scope !== ALWAYS),
        labels: SCOPES,
      },
      allow: "Continue as Robin",
      fiction: `${PERSON.name} and the Pages live`,
    }),
    denied: { error: "access_denied", error_reason: "user_denied", error_description: "Permissions error" },
    grant: (login, { accounts, scopes: ticked }) => {
      const isGranted = (scope: string) => login.isConfigured || scope === ALWAYS || ticked.includes(scope);
      const known = pages().map(({ id }) => id);
      const code = grantLogin(sandbox, {
        appId: APP_ID,
        scopes: login.scopes.filter(isGranted),
        declined: login.scopes.filter((scope) => !isGranted(scope)),
        subjects: accounts.filter((id) => known.includes(id)),
        redirectUri: login.redirectUri,
        challenge: login.challenge,
        codeSeconds: sandbox.settings.all.facebook_code_seconds,
      });
      return { code };
    },
  });
}

const toChoice = (page: PageRow) => ({
  value: page.id,
  label: page.name,
  about: tasksOf(page).includes("CREATE_CONTENT") ? page.category : `${page.category} · read only`,
});

const refused = (title: string, detail: string) => consentRefused(BRAND, title, detail);

function readLogin(sandbox: Sandbox, query: Record<string, string>): Login | Response {
  if (query.client_id !== APP_ID)
    return refused("Invalid App ID", "The provided app ID does not look like a valid app ID.");
  const redirectUri = query.redirect_uri ?? "";
  if (!isRegisteredRedirect("facebook", redirectUri)) {
    const detail =
      "The redirect URI is not whitelisted in the app’s client OAuth settings. Here every address whose path ends in /connect/callback/facebook is registered.";
    return refused("URL blocked", `This redirect failed: ${detail}`);
  }
  if (query.response_type !== undefined && query.response_type !== "code") {
    return refused("Invalid parameter", "Only response_type=code is simulated.");
  }
  const scopes = scopesIn(query, /[\s,]+/);
  const invalid = scopes.filter((scope) => !(scope in SCOPES));
  if (invalid.length > 0) return refused("Invalid Scopes", `Invalid Scopes: ${invalid.join(", ")}.`);
  const challenge = readChallenge(query);
  if (challenge === "bad") {
    const detail = "The code_challenge must have 43 to 128 characters, and its code_challenge_method be S256 or plain.";
    return refused("Invalid parameter", detail);
  }
  const product = sandbox.settings.all.facebook_login_product;
  const wanted = wantedBy("facebook", query, Object.keys(SCOPES), product);
  if (wanted.kind === "refused") return refused(wanted.title, wanted.detail);
  const isConfigured = wanted.kind === "configured";
  const all = isConfigured ? wanted.scopes : scopes;
  return { redirectUri, state: query.state, scopes: [...new Set([ALWAYS, ...all])], challenge, isConfigured };
}
