import type { ExpectStatic } from "vitest";
import { z } from "zod";
import { type Browser, fieldsOf, type Page } from "./browser.ts";
import { newBrowser, Project } from "./world.ts";

export const READ_ONLY_PAGE = "104000000000004";
export const MINUTES = 60_000;

export const Started = z.strictObject({
  status: z.literal(true),
  connect_url: z.string(),
  connect_token: z.string(),
  expires_in: z.literal(900),
});

export interface Connection extends z.output<typeof Started> {
  readonly project: Project;
}

export async function start(project: Project, redirectUrl?: string): Promise<Connection> {
  const answer = await project.call("POST", "/social/connect-channel", {
    body: { userId: "user-7", ...(redirectUrl === undefined ? {} : { redirectUrl }) },
  });
  return { project, ...Started.parse(answer.body) };
}

export async function begun(redirectUrl?: string) {
  const connection = await start(await Project.create(), redirectUrl);
  return { connection, browser: newBrowser() };
}

export function statusOf({ project, connect_token }: Connection, token = connect_token) {
  return project.call("GET", `/social/connect-status?connect_token=${encodeURIComponent(token)}`);
}

/** Ticks the platforms; the page after is the first one's consent page. */
export async function choose(
  browser: Browser,
  { connect_url }: Connection,
  platforms: readonly string[],
): Promise<Page> {
  const page = await browser.go(connect_url);
  return browser.submit(page, (field) => (field.name === "platform" ? platforms.includes(field.value) : undefined));
}

/** Presses a button of a consent page with only these accounts ticked; all, when none are named. */
export function decide(
  browser: Browser,
  consent: Page,
  decision: "allow" | "deny",
  accounts?: readonly string[],
): Promise<Page> {
  const isAccount = (name: string) => name === "page" || name === "account";
  return browser.submit(
    consent,
    (field) => (isAccount(field.name) && accounts ? accounts.includes(field.value) : undefined),
    { decision },
  );
}

/** The callback address to which the platform sends this browser, not yet visited. */
export async function callbackOf(browser: Browser, consent: Page): Promise<string> {
  const body = new URLSearchParams({ decision: "allow" });
  for (const { name, value, type, checked } of fieldsOf(consent.html)) {
    if (type === "hidden" || checked) body.append(name, value);
  }
  const page = await browser.go(consent.url, { method: "POST", body }, (url) => !url.pathname.startsWith("/connect/"));
  return page.url;
}

/** Sends one of the page's forms, by the end of its action. */
export async function press(browser: Browser, page: Page, actionEnd: string, field?: string): Promise<Page> {
  const forms = page.html.match(/<form\b[\s\S]*?<\/form>/g) ?? [];
  const form = forms.find((text) => text.includes(`${actionEnd}"`) && (!field || text.includes(`name="${field}"`)));
  if (!form) throw new Error(`No form to ${actionEnd} on ${page.url}: ${page.html}`);
  return browser.submit({ ...page, html: form }, () => undefined);
}

export function expectPage(expect: ExpectStatic, page: Page, status: number, words: string): void {
  expect({ status: page.status, type: page.headers.get("Content-Type") }).toEqual({
    status,
    type: "text/html; charset=UTF-8",
  });
  expect(page.html).toContain(words);
}
