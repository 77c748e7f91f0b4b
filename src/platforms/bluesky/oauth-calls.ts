import {
  type AuthorizationServer,
  allowInsecureRequests,
  type Client,
  type ClientAuth,
  customFetch,
  DPoP,
  type DPoPHandle,
  isDPoPNonceError,
  modifyAssertion,
  PrivateKeyJwt,
  ResponseBodyError,
} from "oauth4webapi";
import { z } from "zod";
import type { AppContext, AppCredentials, Failure } from "../context.ts";
import { maskQuote } from "../masking.ts";
import { down, rejected, throttled } from "../outcomes.ts";
import { parseBody } from "../request.ts";
import type { PrivateKey } from "./binding.ts";
import type { ClientKey } from "./client-keys.ts";
import { BLUESKY } from "./errors.ts";
import { importKey, keepNonce, nonceOf } from "./proofs.ts";
import { isLoopback, serverOrigin } from "./servers.ts";

/** Calls to the server that lets accounts sign in, by oauth4webapi over the adapter's own requests. */

const TIMEOUT_MS = 10_000;
/** A renewal that was carried out must be heard: its answer cannot be had again. */
const TOKEN_TIMEOUT_MS = 25_000;

const Resource = z.object({ resource: z.string(), authorization_servers: z.tuple([z.string()]) });
const Metadata = z
  .object({
    issuer: z.string(),
    authorization_endpoint: z.url(),
    token_endpoint: z.url(),
    revocation_endpoint: z.url(),
    pushed_authorization_request_endpoint: z.url(),
    require_pushed_authorization_requests: z.literal(true),
    authorization_response_iss_parameter_supported: z.literal(true),
    client_id_metadata_document_supported: z.literal(true),
    dpop_signing_alg_values_supported: z.array(z.string()),
    token_endpoint_auth_signing_alg_values_supported: z.array(z.string()),
    scopes_supported: z.array(z.string()),
  })
  .catchall(z.json());

/** The origin of the server where accounts of this server sign in. It may be the server itself. */
export async function issuerOf(context: AppContext, server: string): Promise<string | Failure> {
  const url = `${server}/.well-known/oauth-protected-resource`;
  const answer = await context.send({ method: "GET", url, timeoutMs: TIMEOUT_MS });
  if (answer.kind === "lost" || answer.status >= 500) return unreachable(server);
  // The entrance of a network of servers holds no accounts itself.
  if (answer.status === 404) return server;
  const resource = answer.status === 200 ? parseBody(Resource, answer) : null;
  if (resource?.resource !== server) return foreign(server);
  return serverOrigin(resource.authorization_servers[0]) ?? foreign(server);
}

/** What the server says about itself, if it can do all that a login needs. */
export async function metadataOf(context: AppContext, issuer: string): Promise<Described | Failure> {
  const url = `${issuer}/.well-known/oauth-authorization-server`;
  const answer = await context.send({ method: "GET", url, timeoutMs: TIMEOUT_MS });
  if (answer.kind === "lost" || answer.status >= 500) return unreachable(issuer);
  keepNonce(issuer, answer.headers, context.now);
  const metadata = answer.status === 200 ? parseBody(Metadata, answer) : null;
  const isAble =
    metadata?.dpop_signing_alg_values_supported.includes("ES256") &&
    metadata.token_endpoint_auth_signing_alg_values_supported.includes("ES256") &&
    metadata.scopes_supported.includes("atproto");
  if (!metadata || metadata.issuer !== issuer || !isAble) return foreign(issuer);
  return { kind: "server", as: metadata };
}

interface Described {
  readonly kind: "server";
  readonly as: Endpoints & AuthorizationServer;
}

type Endpoints = Pick<z.output<typeof Metadata>, "authorization_endpoint" | "revocation_endpoint">;

const hostOf = (origin: string): string => new URL(origin).host;

function unreachable(server: string): Failure {
  return down(`${hostOf(server)} could not be reached. Try again in a few minutes.`);
}

function foreign(server: string): Failure {
  return rejected(`${hostOf(server)} is not a Bluesky server that this service can sign in to.`);
}

/** A session's own handle on its server. */
export interface Grip {
  readonly as: AuthorizationServer;
  readonly client: Client;
  readonly auth: ClientAuth;
  readonly options: {
    readonly DPoP: DPoPHandle;
    readonly [customFetch]: (url: string, options: Sent) => Promise<Response>;
    readonly [allowInsecureRequests]: boolean;
  };
}

interface Sent {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: unknown;
}

export async function gripOn(
  context: AppContext,
  as: AuthorizationServer,
  { key, clientKey }: { readonly key: PrivateKey; readonly clientKey: ClientKey },
): Promise<Grip> {
  const client = clientOf(context.app);
  return {
    as,
    client,
    auth: PrivateKeyJwt(clientKey),
    options: {
      DPoP: DPoP(client, await importKey(key), {
        // The library knows only the nonces of its own calls.
        [modifyAssertion](_header, claims) {
          claims.nonce ??= nonceOf(as.issuer, context.now) ?? undefined;
        },
      }),
      [customFetch]: fetchOver(context),
      [allowInsecureRequests]: isLoopback(as.issuer),
    },
  };
}

const clientOf = ({ id }: AppCredentials): Client => ({
  client_id: id,
  token_endpoint_auth_method: "private_key_jwt",
});

/** An answer that did not arrive. */
class AnswerLost extends Error {}

const KEPT_HEADERS = ["content-type", "dpop-nonce", "www-authenticate"];

/** `fetch` as oauth4webapi calls it. Times, sizes and addresses are limited by the adapter's request. */
function fetchOver({ send, now }: AppContext) {
  return async (url: string, { method, headers, body }: Sent): Promise<Response> => {
    const { "content-type": _type, ...others } = headers;
    const answer = await send({
      method: method === "POST" ? "POST" : "GET",
      url,
      headers: others,
      ...(body instanceof URLSearchParams ? { form: Object.fromEntries(body) } : {}),
      timeoutMs: TOKEN_TIMEOUT_MS,
    });
    if (answer.kind === "lost") throw new AnswerLost(answer.message);
    keepNonce(new URL(url).origin, answer.headers, now);
    const shown = KEPT_HEADERS.flatMap((name) => {
      const value = answer.headers.get(name);
      return value === null ? [] : [[name, value] as const];
    });
    const wait = BLUESKY.waitSeconds(answer.headers, now, null);
    if (answer.status === 429) throw new TooMany(wait);
    const isEmpty = answer.status === 204 || answer.status === 304;
    return new Response(isEmpty ? null : answer.text, { status: answer.status, headers: Object.fromEntries(shown) });
  };
}

class TooMany extends Error {
  readonly seconds: number | null;
  constructor(seconds: number | null) {
    super("The server takes no more calls for now.");
    this.seconds = seconds;
  }
}

/** Runs a call; once more if the server only wants another nonce: it has done nothing then. */
export async function withNonce<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (isDPoPNonceError(error)) return call();
    throw error;
  }
}

/** What an error of oauth4webapi means. `dead`: what to report if the code or refresh token is refused. */
export function failureOf(error: unknown, dead: Pick<Failure, "reason" | "message">): Failure {
  if (error instanceof AnswerLost) return down("The server where the account signs in did not answer.");
  if (error instanceof TooMany)
    return throttled("The server where the account signs in takes no more calls for now.", error.seconds);
  if (!(error instanceof ResponseBodyError))
    return down("The server where the account signs in gave an unclear answer.");
  if (error.status >= 500) return down("The server where the account signs in had a temporary error.");
  const words = error.error_description === undefined ? "" : ` It said: “${maskQuote(error.error_description)}”`;
  switch (error.error) {
    case "invalid_grant":
      return { kind: "failed", ...dead };
    case "invalid_client":
    case "invalid_client_metadata":
    case "unauthorized_client":
    case "invalid_scope":
    case "invalid_redirect_uri":
      return { kind: "failed", reason: "blocked", message: `The server does not accept this service's app.${words}` };
    case "invalid_request":
      return rejected(`The server did not understand the sign-in.${words}`);
    default:
      return down(`The server where the account signs in had a temporary error.${words}`);
  }
}
