/**
 * A client of a Bluesky server, written for comparing servers: it also signs wrongly, on request.
 * Runs in Node beside a real server, and in the Workers runtime beside the simulated one.
 */
const ALGORITHM = { name: "ECDSA", namedCurve: "P-256" } as const;
const SIGNATURE = { name: "ECDSA", hash: "SHA-256" } as const;

type RuntimeKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

export interface BlueskyServer {
  readonly origin: string;
  readonly did: string;
  readonly handle: string;
  readonly client: {
    readonly id: string;
    readonly redirectUri: string;
    readonly kid: string;
    /** Base64 of a private key in PKCS #8. */
    readonly key: string;
  };
  fetch(url: string, init: RequestInit): Promise<Response>;
  /** Signs in on the server's pages and allows the app; returns the address that the browser is led to. */
  authorize(url: string): Promise<string>;
  deactivate(): Promise<unknown>;
  activate(): Promise<unknown>;
  /** Epoch milliseconds. */
  now(): number;
}

export interface ServerAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** What a call differs in from a correct one. */
export interface Flaws {
  readonly nonce?: string | null;
  readonly htu?: string;
  readonly ath?: string | null;
  readonly aud?: string;
  readonly isUnproven?: boolean;
  readonly isUnidentified?: boolean;
  /** A proof or an assertion that was used before. */
  readonly proof?: string;
  readonly assertion?: string;
  readonly scheme?: string;
}

/** What a call has beside its name. */

export interface Sent {
  readonly json?: unknown;
  readonly bytes?: Uint8Array<ArrayBuffer>;
  readonly type?: string;
  readonly flaws?: Flaws;
}

interface Request {
  readonly headers?: Record<string, string>;
  readonly body?: NonNullable<RequestInit["body"]>;
  readonly flaws: Flaws;
  readonly token?: string | null;
}

/** The headers by which a client is led. */
const READ_HEADERS = ["content-type", "www-authenticate", "dpop-nonce"];

export class SigningClient {
  readonly #server: BlueskyServer;
  #nonce: string | null = null;
  #key: { readonly pair: CryptoPair; readonly jwk: object };
  /** The last ones that were sent. */
  proof = "";
  assertion = "";

  private constructor(server: BlueskyServer, key: { readonly pair: CryptoPair; readonly jwk: object }) {
    this.#server = server;
    this.#key = key;
  }

  static async of(server: BlueskyServer): Promise<SigningClient> {
    return new SigningClient(server, await newPair());
  }

  /** A form to the server where accounts sign in. */
  async form(path: string, fields: Readonly<Record<string, string>>, flaws: Flaws = {}): Promise<ServerAnswer> {
    const { client, origin } = this.#server;
    const all = new URLSearchParams({ client_id: client.id, ...fields });
    if (!flaws.isUnidentified) {
      this.assertion = flaws.assertion ?? (await this.#assert(flaws.aud ?? origin));
      all.set("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer");
      all.set("client_assertion", this.assertion);
    }
    return this.#send("POST", path, { body: all, flaws });
  }

  /** A method of the server, as the holder of a token. */
  call(method: "GET" | "POST", name: string, token: string | null, { json, bytes, type: own, flaws = {} }: Sent = {}) {
    const type = json === undefined ? own : "application/json";
    const headers = {
      ...(type === undefined ? {} : { "content-type": type }),
      ...(token === null ? {} : { authorization: `${flaws.scheme ?? "DPoP"} ${token}` }),
    };
    const body = json === undefined ? bytes : JSON.stringify(json);
    return this.#send(method, `/xrpc/${name}`, { headers, flaws, token, ...(body === undefined ? {} : { body }) });
  }

  async #send(method: string, path: string, { flaws, token = null, ...init }: Request): Promise<ServerAnswer> {
    const url = `${this.#server.origin}${path}`;
    const headers = new Headers(init.headers ?? {});
    if (!flaws.isUnproven) {
      this.proof = flaws.proof ?? (await this.#prove(method, url, token, flaws));
      headers.set("dpop", this.proof);
    }
    const response = await this.#server.fetch(url, { ...init, method, headers });
    this.#nonce = response.headers.get("dpop-nonce") ?? this.#nonce;
    const text = await response.text();
    const read = READ_HEADERS.flatMap((name) => {
      const value = response.headers.get(name);
      return value === null ? [] : [[name, name === "dpop-nonce" ? "…" : value]];
    });
    return { status: response.status, headers: Object.fromEntries(read), body: parsed(text) };
  }

  async #prove(method: string, url: string, token: string | null, flaws: Flaws): Promise<string> {
    const nonce = flaws.nonce === undefined ? this.#nonce : flaws.nonce;
    const ath = flaws.ath === undefined ? token && (await hash(token)) : flaws.ath;
    const claims = {
      jti: crypto.randomUUID(),
      htm: method,
      htu: flaws.htu ?? url.replace(/\?.*/, ""),
      iat: this.#seconds(),
      ...(nonce === null ? {} : { nonce }),
      ...(ath === null ? {} : { ath }),
    };
    const { pair, jwk } = this.#key;
    return signed({ typ: "dpop+jwt", alg: "ES256", jwk }, claims, pair.privateKey);
  }

  async #assert(aud: string): Promise<string> {
    const { id, kid, key } = this.#server.client;
    const bytes = Uint8Array.from(atob(key), (char) => char.charCodeAt(0));
    const privateKey = await crypto.subtle.importKey("pkcs8", bytes, ALGORITHM, false, ["sign"]);
    const [iat, jti] = [this.#seconds(), crypto.randomUUID()];
    return signed({ alg: "ES256", kid }, { iss: id, sub: id, aud, jti, iat, exp: iat + 60 }, privateKey);
  }

  readonly #seconds = () => Math.floor(this.#server.now() / 1000);
}

interface CryptoPair {
  readonly privateKey: RuntimeKey;
  readonly publicKey: RuntimeKey;
}

async function newPair() {
  const pair = await crypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);
  if (!("privateKey" in pair)) throw new Error("A key pair was not generated.");
  const jwk = await crypto.subtle.exportKey("jwk", pair.publicKey);
  if (jwk instanceof ArrayBuffer) throw new Error("A key was exported in another form.");
  const { kty, crv, x, y } = jwk;
  return { pair, jwk: { kty, crv, x, y } };
}

async function signed(header: object, claims: object, key: RuntimeKey): Promise<string> {
  const text = [header, claims].map((part) => base64url(utf8.encode(JSON.stringify(part)))).join(".");
  return `${text}.${base64url(new Uint8Array(await crypto.subtle.sign(SIGNATURE, key, utf8.encode(text))))}`;
}

const utf8 = new TextEncoder();

/** The SHA-256 of a text, in base64url. */
export async function hash(text: string): Promise<string> {
  return base64url(new Uint8Array(await crypto.subtle.digest("SHA-256", utf8.encode(text))));
}

function base64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/=+$/, "");
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
