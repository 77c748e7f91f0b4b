// x.com: the page where one account is chosen, and the posts behind permalinks.

import { Hono } from "hono";
import { type Brand, ChoiceRow, consentPage, consentRefused, initials, redirectBack, sentQuery } from "../consent";
import { postPage } from "../feed";
import type { PlatformBindings } from "../platform";
import type { Sandbox } from "../sandbox";
import { CLIENT_ID, grantLogin, isRegisteredRedirect } from "./oauth";
import { findUser, type UserRow } from "./store";

const BRAND: Brand = {
  name: "X",
  logo: <span class="logo">𝕏</span>,
  accent: "#0f1419",
  accentText: "#fff",
  background: "#e6e9eb",
  header: "background:#0f1419;color:#fff",
};

const SCOPES: Readonly<Record<string, string>> = {
  "tweet.read": "See posts you can see",
  "tweet.write": "Post and delete for you",
  "tweet.moderate.write": "Hide and show replies to your posts",
  "users.read": "See the accounts you can see, and yours",
  "users.email": "See your email address",
  "media.write": "Upload media for you",
  "offline.access": "Stay connected until you end it",
  "dm.read": "Read your direct messages",
  "dm.write": "Send direct messages for you",
  "follows.read": "See whom you follow",
  "follows.write": "Follow accounts for you",
  "like.read": "See what you liked",
  "like.write": "Like posts for you",
  "list.read": "See your lists",
  "list.write": "Change your lists",
  "mute.read": "See whom you muted",
  "mute.write": "Mute accounts for you",
  "block.read": "See whom you blocked",
  "block.write": "Block accounts for you",
  "bookmark.read": "See your bookmarks",
  "bookmark.write": "Change your bookmarks",
  "space.read": "See Spaces you can see",
  "timeline.read": "See your timeline",
  "broadcast.read": "See your broadcasts",
  "broadcast.write": "Start broadcasts for you",
};

interface Asked {
  redirectUri: string;
  state: string;
  scopes: string[];
  challenge: string;
  method: string;
}

export function twitterWebsite(sandbox: Sandbox) {
  const app = new Hono<{ Bindings: PlatformBindings }>();
  const accounts = () => sandbox.db.all<UserRow>("SELECT * FROM twitter_users WHERE is_account = 1 ORDER BY id");

  app.get("/i/oauth2/authorize", (c) => {
    const query = c.req.query();
    const asked = readAuthorize(query);
    return asked instanceof Response ? asked : authorizePage(query, asked, accounts());
  });

  app.post("/i/oauth2/authorize", async (c) => {
    const form = await c.req.formData().catch(() => new FormData());
    const asked = readAuthorize(sentQuery(form));
    if (asked instanceof Response) return asked;
    if (form.get("decision") !== "allow") {
      return redirectBack(asked.redirectUri, { error: "access_denied", state: asked.state });
    }
    const chosen = findUser(sandbox, String(form.get("account") ?? ""));
    if (!chosen?.is_account) return refused("Choose one of your accounts and try again.");
    const code = grantLogin(sandbox, { ...asked, userId: chosen.id });
    return redirectBack(asked.redirectUri, { state: asked.state, code });
  });

  app.get("/i/web/status/:id", (c) => postPage(sandbox, "twitter", c.req.param("id")));
  app.get("/:username/status/:id/*", (c) => postPage(sandbox, "twitter", c.req.param("id")));
  app.get("/:username/status/:id", (c) => postPage(sandbox, "twitter", c.req.param("id")));
  app.get("*", () => postPage(sandbox, "twitter", null));
  return app;
}

const refused = (detail: string) =>
  consentRefused(BRAND, "Something went wrong", `You weren’t able to give access to the App. ${detail}`);

function readAuthorize(query: Record<string, string>): Asked | Response {
  if (query.response_type !== "code") return refused("The response_type must be code.");
  if (query.client_id !== CLIENT_ID) return refused("The client_id is not known.");
  const redirectUri = query.redirect_uri ?? "";
  if (!isRegisteredRedirect(redirectUri)) {
    return refused(
      "The redirect_uri is not registered. Here every address whose path ends in /connect/callback/twitter is.",
    );
  }
  const state = query.state ?? "";
  if (state === "" || state.length > 500) return refused("A state of 1 to 500 characters is needed.");
  // The most used client writes it in lower case.
  const sentMethod = query.code_challenge_method ?? "";
  const method = sentMethod === "s256" ? "S256" : sentMethod;
  const challenge = query.code_challenge ?? "";
  if (method !== "S256" && method !== "plain")
    return refused("PKCE is mandatory: the code_challenge_method must be S256 or plain.");
  if (!/^[\w.~-]{43,128}$/.test(challenge))
    return refused("PKCE is mandatory: the code_challenge must have 43 to 128 characters.");
  const scopes = (query.scope ?? "").split(" ").filter(Boolean);
  const invalid = scopes.filter((scope) => !(scope in SCOPES));
  if (scopes.length === 0) return refused("At least one scope is needed.");
  if (invalid.length > 0) return refused(`The scope ${invalid.join(", ")} is not known.`);
  return { redirectUri, state, scopes: [...new Set(scopes)], challenge, method };
}

function authorizePage(query: Record<string, string>, asked: Asked, accounts: UserRow[]): Response {
  return consentPage({
    brand: BRAND,
    query,
    heading: "Belfry wants to access your X account",
    allow: "Authorize app",
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
              value={account.id}
              label={account.name}
              about={`@${account.username}${account.subscription_type === "None" ? "" : ` · ${account.subscription_type}`}`}
              initials={initials(account.name)}
              checked={index === 0}
            />
          ))}
        </fieldset>
        <p class="lead">Things this App can do:</p>
        <ul class="scopes">
          {asked.scopes.map((scope) => (
            <li>
              <span class="what">
                <span>{SCOPES[scope]}</span>
                <span class="about">{scope}</span>
              </span>
            </li>
          ))}
        </ul>
      </>
    ),
  });
}
