import type { OpenAPIHono } from "@hono/zod-openapi";
import { type Context, Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { csrf } from "hono/csrf";
import { methodNotAllowed } from "hono/method-not-allowed";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { AppError, orRefusal } from "../core/errors.ts";
import { requireUsableTexts } from "../core/text-refusal.ts";
import type { AppEnv } from "../http/environment.ts";
import { apiOrigin } from "../http/origin.ts";
import { pay } from "../http/request-pace.ts";
import { STATUS } from "../http/statuses.ts";
import { isFormProof } from "../pages/form-proof.ts";
import { takeLanguage } from "../pages/language-choice.tsx";
import { includesRole } from "../people/roles.ts";
import { isRecent } from "../people/sessions.ts";
import { beginAction, noteAction } from "./action-log.ts";
import { answerPage, showError, showForbidden, showMessage, showMethods } from "./answer-page.tsx";
import { CONSOLE, pageAt } from "./catalog.ts";
import {
  type Cookies,
  dropFlash,
  dropSession,
  keepBegun,
  keepFlash,
  keepSession,
  proofSubject,
  readCookies,
} from "./cookies.ts";
import {
  type ActionEntry,
  type Entry,
  type Fields,
  isRedirection,
  type Opened,
  type PageEntry,
  type PersonVisit,
  type ProjectVisit,
  type Redirect,
  type RefusedForm,
  type ShowForm,
  type Visit,
} from "./definition.ts";
import { readForm } from "./form-reading.ts";
import { MAX_FILE_FORM_BYTES, MAX_FORM_BYTES, withFormRoom } from "./form-room.ts";
import { browserHeaders, consoleHeaders } from "./headers.ts";
import { isAbsentInForm, isRefusal, refusalOf, type ShownForm } from "./refusal.ts";
import { sendScript } from "./send-script.ts";
import { beginVisit, enterProject, isOperator } from "./visit.ts";

/**
 * The routes of the console, made of catalog.ts. In this order: the form is proved, the person is found,
 * the project, the role and the age of the sign-in are checked, the form is read, and the action runs. Of a
 * form with a file, the person and the role are checked before it is read, too.
 * Every action answers with a redirect, or shows its page again with what is wrong.
 */
export function consoleRoutes(app: OpenAPIHono<AppEnv>): void {
  const pages = new Hono<AppEnv>();
  pages.use(consoleHeaders, browserHeaders);
  pages.use(methodNotAllowed<AppEnv>({ app: pages, onMethodNotAllowed: showMethods }));
  pages.use(csrf({ origin: (origin, c) => origin === apiOrigin(c) }));
  for (const entry of CONSOLE) {
    const path = entry.path === "" ? "/" : entry.path;
    if (entry.kind === "page" && entry.scope === "anyone") pages.get(path, takeLanguage, (c) => showEntry(c, entry));
    else if (entry.kind === "page") pages.get(path, (c) => showEntry(c, entry));
    else pages.post(path, entry.takesFile ? limitFile : limitForm, (c) => runEntry(c, entry));
  }
  pages.all("*", (c) => showMessage(c, 404, "notFound"));
  pages.onError(showError);
  app.get("/console/scripts/:file", sendScript);
  app.route("/console", pages);
}

type PageContext = Context<AppEnv>;

const limitTo = (maxSize: number) => bodyLimit({ maxSize, onError: (c) => showMessage(c, 413, "tooLarge") });
const limitForm = limitTo(MAX_FORM_BYTES);
const limitFile = limitTo(MAX_FILE_FORM_BYTES);

/** What the visitor may use of an entry: the visits of its scope and of those below. */
interface Admitted {
  readonly visit: Visit;
  readonly person: PersonVisit | null;
  readonly project: ProjectVisit | null;
}

async function showEntry(c: PageContext, entry: PageEntry): Promise<Response> {
  const cookies = await readCookies(c);
  const admitted = await admit(c, entry, await beginVisit(c, cookies));
  if (admitted instanceof Response) return admitted;
  const opened = await open(entry, admitted);
  return isRedirection(opened) ? finish(c, cookies, opened) : showOpened(c, 200, admitted, opened);
}

async function runEntry(c: PageContext, entry: ActionEntry): Promise<Response> {
  const isForeign = ["cross-site", "same-site"].includes(c.req.header("Sec-Fetch-Site") ?? "");
  if (isForeign) return showMessage(c, 403, "foreign");
  const cookies = await readCookies(c);
  if (!entry.takesFile) return runForm(c, entry, cookies);
  // A form with a file is long: nothing of it is read for a person who may not send it.
  const admitted = await admit(c, entry, await beginVisit(c, cookies));
  if (admitted instanceof Response) return admitted;
  const done = await withFormRoom(c, () => runForm(c, entry, cookies));
  if (done) return done;
  c.header("Retry-After", "1");
  return showMessage(c, 429, "busy");
}

async function runForm(c: PageContext, entry: ActionEntry, cookies: Cookies): Promise<Response> {
  const form = await orRefusal(() => readForm(c));
  if (form instanceof AppError) return showMessage(c, STATUS[form.code], "encoding");
  const { fields, file } = form;
  const isOwn = await isFormProof(c.var.deps.config.signingKey, proofSubject(cookies), fields.form?.[0] ?? "");
  if (!isOwn) return showMessage(c, 403, "form");
  const admitted = await admit(c, entry, { ...(await beginVisit(c, cookies)), file });
  if (admitted instanceof Response) return admitted;
  const recorded = await beginAction(c, entry, admitted);
  let done: Redirect | ShowForm;
  try {
    requireUsableTexts(fields);
    done = await run(entry, admitted, fields);
  } catch (error) {
    if (isRefusal(error)) await recorded?.changedNothing();
    const refused = refusalOf(error, fields, admitted.visit.language);
    if (!refused) throw error;
    noteAction(c, entry, admitted, refused.code);
    return showForm(c, entry, admitted, refused);
  }
  if ("again" in done) {
    await (done.isRecorded ? recorded?.done() : recorded?.changedNothing());
    noteAction(c, entry, admitted, done.isRecorded ? "done" : "shown");
    return showForm(c, entry, admitted, { status: done.status, form: done.again });
  }
  noteAction(c, entry, admitted, "done");
  if (recorded) c.executionCtx.waitUntil(recorded.done());
  return finish(c, cookies, done);
}

/** The page of an action with its form. Opening it may find that the form names an absent object. */
async function showForm(c: PageContext, { page }: ActionEntry, admitted: Admitted, { status, form }: ShownForm) {
  const openWith = (shown: RefusedForm) => open(pageAt(page), withForm(admitted, shown));
  try {
    return await showOpened(c, status, admitted, await openWith(form));
  } catch (error) {
    const refused = isAbsentInForm(error) ? refusalOf(error, form.fields, admitted.visit.language) : null;
    if (!refused) throw error;
    return showOpened(c, refused.status, admitted, await openWith({ ...form, ...refused.form }));
  }
}

/** Sets the cookies of what was done, and opens the next page. */
async function finish(c: PageContext, cookies: Cookies, { session, begun, flash, to }: Redirect): Promise<Response> {
  if (session) keepSession(c, session);
  if (session === null) {
    dropSession(c);
    // Without "cookies": it deletes those of every host of the operator's domain.
    c.header("Clear-Site-Data", '"cache", "storage"');
  }
  if (begun !== undefined) keepBegun(c, begun);
  if (flash) await keepFlash(c, cookies, flash);
  return c.redirect(to, 303);
}

/** Answers instead of the entry if the visitor may not use it. Another project's entry does not exist. */
async function admit(c: PageContext, entry: Entry, visit: Visit): Promise<Response | Admitted> {
  if (entry.scope === "anyone") return { visit, person: visit.visitor && asPerson(visit), project: null };
  if (entry.scope === "operator" && !isOperator(visit)) return showMessage(c, 404, "notFound", visit);
  const back = entry.kind === "page" ? entry.path : entry.page;
  if (!visit.visitor) return c.redirect(signInPath(visit, back), 303);
  const person: PersonVisit = { ...visit, visitor: visit.visitor };
  let project: ProjectVisit | null = null;
  if (entry.scope === "project") {
    const membership = visit.visitor.memberships.find(({ project: one }) => String(one.id) === visit.params.project);
    if (!membership) return showMessage(c, 404, "notFound", visit);
    project = enterProject(person, membership);
    await pay(c, project.deps, project.project.id);
    if (!includesRole(membership.role, entry.role)) return showForbidden(c, project);
  }
  if (entry.needsRecentSignIn && !isRecent(visit.visitor, visit.now)) {
    return c.redirect(`${signInPath(visit, back)}&again=1`, 303);
  }
  return { visit, person, project };
}

const asPerson = (visit: Visit): PersonVisit | null => (visit.visitor ? { ...visit, visitor: visit.visitor } : null);

function signInPath({ params }: Visit, path: string): string {
  const filled = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ""));
  return `/console/sign-in?to=${encodeURIComponent(`/console${filled}`)}`;
}

function open(entry: PageEntry, { visit, person, project }: Admitted): Promise<Opened | Redirect | Response> {
  switch (entry.scope) {
    case "anyone":
      return entry.open(visit);
    case "person":
    case "operator":
      return entry.open(required(person));
    case "project":
      return entry.open(required(project));
  }
}

function run(entry: ActionEntry, { visit, person, project }: Admitted, fields: Fields) {
  switch (entry.scope) {
    case "anyone":
      return entry.run(visit, fields);
    case "person":
    case "operator":
      return entry.run(required(person), fields);
    case "project":
      return entry.run(required(project), fields);
  }
}

function required<V>(visit: V | null): V {
  if (visit === null) throw new Error("An action shows its problems on a page of a wider scope.");
  return visit;
}

function withForm({ visit, person, project }: Admitted, form: RefusedForm): Admitted {
  return {
    visit: { ...visit, form },
    person: person && { ...person, form },
    project: project && { ...project, form },
  };
}

async function showOpened(
  c: PageContext,
  status: ContentfulStatusCode,
  { visit, project }: Admitted,
  opened: Opened | Redirect | Response,
): Promise<Response> {
  if (opened instanceof Response) return opened;
  if (isRedirection(opened)) return c.redirect(opened.to, 303);
  dropFlash(c);
  return answerPage(c, status, { visit, current: project, ...opened });
}
