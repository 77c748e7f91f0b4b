import { z } from "zod";
import type { AppContext } from "../context.ts";
import type { AppFinding, AppSetup } from "../login.ts";
import { errorOf } from "../meta/errors.ts";
import { get, graphClient } from "../meta/graph.ts";
import { FACEBOOK } from "./api.ts";

/**
 * Our app at Meta, as far as it can be seen with the app's own token (`id|secret`), which opens no person's data.
 *
 * - `debug_token` of that very token says whether id and secret belong together.
 * - The list of redirect addresses cannot be read. A code that is none, sent from a host that the app does not know, may be
 *   refused for the host (191) before it is refused for the code (100): so a 191 is told, and nothing else is believed.
 * - Webhooks: `GET /{app-id}/subscriptions` (developers.facebook.com/docs/graph-api/reference/app/subscriptions, checked 2026-11-21).
 */
export const appSetup: AppSetup = {
  site: "developers.facebook.com/apps",
  redirectSetting: "Facebook Login for Business › Settings › Valid OAuth Redirect URIs",
  scopesSetting: "App Review › Permissions and Features, Advanced Access for each",
  check: async (context, redirectUri) => {
    const credentials = await checkCredentials(context);
    if (!credentials.isGood) return [credentials];
    return [credentials, ...(await checkRedirect(context, redirectUri)), await checkWebhooks(context, redirectUri)];
  },
};

const Inspected = z.object({
  data: z.object({ is_valid: z.boolean(), app_id: z.string().optional(), application: z.string().optional() }),
});
const Subscriptions = z.object({ data: z.array(z.object({ object: z.string(), callback_url: z.string() })) });

const tokenOf = ({ app }: AppContext): string => `${app.id}|${app.secret}`;
const graphOfApp = (context: AppContext) => graphClient(FACEBOOK, context, tokenOf(context));

async function checkCredentials(context: AppContext): Promise<AppFinding> {
  const topic = "credentials";
  const answer = await graphOfApp(context).request(get("debug_token", { input_token: tokenOf(context) }));
  const read = graphOfApp(context).interpretRead(answer, Inspected);
  if (read.kind === "ok" && read.value.data.is_valid && read.value.data.app_id === context.app.id) {
    return {
      topic,
      isGood: true,
      message: `Meta knows the app as "${read.value.data.application ?? context.app.id}".`,
    };
  }
  const isRefused = read.kind === "ok" || errorOf(answer) !== null;
  if (!isRefused) {
    return { topic, isGood: false, message: "Meta could not be asked about the app.", fix: "Try again in a minute." };
  }
  return {
    topic,
    isGood: false,
    message: "Meta does not accept the app's id and secret together.",
    fix: "Copy both anew from App settings › Basic (App ID, App secret).",
  };
}

async function checkRedirect(context: AppContext, redirectUri: string): Promise<readonly AppFinding[]> {
  const { id, secret } = context.app;
  const form = { client_id: id, client_secret: secret, redirect_uri: redirectUri, code: "none" };
  const answer = await context.send({ method: "POST", url: `${FACEBOOK.baseUrl}/oauth/access_token`, form });
  if (errorOf(answer)?.code !== 191) return [];
  return [
    {
      topic: "redirect",
      isGood: false,
      message: `Meta does not know the host of ${redirectUri}.`,
      fix: `Add ${redirectUri} under ${appSetup.redirectSetting}.`,
    },
  ];
}

/** This version takes no webhooks from Meta: what is subscribed to come here would find nobody. */
async function checkWebhooks(context: AppContext, redirectUri: string): Promise<AppFinding> {
  const topic = "webhooks";
  const read = await graphOfApp(context).read(get(`${context.app.id}/subscriptions`), Subscriptions);
  if (read.kind === "failed") {
    const fix = "Look at Webhooks in the app's dashboard: none is needed.";
    return { topic, isGood: false, message: `Meta did not list the app's webhooks: ${read.message}`, fix };
  }
  const { origin } = new URL(redirectUri);
  const ours = read.value.data.filter(({ callback_url: url }) => URL.parse(url)?.origin === origin);
  if (ours.length === 0) return { topic, isGood: true, message: "No webhook is needed, and none is sent here." };
  const names = ours.map(({ object }) => object).join(", ");
  return {
    topic,
    isGood: false,
    message: `Meta sends webhooks (${names}) to this service, which takes none.`,
    fix: `Remove the subscription of ${names} under Webhooks in the app's dashboard.`,
  };
}
