import { env } from "cloudflare:workers";
import { describe, test } from "vitest";
import { z } from "zod";
import { CONSOLE_URL, filled, formTo, newEmail, signedIn } from "../console/console-browser.ts";
import type { Browser } from "../support/browser.ts";
import { call, issueToken } from "../support/world.ts";

/** The operator's commands name projects, and people choose the names of theirs. */

const headers = { "X-Operator-Key": env.OPERATOR_KEY };
const command = (path: string, body: object) => call("POST", `/internal/${path}`, { headers, body });

async function newProject(browser: Browser, name: string): Promise<number> {
  const page = await browser.go(`${CONSOLE_URL}/projects/new`);
  const shown = await browser.send(filled(formTo(page, "/console/projects"), { name, time_zone: "UTC", kind: "test" }));
  return Number(/projects\/(\d+)/.exec(shown.url)?.[1]);
}

/** Two people whose projects have one name, because the second one renamed hers. */
async function twoOfOneName() {
  const name = `Acme ${crypto.randomUUID()}`;
  const [eve, acme] = [newEmail(), newEmail()];
  const [browser, owner] = [await signedIn({ email: eve }), await signedIn({ email: acme })];
  const renamed = await newProject(browser, `Something ${crypto.randomUUID()}`);
  const real = await newProject(owner, name);
  const settings = await browser.go(`${CONSOLE_URL}/projects/${renamed}/settings`);
  await browser.send(filled(formTo(settings, "/settings"), { name, time_zone: "UTC" }));
  return { name, eve, acme, renamed, real, browser, owner };
}

/** Every call of a command that names a project. */
const COMMANDS = [
  ["sign-in-links", { email: "ceo@acme.example", role: "editor" }],
  ["tokens", {}],
  ["projects/export", {}],
  ["projects/delete", {}],
  ["projects/move", { to: 1 }],
  ["projects/move", { undo: true }],
  ["ceilings", { currency: "EUR", most: 1 }],
  ["cost-ceilings", { most: 1 }],
] as const;

describe("a name that several projects have", () => {
  test("is refused by every command with the list, and nothing is done", async ({ expect }) => {
    const { name, eve, acme, renamed, real, browser, owner } = await twoOfOneName();
    for (const [path, body] of COMMANDS) {
      const { status, body: refused } = await command(path, { ...body, project: name });
      expect([path, status, refused], path).toMatchObject([path, 422, { code: "reference_invalid" }]);
      const { message } = z.object({ message: z.string() }).parse(refused);
      for (const [id, email] of [
        [renamed, eve],
        [real, acme],
      ] as const)
        expect(message, path).toMatch(
          new RegExp(`Project ${id} \\(owner ${email}, created \\d{4}-\\d\\d-\\d\\d\\)\\.`),
        );
    }
    for (const [one, id] of [
      [browser, renamed],
      [owner, real],
    ] as const) {
      const members = await one.go(`${CONSOLE_URL}/projects/${id}/members`);
      expect([members.status, members.html.includes("ceo@acme.example")]).toEqual([200, false]);
    }
  });

  test("is identified by the id", async ({ expect }) => {
    const { name, acme, real, browser, renamed, owner } = await twoOfOneName();
    expect((await command("projects/find", { project: name })).body).toMatchObject({
      projects: [{ id: renamed }, { id: real, name, owners: [acme] }],
    });
    const token = await command("tokens", { project: name, id: real });
    expect(token.body).toMatchObject({ project_id: real, project: name });
    expect((await command("cost-ceilings", { id: real, most: 7 })).body).toMatchObject({ most: "7.00 USD" });
    const wrong = await command("projects/delete", { project: "Another name", id: renamed });
    expect([wrong.status, wrong.body]).toMatchObject([422, { errors: { id: [expect.stringContaining(name)] } }]);
    const deleted = await command("projects/delete", { project: name, id: renamed });
    expect(deleted.body).toMatchObject({ deletion: { project_id: renamed } });
    expect((await browser.go(`${CONSOLE_URL}/projects/${renamed}`)).status).toBe(404);
    expect((await owner.go(`${CONSOLE_URL}/projects/${real}`)).status).toBe(200);
    // Its progress, although a project of this name is left.
    const progress = await command("projects/deletion", { project: name, id: renamed });
    expect(progress.body).toMatchObject({ deletion: { project_id: renamed } });
  });
});

test("a deletion needs the id also where one project has the name, and shows whose it is", async ({ expect }) => {
  const email = newEmail();
  const name = `Bakery ${crypto.randomUUID()}`;
  const browser = await signedIn({ email });
  const id = await newProject(browser, name);
  const { status, body } = await command("projects/delete", { project: name });
  expect([status, body]).toMatchObject([
    422,
    { errors: { id: [expect.stringContaining(`Project ${id} (owner ${email}`)] } },
  ]);
  expect((await browser.go(`${CONSOLE_URL}/projects/${id}`)).status).toBe(200);
});

test("a token by name is of the operator's project, never of a person's", async ({ expect }) => {
  const name = `Fern ${crypto.randomUUID()}`;
  const id = await newProject(await signedIn({ email: newEmail() }), name);
  expect(await command("tokens", { project: name })).toMatchObject({
    status: 422,
    body: { code: "reference_invalid" },
  });
  expect((await command("tokens", { id })).body).toMatchObject({ project_id: id });
  const own = `Own ${crypto.randomUUID()}`;
  expect((await issueToken(own)).token).toMatch(/^blf_/);
  expect((await issueToken(own)).token).toMatch(/^blf_/);
});
