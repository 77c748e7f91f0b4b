/** Standard Webhooks, by Web Crypto: the package needs no library at run time. */
const MOST_AGE_SECONDS = 300;

interface Signed {
  readonly body: Uint8Array;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly secret: string;
}

/** Whether the secret signed the message within the last five minutes. */
export async function isSigned({ body, headers, secret }: Signed, now = Date.now()): Promise<boolean> {
  const [id, sentAt, signatures] = ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) =>
    String(headers[name] ?? ""),
  );
  if (!id || !sentAt || !signatures || !(Math.abs(now / 1_000 - Number(sentAt)) < MOST_AGE_SECONDS)) return false;
  const raw = Uint8Array.from(atob(secret.replace(/^whsec_/, "")), (char) => char.charCodeAt(0));
  const key = await crypto.subtle.importKey("raw", raw, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
  const head = new TextEncoder().encode(`${id}.${sentAt}.`);
  const signed = new Uint8Array([...head, ...body]);
  for (const one of signatures.split(" ")) {
    const [version, mac = ""] = one.split(",");
    if (version !== "v1" || !/^[A-Za-z0-9+/]{43}=$/.test(mac)) continue;
    const bytes = Uint8Array.from(atob(mac), (char) => char.charCodeAt(0));
    if (await crypto.subtle.verify("HMAC", key, bytes, signed)) return true;
  }
  return false;
}
