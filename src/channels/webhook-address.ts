import { hmac } from "../core/hmac.ts";
import type { PlatformName } from "../platforms/names.ts";
import type { WebhookAddress } from "../platforms/webhooks.ts";

/**
 * The address for a platform's webhooks, and the token that proves our ownership of it. Test projects have
 * their own addresses.
 */

/** The paths of src/inbound/routes.ts. */
export const webhookPath = (platform: PlatformName, isTest: boolean): string =>
  `/webhooks/${platform}${isTest ? "/test" : ""}`;

/**
 * The secret by which a platform's handshake is recognized. Derived from the signing key, so it stays the
 * same when the platform repeats the handshake.
 */
export async function verifyToken(signingKey: string, platform: PlatformName, isTest: boolean): Promise<string> {
  const bytes = await hmac(signingKey, `webhook ${platform} ${isTest ? "test" : "live"}`);
  return Array.from(bytes.slice(0, 16), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

interface Served {
  readonly config: { readonly publicOrigin: string | null; readonly signingKey: string };
}

/** Null if this service does not know its own address (PUBLIC_ORIGIN). */
export async function webhookAddress(
  { config }: Served,
  platform: PlatformName,
  isTest: boolean,
): Promise<WebhookAddress | null> {
  if (config.publicOrigin === null) return null;
  return {
    url: `${config.publicOrigin}${webhookPath(platform, isTest)}`,
    verifyToken: await verifyToken(config.signingKey, platform, isTest),
  };
}
