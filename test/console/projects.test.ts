import { env } from "cloudflare:workers";
import { beforeEach, describe, test, vi } from "vitest";
import { failStatements, quiet } from "../support/between.ts";
import type { Browser } from "../support/browser.ts";
import { CONSOLE_URL, filled, formTo, newEmail, post, proofOf, signedIn } from "./console-browser.ts";

beforeEach(quiet);

async function createProject(browser: Browser, name: string) {
  const page = await browser.go(`${CONSOLE_URL}/projects/new`);
  return browser.send(filled(formTo(page, "/projects"), { name, kind: "test", time_zone: "UTC" }));
}

describe("a new project", () => {
  test("exists only together with its owner: after a failure the same form works", async ({ expect }) => {
    const browser = await signedIn({ email: newEmail() });
    failStatements(/insert into "memberships"/i, 1);
    const log = vi.spyOn(console, "error").mockImplementation(() => undefined);
    const failed = await createProject(browser, "My brand");
    log.mockRestore();
    expect(failed.status).toBe(500);
    expect((await createProject(browser, "My brand")).html).toContain("My brand is ready.");
  });

  test("has a name that no other project of the person has", async ({ expect }) => {
    const [browser, other] = [await signedIn({ email: newEmail() }), await signedIn({ email: newEmail() })];
    await createProject(browser, "My brand");
    const refused = await createProject(browser, "My brand");
    expect([refused.status, refused.html]).toEqual([
      422,
      expect.stringContaining("You have a project with this name."),
    ]);
    expect((await createProject(other, "My brand")).html).toContain("My brand is ready.");
    await createProject(browser, "Second");
    const page = await browser.go(`${CONSOLE_URL}/projects`);
    const [, id] = /projects\/(\d+)"[^>]*>(?:(?!<\/a>).)*Second/s.exec(page.html) ?? [];
    const settings = await browser.go(`${CONSOLE_URL}/projects/${id}/settings`);
    const renamed = await browser.send(filled(formTo(settings, "/settings"), { name: "My brand", time_zone: "UTC" }));
    expect(renamed.status).toBe(422);
  });

  test("is one of at most 100 that a person owns, also for concurrent forms", async ({ expect }) => {
    const email = newEmail();
    const browser = await signedIn({ email });
    await createProject(browser, "First");
    await env.DB.batch([
      env.DB.prepare(
        `WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 98)
         INSERT INTO projects (user_id, name, is_test, time_zone, created_at)
         SELECT user_id, 'Filler ' || n, 1, 'UTC', 1 FROM numbers, projects
         WHERE name = 'First' AND user_id = (SELECT id FROM users WHERE email = ?1)`,
      ).bind(email),
      env.DB.prepare(
        `INSERT INTO memberships (person_id, project_id, role, created_at)
         SELECT people.id, projects.id, 'owner', 1 FROM people, projects WHERE people.email = ?1
         AND projects.name LIKE 'Filler %' AND user_id = (SELECT id FROM users WHERE email = ?1)`,
      ).bind(email),
    ]);
    const form = proofOf(await browser.go(`${CONSOLE_URL}/projects/new`));
    const answers = await Promise.all(
      ["A", "B", "C"].map((name) => post(browser, "/projects", { form, name, kind: "test", time_zone: "UTC" })),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([303, 429, 429]);
    const refused = await createProject(browser, "One more");
    expect([refused.status, refused.html]).toEqual([
      429,
      expect.stringContaining("You own 100 projects, the maximum."),
    ]);
  });
});
