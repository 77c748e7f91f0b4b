import {
  authorizationCodeGrantRequest,
  expectNoState,
  processAuthorizationCodeResponse,
  processPushedAuthorizationResponse,
  pushedAuthorizationRequest,
  type TokenEndpointResponse,
  validateAuthResponse,
} from "oauth4webapi";
import { z } from "zod";
import { DAY } from "../../core/time.ts";
import type { AppContext, Credentials, Failure } from "../context.ts";
import { lenient } from "../lists.ts";
import { type AskedLogin, addressWith } from "../login.ts";
import { rejected } from "../outcomes.ts";
import { parseBody } from "../request.ts";
import { appSetup } from "./app-setup.ts";
import { type Binding, PrivateKey } from "./binding.ts";
import { keyNamed, newestKey, publicKeys } from "./client-keys.ts";
import { type Identity, isOwnHandle, resolveDid, resolveHandle } from "./identity.ts";
import { failureOf, gripOn, issuerOf, metadataOf, withNonce } from "./oauth-calls.ts";
import { newKey } from "./proofs.ts";
import { isDid, serverOrigin, toHandle } from "./servers.ts";

/**
 * The login: OAuth 2 on the server of the account's choice, with pushed requests, PKCE, and a key of each
 * session that signs every call.
 *
 * - Anyone can run a server, so an answer proves only what the account's own document confirms: the issuer of
 *   the callback, and the account that the tokens name, are checked against it.
 * - A code works once, and a second use ends the session. So does a second use of a refresh token, and a lost
 *   answer cannot be had again: tokens are renewed only when they are needed.
 * - A revocation without a proof is answered as done and does nothing, so its effect is checked.
 */
const SCOPES = ["atproto", "transition:generic"];
/** Where most accounts sign in. */
const USUAL_SERVER = "bsky.social";
/** How long a session of an app with keys lasts. */
const SESSION_MS = 730 * DAY;

const Kept = z.object({
  issuer: z.string(),
  did: z.string().nullable(),
  key: PrivateKey,
  clientKey: z.string(),
});

const NO_KEYS: Failure = {
  kind: "failed",
  reason: "blocked",
  message: "The keys of this service for Bluesky cannot be read. Contact the operator of this service.",
};
const REFUSED = { reason: "rejected", message: "The sign-in was not accepted, or it expired. Start again." } as const;

export const oauth: AskedLogin = {
  app: "bluesky",
  scopes: SCOPES,
  setup: appSetup,
  pkce: true,
  asks: {
    label: "Handle or server",
    hint: "Enter your handle, such as name.bsky.social, or the address of your server. bsky.social works for every account at Bluesky itself.",
    usual: USUAL_SERVER,
  },

  async clientDocument(app, redirectUris) {
    const keys = await publicKeys(app);
    if (keys.length === 0) throw new Error("BLUESKY_CLIENT_KEYS cannot be read.");
    return {
      client_id: app.id,
      client_name: "Belfry",
      client_uri: new URL(app.id).origin,
      application_type: "web",
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      redirect_uris: [...redirectUris],
      scope: SCOPES.join(" "),
      token_endpoint_auth_method: "private_key_jwt",
      token_endpoint_auth_signing_alg: "ES256",
      dpop_bound_access_tokens: true,
      jwks: { keys },
    };
  },

  async start(context, { redirectUri, state, codeChallenge }, answer) {
    const clientKey = await newestKey(context.app);
    if (clientKey === null) return NO_KEYS;
    const wanted = await wantedLogin(context, answer);
    if ("kind" in wanted) return wanted;
    const issuer = await issuerOf(context, wanted.server);
    if (typeof issuer !== "string") return issuer;
    const found = await metadataOf(context, issuer);
    if (found.kind === "failed") return found;
    const { as } = found;
    const key = await newKey();
    const { client, auth, options } = await gripOn(context, as, { key, clientKey });
    const parameters = {
      response_type: "code",
      redirect_uri: redirectUri,
      scope: SCOPES.join(" "),
      state,
      code_challenge: codeChallenge ?? "",
      code_challenge_method: "S256",
      ...(wanted.hint === null ? {} : { login_hint: wanted.hint }),
    };
    try {
      const { request_uri } = await withNonce(async () =>
        processPushedAuthorizationResponse(
          as,
          client,
          await pushedAuthorizationRequest(as, client, auth, parameters, options),
        ),
      );
      const url = addressWith(as.authorization_endpoint, { client_id: client.client_id, request_uri });
      return { kind: "started", url, kept: { issuer, did: wanted.did, key, clientKey: clientKey.kid } };
    } catch (error) {
      return failureOf(error, REFUSED);
    }
  },

  async exchange(context, { code, redirectUri, codeVerifier, issuer, kept }) {
    const login = Kept.safeParse(kept).data;
    if (!login || issuer !== login.issuer) return rejected("The sign-in came back from another server. Start again.");
    const clientKey = await keyNamed(context.app, login.clientKey);
    if (clientKey === null) return NO_KEYS;
    const found = await metadataOf(context, login.issuer);
    if (found.kind === "failed") return found;
    const { as } = found;
    const grip = await gripOn(context, as, { key: login.key, clientKey });
    const callback = new URLSearchParams({ code, iss: issuer });
    let token: TokenEndpointResponse;
    try {
      const checked = validateAuthResponse(as, grip.client, callback, expectNoState);
      token = await withNonce(async () =>
        processAuthorizationCodeResponse(
          as,
          grip.client,
          await authorizationCodeGrantRequest(
            as,
            grip.client,
            grip.auth,
            checked,
            redirectUri,
            codeVerifier ?? "",
            grip.options,
          ),
        ),
      );
    } catch (error) {
      return failureOf(error, REFUSED);
    }
    const identity = await provenAccount(context, token, login);
    if ("kind" in identity) return identity;
    const { issuer: from, key, clientKey: kid } = login;
    const binding = { issuer: from, server: identity.server, key, clientKey: kid, since: context.now };
    return { kind: "granted", accounts: [await toAccount(context, identity, toCredentials(context, token, binding))] };
  },
};

interface Wanted {
  readonly server: string;
  /** Null if only the server is known. */
  readonly did: string | null;
  readonly hint: string | null;
}

/** What the account owner entered: an id, the address of a server, or a handle. */
async function wantedLogin(context: AppContext, answer: string): Promise<Wanted | Failure> {
  const text = answer.trim();
  if (isDid(text)) return wantedAccount(context, text, text);
  const server = serverOrigin(/^https?:\/\//i.test(text) ? text : `https://${text.toLowerCase()}`);
  const atServer = (origin: string): Wanted => ({ server: origin, did: null, hint: null });
  if (server !== null && (server === `https://${USUAL_SERVER}` || /^https?:\/\//i.test(text))) return atServer(server);
  const handle = toHandle(text);
  if (handle === null) return rejected(`“${text}” is neither a handle nor the address of a server.`);
  const did = await resolveHandle(context, handle);
  if (did !== null && typeof did !== "string") return did;
  if (did !== null) return wantedAccount(context, did, handle);
  if (server !== null && (await isServer(context, server))) return atServer(server);
  return rejected(`There is no account, and no server, with the name ${handle}. Check its spelling.`);
}

async function isServer(context: AppContext, server: string): Promise<boolean> {
  const issuer = await issuerOf(context, server);
  return typeof issuer === "string" && (await metadataOf(context, issuer)).kind === "server";
}

async function wantedAccount(context: AppContext, did: string, hint: string): Promise<Wanted | Failure> {
  const identity = await resolveDid(context, did);
  if ("kind" in identity) {
    return identity.reason === "disconnected" ? rejected(`The account ${hint} does not exist any more.`) : identity;
  }
  return { server: identity.server, did, hint };
}

/** The account that the tokens are for, if its own document confirms that this server may speak for it. */
async function provenAccount(
  context: AppContext,
  token: TokenEndpointResponse,
  { did, issuer }: { readonly did: string | null; readonly issuer: string },
): Promise<Identity | Failure> {
  const sub = z.string().safeParse(token.sub).data;
  if (sub === undefined || !isDid(sub)) return rejected("The server did not say which account signed in.");
  if (did !== null && sub !== did) return rejected("Another account than the entered one signed in. Start again.");
  const scopes = scopesOf(token);
  const missing = SCOPES.filter((scope) => !scopes.includes(scope));
  if (missing.length > 0)
    return rejected(`The server did not give ${missing.join(", ")}. Connect again and allow everything.`);
  const identity = await resolveDid(context, sub);
  if ("kind" in identity) return identity;
  const own = await issuerOf(context, identity.server);
  if (typeof own !== "string") return own;
  return own === issuer ? identity : rejected("The server signed in an account that lives on another server.");
}

const scopesOf = ({ scope }: TokenEndpointResponse): readonly string[] => (scope ?? "").split(" ").filter(Boolean);

/** The credentials in an answer of a token endpoint. */
export function toCredentials(context: AppContext, token: TokenEndpointResponse, binding: Binding): Credentials {
  return {
    accessToken: token.access_token,
    refreshToken: token.refresh_token ?? null,
    expiresAt: token.expires_in === undefined ? null : context.now + token.expires_in * 1000,
    reconnectBy: binding.since + SESSION_MS,
    scopes: scopesOf(token),
    binding,
  };
}

const Profile = z.object({
  value: z.object({
    displayName: lenient(z.string()),
    avatar: lenient(z.object({ ref: z.object({ $link: z.string() }) })),
  }),
});

async function toAccount(context: AppContext, identity: Identity, credentials: Credentials) {
  const { did, server } = identity;
  const query = { repo: did, collection: "app.bsky.actor.profile", rkey: "self" };
  const [answer, isVerified] = await Promise.all([
    context.send({ method: "GET", url: `${server}/xrpc/com.atproto.repo.getRecord`, query }),
    isOwnHandle(context, identity),
  ]);
  // An account without a profile is one.
  const profile = answer.kind === "answered" && answer.status === 200 ? parseBody(Profile, answer)?.value : undefined;
  const picture = profile?.avatar?.ref.$link;
  const username = isVerified ? identity.handle : null;
  const isWhole = credentials.refreshToken !== null;
  return {
    id: did,
    name: profile?.displayName?.trim() || username || identity.handle || did,
    username,
    pictureUrl: picture === undefined ? null : `https://cdn.bsky.app/img/avatar/plain/${did}/${picture}@jpeg`,
    attributes: {},
    grants: isWhole ? { publish: credentials } : {},
    unusableReason: isWhole ? null : "The server gave no permission that lasts. Connect again.",
  };
}
