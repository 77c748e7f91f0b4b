import { z } from "zod";
import type { AppFinding, AppSetup } from "../login.ts";
import { parseBody } from "../request.ts";
import { API } from "./api.ts";

/**
 * Checks our app at TikTok, as far as calls can show: whether key and secret belong together, by a token for
 * the app alone, which is not used. TikTok has no calls for redirect addresses, products, audit and verified
 * domains.
 */
export const TOKEN_URL = `${API}/oauth/token/`;

export const appSetup: AppSetup = {
  site: "developers.tiktok.com/apps",
  redirectSetting: "Login Kit › Redirect URI (Web)",
  scopesSetting: "Scopes; Content Posting API with Direct Post, and its audit; URL properties for pictures",
  check: async ({ send, app }) => {
    const form = { client_key: app.id, client_secret: app.secret, grant_type: "client_credentials" };
    const answer = await send({ method: "POST", url: TOKEN_URL, form });
    if (answer.kind === "lost" || answer.status >= 500) return [UNCLEAR];
    const said = parseBody(Said, answer);
    if (said?.access_token !== undefined) return [KNOWN];
    return said?.error === undefined || PASSING.includes(said.error) ? [UNCLEAR] : [UNKNOWN];
  },
};

const Said = z.object({ access_token: z.string().optional(), error: z.string().optional() });
const PASSING = ["server_error", "temporarily_unavailable"];

const KNOWN: AppFinding = { topic: "credentials", isGood: true, message: "TikTok accepts the app's key and secret." };
const UNKNOWN: AppFinding = {
  topic: "credentials",
  isGood: false,
  message: "TikTok does not accept the app's key and secret together.",
  fix: "Copy both again from the app's page (Client key, Client secret); the sandbox of an app has others.",
};
const UNCLEAR: AppFinding = {
  topic: "credentials",
  isGood: false,
  message: "TikTok did not answer about the app.",
  fix: "Try again in a minute.",
};
