import { z } from "zod";
import { interpretRead } from "../answers.ts";
import type { AppContext } from "../context.ts";
import { lenient, readable } from "../lists.ts";
import type { AppFinding, AppSetup } from "../login.ts";
import { API } from "./api.ts";
import { X } from "./errors.ts";

/**
 * Checks our app at X, as far as calls can show: whether webhooks are set up and active. X reports nothing
 * about the OAuth 2 client.
 */
export const appSetup: AppSetup = {
  site: "console.x.com",
  redirectSetting: "User authentication settings › Callback URI / Redirect URL",
  scopesSetting: "requested at consent; App permissions must be Read and write and Direct message",
  check: async (context) => [await checkWebhooks(context)],
};

const topic = "webhooks";
const NAMES = { consumer_secret: "X_CONSUMER_SECRET", bearer: "X_BEARER_TOKEN" } as const;

const Webhooks = z.object({
  data: readable(z.object({ url: z.string(), valid: lenient(z.boolean()) })).nullish(),
});

async function checkWebhooks({ send, app: { options = {} }, now }: AppContext): Promise<AppFinding> {
  const { consumer_secret, bearer } = options;
  if (!consumer_secret && !bearer) {
    const message = `No webhooks are set up (${NAMES.consumer_secret}, ${NAMES.bearer}): replies are found by polling only.`;
    return { topic, isGood: true, message };
  }
  if (!consumer_secret || !bearer) {
    const [absent, there] = bearer ? [NAMES.consumer_secret, NAMES.bearer] : [NAMES.bearer, NAMES.consumer_secret];
    const message = `${absent} is missing, while ${there} is there: replies are found by polling only.`;
    return { topic, isGood: false, message, fix: "Set both, or neither (docs/platforms/twitter.md)." };
  }
  const answer = await send({ method: "GET", url: `${API}/webhooks`, headers: { authorization: `Bearer ${bearer}` } });
  const registered = interpretRead(X, answer, Webhooks, now);
  if (registered.kind === "failed") {
    const fix = `Copy ${NAMES.bearer} again from the app's Keys and tokens, or try again in a minute.`;
    return { topic, isGood: false, message: `X did not list the app's webhooks. ${registered.message}`, fix };
  }
  const ended = registered.value.data?.find(({ valid }) => valid === false);
  if (ended === undefined) return { topic, isGood: true, message: "X accepts the app's bearer token." };
  const message = `X no longer sends webhooks to ${ended.url}, because the address failed X's check.`;
  const fix = `Check ${NAMES.consumer_secret}: it is the API key's secret, not the OAuth 2.0 client's. X then checks the address again automatically.`;
  return { topic, isGood: false, message, fix };
}
