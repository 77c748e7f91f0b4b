import type { ContentfulStatusCode } from "hono/utils/http-status";
import { apiOrigin } from "../http/origin.ts";
import type { PlatformName } from "../platforms/names.ts";
import { beginLogin, offeredPlatforms } from "./begin.ts";
import { type BrowserSession, leave, nextSteps, sessionPath } from "./browser-session.ts";
import { ChoosePlatforms } from "./choose-platforms.tsx";
import type { FormFields } from "./forms.ts";
import { findLogin, isAdditionalLoginOf, type LoginName } from "./logins.ts";
import { type PageContext, showNotice, showPage } from "./page-answer.tsx";
import { failureUrl } from "./return-url.ts";
import type { Session } from "./session.ts";
import { dropLogins, type Progress } from "./store.ts";
import { loginTitleIn, Said, wordingOf } from "./wording.tsx";

/** Where a person goes from a page: to the next step, to another try, or back to the application. */

/** Tries the named platform again, or continues without it. */
export async function tryNext(c: PageContext, current: BrowserSession, fields: FormFields): Promise<Response> {
  const [dropped] = fields.without.flatMap(asLogin);
  if (dropped) {
    const progress = await dropLogins(c.var.deps.db, current.session.token.hash, dropped, Date.now());
    return continueConnect(c, { ...current, progress });
  }
  const [again] = fields.platform.flatMap(asLogin);
  const remaining = current.progress?.remaining ?? [];
  return again
    ? begin(c, current, [again, ...remaining.filter((name) => name !== again)])
    : continueConnect(c, current);
}

export async function finish(c: PageContext, current: BrowserSession): Promise<Response> {
  const progress = await dropLogins(c.var.deps.db, current.session.token.hash, "all", Date.now());
  return continueConnect(c, { ...current, progress });
}

/** To the next platform, back to the application if none remains, or to the beginning. */
export async function continueConnect(c: PageContext, current: BrowserSession): Promise<Response> {
  const { progress, session } = current;
  if (progress?.status === "success") return leave(c, session, progress.connected);
  const [next, ...later] = progress?.remaining ?? [];
  return next ? begin(c, current, [next, ...later]) : c.redirect(current.form.action, 303);
}

export async function noSuchPage(c: PageContext): Promise<Response> {
  return showNotice(c, 404, { ...wordingOf(c).texts.notice.notFound, ...(await nextSteps(c)) });
}

export const accountsPath = (session: Session, platform: PlatformName) =>
  `${sessionPath(session)}/accounts/${platform}`;

function asLogin(text: string): LoginName[] {
  const login = findLogin(text);
  return login ? [login.name] : [];
}

export function isOptional(progress: Progress | null, login: LoginName): boolean {
  const isOther = (name: LoginName) => name !== login && !isAdditionalLoginOf(name, login);
  return progress !== null && (progress.connected.length > 0 || progress.remaining.some(isOther));
}

export async function begin(
  c: PageContext,
  current: BrowserSession,
  logins: readonly [LoginName, ...LoginName[]],
): Promise<Response> {
  const from = { origin: apiOrigin(c), browserHash: current.browser.hash, answer: null };
  const begun = await beginLogin(c.var.deps, current.session, logins, from);
  switch (begun.kind) {
    case "redirect":
      return c.redirect(begun.url.href, 303);
    case "asks":
      return c.redirect(`${sessionPath(current.session)}/sign-in/${logins[0]}`, 303);
    case "unavailable":
      return showUnavailable(c, current, logins[0]);
    case "refused":
      return showPlatforms(c, current, { status: 503, ticked: [], problem: begun.failure.message });
  }
}

export function showUnavailable(c: PageContext, current: BrowserSession, login: LoginName): Promise<Response> {
  const { texts } = wordingOf(c);
  const problem = texts.platforms.unavailable({ login: loginTitleIn(texts, login) });
  return showPlatforms(c, current, { status: 503, ticked: [], problem });
}

interface ShownPlatforms {
  readonly status: ContentfulStatusCode;
  readonly ticked: readonly LoginName[];
  /** In the language of the page; null: what the session says. */
  readonly problem: string | null;
}

export async function showPlatforms(
  c: PageContext,
  { session, progress, choices, browser, form }: BrowserSession,
  { status, ticked, problem }: ShownPlatforms,
): Promise<Response> {
  const { deps } = c.var;
  const wording = wordingOf(c);
  const said = status === 200 && progress?.message ? <Said wording={wording} sentence={progress.message} /> : null;
  const platforms = offeredPlatforms(deps, session);
  const available = platforms.filter((platform) => platform.isAvailable).map((platform) => platform.name);
  const message = progress?.message ?? "Connecting was cancelled. Nothing was connected.";
  const view = (
    <ChoosePlatforms
      form={form}
      brand={session.brand}
      platforms={platforms}
      ticked={ticked.length === 0 && available.length === 1 ? available : ticked}
      connected={progress?.connected ?? []}
      waiting={choices.find((choice) => choice.browserHash === browser.hash)?.platform ?? null}
      problem={problem ?? said}
      wording={wording}
      expiresAt={session.token.expiresAt}
      returnLink={session.returnUrl && failureUrl(session.returnUrl, session.token.text, message)}
    />
  );
  return showPage(c, status, { title: wording.texts.platforms.title, session, form, children: view });
}
