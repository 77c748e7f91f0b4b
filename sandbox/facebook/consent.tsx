// www.facebook.com: the dialog where Robin chooses pages and permissions, and the posts behind permalinks.

import { Hono } from "hono";
import { type Brand, ChoiceRow, consentPage, consentRefused, initials, redirectBack, sentQuery } from "../consent";
import { postPage } from "../feed";
import type { PlatformBindings } from "../platform";
import type { Sandbox } from "../sandbox";
import { type Challenge, grantLogin, isRegisteredRedirect, tasksOf } from "./oauth";
import { findPost, findVideo, type PageRow, PERSON } from "./store";
import { APP_ID } from "./tokens";

const BRAND: Brand = {
  name: "Facebook",
  logo: <span class="logo fb">facebook</span>,
  accent: "#0866ff",
  accentText: "#fff",
  background: "#e9edf3",
  header: "background:#fff;color:#0866ff;border-bottom:1px solid #eaeef2",
};

const SCOPES: Readonly<Record<string, string>> = {
  public_profile: "Your name and picture",
  email: "Your email address",
  pages_show_list: "See the Pages you manage",
  pages_manage_posts: "Create, edit and delete posts of your Pages",
  pages_read_engagement: "Read what your Pages publish, and how it does",
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

const DIALOG = ["/:version{v2[1-6]\\.0}/dialog/oauth", "/dialog/oauth"];

interface Asked {
  redirectUri: string;
  state: string | undefined;
  scopes: string[];
  challenge: Challenge | null;
}

export function facebookWebsite(sandbox: Sandbox) {
  const app = new Hono<{ Bindings: PlatformBindings }>();
  const pages = () => sandbox.db.all<PageRow>("SELECT * FROM facebook_pages ORDER BY id");

  app.on("GET", DIALOG, (c) => {
    const query = c.req.query();
    const asked = readDialog(query);
    if (asked instanceof Response) return asked;
    return dialog(query, asked, pages());
  });

  app.on("POST", DIALOG, async (c) => {
    const form = await c.req.formData().catch(() => new FormData());
    const asked = readDialog(sentQuery(form));
    if (asked instanceof Response) return asked;
    const state: Record<string, string> = asked.state === undefined ? {} : { state: asked.state };
    if (form.get("decision") !== "allow") {
      return redirectBack(asked.redirectUri, {
        error: "access_denied",
        error_reason: "user_denied",
        error_description: "Permissions error",
        ...state,
      });
    }
    const ticked = form.getAll("scope").map(String);
    const known = pages().map((page) => page.id);
    const code = grantLogin(sandbox, {
      scopes: asked.scopes.filter((scope) => ticked.includes(scope) || scope === "public_profile"),
      declined: asked.scopes.filter((scope) => !ticked.includes(scope) && scope !== "public_profile"),
      pageIds: form
        .getAll("page")
        .map(String)
        .filter((id) => known.includes(id)),
      redirectUri: asked.redirectUri,
      challenge: asked.challenge,
    });
    return redirectBack(asked.redirectUri, { code, ...state });
  });

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

function readDialog(query: Record<string, string>): Asked | Response {
  if (query.client_id !== APP_ID)
    return refused("Invalid App ID", "The provided app ID does not look like a valid app ID.");
  const redirectUri = query.redirect_uri ?? "";
  if (!isRegisteredRedirect(redirectUri)) {
    const detail =
      "The redirect URI is not whitelisted in the app’s client OAuth settings. Here every address whose path ends in /connect/callback/facebook is registered.";
    return refused("URL blocked", `This redirect failed: ${detail}`);
  }
  if (query.response_type !== undefined && query.response_type !== "code") {
    return refused("Invalid parameter", "Only response_type=code is simulated.");
  }
  const scopes = (query.scope ?? "").split(/[\s,]+/).filter(Boolean);
  const invalid = scopes.filter((scope) => !(scope in SCOPES));
  if (invalid.length > 0) return refused("Invalid Scopes", `Invalid Scopes: ${invalid.join(", ")}.`);
  const challenge = readChallenge(query);
  if (challenge === "bad") {
    const detail = "The code_challenge must have 43 to 128 characters, and its code_challenge_method be S256 or plain.";
    return refused("Invalid parameter", detail);
  }
  const all = query.config_id === undefined ? scopes : Object.keys(SCOPES);
  return { redirectUri, state: query.state, scopes: [...new Set(["public_profile", ...all])], challenge };
}

/** PKCE is optional here; a method that is left out is `plain` (RFC 7636). */
function readChallenge(query: Record<string, string>): Challenge | null | "bad" {
  const { code_challenge: text, code_challenge_method: method = "plain" } = query;
  if (text === undefined) return query.code_challenge_method === undefined ? null : "bad";
  if ((method !== "S256" && method !== "plain") || !/^[\w.~-]{43,128}$/.test(text)) return "bad";
  return { text, method };
}

const refused = (title: string, detail: string) => consentRefused(BRAND, title, detail);

function dialog(query: Record<string, string>, asked: Asked, pages: PageRow[]): Response {
  const choosable = asked.scopes.filter((scope) => scope !== "public_profile");
  return consentPage({
    brand: BRAND,
    query,
    heading: "Belfry would like to manage your Pages",
    allow: "Continue as Robin",
    note: (
      <>
        Nothing here is real: {PERSON.name} and the Pages live in this sandbox only. You go back to{" "}
        <code>{new URL(asked.redirectUri).origin}</code>.
      </>
    ),
    children: (
      <>
        <p class="lead">
          You are logged in as <b>{PERSON.name}</b>. Choose what Belfry may use.
        </p>
        <fieldset>
          <legend>
            <span class="legend">Pages</span>
          </legend>
          {pages.map((page) => (
            <ChoiceRow
              kind="checkbox"
              name="page"
              value={page.id}
              label={page.name}
              about={tasksOf(page).includes("CREATE_CONTENT") ? page.category : `${page.category} · you may only look`}
              initials={initials(page.name)}
              checked
            />
          ))}
        </fieldset>
        {choosable.length === 0 ? null : (
          <fieldset>
            <legend>
              <span class="legend">Permissions</span>
            </legend>
            {choosable.map((scope) => (
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
        )}
      </>
    ),
  });
}
