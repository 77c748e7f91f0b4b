import { z } from "zod";
import { type Answer, decided, send } from "./platform.ts";
import { sandbox } from "./sandbox.ts";

/** Raw requests to the simulated LinkedIn, and logins by hand. */

export const APP = { client_id: "sandbox-linkedin-client", client_secret: "sandbox-linkedin-secret" };
export const SELF_SERVE = {
  client_id: "sandbox-linkedin-self-serve",
  client_secret: "sandbox-linkedin-self-serve-secret",
};
export const REDIRECT = "https://any.test/connect/callback/linkedin?from=there";
export const PAGE = "urn:li:organization:9001";
export const OAUTH = "https://www.linkedin.com/oauth/v2";
export const MEMBER = ["openid", "profile", "w_member_social"];
export const ALL = [
  ...MEMBER,
  "rw_organization_admin",
  "r_organization_social",
  "w_organization_social",
  "r_organization_social_feed",
  "w_organization_social_feed",
  "w_member_social_feed",
];

export const settings = (changed: Record<string, unknown>) => sandbox.control("POST", "settings", changed);
/** Where the consent page sends the browser. */
export async function consent(app: typeof APP, scopes: readonly string[], member = "1001"): Promise<URLSearchParams> {
  const query = {
    response_type: "code",
    client_id: app.client_id,
    redirect_uri: REDIRECT,
    scope: scopes.join(" "),
    state: "s",
  };
  const body = new URLSearchParams([...decided(query), ["member", member]]);
  const answer = await send(`${OAUTH}/authorization`, { method: "POST", body });
  return new URL(answer.headers.get("location") ?? "https://nowhere.test").searchParams;
}

export const Token = z.looseObject({ access_token: z.string(), refresh_token: z.string(), scope: z.string() });
export const form = (path: string, fields: Record<string, string>) =>
  send(`${OAUTH}/${path}`, { method: "POST", body: new URLSearchParams(fields) });

export async function login(app = APP, scopes: readonly string[] = ALL, member?: string) {
  const code = (await consent(app, scopes, member)).get("code") ?? "";
  const grant = { grant_type: "authorization_code", code, redirect_uri: REDIRECT };
  return Token.parse((await form("accessToken", { ...app, ...grant })).json);
}

const HEADERS = { "Linkedin-Version": "202609", "X-Restli-Protocol-Version": "2.0.0" };

export const rest = restWith({});

/** Calls of the REST API with more headers. */
export function restWith(more: Record<string, string>) {
  return (token: string, method: string, path: string, body?: unknown): Promise<Answer> => {
    const type: Record<string, string> = body === undefined ? {} : { "Content-Type": "application/json" };
    return send(`https://api.linkedin.com/${path}`, {
      method,
      headers: { Authorization: `Bearer ${token}`, ...HEADERS, ...type, ...more },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  };
}

export function entity(commentary: string, more: Readonly<Record<string, unknown>> = {}) {
  return {
    author: PAGE,
    commentary,
    visibility: "PUBLIC",
    distribution: { feedDistribution: "MAIN_FEED", targetEntities: [], thirdPartyDistributionChannels: [] },
    lifecycleState: "PUBLISHED",
    isReshareDisabledByAuthor: false,
    ...more,
  };
}
export const enc = encodeURIComponent;

/** No time passes, and the defaults of sandbox/linkedin/settings.ts. */
export const calmLinkedin = () =>
  settings({
    strict: true,
    linkedin_comment_throttle_ms: 0,
    linkedin_duplicate_window_ms: 600_000,
    linkedin_duplicate_names: "post",
    linkedin_early_posts: "refused",
    linkedin_publish_requested_ms: 0,
    linkedin_listing_lag_ms: 0,
    linkedin_self_serve_calls_per_day: 150,
    linkedin_tier: "standard",
    linkedin_access_token_seconds: 5_184_000,
    linkedin_video_part_bytes: 4_194_304,
    processing_ms: 0,
  });

/** Ana Ruiz, with everything that the main app may request; her URN as it sees her. */
export async function asAna(): Promise<{ token: string; person: string }> {
  await calmLinkedin();
  const token = (await login()).access_token;
  const me = await rest(token, "GET", "v2/userinfo");
  return { token, person: `urn:li:person:${z.object({ sub: z.string() }).parse(me.json).sub}` };
}

/** The URN of a post that the page publishes. */
export async function published(token: string, commentary: string, more: Readonly<Record<string, unknown>> = {}) {
  const answer = await rest(token, "POST", "rest/posts", entity(commentary, more));
  const urn = answer.headers.get("x-restli-id");
  if (answer.status !== 201 || urn === null) throw new Error(`${answer.status} ${answer.text}`);
  return urn;
}
