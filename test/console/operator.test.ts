import { env } from "cloudflare:workers";
import { load } from "cheerio";
import { describe, test } from "vitest";
import { CONSOLE } from "../../src/console/catalog.ts";
import type { Page } from "../support/browser.ts";
import { queuesIdle } from "../support/queue.ts";
import { createPost, findPost, projectWith } from "../support/world.ts";
import {
  CONSOLE_URL,
  callsOf,
  filled,
  formTo,
  newConsoleBrowser,
  newEmail,
  owned,
  peek,
  post,
  proofOf,
  signedIn,
} from "./console-browser.ts";

/** The pages of the people who operate the service: for others they do not exist. */

const ENTRIES = CONSOLE.filter(({ scope }) => scope === "operator");
const textOf = ({ html }: Page): string => load(html)("main").text();

async function operating() {
  const email = newEmail();
  const variables = { OPERATORS: `someone@example.com, ${email.toUpperCase()}` };
  const browser = await signedIn({ email }, newConsoleBrowser({}, variables));
  return { email, browser, open: (path = "") => browser.go(`${CONSOLE_URL}/operator${path}`) };
}

describe.for(ENTRIES.map((entry) => [entry.kind === "page" ? "GET" : "POST", entry.path, entry] as const))(
  "%s %s",
  ([, , entry]) => {
    test("does not exist for others", async ({ expect }) => {
      const owner = await owned();
      const path = entry.path.replace(/:\w+/, String(owner.id));
      const other = { OPERATORS: "someone@example.com" };
      const browsers = [newConsoleBrowser(), newConsoleBrowser({}, other), owner.browser];
      browsers.push(await signedIn({ email: newEmail(), project: owner.project.name }, newConsoleBrowser({}, other)));
      for (const browser of browsers) {
        const form = proofOf(await browser.go(`${CONSOLE_URL}/sign-in?again=1`));
        const fields = { form, currency: "EUR", most: "5", dollars: "5" };
        const answer = await (entry.kind === "page" ? peek(browser, path) : post(browser, path, fields));
        expect(answer.status).toBe(404);
      }
      const found = await env.DB.prepare("SELECT count(*) AS n FROM cost_ceilings WHERE project_id = ?").bind(owner.id);
      expect(await found.first<number>("n")).toBe(0);
    });
  },
);

describe("an operator", () => {
  test("sees the checks of the doctor, and the way to them", async ({ expect }) => {
    const { browser, open } = await operating();
    const page = await open();
    for (const part of ["Storage", "KV answers.", "AI models", "facebook (sandbox)"]) {
      expect(textOf(page)).toContain(part);
    }
    expect(callsOf(page)).toBeLessThanOrEqual(3);
    const home = await browser.go(`${CONSOLE_URL}/projects`);
    expect(load(home.html)('nav a[href="/console/operator"]').length).toBeGreaterThan(0);
    expect((await (await owned()).browser.go(`${CONSOLE_URL}/projects`)).html).not.toContain("/console/operator");
  });

  test("sees which rules were missed, here and among the checks, and that none was", async ({ expect }) => {
    await env.DB.prepare("DELETE FROM missed_rules").run();
    const { open } = await operating();
    expect(textOf(await open("/rules"))).toContain("No rule was missed.");
    expect(textOf(await open())).toContain("In the last week no platform refused a post that our rules allow.");
    const insert = env.DB.prepare("INSERT INTO missed_rules VALUES (?, ?, 'media_invalid', '100/36', ?, ?, 1, ?)");
    const call = "POST /{id}/photos";
    await env.DB.batch([
      insert.bind("facebook", call, "The picture has too many <b>pixels</b>", 7, Date.now() - 1_000),
      insert.bind("threads", call, "The video is too long", 1, Date.now() - 30 * 86_400_000),
    ]);
    const page = await open("/rules");
    for (const part of [
      "Facebook",
      call,
      "too many <b>pixels</b>",
      "media_invalid",
      "100/36",
      "7",
      "The video is too long",
    ])
      expect(textOf(page)).toContain(part);
    expect(page.html).not.toContain("<b>pixels");
    expect(callsOf(page)).toBeLessThanOrEqual(3);
    const checks = textOf(await open());
    expect(checks).toContain("facebook refused what our rules allow, 7 times");
    expect(checks).not.toContain("The video is too long");
  });

  test("retries a failing job and drops another, each with an entry in the project's log", async ({ expect }) => {
    const { browser, open, email } = await operating();
    const { project, channel } = await projectWith("twitter");
    const ids = [0, 1, 2].map((number) =>
      createPost(project, channel, {
        caption_text: `Post ${number}`,
        publish_mode: "scheduled",
        schedule_time: "2030-01-01 10:00",
        time_zone: "UTC",
      }),
    );
    const [retried = 0, dropped = 0, endless = 0] = await Promise.all(ids);
    const failing = "UPDATE jobs SET waiting_code = 'unexpected', waiting_for = '<b>x</b>', attempts = 3 WHERE key = ?";
    for (const id of [retried, dropped, endless]) await env.DB.prepare(failing).bind(`publish:${id}`).run();
    await env.DB.prepare("UPDATE jobs SET deadline_at = 253402300799000 WHERE key = ?")
      .bind(`publish:${endless}`)
      .run();
    const page = await open("/jobs");
    expect([textOf(page).includes(`publish:${retried}`), page.html.includes("<b>x")]).toEqual([true, false]);
    expect(callsOf(page)).toBeLessThanOrEqual(3);
    const form = (id: number, act: string) => formTo(page, `/jobs/${encodeURIComponent(`publish:${id}`)}/${act}`);
    expect(() => form(endless, "drop")).toThrow();
    const path = `/operator/jobs/publish:${endless}/drop`;
    expect(textOf(await post(browser, path, { form: proofOf(page) }))).toContain(
      "does not fail any more, or is running",
    );

    expect(textOf(await browser.send(form(retried, "retry")))).toContain("The job is sent.");
    await queuesIdle();
    expect(await findPost(project, retried)).toMatchObject({ STATUS: "published" });
    expect(textOf(await browser.send(form(dropped, "drop")))).toContain("The job is being ended.");
    await queuesIdle();
    expect(await findPost(project, dropped)).toMatchObject({
      STATUS: "failed",
      error: expect.stringContaining("deadline"),
    });
    expect(await findPost(project, endless)).toMatchObject({ STATUS: "scheduled" });
    expect((await browser.send(form(retried, "retry"))).status).toBe(404);
    const rows = await env.DB.prepare("SELECT action, state FROM audit_entries WHERE actor = ? ORDER BY id").bind(
      email,
    );
    expect((await rows.all()).results).toEqual([
      { action: "retryJob", state: "done" },
      { action: "dropJob", state: "done" },
    ]);
  });

  test("sees all projects, and sets their ceilings", async ({ expect }) => {
    const { browser, open, email } = await operating();
    const owner = await owned();
    const list = await open("/projects");
    for (const part of [owner.project.name, owner.email]) expect(textOf(list)).toContain(part);
    expect(callsOf(list)).toBeLessThanOrEqual(3);
    const page = await open(`/projects/${owner.id}`);
    expect(callsOf(page)).toBeLessThanOrEqual(3);
    const spend = formTo(page, "/spend");
    const refused = await browser.send(filled(spend, { currency: "euro", most: "-1" }));
    expect([refused.status, textOf(refused)]).toEqual([422, expect.stringContaining("Enter the code of a currency")]);
    expect(textOf(await browser.send(filled(spend, { currency: "eur", most: "70" })))).toContain("The ceiling is set.");
    const cost = await browser.send(filled(formTo(page, "/cost"), { dollars: "12" }));
    expect(textOf(cost)).toContain("The ceiling is 12.00 USD.");
    const stored = env.DB.prepare("SELECT most_minor FROM spend_ceilings WHERE project_id = ? AND currency = 'EUR'");
    expect(await stored.bind(owner.id).first("most_minor")).toBe(7_000);
    const log = await owner.browser.go(`${CONSOLE_URL}/projects/${owner.id}/audit`);
    for (const part of ["setSpendCeiling", "setCostCeiling", email]) expect(textOf(log)).toContain(part);
    expect((await open("/projects/999999")).status).toBe(404);
  });
});
