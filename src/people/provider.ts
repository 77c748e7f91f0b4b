import {
  type AuthorizationServer,
  allowInsecureRequests,
  authorizationCodeGrantRequest,
  ClientSecretBasic,
  ClientSecretPost,
  calculatePKCECodeChallenge,
  customFetch,
  discoveryRequest,
  generateRandomCodeVerifier,
  generateRandomNonce,
  generateRandomState,
  getValidatedIdTokenClaims,
  processAuthorizationCodeResponse,
  processDiscoveryResponse,
  validateApplicationLevelSignature,
  validateAuthResponse,
} from "oauth4webapi";
import { z } from "zod";
import { sha256Hex } from "../core/tokens.ts";
import { isUniqueViolation } from "../db/client.ts";
import type { Deps } from "../service/deps.ts";
import type { ProviderSettings } from "../service/provider-settings.ts";
import { usedChallengesTable } from "./table.ts";

/**
 * Sign-in at an OpenID Connect provider of the operator's choice: the code flow with PKCE, state and nonce.
 * What a sign-in needs until its callback is sealed for the browser that began it, so beginning one writes
 * nothing. The state is stored when the callback arrives: each counts once.
 */
const LIFE_MS = 600_000;

const BegunSignIn = z.object({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  to: z.string(),
  end: z.number(),
});

export interface ProviderPlace {
  readonly browserHash: string;
  /** Where the provider sends the browser back. */
  readonly redirectUri: string;
}

export interface Begun {
  /** At the provider. */
  readonly url: string;
  /** For a cookie. */
  readonly sealed: string;
}

/** Throws if the provider cannot be reached, or is not what it should be. */
export async function beginAtProvider(deps: Deps, place: ProviderPlace, to: string, now: number): Promise<Begun> {
  const settings = required(deps.config.provider);
  const { authorization_endpoint: endpoint = "" } = await discover(deps, settings);
  const begun = {
    state: generateRandomState(),
    nonce: generateRandomNonce(),
    verifier: generateRandomCodeVerifier(),
    to,
    end: now + LIFE_MS,
  };
  const url = new URL(endpoint);
  const parameters = {
    response_type: "code",
    client_id: settings.clientId,
    redirect_uri: place.redirectUri,
    scope: "openid email",
    state: begun.state,
    nonce: begun.nonce,
    code_challenge: await calculatePKCECodeChallenge(begun.verifier),
    code_challenge_method: "S256",
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return { url: url.href, sealed: await deps.sealer.seal(JSON.stringify(begun), contextOf(place)) };
}

/** A person as the provider names one. */
export interface Identity {
  readonly issuer: string;
  readonly subject: string;
  /** In lower case; null if the provider has not verified it. */
  readonly email: string | null;
}

export interface Returned {
  readonly identity: Identity;
  readonly to: string;
}

/**
 * Who comes back from the provider. Null for a sign-in that this browser did not begin, that is over or was
 * used. Throws for an answer that is not the provider's, such as one of another issuer or with another nonce.
 */
export async function returnFromProvider(
  deps: Deps,
  place: ProviderPlace,
  { sealed, answer }: { readonly sealed: string; readonly answer: URLSearchParams },
  now: number,
): Promise<Returned | null> {
  const settings = required(deps.config.provider);
  const opened = await deps.sealer.open(sealed, contextOf(place));
  const begun = opened === null ? null : BegunSignIn.parse(JSON.parse(opened));
  if (begun === null || begun.end <= now || begun.state !== answer.get("state")) return null;
  if (!(await useOnce(deps, begun))) return null;
  const server = await discover(deps, settings);
  const client = { client_id: settings.clientId };
  const options = optionsOf(deps);
  const response = await authorizationCodeGrantRequest(
    server,
    client,
    takesPost(server) ? ClientSecretPost(settings.clientSecret) : ClientSecretBasic(settings.clientSecret),
    validateAuthResponse(server, client, answer, begun.state),
    place.redirectUri,
    begun.verifier,
    options,
  );
  const tokens = await processAuthorizationCodeResponse(server, client, response, {
    expectedNonce: begun.nonce,
    requireIdToken: true,
  });
  await validateApplicationLevelSignature(server, response, options);
  const claims = Claims.parse(getValidatedIdTokenClaims(tokens));
  const email = claims.email_verified === true ? (claims.email ?? null) : null;
  return { identity: { issuer: claims.iss, subject: claims.sub, email }, to: begun.to };
}

const Claims = z.object({
  iss: z.string(),
  sub: z.string().min(1).max(255),
  email: z
    .email()
    .max(254)
    .transform((address) => address.toLowerCase())
    .optional()
    .catch(undefined),
  email_verified: z.unknown().optional(),
});

async function useOnce({ directory: db }: Deps, { state, end }: z.output<typeof BegunSignIn>): Promise<boolean> {
  try {
    await db.insert(usedChallengesTable).values({ hash: await sha256Hex(state), expiresAt: end });
    return true;
  } catch (error) {
    if (isUniqueViolation(error, "used_challenges")) return false;
    throw error;
  }
}

async function discover(deps: Deps, { issuer }: ProviderSettings): Promise<AuthorizationServer> {
  const url = new URL(issuer);
  return processDiscoveryResponse(url, await discoveryRequest(url, optionsOf(deps)));
}

const optionsOf = ({ callGuarded, config }: Deps) => ({
  [customFetch]: callGuarded,
  // Plain http passes the guard only on this machine, in development.
  [allowInsecureRequests]: config.allowLoopback,
});

/** Without its metadata, a server takes the secret in the header. */
function takesPost({ token_endpoint_auth_methods_supported: methods }: AuthorizationServer): boolean {
  return methods !== undefined && !methods.includes("client_secret_basic");
}

const contextOf = ({ browserHash }: ProviderPlace): string => `provider-sign-in:${browserHash}`;

function required(settings: ProviderSettings | null): ProviderSettings {
  if (settings === null) throw new Error("No provider is configured.");
  return settings;
}
