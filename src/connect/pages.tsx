import type { OpenAPIHono } from "@hono/zod-openapi";
import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { createMiddleware } from "hono/factory";
import { methodNotAllowed } from "hono/method-not-allowed";
import type { AppEnv } from "../http/environment.ts";
import { chosenLanguage, takeLanguage } from "../pages/language-choice.tsx";
import { readLanguage } from "../pages/texts.ts";
import { connectTicked, showAccounts } from "./account-pages.tsx";
import { offeredPlatforms } from "./begin.ts";
import { type BrowserSession, nextSteps, withForm, withSession } from "./browser-session.ts";
import { showCallback } from "./callback-pages.tsx";
import { showClientDocument } from "./client-document-pages.tsx";
import { Finished } from "./end-views.tsx";
import { type FormFields, readCallback, readForm } from "./forms.ts";
import type { LoginName } from "./logins.ts";
import { begin, finish, noSuchPage, showPlatforms, tryNext } from "./next-pages.tsx";
import { type PageContext, showNotice, showPage } from "./page-answer.tsx";
import { successUrl } from "./return-url.ts";
import { answerQuestion, showQuestion } from "./sign-in-pages.tsx";
import { wordingOf } from "./wording.tsx";

/**
 * The hosted pages of a connection, for a person with any browser, script or none:
 *
 *   /connect/{token}                      choose platforms; each then has its own pages, and comes back to
 *   /connect/callback/{platform}          a login comes back: connected, or several accounts to choose from, or a reason
 *   /connect/callback/{platform}/{purpose}/  the same of a further login
 *   /connect/{token}/sign-in/{login}      a login that needs an answer first, such as a server's address
 *   /connect/{token}/accounts/{platform}  choose accounts
 *   /connect/{token}/next, /finish        try again, go on without a platform, be done with what there is
 *   /connect/client/{app}.json            what an app is, for platforms without registration
 *
 * Every form answers with a redirect, so reloading and going back repeat nothing. What happens is decided in
 * begin.ts, callback.ts and accounts.ts; this file only turns it into pages.
 */
export function connectPages(app: OpenAPIHono<AppEnv>): void {
  const pages = new Hono<AppEnv>();
  pages.use(pageHeaders);
  pages.use(methodNotAllowed<AppEnv>({ app: pages, onMethodNotAllowed: showMethods }));

  pages.get("/callback/:platform", readCallback, (c) => showCallback(c, c.req.valid("query")));
  pages.get("/callback/:platform/:purpose/", readCallback, (c) => showCallback(c, c.req.valid("query")));
  // A platform comes back to a callback with parameters of its own.
  pages.use("/:token", takeLanguage);
  pages.use("/:token/accounts/:platform", takeLanguage);
  pages.use("/:token/sign-in/:login", takeLanguage);
  pages.get("/client/:document", showClientDocument);
  pages.get("/:token", (c) => withSession(c, showSession));
  pages.post("/:token", ...ownForm, (c) => withForm(c, c.req.valid("form"), startPlatforms));
  pages.post("/:token/next", ...ownForm, (c) => withForm(c, c.req.valid("form"), tryNext));
  pages.post("/:token/finish", ...ownForm, (c) => withForm(c, c.req.valid("form"), finish));
  pages.get("/:token/accounts/:platform", (c) => withSession(c, showAccounts));
  pages.post("/:token/accounts/:platform", ...ownForm, (c) => withForm(c, c.req.valid("form"), connectTicked));

  pages.get("/:token/sign-in/:login", (c) => withSession(c, showQuestion));
  pages.post("/:token/sign-in/:login", ...ownForm, (c) => withForm(c, c.req.valid("form"), answerQuestion));

  pages.all("*", noSuchPage);
  pages.onError(async (error, c) => {
    c.var.deps.log.error("connect_page_failed", error, { requestId: c.var.requestId });
    const { title, lead } = wordingOf(c).texts.notice.unexpected;
    return showNotice(c, 500, {
      title,
      lead: lead({ reference: c.var.requestId }),
      // The database may be what failed.
      ...(await nextSteps(c).catch(() => ({ links: [] }))),
    });
  });
  app.route("/connect", pages);
}

const pageHeaders = createMiddleware<AppEnv>(async (c, next) => {
  c.set("operationId", "connectPages");
  await readLanguage(c.var.deps.assets, chosenLanguage(c), c.req.header("Accept-Language"));
  await next();
  c.header("Cache-Control", "no-store");
});

async function showMethods(c: PageContext, methods: readonly string[]): Promise<Response> {
  c.header("Allow", methods.join(", "));
  const { title, lead, and } = wordingOf(c).texts.notice.method;
  return showNotice(c, 405, {
    title,
    lead: lead({ methods: methods.join(and) }),
    ...(await nextSteps(c)),
  });
}

const limitForm = bodyLimit({
  maxSize: 256 * 1024,
  onError: async (c) => showNotice(c, 413, { ...wordingOf(c).texts.notice.tooLarge, ...(await nextSteps(c)) }),
});
const ownForm = [limitForm, ...readForm] as const;

async function showSession(c: PageContext, current: BrowserSession): Promise<Response> {
  const { session, progress } = current;
  const wording = wordingOf(c);
  if (progress?.status === "success") {
    const returnLink = session.returnUrl && successUrl(session.returnUrl, session.token.text, progress.connected);
    return showPage(c, 200, {
      title: wording.texts.finished.title,
      session,
      children: (
        <Finished channels={progress.connected} brand={session.brand} wording={wording} returnLink={returnLink} />
      ),
    });
  }
  return showPlatforms(c, current, {
    status: 200,
    ticked: progress?.remaining ?? session.platforms,
    problem: null,
  });
}

async function startPlatforms(c: PageContext, current: BrowserSession, fields: FormFields): Promise<Response> {
  const ticked = fields.platform;
  const available = offeredPlatforms(c.var.deps, current.session).filter((platform) => platform.isAvailable);
  const connected = current.progress?.connected ?? [];
  const [first, ...more] = available.flatMap((platform): LoginName[] => {
    const further = platform.further.map(({ name }) => name).filter((name) => ticked.includes(name));
    // An additional login needs a channel of its platform.
    const isNeeded = further.length > 0 && !connected.some((channel) => channel.platform === platform.name);
    return ticked.includes(platform.name) || isNeeded ? [platform.name, ...further] : further;
  });
  if (!first) {
    return showPlatforms(c, current, { status: 422, ticked: [], problem: wordingOf(c).texts.platforms.chooseOne });
  }
  return begin(c, current, [first, ...more]);
}
