import { z } from "zod";
import type { AppContext } from "../context.ts";
import { readable } from "../lists.ts";
import type { AppFinding, AppSetup } from "../login.ts";
import { errorOf } from "./errors.ts";
import { type GraphApi, get, graphClient } from "./graph.ts";
import { appToken } from "./token-facts.ts";

/**
 * Checks our app at Meta with the app's own token (`id|secret`), which reads no person's data.
 *
 * - `debug_token` of that token shows whether id and secret belong together.
 * - The list of redirect URLs is unreadable. An invalid code from an unknown host may be refused for the host
 *   (191) before it is refused for the code (100). So only a 191 is reported.
 * - Webhooks: `GET /{app-id}/subscriptions`
 *   (developers.facebook.com/docs/graph-api/reference/app/subscriptions, checked 2026-11-21).
 */
export type Words = Pick<AppSetup, "redirectSetting" | "scopesSetting">;

/** `config`: the variable with the configuration of Facebook Login for Business. */
export function metaAppSetup(api: GraphApi, { config, ...words }: Words & { readonly config: string }): AppSetup {
  return {
    site: "developers.facebook.com/apps",
    ...words,
    scopesSettingWith: ({ config: id, login } = {}) =>
      id && login !== "instagram" ? `${CONFIGURATIONS} › ${id}, with all of them` : words.scopesSetting,
    check: async (context, redirectUri) => {
      const credentials = await checkCredentials(api, context);
      if (!credentials.isGood) return [credentials, ...checkConfiguration(context, config)];
      const redirect = await checkRedirect(api, context, redirectUri, words);
      const configuration = checkConfiguration(context, config);
      return [credentials, ...redirect, ...configuration, await checkWebhooks(api, context, redirectUri)];
    },
  };
}

const CONFIGURATIONS = "Facebook Login for Business › Configurations";

/** An app cannot read its configurations: only the form of the id is checked. */
function checkConfiguration({ app }: AppContext, variable: string): readonly AppFinding[] {
  const id = app.options?.config;
  const topic = "credentials";
  if (!id || app.options?.login === "instagram") return [];
  if (/^\d{5,25}$/.test(id)) {
    const message = `The login uses the configuration ${id} in place of scopes: a person allows all of its permissions or none.`;
    return [{ topic, isGood: true, message }];
  }
  const fix = `Copy the configuration ID from ${CONFIGURATIONS}, or remove ${variable}.`;
  return [{ topic, isGood: false, message: `${variable} is not the id of a configuration.`, fix }];
}

const Inspected = z.object({
  data: z.object({ is_valid: z.boolean(), app_id: z.string().optional(), application: z.string().optional() }),
});
const Subscriptions = z.object({ data: readable(z.object({ object: z.string(), callback_url: z.string() })) });

const graphOfApp = (api: GraphApi, context: AppContext) => graphClient(api, context, appToken(context));

async function checkCredentials(api: GraphApi, context: AppContext): Promise<AppFinding> {
  const topic = "credentials";
  const answer = await graphOfApp(api, context).request(get("debug_token", { input_token: appToken(context) }));
  const read = graphOfApp(api, context).interpretRead(answer, Inspected);
  if (read.kind === "ok" && read.value.data.is_valid && read.value.data.app_id === context.app.id) {
    return {
      topic,
      isGood: true,
      message: `Meta knows the app as "${read.value.data.application ?? context.app.id}".`,
    };
  }
  const isRefused = read.kind === "ok" || errorOf(answer) !== null;
  if (!isRefused) {
    return { topic, isGood: false, message: "Meta did not answer about the app.", fix: "Try again in a minute." };
  }
  return {
    topic,
    isGood: false,
    message: "Meta does not accept the app's id and secret together.",
    fix: "Copy both again from App settings › Basic (App ID, App secret).",
  };
}

async function checkRedirect(
  api: GraphApi,
  context: AppContext,
  redirectUri: string,
  { redirectSetting }: Words,
): Promise<readonly AppFinding[]> {
  const { id, secret } = context.app;
  const form = { client_id: id, client_secret: secret, redirect_uri: redirectUri, code: "none" };
  const answer = await context.send({ method: "POST", url: `${api.baseUrl}/oauth/access_token`, form });
  if (errorOf(answer)?.code !== 191) return [];
  return [
    {
      topic: "redirect",
      isGood: false,
      message: `Meta does not know the host of ${redirectUri}.`,
      fix: `Add ${redirectUri} under ${redirectSetting}.`,
    },
  ];
}

/** Webhooks are set up with the first connected channel; before that, none are sent. */
async function checkWebhooks(api: GraphApi, context: AppContext, redirectUri: string): Promise<AppFinding> {
  const topic = "webhooks";
  const read = await graphOfApp(api, context).read(get(`${context.app.id}/subscriptions`), Subscriptions);
  if (read.kind === "failed") {
    const fix = "Check Webhooks in the app's dashboard.";
    return { topic, isGood: false, message: `Meta did not list the app's webhooks: ${read.message}`, fix };
  }
  const { origin } = new URL(redirectUri);
  const ours = read.value.data.filter(({ callback_url: url }) => URL.parse(url)?.origin === origin);
  if (ours.length === 0) {
    const message = "Meta sends no webhooks here yet. The next connected channel sets them up.";
    return { topic, isGood: true, message };
  }
  const names = ours.map(({ object }) => object).join(", ");
  return { topic, isGood: true, message: `Meta sends webhooks (${names}) to this service.` };
}
