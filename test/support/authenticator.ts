import { base64Url } from "../../src/core/tokens.ts";

/**
 * An authenticator in software, with the browser around it: ES256 keys, attestation "none", and the person
 * verified. Options of the page in, what the page's script sends out.
 */
export interface Passkey {
  readonly credentialId: Uint8Array;
  readonly userHandle: string;
  readonly keys: CryptoKeyPair;
  /** How often it signed; an authenticator that does not count always says 0. */
  counter: number;
}

/** What the browser claims; a test changes it to play an attacker. */
export interface Surroundings {
  readonly origin: string;
  readonly rpId: string;
  readonly userHandle?: string;
  readonly flags?: number;
}

interface Options {
  readonly challenge: string;
  readonly user?: { readonly id: string };
}

const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;
const HAS_KEY = 0x40;
const VERIFIED = USER_PRESENT | USER_VERIFIED;

const utf8 = (text: string) => new TextEncoder().encode(text);
const sha256 = async (bytes: BufferSource) => new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));

function joined(...parts: readonly ArrayLike<number>[]): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(parts.flatMap((part) => Array.from(part)));
}

const uint = (value: number, bytes: number) =>
  Array.from({ length: bytes }, (_, at) => Math.floor(value / 256 ** (bytes - 1 - at)) % 256);

/** `navigator.credentials.create()`. */
export async function createPasskey(
  { challenge, user }: Options,
  around: Surroundings,
): Promise<{ readonly passkey: Passkey; readonly answer: string }> {
  const keys = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, ["sign", "verify"]);
  if (!("privateKey" in keys)) throw new Error("No pair of keys.");
  const credentialId = crypto.getRandomValues(new Uint8Array(32));
  const passkey = { credentialId, userHandle: user?.id ?? "", keys, counter: 0 };
  const exported = await crypto.subtle.exportKey("raw", keys.publicKey);
  if (!(exported instanceof ArrayBuffer)) throw new Error("No key of bytes.");
  const point = new Uint8Array(exported);
  const cose = new Map<number, number | Uint8Array>([
    [1, 2],
    [3, -7],
    [-1, 1],
    [-2, point.slice(1, 33)],
    [-3, point.slice(33)],
  ]);
  const authData = joined(
    await sha256(utf8(around.rpId)),
    [around.flags ?? VERIFIED | HAS_KEY],
    uint(passkey.counter, 4),
    new Uint8Array(16),
    uint(credentialId.length, 2),
    credentialId,
    cbor(cose),
  );
  const attestationObject = cbor(
    new Map<string, unknown>([
      ["fmt", "none"],
      ["attStmt", new Map()],
      ["authData", authData],
    ]),
  );
  const clientDataJSON = clientData("webauthn.create", challenge, around.origin);
  const response = { clientDataJSON: base64Url(clientDataJSON), attestationObject: base64Url(attestationObject) };
  return { passkey, answer: credential(passkey, response) };
}

/** `navigator.credentials.get()`. */
export async function usePasskey(passkey: Passkey, { challenge }: Options, around: Surroundings): Promise<string> {
  const head = joined(await sha256(utf8(around.rpId)), [around.flags ?? VERIFIED], uint(passkey.counter, 4));
  const clientDataJSON = clientData("webauthn.get", challenge, around.origin);
  const signed = joined(head, await sha256(clientDataJSON));
  const algorithm = { name: "ECDSA", hash: "SHA-256" };
  const signature = new Uint8Array(await crypto.subtle.sign(algorithm, passkey.keys.privateKey, signed));
  return credential(passkey, {
    clientDataJSON: base64Url(clientDataJSON),
    authenticatorData: base64Url(head),
    signature: base64Url(der(signature)),
    userHandle: around.userHandle ?? passkey.userHandle,
  });
}

function clientData(type: string, challenge: string, origin: string): Uint8Array<ArrayBuffer> {
  return joined(utf8(JSON.stringify({ type, challenge, origin, crossOrigin: false })));
}

function credential({ credentialId }: Passkey, response: object): string {
  const id = base64Url(credentialId);
  return JSON.stringify({ id, rawId: id, type: "public-key", clientExtensionResults: {}, response });
}

/** The two numbers of a signature, as WebAuthn has them: in ASN.1. */
function der(signature: Uint8Array): Uint8Array {
  const numbers = [signature.subarray(0, 32), signature.subarray(32)].map((bytes) => {
    const digits = bytes.subarray(bytes.findIndex((byte) => byte !== 0));
    const positive = (digits[0] ?? 0) >= 0x80 ? joined([0], digits) : digits;
    return joined([0x02, positive.length], positive);
  });
  const body = joined(...numbers);
  return joined([0x30, body.length], body);
}

/** CBOR, as far as an authenticator needs it. */
function cbor(value: unknown): Uint8Array {
  if (typeof value === "number") return value >= 0 ? head(0, value) : head(1, -1 - value);
  if (value instanceof Uint8Array) return joined(head(2, value.length), value);
  if (typeof value === "string") return joined(head(3, utf8(value).length), utf8(value));
  if (!(value instanceof Map)) throw new Error("This is not encoded.");
  return joined(head(5, value.size), ...[...value].flatMap(([key, inner]) => [cbor(key), cbor(inner)]));
}

function head(major: number, length: number): Uint8Array {
  if (length < 24) return joined([(major << 5) | length]);
  return length < 256 ? joined([(major << 5) | 24, length]) : joined([(major << 5) | 25], uint(length, 2));
}
