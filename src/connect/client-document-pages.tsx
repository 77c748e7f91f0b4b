import { APP_NAMES } from "../platforms/apps.ts";
import { platforms } from "../platforms/registry.ts";
import { callbackUrl, loginsOf } from "./logins.ts";
import { noSuchPage } from "./next-pages.tsx";
import type { PageContext } from "./page-answer.tsx";

/**
 * The document whose address is our app's id at platforms without registration (`AppRegistration.servedAt`):
 * name, callback addresses and public keys. It exists once the app is configured.
 */
export async function showClientDocument(c: PageContext): Promise<Response> {
  const { config } = c.var.deps;
  const name = APP_NAMES.find((app) => `${app}.json` === c.req.param("document"));
  const app = name && config.appCredentials(name, false);
  const logins = Object.values(platforms)
    .flatMap((platform) => loginsOf(platform))
    .filter(({ oauth }) => oauth.app === name);
  const describe = logins[0]?.oauth.clientDocument;
  if (!app || !describe) return noSuchPage(c);
  const { origin } = new URL(app.id);
  const document = await describe(
    app,
    logins.map((login) => callbackUrl(origin, login.name)),
  );
  return c.json(document, 200);
}
