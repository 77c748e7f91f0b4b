/**
 * HMAC-SHA256 under the text of a key. One key serves several purposes: each begins its messages with words of its own.
 */
export async function hmac(key: string, message: string): Promise<Uint8Array> {
  const imported = await crypto.subtle.importKey(
    "raw",
    new TextEncoder().encode(key),
    { name: "HMAC", hash: "SHA-256" },
    false,
    ["sign"],
  );
  return new Uint8Array(await crypto.subtle.sign("HMAC", imported, new TextEncoder().encode(message)));
}
