import { base64Url } from "../../src/core/tokens.ts";
import { answering } from "./between.ts";

/** An OpenID Connect provider between the service and the outside; a test changes what it answers. */
export const ISSUER = "https://id.example.org";
export const REGISTRATION = {
  OIDC_ISSUER: ISSUER,
  OIDC_CLIENT_ID: "belfry",
  OIDC_CLIENT_SECRET: "the client's secret",
  OIDC_NAME: "Example ID",
};

interface Authorized {
  readonly redirectUri: string;
  readonly nonce: string;
  readonly challenge: string;
  readonly claims: object;
}

const utf8 = (text: string) => new TextEncoder().encode(text);
const ES256 = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };

export class OidcServer {
  /** Of the next tokens: they replace what is right. */
  wrong: object = {};
  metadata: object = {};
  readonly #keys: CryptoKeyPair;
  #published: CryptoKey;
  readonly #codes = new Map<string, Authorized>();

  private constructor(keys: CryptoKeyPair) {
    this.#keys = keys;
    this.#published = keys.publicKey;
    answering((request) => (new URL(request.url).origin === ISSUER ? lazily(this.#answer(request)) : null));
  }

  static async start(): Promise<OidcServer> {
    return new OidcServer(await newKeys());
  }

  /** From now on it publishes another key than the one with which it signs. */
  async replaceKeys(): Promise<void> {
    this.#published = (await newKeys()).publicKey;
  }

  /** The person agrees on the provider's page: the address to which the browser returns. */
  authorize(address: string, claims: object): URL {
    const { searchParams } = new URL(address);
    const read = (name: string) => searchParams.get(name) ?? "";
    if (read("code_challenge_method") !== "S256") throw new Error("No PKCE.");
    const code = crypto.randomUUID();
    const redirectUri = read("redirect_uri");
    this.#codes.set(code, { redirectUri, nonce: read("nonce"), challenge: read("code_challenge"), claims });
    const back = new URL(redirectUri);
    for (const [name, value] of Object.entries({ code, state: read("state"), iss: ISSUER }))
      back.searchParams.set(name, value);
    return back;
  }

  async #answer(request: Request): Promise<unknown> {
    const { pathname } = new URL(request.url);
    if (pathname === "/.well-known/openid-configuration") {
      return {
        issuer: ISSUER,
        authorization_endpoint: `${ISSUER}/authorize`,
        token_endpoint: `${ISSUER}/token`,
        jwks_uri: `${ISSUER}/keys`,
        authorization_response_iss_parameter_supported: true,
        id_token_signing_alg_values_supported: ["ES256"],
        ...this.metadata,
      };
    }
    if (pathname === "/keys") {
      return {
        keys: [{ ...(await crypto.subtle.exportKey("jwk", this.#published)), kid: "1", use: "sig", alg: "ES256" }],
      };
    }
    return this.#token(request.headers.get("Authorization"), new URLSearchParams(await request.text()));
  }

  async #token(authorization: string | null, body: URLSearchParams): Promise<object> {
    const code = body.get("code") ?? "";
    const authorized = this.#codes.get(code);
    this.#codes.delete(code);
    const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", utf8(body.get("code_verifier") ?? "")));
    const isOwn =
      authorization?.startsWith("Basic ") &&
      authorized?.challenge === base64Url(hash) &&
      authorized.redirectUri === body.get("redirect_uri");
    if (!isOwn) throw new Error("invalid_grant");
    const now = Math.floor(Date.now() / 1000);
    const claims = { iss: ISSUER, aud: REGISTRATION.OIDC_CLIENT_ID, iat: now, exp: now + 300, nonce: authorized.nonce };
    const idToken = await this.#signed({ ...claims, ...authorized.claims, ...this.wrong });
    return { access_token: "an access token", token_type: "Bearer", id_token: idToken };
  }

  async #signed(claims: object): Promise<string> {
    const part = (value: object) => base64Url(utf8(JSON.stringify(value)));
    const text = `${part({ alg: "ES256", kid: "1" })}.${part(claims)}`;
    const signature = await crypto.subtle.sign(ES256, this.#keys.privateKey, utf8(text));
    return `${text}.${base64Url(new Uint8Array(signature))}`;
  }
}

async function newKeys(): Promise<CryptoKeyPair> {
  const keys = await crypto.subtle.generateKey(ES256, true, ["sign", "verify"]);
  if (!("privateKey" in keys)) throw new Error("No pair of keys.");
  return keys;
}

/** A response whose JSON is made while it is read. */
function lazily(made: Promise<unknown>): Response {
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      const answer = await made.catch((error: Error) => ({ error: error.message }));
      controller.enqueue(utf8(JSON.stringify(answer)));
      controller.close();
    },
  });
  return new Response(body, { headers: { "Content-Type": "application/json" } });
}
