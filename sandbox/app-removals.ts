// What platforms report when a person removes an app, or wants their data deleted: to the addresses that the
// app's dashboard has. Meta's products send a form with `signed_request`, TikTok an event.

import { base64Url, hmac } from "./digest";
import type { AppRemoval } from "./platform";
import type { Sandbox } from "./sandbox";

type RemovalCallbacks = {
  deauthorize_url: string;
  deletion_url: string | null;
};

export function configureRemovals(sandbox: Sandbox, platform: string, callbacks: RemovalCallbacks): void {
  sandbox.db.run("DELETE FROM removal_callbacks WHERE platform = ?", platform);
  sandbox.db.insert("removal_callbacks", { platform, ...callbacks });
}

const callbacksOf = (sandbox: Sandbox, platform: string) =>
  sandbox.db.first<RemovalCallbacks>(
    "SELECT deauthorize_url, deletion_url FROM removal_callbacks WHERE platform = ?",
    platform,
  );

interface Remover {
  platform: string;
  secret: string;
  userId: string;
}

/** Meta: one form for the removal, and one for the deletion if the person wants it. */
export async function sendSignedRequests(
  sandbox: Sandbox,
  { platform, secret, userId }: Remover,
  { withDeletion }: AppRemoval,
): Promise<void> {
  const callbacks = callbacksOf(sandbox, platform);
  if (!callbacks) return;
  const issued_at = Math.floor(sandbox.now() / 1000);
  const payload = { user_id: userId, algorithm: "HMAC-SHA256", issued_at };
  const urls = [callbacks.deauthorize_url, ...(withDeletion && callbacks.deletion_url ? [callbacks.deletion_url] : [])];
  for (const [index, url] of urls.entries()) {
    // Both say the same at different moments of one second: their texts differ.
    const encoded = base64Url(
      new TextEncoder().encode(JSON.stringify({ ...payload, expires: issued_at + 3600 + index })),
    );
    const signature = base64Url(await hmac(secret, encoded));
    const body = new URLSearchParams({ signed_request: `${signature}.${encoded}` }).toString();
    const contentType = "application/x-www-form-urlencoded";
    sandbox.webhooks.add({ platform, url, body, secret, signatures: [], contentType });
  }
}

/** TikTok: `reason` 1 is "User disconnects from TikTok app". */
export function sendAuthorizationRemoved(
  sandbox: Sandbox,
  { platform, secret, userId }: Remover,
  clientKey: string,
): void {
  const callbacks = callbacksOf(sandbox, platform);
  if (!callbacks) return;
  const body = JSON.stringify({
    client_key: clientKey,
    event: "authorization.removed",
    create_time: Math.floor(sandbox.now() / 1000),
    user_openid: userId,
    content: JSON.stringify({ reason: 1 }),
  });
  const signature = {
    header: "tiktok-signature",
    hash: "SHA-256",
    encoding: "hex",
    prefix: "",
    isTimed: true,
  } as const;
  sandbox.webhooks.add({ platform, url: callbacks.deauthorize_url, body, secret, signatures: [signature] });
}
