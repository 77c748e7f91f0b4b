/**
 * HMAC-SHA256 with the text of a key. One key serves several purposes: the messages of each purpose begin
 * with their own prefix.
 */
export async function hmac(key: string, message: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.sign("HMAC", await imported(key), new TextEncoder().encode(message)));
}

/** Whether the signature matches these bytes; in constant time. */
export async function isHmac(key: string, message: Uint8Array, signature: Uint8Array): Promise<boolean> {
  return crypto.subtle.verify("HMAC", await imported(key), signature, message);
}

function imported(key: string) {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  return crypto.subtle.importKey("raw", new TextEncoder().encode(key), algorithm, false, ["sign", "verify"]);
}
