import { idOf, type ProjectId } from "../core/ids.ts";
import { equalBytes, hmac } from "../core/sealing.ts";
import { SECOND } from "../core/time.ts";
import { base64Url, fromBase64Url, sha256Hex } from "../core/tokens.ts";

/**
 * The token of a connection session says by itself, signed, when and for which project it was issued: an old one is
 * `expired` and an invented one unknown without a look-up.
 */
export const SESSION_SECONDS = 900;

// Issue time and project as 8 bytes each, 16 random bytes, 16 bytes of signature: 64 characters of base64url.
const SIGNED_BYTES = 32;
const TOKEN_BYTES = 48;
const TOKEN_LENGTH = 64;

export interface ConnectToken {
  readonly text: string;
  /** The name of the session in KV and D1: the token itself is stored nowhere. */
  readonly hash: string;
  readonly projectId: ProjectId;
  readonly issuedAt: number;
  readonly expiresAt: number;
}

export async function mintConnectToken(signingKey: string, projectId: ProjectId, now: number): Promise<string> {
  const bytes = crypto.getRandomValues(new Uint8Array(TOKEN_BYTES));
  const view = new DataView(bytes.buffer);
  view.setBigUint64(0, BigInt(now));
  view.setBigUint64(8, BigInt(projectId));
  bytes.set(await sign(signingKey, bytes), SIGNED_BYTES);
  return base64Url(bytes);
}

/** Null for everything that we did not issue. */
export async function readConnectToken(signingKey: string, text: string): Promise<ConnectToken | null> {
  const bytes = text.length === TOKEN_LENGTH ? fromBase64Url(text) : null;
  if (bytes?.length !== TOKEN_BYTES) return null;
  if (!equalBytes(bytes.subarray(SIGNED_BYTES), await sign(signingKey, bytes))) return null;
  const view = new DataView(bytes.buffer);
  const issuedAt = Number(view.getBigUint64(0));
  return {
    text,
    hash: await sha256Hex(text),
    projectId: idOf<ProjectId>(Number(view.getBigUint64(8))),
    issuedAt,
    expiresAt: issuedAt + SESSION_SECONDS * SECOND,
  };
}

async function sign(signingKey: string, bytes: Uint8Array): Promise<Uint8Array> {
  const mac = await hmac(signingKey, `connect-token ${base64Url(bytes.subarray(0, SIGNED_BYTES))}`);
  return mac.subarray(0, TOKEN_BYTES - SIGNED_BYTES);
}
