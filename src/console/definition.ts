import type { Child } from "hono/jsx";
import type { z } from "zod";
import type { Project } from "../accounts/store.ts";
import type { Brand } from "../branding/store.ts";
import type { Caller } from "../core/caller.ts";
import { AppError } from "../core/errors.ts";
import type { LanguageCode } from "../pages/languages.ts";
import type { Texts } from "../pages/texts.ts";
import type { Role } from "../people/roles.ts";
import type { Visitor } from "../people/sessions.ts";
import type { Deps } from "../service/deps.ts";
import { type FormKey, keyIn } from "./form-key.ts";
import type { IconName } from "./icons.tsx";
import type { VisitBrowser } from "./visit-browser.ts";

/**
 * The shape of the console's pages and actions. catalog.ts lists them all; routes.tsx makes the routes of
 * that list, and the tests of roles and of foreign projects go through it (docs/console.md).
 */

/** A request to a page that everyone may open. */
export interface Visit {
  readonly deps: Deps;
  /** The public address, such as `https://belfry.example.com`. */
  readonly origin: string;
  readonly now: number;
  readonly language: LanguageCode;
  readonly texts: Texts;
  /** The segments of the path that the entry names with a colon. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  /** The hidden field of every form. */
  readonly proof: string;
  /** The nonce of the content security policy, which scripts and styles of the page carry. */
  readonly nonce: string;
  readonly browser: VisitBrowser;
  /** The file of the form, for an action that takes one. */
  readonly file: File | null;
  /** Work that goes on after the answer. */
  readonly background: (work: Promise<unknown>) => void;
  /** Null for everyone who is not signed in. */
  readonly visitor: Visitor | null;
  /** What the last action left for the next page; shown once. */
  readonly flash: Flash | null;
  /** The form that was refused; empty on other pages. */
  readonly form: RefusedForm;
}

export interface PersonVisit extends Visit {
  readonly visitor: Visitor;
}

export interface ProjectVisit extends PersonVisit {
  readonly project: Project;
  readonly role: Role;
  /** For the use cases of the API, with the permissions of the role. */
  readonly caller: Caller;
}

export interface Flash {
  readonly notice: string;
  /** Shown once, such as a new token. */
  readonly secret?: string | undefined;
}

/** Values by field. */
export type Fields = Readonly<Record<string, readonly string[]>>;

export interface RefusedForm {
  readonly fields: Fields;
  /** One sentence about the whole form. */
  readonly problem: string | null;
  readonly errors: Readonly<Record<string, readonly string[]>>;
  /** What an action found out about the form; absent on other pages. */
  readonly report?: Child;
  /** The files of the library to choose from; absent unless they are asked for. */
  readonly picker?: Child;
}

export const NO_FORM: RefusedForm = { fields: {}, problem: null, errors: {} };

export interface Opened {
  readonly title: string;
  readonly body: Child;
  /** Of a page for the users of a project; such a page has no menu. */
  readonly brand?: Brand | null;
  /** Where an action of the page leads besides the console, for the content security policy. */
  readonly leadsTo?: string | undefined;
}

/** Opens another page: after an action, or instead of a page. */
export interface Redirect {
  readonly to: string;
  readonly flash?: Flash;
  /** A new session with its cookie, or null to sign out. */
  readonly session?: NewSession | null;
  /** A sign-in that begins at the provider, sealed; null once it is over. */
  readonly begun?: string | null;
}

export interface NewSession {
  readonly cookie: string;
  /** That this browser has signed in to the account (people/known-browser.ts). */
  readonly proof: string;
}

/** Shows the page of the form again, with these fields. */
export interface ShowForm {
  readonly again: RefusedForm;
  readonly status: 200 | 404 | 422;
  /** Whether something was done that the project's log names. Otherwise the action has no entry. */
  readonly isRecorded?: boolean;
}

interface Common {
  /** Below `/console`; `:project` stands for a project of which the person is a member. */
  readonly path: string;
  /** Whether a sign-in of the last ten minutes is required. */
  readonly needsRecentSignIn: boolean;
}

type ScopedPage<Scope, V> = Common & {
  readonly kind: "page";
  readonly scope: Scope;
  /** Its place in the menu of a project. */
  readonly menu: MenuItem | null;
  readonly open: (visit: V) => Promise<Opened | Redirect | Response>;
};

type ScopedAction<Scope, V> = Common & {
  readonly kind: "action";
  readonly scope: Scope;
  /** The page with the form, on which problems are shown. */
  readonly page: string;
  readonly takesFile: boolean;
  /** Whether the project's audit log has it. */
  readonly isRecorded: boolean;
  readonly effect: Effect<V, unknown>["effect"];
  readonly run: (visit: V, fields: Fields) => Promise<Redirect | ShowForm>;
};

export interface MenuItem {
  readonly title: (texts: Texts) => string;
  readonly icon: IconName;
}

type Scoped<V, Scope extends string> = ScopedPage<Scope, V> | ScopedAction<Scope, V>;
export type Entry =
  | Scoped<Visit, "anyone">
  | Scoped<PersonVisit, "person">
  | Scoped<PersonVisit, "operator">
  | (Scoped<ProjectVisit, "project"> & { readonly role: Role });
export type PageEntry = Extract<Entry, { readonly kind: "page" }>;
export type ActionEntry = Extract<Entry, { readonly kind: "action" }>;

interface PageDefinition<V, Data> {
  readonly path: string;
  readonly needsRecentSignIn?: boolean;
  readonly title: (texts: Texts, visit: V) => string;
  readonly menu?: MenuItem;
  /** At most two D1 calls. */
  /** A Response is the answer itself, such as a file. */
  readonly load: (visit: V) => Promise<Data | Redirect | Response>;
  readonly view: (data: Data, visit: V) => Child;
  /** For a page that the users of a project see; null where the project is unknown. */
  readonly brand?: (data: Data) => Brand | null;
  /** As in `Opened`. */
  readonly leadsTo?: (data: Data) => string | undefined;
}

interface CommonAction<Body extends z.ZodType> {
  readonly path: string;
  readonly page: string;
  readonly needsRecentSignIn?: boolean;
  /** Whether the form may have a file (`visit.file`). */
  readonly takesFile?: boolean;
  /** False for an action that only reports, or keeps a file for its form. */
  readonly isRecorded?: false;
  readonly body: (texts: Texts) => Body;
}

/**
 * What an action does decides whether it takes the key of its form (form-key.ts). `run` throws an AppError
 * for a problem: the page with the form shows it.
 */
export type Effect<V, Output> =
  /** It sets what the form says, reports, or uses up what the form names: repeated, it changes nothing. */
  | { readonly effect: "sets"; readonly run: (visit: V, body: Output) => Promise<Redirect | ShowForm> }
  /** It creates something, or acts outside the service: once for the key of the form. */
  | {
      readonly effect: "creates" | "acts";
      readonly run: (visit: V, body: Output, key: FormKey) => Promise<Redirect | ShowForm>;
    };

type ActionDefinition<V, Body extends z.ZodType> = CommonAction<Body> & Effect<V, z.output<Body>>;

/** A page for everyone. */
export const publicPage = <Data>(page: PageDefinition<Visit, Data>): Entry => ({ ...pageOf(page), scope: "anyone" });
/** A page for everyone who is signed in. */
export const personPage = <Data>(page: PageDefinition<PersonVisit, Data>): Entry => ({
  ...pageOf(page),
  scope: "person",
});
/** A page for members of a project from this role on. */
export const projectPage = <Data>(page: PageDefinition<ProjectVisit, Data> & { readonly role: Role }): Entry => ({
  ...pageOf(page),
  scope: "project",
  role: page.role,
});

/** A page for the people of the setting `OPERATORS`; it does not exist for others. */
export const operatorPage = <Data>(page: PageDefinition<PersonVisit, Data>): Entry => ({
  ...pageOf(page),
  scope: "operator",
});

export const publicAction = <Body extends z.ZodType>(action: ActionDefinition<Visit, Body>): Entry => ({
  ...actionOf(action),
  scope: "anyone",
});
export const personAction = <Body extends z.ZodType>(action: ActionDefinition<PersonVisit, Body>): Entry => ({
  ...actionOf(action),
  scope: "person",
});
export const operatorAction = <Body extends z.ZodType>(action: ActionDefinition<PersonVisit, Body>): Entry => ({
  ...actionOf(action),
  scope: "operator",
});
export const projectAction = <Body extends z.ZodType>(
  action: ActionDefinition<ProjectVisit, Body> & { readonly role: Role },
): Entry => ({ ...actionOf(action), scope: "project", role: action.role });

function pageOf<V extends Visit, Data>({ path, needsRecentSignIn = false, ...page }: PageDefinition<V, Data>) {
  return {
    kind: "page",
    path,
    needsRecentSignIn,
    menu: page.menu ?? null,
    open: async (visit: V): Promise<Opened | Redirect | Response> => {
      const data = await page.load(visit);
      if (data instanceof Response || isRedirection(data)) return data;
      const shown = {
        title: page.title(visit.texts, visit),
        body: page.view(data, visit),
        leadsTo: page.leadsTo?.(data),
      };
      return page.brand ? { ...shown, brand: page.brand(data) } : shown;
    },
  } as const;
}

function actionOf<V extends Visit, Body extends z.ZodType>(action: ActionDefinition<V, Body>) {
  return {
    kind: "action",
    path: action.path,
    page: action.page,
    takesFile: action.takesFile ?? false,
    isRecorded: action.isRecorded ?? true,
    effect: action.effect,
    needsRecentSignIn: action.needsRecentSignIn ?? false,
    run: async (visit: V, fields: Fields): Promise<Redirect | ShowForm> => {
      const body = readFields(action.body(visit.texts), fields);
      return action.effect === "sets" ? action.run(visit, body) : action.run(visit, body, readKey(fields));
    },
  } as const;
}

function readKey(fields: Fields): FormKey {
  const key = keyIn(fields);
  if (key === null) throw new FormProblem({ key: [] });
  return key;
}

/** Throws the problems of a form by field. */
function readFields<Body extends z.ZodType>(schema: Body, fields: Fields): z.output<Body> {
  const read = schema.safeParse(fields);
  if (read.success) return read.data;
  const errors = Map.groupBy(read.error.issues, ({ path }) => String(path[0] ?? "form"));
  throw new FormProblem(
    Object.fromEntries([...errors].map(([field, issues]) => [field, issues.map(({ message }) => message)])),
  );
}

/** Fields that are refused; the messages are texts of the console. */
export class FormProblem extends Error {
  readonly errors: Readonly<Record<string, readonly string[]>>;

  constructor(errors: Readonly<Record<string, readonly string[]>>) {
    super("The form is not valid.");
    this.errors = errors;
  }
}

/** A refusal whose message is a text of the console. Others are translated (problem-texts.ts). */
export class PageProblem extends AppError {}

export function isRedirection(value: unknown): value is Redirect {
  return typeof value === "object" && value !== null && "to" in value && typeof value.to === "string";
}
