import { z } from "zod";
import { interpretRead, type ReadResult } from "../answers.ts";
import type {
  AccountAttributes,
  AppContext,
  AppCredentials,
  Credentials,
  Failure,
  FileRules,
  OAuth,
  Platform,
  PostRules,
  Renewal,
  TextRules,
  TypeRules,
} from "../platform.ts";
import { type Answered, parseBody } from "../request.ts";
import { API, read } from "./api.ts";
import { X } from "./errors.ts";
import { MAX_CHUNKED_BYTES } from "./media.ts";
import { posts } from "./posts.ts";
import { textProblems, weightedLength } from "./text.ts";

/**
 * X. OAuth 2 with PKCE; one login yields one account.
 *
 * - An authorization code lives 30 seconds: it is exchanged inside the callback request.
 * - Access tokens live two hours. A refresh token works once and comes with its successor: replaying a used one may end
 *   the whole login. A dead one answers 400 `invalid_request`, not `invalid_grant`.
 * - OpenAPI 2.167 renamed what is read (`referenced_tweets` → `referenced_posts`, …) but neither paths nor bodies; which
 *   names an app gets is not documented, so both are read.
 * - Calls and errors: api.ts. Publishing: posts.ts. Uploads: media.ts. Facts with dates: docs/platforms/twitter.md.
 */

// The consent page is on x.com; the OpenAPI description names api.x.com, which browsers should not be sent to.
const AUTHORIZE = "https://x.com/i/oauth2/authorize";
const TOKEN = `${API}/oauth2/token`;
const SCOPES = ["tweet.read", "tweet.write", "users.read", "media.write", "offline.access"];

// --- rules ------------------------------------------------------------------------------------------------------

const MB = 1024 * 1024;
const MAX_ALT_TEXT = 1000;

function rules({ subscription_type: plan }: AccountAttributes): PostRules {
  const isPremium = typeof plan === "string" && plan.startsWith("Premium");
  const text: TextRules = {
    max: isPremium ? 25_000 : 280,
    measure: weightedLength,
    unit: "characters as X counts them",
    problems: textProblems,
  };
  const image: FileRules = {
    mimes: ["image/jpeg", "image/png", "image/webp"],
    maxBytes: 5 * MB,
    maxAltText: MAX_ALT_TEXT,
  };
  const gif: FileRules = {
    mimes: ["image/gif"],
    maxBytes: 15 * MB,
    maxAltText: MAX_ALT_TEXT,
    maxWidth: 1280,
    maxHeight: 1080,
  };
  const video: FileRules = {
    mimes: ["video/mp4", "video/quicktime"],
    maxBytes: isPremium ? MAX_CHUNKED_BYTES : 512 * MB,
    minSeconds: 0.5,
    maxSeconds: isPremium ? 125 * 60 : 140,
    // Documented as 32×32 to 1280×1024; portrait is taken as well.
    minWidth: 32,
    minHeight: 32,
    maxWidth: 1280,
    maxHeight: 1280,
    minRatio: 1 / 3,
    maxRatio: 3,
  };
  const one: TypeRules = {
    text,
    media: { min: 0, max: 4, of: { image: 4, gif: 1, video: 1 }, alone: ["gif", "video"] },
    files: { image, gif, video },
    items: { min: 1, max: 1 },
  };
  return { post: one, tweet: one, thread: { ...one, items: { min: 1, max: 25 } } };
}

// --- connecting -------------------------------------------------------------------------------------------------

const Token = z.object({
  access_token: z.string().min(1),
  refresh_token: z.string().min(1).optional(),
  expires_in: z.number().optional(),
  scope: z.string().optional(),
});
const Me = z.object({
  data: z.object({
    id: z.coerce.string(),
    name: z.string(),
    username: z.string(),
    profile_image_url: z.string().optional(),
    subscription_type: z.string().optional(),
  }),
});
const TokenError = z.object({ error: z.string(), error_description: z.string().optional().catch(undefined) });

const oauth: OAuth = {
  app: "twitter",
  scopes: SCOPES,
  pkce: true,

  authorizeUrl(app, { redirectUri, state, codeChallenge }) {
    const url = new URL(AUTHORIZE);
    const query = new URLSearchParams({
      response_type: "code",
      client_id: app.id,
      redirect_uri: redirectUri,
      scope: SCOPES.join(" "),
      state,
      code_challenge: codeChallenge ?? "",
      code_challenge_method: "S256",
    });
    // X wants %20 between scopes, URLSearchParams writes a plus.
    url.search = query.toString().replaceAll("+", "%20");
    return url;
  },

  async exchange(context, { code, redirectUri, codeVerifier }) {
    const form = {
      grant_type: "authorization_code",
      code,
      redirect_uri: redirectUri,
      code_verifier: codeVerifier ?? "",
    };
    const refusal = {
      reason: "rejected",
      message: "X did not accept the login, or it took too long. Start again.",
    } as const;
    const credentials = await requestToken(context, form, refusal);
    if (credentials.kind === "failed") return credentials;

    const query = { "user.fields": "id,name,username,profile_image_url,verified,verified_type,subscription_type" };
    const request = { method: "GET", path: "users/me", query } as const;
    const me = await read({ ...context, credentials: credentials.value }, request, Me);
    if (me.kind === "failed") return me;

    const { id, name, username, profile_image_url, subscription_type } = me.value.data;
    const missing = SCOPES.filter((scope) => !credentials.value.scopes.includes(scope));
    const isComplete = missing.length === 0 && credentials.value.refreshToken !== null;
    const granted = {
      id,
      name,
      username,
      pictureUrl: profile_image_url ?? null,
      attributes: subscription_type === undefined ? {} : { subscription_type },
      grants: isComplete ? { publish: credentials.value } : {},
      unusableReason: isComplete
        ? null
        : `X did not give ${missing.join(", ") || "offline.access"}. Connect again and allow everything.`,
    };
    return { kind: "granted", accounts: [granted] };
  },
};

const renewal = {
  by: "refresh_token",
  async refresh(context) {
    const { refreshToken } = context.credentials;
    const dead = { reason: "disconnected", message: "X has ended this connection." } as const;
    if (refreshToken === null) return { kind: "failed", ...dead };
    const renewed = await requestToken(context, { grant_type: "refresh_token", refresh_token: refreshToken }, dead);
    return renewed.kind === "failed" ? renewed : { kind: "refreshed", credentials: renewed.value };
  },
} satisfies Renewal;

/** `refusal` is what it means when X refuses the code or the refresh token: X words both alike. */
async function requestToken(
  context: AppContext,
  form: Readonly<Record<string, string>>,
  refusal: Pick<Failure, "reason" | "message">,
): Promise<ReadResult<Credentials>> {
  const headers = { authorization: basic(context.app) };
  const answer = await context.send({ method: "POST", url: TOKEN, headers, form });
  const refused = answer.kind === "answered" ? oauthRefusal(answer, refusal) : null;
  if (refused !== null) return refused;
  const outcome = interpretRead(X, answer, Token, context.now);
  if (outcome.kind === "failed") return isAboutUs(outcome) ? outcome : { ...outcome, reason: "down" };
  const { access_token, refresh_token = null, expires_in = 7200, scope } = outcome.value;
  const value = {
    accessToken: access_token,
    refreshToken: refresh_token,
    expiresAt: context.now + expires_in * 1000,
    scopes: scope?.split(" ") ?? SCOPES,
  };
  return { kind: "ok", value };
}

/**
 * What an OAuth error body says; null where there is none. Here only such a body is X's word on a login: a refusal by a
 * gateway has the status of one, and must end neither a connection nor anyone's patience.
 */
function oauthRefusal(answer: Answered, refusal: Pick<Failure, "reason" | "message">): Failure | null {
  const isRefusal = answer.status >= 400 && answer.status < 500 && answer.status !== 429;
  const body = isRefusal ? parseBody(TokenError, answer) : null;
  switch (body?.error) {
    case "invalid_client":
    case "unauthorized_client":
      return { kind: "failed", reason: "blocked", message: "X does not accept our app's credentials." };
    case "unsupported_grant_type":
    case "invalid_scope":
      return { kind: "failed", reason: "blocked", message: "X does not let our app ask for this login." };
    case "invalid_request":
    case "invalid_grant": {
      // The same code where X misses a parameter: a fault of ours, which must not cost anyone the connection.
      const isOurs = /missing required|unknown parameter/i.test(body.error_description ?? "");
      if (!isOurs) return { kind: "failed", ...refusal };
      return { kind: "failed", reason: "blocked", message: "X did not understand our request for a login." };
    }
    default:
      return null;
  }
}

/** Limits, and what X says of our app, are the same wherever it says it. */
function isAboutUs({ reason }: Failure): boolean {
  return reason === "throttled" || reason === "blocked";
}

function basic({ id, secret }: AppCredentials): string {
  return `Basic ${btoa(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`)}`;
}

export const twitter = {
  name: "twitter",
  rules,
  oauth,
  grants: { publish: { app: "twitter", renewal } },
  capabilities: { publish: { grant: "publish", scopes: ["tweet.read", "tweet.write", "users.read"] } },
  posts,
} satisfies Platform;
