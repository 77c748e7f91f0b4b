import type { ContentfulStatusCode } from "hono/utils/http-status";
import { apiOrigin } from "../http/origin.ts";
import { platformTitle } from "../platforms/facts.ts";
import { knownBrowser } from "./browser.ts";
import { type BrowserSession, leave, meetSession, nextSteps, showClosed, showLastExpired } from "./browser-session.ts";
import { receiveCallback } from "./callback.ts";
import type { CallbackQuery } from "./forms.ts";
import { type LoginProblem, problemSentence } from "./login-problem.ts";
import { type Login, loginAt } from "./logins.ts";
import { accountsPath, continueConnect, isOptional, noSuchPage } from "./next-pages.tsx";
import { type PageContext, showNotice, showPage } from "./page-answer.tsx";
import { LoginFailed } from "./problem-views.tsx";
import { failureUrl } from "./return-url.ts";
import { loginTitleIn, Said, wordingOf } from "./wording.tsx";

export async function showCallback(c: PageContext, query: CallbackQuery): Promise<Response> {
  const login = loginAt(c.req.param("platform") ?? "", c.req.param("purpose"));
  if (!login) return noSuchPage(c);
  const browser = await knownBrowser(c);
  const outcome = await receiveCallback(c.var.deps, {
    login,
    origin: apiOrigin(c),
    browserHash: browser?.hash ?? "",
    query,
  });
  const { notice } = wordingOf(c).texts;
  switch (outcome.kind) {
    case "unrecognised":
      return showNotice(c, 400, {
        title: notice.used.title,
        lead: notice.used.lead({ platform: platformTitle(login.platform.name) }),
        ...(await nextSteps(c)),
      });
    case "over":
      return showLastExpired(c);
    case "moving":
      c.header("Retry-After", "30");
      return showNotice(c, 503, {
        ...notice.unready,
        mark: "calm",
        links: [{ href: c.req.url, text: wordingOf(c).texts.tryAgain }],
      });
    case "foreign":
      return showNotice(c, 403, { ...notice.foreign, ...(await nextSteps(c)) });
    case "closed":
      return showClosed(c, outcome.found);
    case "finished":
      return leave(c, outcome.session, outcome.progress.connected);
    case "failed": {
      const current = await meetSession(c, outcome.session, outcome.progress, []);
      return showFailed(c, current, login, outcome);
    }
    case "choose":
      return c.redirect(accountsPath(outcome.session, login.platform.name), 303);
    case "connected":
      return continueConnect(c, await meetSession(c, outcome.session, outcome.progress, []));
  }
}

interface FailedLogin {
  readonly status: ContentfulStatusCode;
  readonly problem: LoginProblem;
  /** For the app, in English. */
  readonly message: string;
}

function showFailed(
  c: PageContext,
  { session, progress, form }: BrowserSession,
  { name, further }: Login,
  { status, problem, message }: FailedLogin,
): Promise<Response> {
  const wording = wordingOf(c);
  const { texts } = wording;
  const title = texts.failed.title({ login: loginTitleIn(texts, name), isFurther: further !== null });
  const lead =
    problem.kind === "said" ? (
      <Said wording={wording} sentence={problem.sentence} />
    ) : (
      problemSentence(texts, name, problem)
    );
  const view = (
    <LoginFailed
      form={form}
      login={name}
      wording={wording}
      title={title}
      message={lead}
      connected={progress?.connected ?? []}
      isOptional={isOptional(progress, name)}
      brand={session.brand}
      returnLink={session.returnUrl && failureUrl(session.returnUrl, session.token.text, message)}
    />
  );
  return showPage(c, status, { title, session, form, children: view });
}
