import { env } from "cloudflare:workers";
import { describe, test } from "vitest";
import { CONSOLE } from "../../src/console/catalog.ts";
import type { Entry } from "../../src/console/definition.ts";
import { includesRole, ROLES, type Role } from "../../src/people/roles.ts";
import type { Browser, Page } from "../support/browser.ts";
import { Project } from "../support/world.ts";
import { CONSOLE_URL, callsOf, newConsoleBrowser, newEmail, peek, post, proofOf, signedIn } from "./console-browser.ts";

/**
 * Every page and action of the console with every role, with nobody, and with a member of another project.
 * A new entry is tested as soon as it is listed. Each request has a session of its own: an action may end it.
 */

type Visitor = Role | "nobody" | "stranger";
const VISITORS: readonly Visitor[] = ["nobody", "stranger", ...ROLES];
const IN_PROJECT = CONSOLE.filter((entry) => entry.scope === "project");

/** An id that no row has stands for every other part of a path. */
const pathOf = (entry: Entry, id: number): string => entry.path.replace(":project", String(id)).replace(/:\w+/g, "0");

async function projectId(name: string): Promise<number> {
  return (await env.DB.prepare("SELECT id FROM projects WHERE name = ?").bind(name).first<number>("id")) ?? 0;
}

async function browserOf(visitor: Visitor, project: string, other: string): Promise<Browser> {
  if (visitor === "nobody") return newConsoleBrowser();
  if (visitor === "stranger") return signedIn({ email: newEmail(), project: other });
  return signedIn({ email: newEmail(), project, role: visitor });
}

async function request(browser: Browser, entry: Entry, id: number): Promise<Page> {
  const path = pathOf(entry, id);
  if (entry.kind === "page") return peek(browser, path);
  const form = proofOf(await browser.go(`${CONSOLE_URL}/sign-in?again=1`));
  return post(browser, path, { form });
}

const isAtSignIn = ({ status, url }: Page): boolean => status === 303 && url.includes("/sign-in?to=");

describe.for(IN_PROJECT.map((entry) => [entry.kind === "page" ? "GET" : "POST", entry.path, entry] as const))(
  "%s %s",
  ([, , entry]) => {
    test.for(VISITORS)("by %s", async (visitor, { expect }) => {
      const [own, other] = [await Project.create(), await Project.create()];
      const id = await projectId(own.name);
      const answer = await request(await browserOf(visitor, own.name, other.name), entry, id);
      if (visitor === "nobody") return expect(isAtSignIn(answer)).toBe(true);
      if (visitor === "stranger") return expect(answer.status).toBe(404);
      if (!includesRole(visitor, entry.role)) return expect(answer.status).toBe(403);
      // Let in: the page, its redirect, a form that lacks fields, or a part of the path that does not exist.
      expect(isAtSignIn(answer)).toBe(false);
      expect([200, 303, 422, ...(/:(?!project)/.test(entry.path) ? [404] : [])]).toContain(answer.status);
    });
  },
);

describe("the list of pages and actions", () => {
  test("shows problems of a form on a page that its senders may open", ({ expect }) => {
    for (const action of CONSOLE.filter((entry) => entry.kind === "action")) {
      const page = CONSOLE.find((entry) => entry.kind === "page" && entry.path === action.page);
      expect(page, action.path).toBeDefined();
      const scopes = ["anyone", "person", "project"];
      expect(scopes.indexOf(page?.scope ?? "")).toBeLessThanOrEqual(scopes.indexOf(action.scope));
      const isOpen = page?.scope !== "project" || (action.scope === "project" && includesRole(action.role, page.role));
      expect(isOpen, action.path).toBe(true);
    }
  });

  test("names each address once", ({ expect }) => {
    const addresses = CONSOLE.map(({ kind, path }) => `${kind} ${path}`);
    expect(new Set(addresses).size).toBe(addresses.length);
  });

  test("has a project's entries below the project, and no others there", ({ expect }) => {
    for (const { scope, path } of CONSOLE) expect(path.includes(":project"), path).toBe(scope === "project");
  });

  test("needs a sign-in for each page of a person", async ({ expect }) => {
    for (const entry of CONSOLE.filter(({ scope }) => scope === "person")) {
      expect(isAtSignIn(await request(newConsoleBrowser(), entry, 0)), entry.path).toBe(true);
    }
  });

  test("costs one D1 call for who and at most two for what, and 48 KiB a page", async ({ expect }) => {
    const { name } = await Project.create();
    const browser = await signedIn({ email: newEmail(), project: name });
    const id = await projectId(name);
    for (const entry of CONSOLE.filter(({ kind }) => kind === "page")) {
      const page = await peek(browser, pathOf(entry, id));
      expect(callsOf(page), entry.path).toBeLessThanOrEqual(3);
      expect(page.html.length, entry.path).toBeLessThan(48 * 1024);
    }
  });
});
