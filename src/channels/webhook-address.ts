import { hmac } from "../core/hmac.ts";
import type { PlatformName } from "../platforms/names.ts";
import type { WebhookAddress } from "../platforms/webhooks.ts";

/**
 * Where a platform sends us what happens, and by what we prove that the address is ours. Test projects have
 * addresses of their own.
 */

/** The paths of src/inbound/routes.ts. */
export const webhookPath = (platform: PlatformName, isTest: boolean): string =>
  `/webhooks/${platform}${isTest ? "/test" : ""}`;

/** The same for as long as the signing key is: platforms ask again. */
export async function verifyToken(signingKey: string, platform: PlatformName, isTest: boolean): Promise<string> {
  const bytes = await hmac(signingKey, `webhook ${platform} ${isTest ? "test" : "live"}`);
  return Array.from(bytes.slice(0, 16), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

interface Served {
  readonly config: { readonly publicOrigin: string | null; readonly signingKey: string };
}

/** Null where this service does not know its own address (PUBLIC_ORIGIN). */
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
