import type { createControl } from "../../test/support/control.ts";
import type { Operator } from "./api.ts";

/**
 * Enters the service's webhook URL, and its addresses for removed logins, in the simulated dashboards of
 * platforms that need manual setup. The service subscribes at the other platforms itself when a channel is
 * connected.
 */
export async function enterWebhooks(
  operator: Operator,
  { control }: Pick<ReturnType<typeof createControl>, "control">,
): Promise<void> {
  const known = await operator.listWebhooks();
  for (const { platform, is_sandbox: isSandbox, is_by_hand: isByHand, ...webhooks } of known) {
    if (!isSandbox || !isByHand) continue;
    const { callback_url, verify_token, fields } = webhooks;
    await control("POST", "webhooks", { platform, callback_url, verify_token, fields: fields.join(",") });
  }
  for (const { platform, is_sandbox: isSandbox, urls } of await operator.listCallbacks()) {
    const [deauthorize_url, deletion_url = null] = urls;
    if (isSandbox) await control("POST", "callbacks", { platform, deauthorize_url, deletion_url });
  }
}
