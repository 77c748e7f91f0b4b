import type { AppFinding, AppSetup } from "../login.ts";
import { publicKeys } from "./client-keys.ts";

/** There is no registration: servers read our app's document from our own address. */
export const appSetup: AppSetup = {
  site: "no registration: this service serves the app's document itself",
  redirectSetting: "in the document",
  scopesSetting: "in the document",
  check: async ({ app }) => [await checkDocument(app)],
};

async function checkDocument(app: Parameters<typeof publicKeys>[0]): Promise<AppFinding> {
  const topic = "credentials";
  if ((await publicKeys(app)).length === 0) {
    const fix = "Set keys as docs/platforms/bluesky.md says, such as `key1:` and the base64 of the key.";
    return { topic, isGood: false, message: "BLUESKY_CLIENT_KEYS cannot be read.", fix };
  }
  const { protocol, port } = new URL(app.id);
  if (protocol !== "https:" || port !== "") {
    const fix = "Set PUBLIC_ORIGIN to an https address without a port.";
    return { topic, isGood: false, message: `Servers do not read the app's document from ${app.id}.`, fix };
  }
  return { topic, isGood: true, message: `Servers read the app's document from ${app.id}.` };
}
