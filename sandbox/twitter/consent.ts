// x.com: the consent page for one account, and the posts behind permalinks.

import { Hono } from "hono";
import { type Brand, type ConsentRequest, consentRefused, consentRoutes, scopesIn } from "../consent";
import { CODE_CHALLENGE } from "../digest";
import { postPage } from "../feed";
import { callbackOf } from "../oauth";
import type { PlatformBindings } from "../platform";
import type { Sandbox } from "../sandbox";
import { CLIENT_ID, grantLogin } from "./oauth";
import { findUser, type UserRow } from "./store";

const BRAND: Brand = {
  name: "X",
  logo: "𝕏",
  accent: "#0f1419",
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

interface Login extends ConsentRequest {
  readonly challenge: string;
  readonly method: string;
}

export function twitterWebsite(sandbox: Sandbox) {
  const app = new Hono<{ Bindings: PlatformBindings }>();
  app.route("/", consentPages(sandbox));
  app.get("/i/web/status/:id", (c) => postPage(sandbox, "twitter", c.req.param("id")));
  app.get("/:username/status/:id/*", (c) => postPage(sandbox, "twitter", c.req.param("id")));
  app.get("/:username/status/:id", (c) => postPage(sandbox, "twitter", c.req.param("id")));
  app.get("*", () => postPage(sandbox, "twitter", null));
  return app;
}

function consentPages(sandbox: Sandbox) {
  const accounts = () => sandbox.db.all<UserRow>("SELECT * FROM twitter_users WHERE is_account = 1 ORDER BY id");
  return consentRoutes<Login>(["/i/oauth2/authorize"], {
    brand: BRAND,
    accountField: "account",
    read: readLogin,
    view: ({ scopes }) => ({
      heading: "Belfry wants to access your X account",
      accounts: { legend: "Account", kind: "radio", choices: accounts().map(toChoice) },
      scopes: { title: "Things this App can do:", canUntick: false, offered: scopes, labels: SCOPES },
      allow: "Authorize app",
      fiction: "these accounts live",
    }),
    denied: { error: "access_denied" },
    grant: (login, { accounts: [id = ""] }) => {
      const user = findUser(sandbox, id);
      if (!user?.is_account) return refused("Choose one of your accounts and try again.");
      return { code: grantLogin(sandbox, { ...login, userId: user.id }) };
    },
  });
}

const toChoice = ({ id, name, username, subscription_type }: UserRow) => ({
  value: id,
  label: name,
  about: `@${username}${subscription_type === "None" ? "" : ` · ${subscription_type}`}`,
});

const refused = (detail: string) =>
  consentRefused(BRAND, "Something went wrong", `You weren’t able to give access to the App. ${detail}`);

function readLogin(query: Record<string, string>): Login | Response {
  if (query.response_type !== "code") return refused("The response_type must be code.");
  if (query.client_id !== CLIENT_ID) return refused("The client_id is not known.");
  const redirectUri = query.redirect_uri ?? "";
  if (callbackOf("twitter", redirectUri) === null) {
    return refused(
      "The redirect_uri is not registered. Here every address whose path ends in /connect/callback/twitter is.",
    );
  }
  const state = query.state ?? "";
  if (state === "" || state.length > 500) return refused("A state of 1 to 500 characters is needed.");
  // The most used client sends it in lower case.
  const sentMethod = query.code_challenge_method ?? "";
  const method = sentMethod === "s256" ? "S256" : sentMethod;
  const challenge = query.code_challenge ?? "";
  if (method !== "S256" && method !== "plain")
    return refused("PKCE is mandatory: the code_challenge_method must be S256 or plain.");
  if (!CODE_CHALLENGE.test(challenge))
    return refused("PKCE is mandatory: the code_challenge must have 43 to 128 characters.");
  const scopes = scopesIn(query, " ");
  const invalid = scopes.filter((scope) => !(scope in SCOPES));
  if (scopes.length === 0) return refused("At least one scope is needed.");
  if (invalid.length > 0) return refused(`The scope ${invalid.join(", ")} is not known.`);
  return { redirectUri, state, scopes, challenge, method };
}
