import { env } from "cloudflare:workers";
import { describe, test } from "vitest";
import { z } from "zod";
import { cron } from "../support/queue.ts";
import { DAY } from "../support/times.ts";
import { call } from "../support/world.ts";
import { CONSOLE_URL, filled, formTo, invite, owned, post, proofOf } from "./console-browser.ts";

const Line = z.object({
  state: z.string(),
  source: z.string(),
  actor: z.string(),
  action: z.string(),
  path: z.string(),
});

const OPERATOR = (actor: string, action: string) => {
  return { state: "done", source: "operator", actor, action, path: "/internal" };
};

async function linesOf({ browser, id }: Awaited<ReturnType<typeof owned>>) {
  const page = await browser.go(`${CONSOLE_URL}/projects/${id}/audit/export`);
  const lines = page.html.split("\n").filter((line) => line !== "");
  return { page, lines: lines.map((line) => Line.parse(JSON.parse(line))) };
}

describe("the audit log", () => {
  test("has actions of people and administrative requests of tokens, and nothing else", async ({ expect }) => {
    const owner = await owned();
    const { browser, id, email, project } = owner;
    await invite(owner, { role: "viewer" });
    await project.call("POST", "/social/create-webhook", { body: { url: "https://hooks.test/a" } });
    await project.call("POST", "/social/create-webhook", { body: { url: "not an address" } });
    await project.call("GET", "/social/get-webhooks");
    const { page, lines } = await linesOf(owner);
    expect(page.headers.get("Content-Disposition")).toContain("attachment");
    const token = await env.DB.prepare("SELECT id FROM tokens WHERE project_id = ?").bind(id).first<number>("id");
    expect(lines).toEqual([
      {
        state: "done",
        source: "token",
        actor: String(token),
        action: "createWebhook",
        path: "/api/v1/social/create-webhook",
      },
      {
        state: "done",
        source: "console",
        actor: email,
        action: expect.stringContaining("/members"),
        path: expect.any(String),
      },
      OPERATOR("npm run account", "createSignInLink"),
      OPERATOR("npm run token", "issueToken"),
    ]);
    const { html } = await browser.go(`${CONSOLE_URL}/projects/${id}/audit`);
    for (const text of [email, "createWebhook", `Access token ${token}`]) expect(html).toContain(text);
  });

  test("has no entry of what only shows its form again", async ({ expect }) => {
    const owner = await owned();
    const { browser, id } = owner;
    const before = (await linesOf(owner)).lines;
    const branding = await browser.go(`${CONSOLE_URL}/projects/${id}/branding`);
    const preview = await browser.send(filled(formTo(branding, "/branding"), { name: "Bakery", answer: "preview" }));
    const form = proofOf(branding);
    const upload = await post(browser, `/projects/${id}/compose/upload`, { form });
    expect([preview.status, upload.status, (await linesOf(owner)).lines]).toEqual([200, 200, before]);
  });

  test("has the commands of the operator, and none that was refused", async ({ expect }) => {
    const owner = await owned();
    const { project, id } = owner;
    const command = (path: string, body: object) =>
      call("POST", `/internal${path}`, { headers: { "X-Operator-Key": env.OPERATOR_KEY }, body });
    const token = await env.DB.prepare("SELECT id FROM tokens WHERE project_id = ?").bind(id).first<number>("id");
    await command("/ceilings", { project: project.name, currency: "EUR", most: 10 });
    await command("/ceilings", { project: project.name, currency: "EUR" });
    await command("/cost-ceilings", { project: project.name, most: 5 });
    await command("/tokens/revoke", { id: token });
    const { lines } = await linesOf(owner);
    expect(lines.slice(0, 3)).toEqual([
      OPERATOR("npm run token", "revokeToken"),
      OPERATOR("npm run ceiling", "setCostCeiling"),
      OPERATOR("npm run ceiling", "setSpendCeiling"),
    ]);
    expect(lines).toHaveLength(5);
  });

  test("keeps an act whose outcome was not recorded, and without an entry nothing is done", async ({ expect }) => {
    const owner = await owned();
    const { browser, id, project } = owner;
    const page = await browser.go(`${CONSOLE_URL}/projects/${id}/members/invite`);
    const invitations = () =>
      env.DB.prepare("SELECT count(*) AS n FROM invitations WHERE project_id = ?").bind(id).first<number>("n");
    const on = (event: string, when: string) =>
      env.DB.prepare(
        `CREATE TRIGGER stop_${id} BEFORE ${event} ON audit_entries WHEN ${when} BEGIN SELECT raise(ABORT, 'no'); END`,
      ).run();
    const off = () => env.DB.prepare(`DROP TRIGGER stop_${id}`).run();
    const send = () => browser.send(filled(formTo(page, "/invite"), { email: "", role: "viewer" }));

    await on("INSERT", `new.project_id = ${id}`);
    expect((await send()).status).toBe(500);
    const hook = await project.call("POST", "/social/create-webhook", { body: { url: "https://hooks.test/a" } });
    expect([hook.status, await invitations()]).toEqual([500, 0]);
    await off();
    await on("UPDATE", `new.project_id = ${id}`);
    expect((await send()).status).toBe(200);
    await off();
    expect(await invitations()).toBe(1);
    const { lines } = await linesOf(owner);
    expect(lines[0]).toMatchObject({ state: "begun", source: "console" });
    expect((await browser.go(`${CONSOLE_URL}/projects/${id}/audit`)).html).toContain("Outcome not recorded");
  });

  test("counts what one actor repeats beyond a thousand entries an hour, and stays true", async ({ expect }) => {
    const owner = await owned();
    const hook = () => owner.project.call("DELETE", "/social/delete-webhook/999999999");
    expect((await hook()).status).toBe(404);
    await env.DB.prepare("UPDATE allowances SET used = 1000 WHERE key = ?").bind(`audit:${owner.id}`).run();
    const before = (await linesOf(owner)).lines.length;
    const made: number[] = [];
    for (let count = 0; count < 4; count++) {
      const { body } = await owner.project.call("POST", "/social/create-webhook", {
        body: { url: `https://hooks.test/${count}` },
      });
      made.push(z.looseObject({ webhook: z.looseObject({ id: z.number() }) }).parse(body).webhook.id);
    }
    // A refused act leaves the entry of those that were done.
    expect((await owner.project.call("POST", "/social/create-webhook", { body: { url: "nonsense" } })).status).toBe(
      422,
    );
    const { lines } = await linesOf(owner);
    expect(lines).toHaveLength(before + 1);
    expect(lines[0]).toMatchObject({ action: "createWebhook", state: "done" });
    expect((await owner.browser.go(`${CONSOLE_URL}/projects/${owner.id}/audit`)).html).toContain(
      "createWebhook</code> × 4",
    );
    await owner.project.call("DELETE", `/social/delete-webhook/${made[0]}`);
    const { page } = await linesOf(owner);
    const [newest = "", second = ""] = page.html.split("\n");
    expect(JSON.parse(newest)).toMatchObject({ action: "deleteWebhook", times: 1 });
    expect(JSON.parse(second)).toMatchObject({ action: "createWebhook", times: 4 });
  });

  test("is read in parts, and kept for a year", async ({ expect }) => {
    const owner = await owned();
    await env.DB.prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1200)
       INSERT INTO audit_entries (project_id, at, source, actor, action, path)
       SELECT ?1, CASE WHEN i <= 100 THEN ?2 ELSE ?3 END, 'console', 'a@example.com', 'action', '/' || i FROM n`,
    )
      .bind(owner.id, Date.now() - 366 * DAY, Date.now())
      .run();
    const first = await owner.browser.go(`${CONSOLE_URL}/projects/${owner.id}/audit`);
    expect(first.html).toMatch(/audit\?before=\d+/);
    expect((await linesOf(owner)).lines).toHaveLength(1_202);
    for (let sweep = 0; sweep < 3; sweep++) await cron();
    expect((await linesOf(owner)).lines).toHaveLength(1_102);
  });
});
