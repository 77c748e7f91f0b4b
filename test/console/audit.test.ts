import { env } from "cloudflare:workers";
import { describe, test } from "vitest";
import { z } from "zod";
import { AUDITED } from "../../src/audit/store.ts";
import { cron } from "../support/queue.ts";
import { DAY } from "../support/times.ts";
import { call } from "../support/world.ts";
import { CONSOLE_URL, invite, owned } from "./console-browser.ts";

const Line = z.object({ source: z.string(), actor: z.string(), action: z.string(), path: z.string() });

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
      { source: "token", actor: String(token), action: "createWebhook", path: "/api/v1/social/create-webhook" },
      { source: "console", actor: email, action: expect.stringContaining("/members"), path: expect.any(String) },
    ]);
    const { html } = await browser.go(`${CONSOLE_URL}/projects/${id}/audit`);
    for (const text of [email, "createWebhook", `Access token ${token}`]) expect(html).toContain(text);
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
    expect((await linesOf(owner)).lines).toHaveLength(1_200);
    for (let sweep = 0; sweep < 3; sweep++) await cron();
    expect((await linesOf(owner)).lines).toHaveLength(1_100);
  });

  test("names operations that exist", async ({ expect }) => {
    const Document = z.object({
      paths: z.record(z.string(), z.record(z.string(), z.looseObject({ operationId: z.string().optional() }))),
    });
    const { paths } = Document.parse((await call("GET", "/openapi.json")).body);
    const ids = Object.values(paths).flatMap((path) => Object.values(path).map(({ operationId }) => operationId));
    expect([...AUDITED].filter((name) => !ids.includes(name))).toEqual([]);
  });
});
