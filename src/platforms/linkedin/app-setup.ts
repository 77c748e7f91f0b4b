import { z } from "zod";
import { interpretRead } from "../answers.ts";
import type { AppContext } from "../context.ts";
import type { AppFinding, AppSetup } from "../login.ts";
import { parseBody } from "../request.ts";
import { INTROSPECT, Introspected } from "./api.ts";
import { LINKEDIN } from "./errors.ts";

/**
 * Checks our app's id and secret at LinkedIn without a user. Redirect addresses and products cannot be read.
 */
export const appSetup: AppSetup = {
  site: "linkedin.com/developers/apps",
  redirectSetting: "Auth › Authorized redirect URLs for your app",
  scopesSetting: "Products; LINKEDIN_PRODUCTS names those that the app has (member, pages)",
  check: async (context) => [await checkCredentials(context)],
};

const Refusal = z.object({ error: z.string() });

async function checkCredentials({ send, app, now }: AppContext): Promise<AppFinding> {
  const topic = "credentials";
  // To a known app, LinkedIn reports an unknown token as inactive.
  const form = { client_id: app.id, client_secret: app.secret, token: "none" };
  const answer = await send({ method: "POST", url: INTROSPECT, form });
  if (interpretRead(LINKEDIN, answer, Introspected, now).kind === "ok") {
    return { topic, isGood: true, message: "LinkedIn accepts the app's id and secret." };
  }
  if (answer.kind === "answered" && parseBody(Refusal, answer)?.error === "invalid_client") {
    const fix = "Copy both again from the app's Auth tab (Client ID, Primary Client Secret).";
    return { topic, isGood: false, message: "LinkedIn does not accept the app's id and secret together.", fix };
  }
  const fix = "Try again in a minute.";
  return { topic, isGood: false, message: "LinkedIn did not answer about the app.", fix };
}
