import { env } from "cloudflare:workers";
import { z } from "zod";
import type { Role } from "../../src/people/roles.ts";
import { Browser, type Form, formsOf, type Page } from "../support/browser.ts";
import { bindings } from "../support/queue.ts";
import { call, door, ORIGIN, Project } from "../support/world.ts";

export const CONSOLE_URL = `${ORIGIN}/console`;

/**
 * A browser as far as forms need one: it sends where a form comes from. `headers` replaces what it sends;
 * `variables` change the configuration of the service that it reaches. `cf` is what Cloudflare adds.
 */
export function newConsoleBrowser(
  headers: Readonly<Record<string, string>> = {},
  variables: object = {},
  cf: RequestInitCfProperties = {},
): Browser {
  // One object for all requests: the service reads its configuration once per environment.
  const environment = { ...bindings, ...variables };
  return new Browser(
    (request) => {
      const sent = new Headers(request.headers);
      if (request.method === "POST") {
        sent.set("Origin", ORIGIN);
        sent.set("Sec-Fetch-Site", "same-origin");
      }
      for (const [name, value] of Object.entries(headers)) sent.set(name, value);
      const isPlatform = new URL(request.url).host === "sandbox.test";
      if (isPlatform) return env.SANDBOX.fetch(request);
      return door(new Request(request, { headers: sent, cf }), environment);
    },
    (url) => url.host === "belfry.test" || url.host === "sandbox.test",
  );
}

const Link = z.object({ url: z.string() });

/** What `npm run account` prints. */
export async function signInLink(body: {
  readonly email: string;
  readonly project?: string;
  readonly role?: Role;
}): Promise<string> {
  const answer = await call("POST", "/internal/sign-in-links", {
    headers: { "X-Operator-Key": env.OPERATOR_KEY },
    body,
  });
  return Link.parse(answer.body).url;
}

/** A browser in which this person is signed in. */
export async function signedIn(
  body: Parameters<typeof signInLink>[0],
  browser = newConsoleBrowser(),
): Promise<Browser> {
  const link = await signInLink(body);
  await browser.send(formTo(await browser.go(link), new URL(link).pathname));
  return browser;
}

export interface Owned {
  readonly browser: Browser;
  readonly email: string;
  readonly project: Project;
  readonly id: number;
  /** The path of the tokens page. */
  readonly path: string;
}

/** A project with one token, and a browser in which its owner is signed in. */
export async function owned(timeZone?: string): Promise<Owned> {
  const project = await Project.create(timeZone === undefined ? {} : { timeZone });
  const email = newEmail();
  const browser = await signedIn({ email, project: project.name });
  const { url } = await browser.go(CONSOLE_URL);
  const id = Number(/projects\/(\d+)/.exec(url)?.[1]);
  return { browser, email, project, id, path: `/projects/${id}/tokens` };
}

/** Requests a code and returns the page to enter it, with the code that development shows. */
export async function requestCode(
  browser: Browser,
  email: string,
  to = "/console",
): Promise<{ readonly page: Page; readonly code: string }> {
  const page = await browser.go(`${CONSOLE_URL}/sign-in?again=1&to=${encodeURIComponent(to)}`);
  const next = await browser.send(filled(formTo(page, "/sign-in"), { email }));
  return { page: next, code: /your code is (\d+)/.exec(next.html)?.[1] ?? "" };
}

export const enterCode = (browser: Browser, page: Page, code: string) =>
  browser.send(filled(formTo(page, "/sign-in/code"), { code }));

export const isSignedIn = async (browser: Browser) => (await peek(browser, "/projects")).status === 200;

/** An account, which only the operator creates. */
export async function newAccount(): Promise<string> {
  const email = newEmail();
  await signInLink({ email });
  return email;
}

/** Sends the form of an invitation, and returns the path of its link; empty if it was refused. */
export async function invite(
  { browser, id }: Pick<Owned, "browser" | "id">,
  values: { readonly email?: string; readonly role: Role },
): Promise<string> {
  const page = await browser.go(`${CONSOLE_URL}/projects/${id}/members/invite`);
  const shown = await browser.send(filled(formTo(page, "/invite"), { email: "", ...values }));
  return /\/console(\/invitations\/\w{43})/.exec(shown.html)?.[1] ?? "";
}

/** The D1 calls that a page took: one for who, at most two for what. */
export const callsOf = ({ headers }: Page): number =>
  Number(/calls=(\d+)/.exec(headers.get("Server-Timing") ?? "")?.[1]);

/** The form of a page that is sent to an address with this end. */
export function formTo(page: Page, end: string): Form {
  const form = formsOf(page).find(({ action }) => action.endsWith(end));
  if (!form) throw new Error(`No form to ${end} on ${page.url}: ${page.html.slice(-1500)}`);
  return form;
}

/** Fills fields by name; other fields stay as they are. */
export function filled(form: Form, values: Readonly<Record<string, string>>): Form {
  const kept = form.fields.filter(({ name }) => values[name] === undefined);
  const added = Object.entries(values).map(([name, value]) => ({
    name,
    value,
    type: "text",
    checked: false,
    disabled: false,
  }));
  return { ...form, fields: [...kept, ...added] };
}

/** The proof of the forms of a page. */
export function proofOf(page: Page): string {
  return (
    formsOf(page)
      .flatMap(({ fields }) => fields)
      .find(({ name }) => name === "form")?.value ?? ""
  );
}

export function post(browser: Browser, path: string, fields: Readonly<Record<string, string>>): Promise<Page> {
  return browser.go(`${CONSOLE_URL}${path}`, { method: "POST", body: new URLSearchParams(fields) }, () => false);
}

/** Opens a page without following its redirect. */
export function peek(browser: Browser, path: string): Promise<Page> {
  return browser.go(`${CONSOLE_URL}${path}`, {}, () => false);
}

let people = 0;
export const newEmail = (): string => `person-${++people}@example.com`;
