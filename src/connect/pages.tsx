import type { OpenAPIHono } from "@hono/zod-openapi";
import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { createMiddleware } from "hono/factory";
import { methodNotAllowed } from "hono/method-not-allowed";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { findProject } from "../accounts/store.ts";
import type { AppEnv } from "../http/environment.ts";
import { apiOrigin } from "../http/origin.ts";
import type { GrantedAccount } from "../platforms/login.ts";
import { PLATFORM_NAMES, type PlatformName } from "../platforms/names.ts";
import { findPlatform } from "../platforms/registry.ts";
import { connectAccounts, isUsable, MAX_CONNECTED_AT_ONCE, readChoices } from "./accounts.ts";
import { beginLogin, offeredPlatforms } from "./begin.ts";
import { knownBrowser } from "./browser.ts";
import {
  type BrowserSession,
  leave,
  meetSession,
  nextSteps,
  sessionPath,
  showClosed,
  showLastExpired,
  withForm,
  withSession,
} from "./browser-session.ts";
import { receiveCallback } from "./callback.ts";
import { ChoosePlatforms } from "./choose-platforms.tsx";
import { type CallbackQuery, type FormFields, readCallback, readForm } from "./forms.ts";
import { findLogin, isFurtherOf, type Login, type LoginName, loginAt, loginTitle } from "./logins.ts";
import { type PageContext, pictureOrigin, showNotice, showPage } from "./page-answer.tsx";
import { platformTitle } from "./platform-titles.ts";
import { failureUrl, successUrl } from "./return-url.ts";
import type { Session } from "./session.ts";
import { dropLogins, type Progress } from "./store.ts";
import { ChooseAccounts, Finished, LoginFailed } from "./views.tsx";

/**
 * The hosted pages of a connection, for a person with any browser, script or none:
 *
 *   /connect/{token}                      choose platforms; each then has its own pages, and comes back to
 *   /connect/callback/{platform}          a login comes back: connected, or several accounts to choose from, or a reason
 *   /connect/callback/{platform}/{purpose}/  the same of a further login
 *   /connect/{token}/accounts/{platform}  choose accounts
 *   /connect/{token}/next, /finish        try again, go on without a platform, be done with what there is
 *
 * Every form answers with a redirect, so reloading and going back repeat nothing. What happens is decided in begin.ts,
 * callback.ts and connect.ts; this file only turns it into pages.
 */
export function connectPages(app: OpenAPIHono<AppEnv>): void {
  const pages = new Hono<AppEnv>();
  pages.use(pageHeaders);
  pages.use(methodNotAllowed<AppEnv>({ app: pages, onMethodNotAllowed: showMethods }));

  pages.get("/callback/:platform", readCallback, (c) => showCallback(c, c.req.valid("query")));
  pages.get("/callback/:platform/:purpose/", readCallback, (c) => showCallback(c, c.req.valid("query")));
  pages.get("/:token", (c) => withSession(c, showSession));
  pages.post("/:token", ...ownForm, (c) => withForm(c, c.req.valid("form"), startPlatforms));
  pages.post("/:token/next", ...ownForm, (c) => withForm(c, c.req.valid("form"), tryNext));
  pages.post("/:token/finish", ...ownForm, (c) => withForm(c, c.req.valid("form"), finish));
  pages.get("/:token/accounts/:platform", (c) => withSession(c, showAccounts));
  pages.post("/:token/accounts/:platform", ...ownForm, (c) => withForm(c, c.req.valid("form"), connectTicked));

  pages.all("*", noSuchPage);
  pages.onError(async (error, c) => {
    c.var.deps.log.error("connect_page_failed", error, { requestId: c.var.requestId });
    return showNotice(c, 500, {
      title: "Something went wrong on our side",
      lead: `Nothing was lost. Try again. If this keeps happening, send this reference to the app's support: ${c.var.requestId}`,
      links: await nextSteps(c),
    });
  });
  app.route("/connect", pages);
}

const pageHeaders = createMiddleware<AppEnv>(async (c, next) => {
  c.set("operationId", "connectPages");
  await next();
  c.header("Cache-Control", "no-store");
});

async function showMethods(c: PageContext, methods: readonly string[]): Promise<Response> {
  c.header("Allow", methods.join(", "));
  return showNotice(c, 405, {
    title: "This page cannot be opened this way",
    lead: `The address accepts ${methods.join(" and ")} only. A reload of the page after a form can cause this.`,
    links: await nextSteps(c),
  });
}

const limitForm = bodyLimit({
  maxSize: 256 * 1024,
  onError: async (c) =>
    showNotice(c, 413, {
      title: "That was too much",
      lead: "The form is too large. Open the page again and repeat your choice.",
      links: await nextSteps(c),
    }),
});
const ownForm = [limitForm, ...readForm] as const;

// --- choosing platforms -----------------------------------------------------------------------------------------

async function showSession(c: PageContext, current: BrowserSession): Promise<Response> {
  const { session, progress } = current;
  if (progress?.status === "success") {
    const returnLink = session.returnUrl && successUrl(session.returnUrl, session.token.text, progress.connected);
    return showPage(c, 200, {
      title: "Connected",
      session,
      children: <Finished channels={progress.connected} returnLink={returnLink} />,
    });
  }
  return showPlatforms(c, current, 200, progress?.remaining ?? [], progress?.message ?? null);
}

async function showPlatforms(
  c: PageContext,
  { session, progress, choices, browser, form }: BrowserSession,
  status: ContentfulStatusCode,
  ticked: readonly LoginName[],
  problem: string | null,
): Promise<Response> {
  const { deps } = c.var;
  const platforms = offeredPlatforms(deps, session);
  const available = platforms.filter((platform) => platform.isAvailable).map((platform) => platform.name);
  const project = await findProject(deps.db, session.token.projectId);
  const message = progress?.message ?? "Connecting was cancelled. Nothing was connected.";
  const view = (
    <ChoosePlatforms
      form={form}
      project={project?.name ?? "The app"}
      platforms={platforms}
      ticked={ticked.length === 0 && available.length === 1 ? available : ticked}
      connected={progress?.connected ?? []}
      waiting={choices.find((choice) => choice.browserHash === browser.hash)?.platform ?? null}
      problem={problem}
      expiresAt={session.token.expiresAt}
      returnLink={session.returnUrl && failureUrl(session.returnUrl, session.token.text, message)}
    />
  );
  return showPage(c, status, { title: "Connect your accounts", session, form, children: view });
}

async function startPlatforms(c: PageContext, current: BrowserSession, fields: FormFields): Promise<Response> {
  const ticked = fields.platform;
  const available = offeredPlatforms(c.var.deps, current.session).filter((platform) => platform.isAvailable);
  const connected = current.progress?.connected ?? [];
  const [first, ...more] = available.flatMap((platform): LoginName[] => {
    const further = platform.further.map(({ name }) => name).filter((name) => ticked.includes(name));
    // A further login is of use for what was connected here.
    const isNeeded = further.length > 0 && !connected.some((channel) => channel.platform === platform.name);
    return ticked.includes(platform.name) || isNeeded ? [platform.name, ...further] : further;
  });
  if (!first) return showPlatforms(c, current, 422, [], "Tick at least one platform.");
  return begin(c, current, [first, ...more]);
}

async function begin(
  c: PageContext,
  current: BrowserSession,
  logins: readonly [LoginName, ...LoginName[]],
): Promise<Response> {
  const from = { origin: apiOrigin(c), browserHash: current.browser.hash };
  const url = await beginLogin(c.var.deps, current.session, logins, from);
  if (url) return c.redirect(url.href, 303);
  const message = `${loginTitle(logins[0])} is not available. Choose another platform, or contact the operator of this service.`;
  return showPlatforms(c, current, 503, [], message);
}

// --- a login comes back -----------------------------------------------------------------------------------------

async function showCallback(c: PageContext, query: CallbackQuery): Promise<Response> {
  const login = loginAt(c.req.param("platform") ?? "", c.req.param("purpose"));
  if (!login) return noSuchPage(c);
  const browser = await knownBrowser(c);
  const outcome = await receiveCallback(c.var.deps, {
    login,
    origin: apiOrigin(c),
    browserHash: browser?.hash ?? "",
    query,
  });
  switch (outcome.kind) {
    case "unrecognised":
      return showNotice(c, 400, {
        title: "This sign-in was used already",
        lead: `A sign-in link of ${platformTitle(login.platform.name)} can be used once and expires after 15 minutes. Nothing was changed.`,
        links: await nextSteps(c),
      });
    case "over":
      return showLastExpired(c);
    case "foreign":
      return showNotice(c, 403, {
        title: "This sign-in belongs to another browser",
        lead: "The sign-in started in another browser, or this browser blocks cookies. Continue in that browser, or open the link from the app in this one.",
        links: await nextSteps(c),
      });
    case "closed":
      return showClosed(c, outcome.found);
    case "finished":
      return leave(c, outcome.session, outcome.progress.connected);
    case "failed": {
      const current = await meetSession(c, outcome.session, outcome.progress, []);
      return showFailed(c, current, login, outcome.status, outcome.message);
    }
    case "choose":
      return c.redirect(accountsPath(outcome.session, login.platform.name), 303);
    case "connected":
      return goOn(c, await meetSession(c, outcome.session, outcome.progress, []));
  }
}

function showFailed(
  c: PageContext,
  { session, progress, form }: BrowserSession,
  { name, further }: Login,
  status: ContentfulStatusCode,
  message: string,
): Promise<Response> {
  const title = `${loginTitle(name)} ${further ? "are" : "is"} not connected`;
  const view = (
    <LoginFailed
      form={form}
      login={name}
      title={title}
      message={message}
      connected={progress?.connected ?? []}
      canGoOnWithout={canGoOnWithout(progress, name)}
      returnLink={session.returnUrl && failureUrl(session.returnUrl, session.token.text, message)}
    />
  );
  return showPage(c, status, { title, session, form, children: view });
}

function canGoOnWithout(progress: Progress | null, login: LoginName): boolean {
  const isOther = (name: LoginName) => name !== login && !isFurtherOf(name, login);
  return progress !== null && (progress.connected.length > 0 || progress.remaining.some(isOther));
}

// --- choosing accounts ------------------------------------------------------------------------------------------

async function showAccounts(c: PageContext, current: BrowserSession): Promise<Response> {
  const platform = platformOf(c);
  if (!platform) return noSuchPage(c);
  if (current.progress?.status === "success") return c.redirect(current.form.action, 303);
  const choices = await readChoices(c.var.deps, current.session, platform, current.browser.hash);
  if (choices.kind !== "open") return showNoChoices(c, current, platform, choices.kind);
  return showChoices(c, current, platform, choices.accounts, { status: 200, ticked: null, problem: null });
}

function showChoices(
  c: PageContext,
  { session, progress, form }: BrowserSession,
  platform: PlatformName,
  accounts: readonly GrantedAccount[],
  /** `ticked` null: not asked yet, so all are proposed. */
  {
    status,
    ticked,
    problem,
  }: { status: ContentfulStatusCode; ticked: readonly string[] | null; problem: string | null },
): Promise<Response> {
  const usable = accounts.filter(isUsable);
  const isProposed = usable.length <= MAX_CONNECTED_AT_ONCE;
  const view = (
    <ChooseAccounts
      form={form}
      platform={platform}
      accounts={accounts}
      isTicked={(account) => isUsable(account) && (ticked?.includes(account.id) ?? isProposed)}
      isShownPicture={(url) => url.startsWith("https://") || url.startsWith(`${pictureOrigin(c, session)}/`)}
      problem={problem}
      next={progress?.remaining.find((name) => name !== platform) ?? null}
      canGoOnWithout={canGoOnWithout(progress, platform)}
    />
  );
  return showPage(c, status, { title: `Connect ${platformTitle(platform)}`, session, form, children: view });
}

async function connectTicked(c: PageContext, current: BrowserSession, fields: FormFields): Promise<Response> {
  const platform = platformOf(c);
  if (!platform) return noSuchPage(c);
  const choices = await readChoices(c.var.deps, current.session, platform, current.browser.hash);
  if (choices.kind !== "open") {
    // Sent twice: the first one has connected them and gone on.
    const isDone =
      choices.kind === "absent" && current.progress !== null && !current.progress.remaining.includes(platform);
    return isDone ? goOn(c, current) : showNoChoices(c, current, platform, choices.kind);
  }
  const sent = new Set(fields.account);
  const ids = choices.accounts.map((account) => account.id).filter((id) => sent.has(id));
  const ticked = choices.accounts.filter(isUsable).filter((account) => ids.includes(account.id));
  const again = (problem: string) =>
    showChoices(c, current, platform, choices.accounts, { status: 422, ticked: ids, problem });
  if (ticked.length === 0) return again("Tick at least one account.");
  if (ticked.length > MAX_CONNECTED_AT_ONCE) return again(`Tick at most ${MAX_CONNECTED_AT_ONCE} accounts at a time.`);
  const progress = await connectAccounts(c.var.deps, current.session, platform, ticked, { fromChoices: true });
  return goOn(c, { ...current, progress });
}

function showNoChoices(
  c: PageContext,
  { session, form }: BrowserSession,
  platform: PlatformName,
  kind: "foreign" | "absent",
): Promise<Response> {
  const links = [{ href: form.action, text: "Choose platforms" }];
  const title = platformTitle(platform);
  if (kind === "foreign") {
    const lead = `The sign-in to ${title} was made in another browser. Choose the accounts there, or sign in here.`;
    return showNotice(c, 403, { title: "Signed in elsewhere", lead, links }, session);
  }
  const lead = `No sign-in to ${title} is waiting for a choice. Sign in again.`;
  return showNotice(c, 404, { title: "Nothing to choose from", lead, links }, session);
}

// --- going on ---------------------------------------------------------------------------------------------------

/** Again at the named platform, or on without one. */
async function tryNext(c: PageContext, current: BrowserSession, fields: FormFields): Promise<Response> {
  const [dropped] = fields.without.flatMap(asLogin);
  if (dropped) {
    const progress = await dropLogins(c.var.deps.db, current.session.token.hash, dropped, Date.now());
    return goOn(c, { ...current, progress });
  }
  const [again] = fields.platform.flatMap(asLogin);
  const remaining = current.progress?.remaining ?? [];
  return again ? begin(c, current, [again, ...remaining.filter((name) => name !== again)]) : goOn(c, current);
}

async function finish(c: PageContext, current: BrowserSession): Promise<Response> {
  const progress = await dropLogins(c.var.deps.db, current.session.token.hash, "all", Date.now());
  return goOn(c, { ...current, progress });
}

/** To the next platform, back to the application when there is none left, or to the beginning. */
async function goOn(c: PageContext, current: BrowserSession): Promise<Response> {
  const { progress, session } = current;
  if (progress?.status === "success") return leave(c, session, progress.connected);
  const [next, ...later] = progress?.remaining ?? [];
  return next ? begin(c, current, [next, ...later]) : c.redirect(current.form.action, 303);
}

async function noSuchPage(c: PageContext): Promise<Response> {
  return showNotice(c, 404, {
    title: "There is no such page",
    lead: "The address may be incomplete.",
    links: await nextSteps(c),
  });
}

const accountsPath = (session: Session, platform: PlatformName) => `${sessionPath(session)}/accounts/${platform}`;

/** The platform of the path, where it has an adapter. */
function platformOf(c: PageContext): PlatformName | null {
  const text = c.req.param("platform") ?? "";
  const name = PLATFORM_NAMES.find((known) => known === text);
  return name && findPlatform(name) ? name : null;
}

function asLogin(text: string): LoginName[] {
  const login = findLogin(text);
  return login ? [login.name] : [];
}
