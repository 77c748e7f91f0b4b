import { z } from "zod";
import { interpretRead, type ReadResult } from "../answers.ts";
import type { AppContext } from "../context.ts";
import type { AppFinding, AppSetup } from "../login.ts";
import { graphTable } from "../meta/errors.ts";
import { type Answered, type Lost, parseBody } from "../request.ts";
import { ORIGIN, THREADS } from "./api.ts";

/** Checks our app at Threads without a person: whether Threads issues an app token for its id and secret. */
export const appSetup: AppSetup = {
  site: "developers.facebook.com/apps",
  redirectSetting: "Use cases › Access the Threads API › Settings › Redirect Callback URLs",
  scopesSetting: "Use cases › Access the Threads API › Permissions and features, Advanced Access for each",
  check: async (context) => [await checkCredentials(context)],
};

const AppToken = z.object({ access_token: z.string().min(1) });
type AppToken = ReadResult<z.output<typeof AppToken>>;

/** Documented as a GET only, so the secret is in the query. */
function call({ send, app }: AppContext): Promise<Answered | Lost> {
  const query = { grant_type: "client_credentials", client_id: app.id, client_secret: app.secret };
  return send({ method: "GET", url: `${ORIGIN}/oauth/access_token`, query });
}

const read = (answer: Answered | Lost, { now }: AppContext): AppToken =>
  interpretRead(graphTable(THREADS), answer, AppToken, now);

/** The app's own token, which reads no person's data. */
export async function requestAppToken(context: AppContext): Promise<AppToken> {
  return read(await call(context), context);
}

const Refusal = z.union([z.object({ error_type: z.string() }), z.object({ error: z.object({ code: z.number() }) })]);

async function checkCredentials(context: AppContext): Promise<AppFinding> {
  const topic = "credentials";
  const answer = await call(context);
  if (read(answer, context).kind === "ok") {
    return { topic, isGood: true, message: "Threads accepts the app's id and secret." };
  }
  const isRefused = answer.kind === "answered" && answer.status < 500 && parseBody(Refusal, answer) !== null;
  if (isRefused) {
    const fix = "Copy the Threads app ID and the Threads app secret again. They differ from those of the Meta app.";
    return { topic, isGood: false, message: "Threads does not accept the app's id and secret together.", fix };
  }
  return { topic, isGood: false, message: "Threads did not answer about the app.", fix: "Try again in a minute." };
}
