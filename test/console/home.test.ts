import { env } from "cloudflare:workers";
import { beforeAll, describe, test } from "vitest";
import type { Browser, Page } from "../support/browser.ts";
import { advance } from "../support/clock.ts";
import { queuesIdle } from "../support/queue.ts";
import { sandbox } from "../support/sandbox.ts";
import { DAY, HOUR, MINUTE, wallClock } from "../support/times.ts";
import { type ChannelRef, call, createPost, type Project, projectWith } from "../support/world.ts";
import { CONSOLE_URL, formTo, newEmail, owned, signedIn } from "./console-browser.ts";

interface Desk {
  readonly project: Project;
  readonly channel: ChannelRef;
  readonly browser: Browser;
  readonly id: number;
  readonly url: string;
}

async function desk(): Promise<Desk> {
  const account = await sandbox.addAccount("twitter", `Home ${crypto.randomUUID().slice(0, 6)}`);
  const { project, channel } = await projectWith("twitter", account);
  const browser = await signedIn({ email: newEmail(), project: project.name });
  const { url } = await browser.go(CONSOLE_URL);
  return { project, channel, browser, id: Number(/projects\/(\d+)/.exec(url)?.[1]), url };
}

const run = (sql: string, ...values: unknown[]) =>
  env.DB.prepare(sql)
    .bind(...values)
    .run();
const isCalm = ({ html }: Page) => html.includes("Nothing needs attention.");
const costOf = (page: Page, name: string) =>
  Number(new RegExp(`${name}=(\\d+)`).exec(page.headers.get("Server-Timing") ?? "")?.[1]);

describe("the home page", () => {
  let one: Desk;
  beforeAll(async () => {
    one = await desk();
  });
  const open = () => one.browser.go(one.url);

  test("opens with a project that has a token, and says that nothing needs attention", async ({ expect }) => {
    const { browser } = await owned();
    const page = await browser.go(CONSOLE_URL);
    expect([/projects\/\d+$/.test(page.url), isCalm(page)]).toEqual([true, true]);
    expect(page.html).toMatch(/aria-current="page"[^>]*>(?:(?!<\/a>).)*Home/s);
  });

  test("shows a post that waits, with the reason and the time of the next attempt", async ({ expect }) => {
    await sandbox.fault("twitter", "publish", "credits_depleted", 1);
    const id = await createPost(one.project, one.channel, { caption_text: "Waits for credits" });
    await queuesIdle(10_000);
    const page = await open();
    expect(page.html).toContain(`/posts/${id}"`);
    for (const text of ["Waiting posts", "Waits for credits", "Next attempt", "<code>operator_action</code>"])
      expect(page.html).toContain(text);
    await queuesIdle(3 * HOUR);
    expect(isCalm(await open())).toBe(true);
  });

  test("shows posts of a paused queue", async ({ expect }) => {
    await createPost(one.project, one.channel, { caption_text: "Queued", publish_mode: "queued" });
    await run("UPDATE channels SET queue_paused_at = ? WHERE id = ?", Date.now(), one.channel.channel_id);
    expect((await open()).html).toContain("1 post waits until it is resumed.");
    await run("UPDATE channels SET queue_paused_at = NULL WHERE id = ?", one.channel.channel_id);
    expect(isCalm(await open())).toBe(true);
  });

  test("hides a failed post that is dismissed, that is 14 days old, or that a later post repeats", async ({
    expect,
  }) => {
    const fail = async (caption_text: string) => {
      await sandbox.fault("twitter", "publish", "revoke_token", 1);
      const id = await createPost(one.project, one.channel, { caption_text });
      await queuesIdle(HOUR);
      await one.project.connect("twitter", [await accountOf(one)]);
      return id;
    };
    const [first, second, third] = [await fail("Dismissed"), await fail("Repeated"), await fail("Old")];
    const shown = async () => {
      const { html } = await open();
      return [first, second, third].filter((id) => html.includes(`/posts/${id}"`));
    };
    expect(await shown()).toEqual([first, second, third]);
    await one.browser.send(formTo(await open(), `/posts/${first}/dismiss`));
    expect(await shown()).toEqual([second, third]);
    await createPost(one.project, one.channel, { caption_text: "Repeated" });
    await queuesIdle(HOUR);
    expect(await shown()).toEqual([third]);
    await advance(14 * DAY + MINUTE);
    await one.browser.go(`${CONSOLE_URL}/projects`);
    expect(await shown()).toEqual([]);
  });

  test("shows a channel that expires before its next post, a webhook, a campaign and limits", async ({ expect }) => {
    const two = await desk();
    const { project, channel, id } = two;
    const due = { publish_mode: "scheduled", time_zone: "UTC", schedule_time: wallClock(Date.now() + 6 * DAY) };
    await createPost(project, channel, { caption_text: "In six days", ...due });
    const end = Date.now() + 3 * DAY;
    await run(
      "UPDATE grants SET refresh_due_at = NULL, expires_at = ?, reconnect_by = ? WHERE channel_id = ?",
      end,
      end,
      channel.channel_id,
    );
    await run("UPDATE channels SET expiring_at = ? WHERE id = ?", Date.now() - 1, channel.channel_id);
    const webhook = await project.call("POST", "/social/create-webhook", {
      body: { url: "https://hooks.example.com/a" },
    });
    expect(webhook.status).toBe(200);
    await run(
      "UPDATE webhooks SET state = 'disabled', disabled_reason = 'gone', disabled_at = ? WHERE project_id = ?",
      Date.now(),
      id,
    );
    await run(
      `INSERT INTO campaigns (project_id, post_id, channel_id, platform, name, state, goal, terms, currency, decimals, reference, made, earlier,
         reason, created_at, updated_at) VALUES (?1, 1, 1, 'facebook', 'Spring', 'rejected', 'failed', '{"budgetType":"lifetime","budgetMinor":1,"days":1}', 'EUR', 2, ?2, '{}', '[]', 'Too much text.', ?3, ?3)`,
      id,
      crypto.randomUUID(),
      Date.now(),
    );
    await run(
      `INSERT INTO spending_requests (project_id, token_id, terms_hash, question, terms, state, created_at, expires_at)
       VALUES (?1, 1, 'a', 'Boost for 20 EUR?', '{}', 'pending', ?2, ?3), (?1, 1, 'b', 'An old one?', '{}', 'pending', 1, 2),
         (?1, 1, 'c', 'A denied one?', '{}', 'denied', ?2, ?3)`,
      id,
      Date.now(),
      Date.now() + HOUR,
    );
    await run("INSERT INTO file_bytes (project_id, bytes) VALUES (?, 1e15)", id);
    await call("POST", "/internal/cost-ceilings", {
      headers: { "X-Operator-Key": env.OPERATOR_KEY },
      body: { project: project.name, most: 1 },
    });
    await run(
      "INSERT INTO usage (project_id, month, service, micros, lines) VALUES (?, ?, 'facebook', 900000, '{}')",
      id,
      new Date(Date.now()).toISOString().slice(0, 7),
    );
    const { html } = await two.browser.go(two.url);
    for (const text of [
      "Expires soon",
      "cannot be renewed automatically",
      "Next post",
      "https://hooks.example.com/a",
      "permanently gone (410)",
      "Spring",
      "Too much text.",
      "Boost for 20 EUR?",
      "Uploaded files",
    ])
      expect(html).toContain(text);
    for (const text of ["An old one?", "A denied one?"]) expect(html).not.toContain(text);
    // Connecting the channel has cost something too.
    expect(html).toMatch(/0\.9\d USD of 1\.00 USD/);
    await run("DELETE FROM campaigns WHERE project_id = ?", id);
  });

  test("costs two D1 calls beside the one for who, and few rows, however much there is", async ({ expect }) => {
    const three = await desk();
    const post = await createPost(three.project, three.channel, { caption_text: "The first", publish_mode: "draft" });
    await run(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 6000)
       INSERT INTO posts (project_id, channel_id, channel_type, state, post_type, caption, caption_hash, media_urls, hash_tags, thread,
         publish_mode, time_zone, publish_at, platform_posts, error, error_code, created_at, updated_at)
       SELECT project_id, channel_id, channel_type, CASE i % 3 WHEN 0 THEN 'failed' WHEN 1 THEN 'scheduled' ELSE 'published' END, post_type,
         caption, CASE i % 2 WHEN 0 THEN caption_hash ELSE i END, '[]', '[]', '[]', 'now', 'UTC', publish_at + i, '[]', 'It failed.', 'unexpected',
         created_at + i, updated_at + i FROM posts, n WHERE posts.id = ?`,
      post,
    );
    const page = await three.browser.go(three.url);
    expect(page.html).toContain("It failed.");
    expect(page.html).toContain("See all");
    expect(costOf(page, "calls")).toBeLessThanOrEqual(3);
    expect(costOf(page, "rows_read")).toBeLessThan(1_200);
    await run("DELETE FROM posts WHERE project_id = ?", three.id);
  });
});

async function accountOf({ channel }: Desk): Promise<string> {
  const sql = "SELECT account_id FROM channels WHERE id = ?";
  return (await env.DB.prepare(sql).bind(channel.channel_id).first<string>("account_id")) ?? "";
}
