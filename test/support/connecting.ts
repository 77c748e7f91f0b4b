import type { ExpectStatic } from "vitest";
import { z } from "zod";
import { type Browser, formsOf, type Page } from "./browser.ts";
import { isAccountField } from "./person.ts";
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

/** Presses a button of a consent page with only these accounts selected. Default: all. */
export function decide(
  browser: Browser,
  consent: Page,
  decision: "allow" | "deny",
  accounts?: readonly string[],
): Promise<Page> {
  return browser.submit(
    consent,
    ({ name, value }) => (isAccountField(name) && accounts ? accounts.includes(value) : undefined),
    { name: "decision", value: decision },
  );
}

/** The callback address to which the platform sends this browser, not yet visited. */
export async function callbackOf(browser: Browser, consent: Page): Promise<string> {
  const allow = { name: "decision", value: "allow" };
  const page = await browser.submit(consent, undefined, allow, (url) => !url.pathname.startsWith("/connect/"));
  return page.url;
}

/** Sends one of the page's forms, by the end of its action. */
export function press(browser: Browser, page: Page, actionEnd: string, field?: string): Promise<Page> {
  const form = formsOf(page).find(
    ({ action, fields }) => action.endsWith(actionEnd) && (!field || fields.some(({ name }) => name === field)),
  );
  if (!form) throw new Error(`No form to ${actionEnd} on ${page.url}: ${page.html}`);
  return browser.send(form);
}

export function expectPage(expect: ExpectStatic, page: Page, status: number, words: string): void {
  expect({ status: page.status, type: page.headers.get("Content-Type") }).toEqual({
    status,
    type: "text/html; charset=UTF-8",
  });
  expect(page.html).toContain(words);
}
