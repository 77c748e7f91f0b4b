import { env } from "cloudflare:workers";
import { load } from "cheerio";
import { beforeAll, describe, test } from "vitest";
import { CONSOLE } from "../../src/console/catalog.ts";
import type { Entry } from "../../src/console/definition.ts";
import { includesRole, ROLES, type Role } from "../../src/people/roles.ts";
import type { Browser, Page } from "../support/browser.ts";
import { ORIGIN, Project } from "../support/world.ts";
import { CONSOLE_URL, callsOf, newConsoleBrowser, newEmail, peek, post, proofOf, signedIn } from "./console-browser.ts";

/**
 * Every page and action of the console with every role, without a sign-in, and with a member of another
 * project. A new entry is tested as soon as it is listed. An action that lets its visitor in has a project
 * and a session of its own, for it may end them; everything else changes nothing, and shares one of each
 * visitor.
 */

type Visitor = Role | "nobody" | "stranger";
const VISITORS: readonly Visitor[] = ["nobody", "stranger", ...ROLES];
const IN_PROJECT = CONSOLE.filter((entry) => entry.scope === "project");

/** Every other part of a path is an id that no row has. */
const pathOf = (entry: Entry, id: number): string => entry.path.replace(":project", String(id)).replace(/:\w+/g, "0");

interface Projects {
  readonly own: string;
  readonly other: string;
  readonly id: number;
}

interface Visit {
  readonly browser: Browser;
  /** The project that is visited. */
  readonly id: number;
  /** The proof of this session's forms. */
  readonly form: string;
}

async function newProjects(): Promise<Projects> {
  const [{ name: own }, { name: other }] = [await Project.create(), await Project.create()];
  return { own, other, id: await projectId(own) };
}

async function projectId(name: string): Promise<number> {
  return (await env.DB.prepare("SELECT id FROM projects WHERE name = ?").bind(name).first<number>("id")) ?? 0;
}

async function browserOf(visitor: Visitor, { own, other }: Projects): Promise<Browser> {
  if (visitor === "nobody") return newConsoleBrowser();
  if (visitor === "stranger") return signedIn({ email: newEmail(), project: other });
  return signedIn({ email: newEmail(), project: own, role: visitor });
}

async function visitOf(visitor: Visitor, projects: Projects): Promise<Visit> {
  const browser = await browserOf(visitor, projects);
  return { browser, id: projects.id, form: proofOf(await browser.go(`${CONSOLE_URL}/sign-in?again=1`)) };
}

const shared = new Map<Visitor, Visit>();
beforeAll(async () => {
  const projects = await newProjects();
  for (const visitor of VISITORS) shared.set(visitor, await visitOf(visitor, projects));
});

const isLetIn = (visitor: Visitor, { role }: { readonly role: Role }): boolean =>
  visitor !== "nobody" && visitor !== "stranger" && includesRole(visitor, role);

async function visitTo(entry: Entry & { readonly role: Role }, visitor: Visitor): Promise<Visit> {
  const visit = entry.kind === "action" && isLetIn(visitor, entry) ? undefined : shared.get(visitor);
  return visit ?? visitOf(visitor, await newProjects());
}

function request({ browser, id, form }: Visit, entry: Entry): Promise<Page> {
  const path = pathOf(entry, id);
  return entry.kind === "page" ? peek(browser, path) : post(browser, path, { form });
}

const bytesOf = (text: string): number => new TextEncoder().encode(text).byteLength;

function filesOf({ html }: Page) {
  const $ = load(html);
  const scripts = $("script").toArray();
  const files = scripts.flatMap((script) => $(script).attr("src") ?? []);
  return { $, files, inline: scripts.map((script) => $(script).text()).join("") };
}

const sizes = new Map<string, number>();
async function fileBytes(path: string): Promise<number> {
  const known = sizes.get(path);
  if (known !== undefined) return known;
  const { status, html } = await newConsoleBrowser().go(`${ORIGIN}${path}`);
  if (status !== 200) throw new Error(`${path} answered with ${status}.`);
  sizes.set(path, bytesOf(html));
  return bytesOf(html);
}

async function scriptBytes(page: Page): Promise<number> {
  const { files, inline } = filesOf(page);
  const bytes = await Promise.all(files.map(fileBytes));
  return bytes.reduce((sum, one) => sum + one, bytesOf(inline));
}

const isAtSignIn = ({ status, url }: Page): boolean => status === 303 && url.includes("/sign-in?to=");

describe.for(IN_PROJECT.map((entry) => [entry.kind === "page" ? "GET" : "POST", entry.path, entry] as const))(
  "%s %s",
  ([, , entry]) => {
    test.for(VISITORS)("by %s", async (visitor, { expect }) => {
      const answer = await request(await visitTo(entry, visitor), entry);
      if (visitor === "nobody") return expect(isAtSignIn(answer)).toBe(true);
      if (visitor === "stranger") return expect(answer.status).toBe(404);
      if (!isLetIn(visitor, entry)) return expect(answer.status).toBe(403);
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
    const browser = newConsoleBrowser();
    const form = proofOf(await browser.go(`${CONSOLE_URL}/sign-in`));
    for (const entry of CONSOLE.filter(({ scope }) => scope === "person")) {
      expect(isAtSignIn(await request({ browser, id: 0, form }, entry)), entry.path).toBe(true);
    }
  });

  test("costs one D1 call for who and at most two for what, 48 KiB and 40 KiB of script a page", async ({ expect }) => {
    const { name } = await Project.create();
    const browser = await signedIn({ email: newEmail(), project: name });
    const id = await projectId(name);
    for (const entry of CONSOLE.filter(({ kind }) => kind === "page")) {
      const page = await peek(browser, pathOf(entry, id));
      expect(callsOf(page), entry.path).toBeLessThanOrEqual(3);
      expect(bytesOf(page.html), entry.path).toBeLessThan(48 * 1024);
      expect(await scriptBytes(page), entry.path).toBeLessThanOrEqual(40 * 1024);
    }
  });

  test("begins with a page of at most 30 KiB, with the files that it loads", async ({ expect }) => {
    const page = await newConsoleBrowser().go(CONSOLE_URL);
    const { $, files } = filesOf(page);
    expect($("link[rel=stylesheet], img[src^='/']")).toHaveLength(0);
    expect(files.length).toBeGreaterThan(0);
    const bytes = await Promise.all(files.map(fileBytes));
    expect(bytes.reduce((sum, one) => sum + one, bytesOf(page.html))).toBeLessThanOrEqual(30 * 1024);
  });
});
