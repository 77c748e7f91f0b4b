import { env } from "cloudflare:workers";
import { beforeAll, describe, test } from "vitest";
import { type Browser, formsOf, type Page } from "../support/browser.ts";
import { queuesIdle } from "../support/queue.ts";
import { sandbox } from "../support/sandbox.ts";
import { HOUR } from "../support/times.ts";
import { type ChannelRef, createPost, findPost, type Project, projectWith } from "../support/world.ts";
import { CONSOLE_URL, filled, formTo, newEmail, peek, signedIn } from "./console-browser.ts";

let project: Project;
let channel: ChannelRef;
let browser: Browser;
let id = 0;

beforeAll(async () => {
  const account = await sandbox.addAccount("twitter", `Posts ${crypto.randomUUID().slice(0, 6)}`);
  ({ project, channel } = await projectWith("twitter", account, { timeZone: "America/New_York" }));
  browser = await signedIn({ email: newEmail(), project: project.name });
  id = Number(/projects\/(\d+)/.exec((await browser.go(CONSOLE_URL)).url)?.[1]);
});

const open = (post: number): Promise<Page> => browser.go(`${CONSOLE_URL}/projects/${id}/posts/${post}`);
const list = (query = ""): Promise<Page> => browser.go(`${CONSOLE_URL}/projects/${id}/posts${query}`);
const create = (caption_text: string, body: object = {}) => createPost(project, channel, { caption_text, ...body });
const stateOf = async (post: number) => (await findPost(project, post)).STATUS;
const callsOf = ({ headers }: Page) => Number(/calls=(\d+)/.exec(headers.get("Server-Timing") ?? "")?.[1]);

/** The form of this mode. */
function formOfMode(page: Page, mode: string) {
  const form = formsOf(page).find(
    ({ action, fields }) =>
      action.endsWith("/schedule") && fields.some(({ name, value }) => name === "mode" && value === mode),
  );
  if (!form) throw new Error(`No form with ${mode} on ${page.url}.`);
  return form;
}

describe("the page of a post", () => {
  test("shows what is live, its timeline in the project's zone, declarations and the first comment", async ({
    expect,
  }) => {
    const body = { first_comment: "The first one", declared: { made_with_ai: true }, external_id: "order-7" };
    const [post, sibling] = [
      await create("Hello\nfrom here", body),
      await create("Hello again", { external_id: "order-7" }),
    ];
    await queuesIdle(HOUR);
    const page = await open(post);
    const { permalink = "?" } = await findPost(project, post);
    for (const text of [
      `href="${permalink}"`,
      `/posts/${sibling}"`,
      "Published",
      "Hello\nfrom here",
      "The first one",
      "Made with AI",
      "Live on the platform.",
      "Open in the sandbox",
    ])
      expect(page.html).toContain(text);
    const [, time = ""] = /<time datetime="([^"]+)"/.exec(page.html) ?? [];
    const inZone = new Intl.DateTimeFormat("en", { timeStyle: "short", timeZone: "America/New_York" });
    expect(page.html).toContain(inZone.format(new Date(time)).replace(/\s/g, " ").slice(0, 4));
    expect(callsOf(page)).toBeLessThanOrEqual(3);
  });

  test("shows the platform's answer to what it refused, without a secret", async ({ expect }) => {
    await sandbox.fault("twitter", "publish", "revoke_token", 1);
    const post = await create("Refused");
    await queuesIdle(HOUR);
    const page = await open(post);
    expect(page.html).toContain("Request and answer");
    expect(page.html).toMatch(/POST https?:\/\/[^<]*\/2\/tweets/);
    expect(page.html).not.toMatch(/Bearer|access_token/i);
    const sql = "SELECT account_id FROM channels WHERE id = ?";
    const account = (await env.DB.prepare(sql).bind(channel.channel_id).first<string>("account_id")) ?? "";
    await project.connect("twitter", [account]);
  });

  test("publishes a draft, once", async ({ expect }) => {
    const post = await create("From a draft", { publish_mode: "draft" });
    const form = formOfMode(await open(post), "now");
    const [first, second] = await Promise.all([browser.send(form), browser.send(form)]);
    expect([first.status, second.status].toSorted()).toEqual([200, 422]);
    await queuesIdle(HOUR);
    expect([await stateOf(post), (await sandbox.postsWith("From a draft")).length]).toEqual(["published", 1]);
  });

  test("sets a time in the project's zone, queues a post, and makes it a draft again", async ({ expect }) => {
    const post = await create("Planned", { publish_mode: "draft" });
    const year = new Date(Date.now()).getUTCFullYear() + 1;
    const page = await open(post);
    const bad = await browser.send(filled(formOfMode(page, "scheduled"), { at: "soon" }));
    expect([bad.status, bad.html.includes("must read YYYY-MM-DD HH:mm")]).toEqual([422, true]);
    const set = await browser.send(filled(formOfMode(page, "scheduled"), { at: `${year}-03-05T10:00` }));
    expect(set.html).toContain("The time is set.");
    const content = await project.call("GET", `/social/post/${post}?include=content`);
    expect(content.body).toMatchObject({
      post: { STATUS: "scheduled", scheduled_at: `${year}-03-05T15:00:00.000+00:00`, time_zone: "America/New_York" },
    });
    await browser.send(formOfMode(await open(post), "queued"));
    expect(await stateOf(post)).toBe("queued");
    await browser.send(formOfMode(await open(post), "draft"));
    expect(await stateOf(post)).toBe("draft");
  });

  test("deletes a live post at the platform, and is kept for a deleted one", async ({ expect }) => {
    const post = await create("To be deleted");
    await queuesIdle(HOUR);
    const done = await browser.send(formTo(await open(post), "/delete"));
    expect(done.html).toContain("Post deletion has been initiated");
    await queuesIdle(HOUR);
    expect(await sandbox.postsWith("To be deleted")).toEqual([]);
    const page = await open(post);
    expect([page.status, page.html.includes("This post was deleted."), page.html.includes("/delete")]).toEqual([
      200,
      true,
      false,
    ]);
  });

  test("has no buttons for a viewer", async ({ expect }) => {
    const post = await create("Only seen", { publish_mode: "draft" });
    const viewer = await signedIn({ email: newEmail(), project: project.name, role: "viewer" });
    const page = await viewer.go(`${CONSOLE_URL}/projects/${id}/posts/${post}`);
    expect(formsOf(page).map(({ action }) => new URL(action).pathname)).toEqual([
      "/console/sign-out",
      "/console/sign-out",
    ]);
  });
});

describe("the list of posts", () => {
  test("has the filters of get-posts", async ({ expect }) => {
    const post = await create("Filtered", { publish_mode: "draft", external_id: "order-9" });
    const other = await create("Something else", { publish_mode: "draft" });
    const shown = async (query: string) => {
      const { html } = await list(query);
      return [post, other].filter((one) => html.includes(`/posts/${one}"`));
    };
    expect(await shown("?status=draft")).toEqual([post, other]);
    expect(await shown("?status=failed")).toEqual([]);
    expect(await shown("?external_id=order-9")).toEqual([post]);
    expect(await shown("?channel_type=facebook")).toEqual([]);
    expect(await shown(`?channel_id=${channel.channel_id}&status=draft`)).toEqual([post, other]);
    expect((await list("?status=nonsense&created_from=x")).html).toContain("A filter is not valid");
    expect((await list("?cursor=forged")).status).toBe(200);
  });

  test("continues by its cursor, in at most two D1 calls beside the one for who", async ({ expect }) => {
    await env.DB.prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
       INSERT INTO posts (project_id, channel_id, channel_type, state, post_type, caption, media_urls, hash_tags, thread, publish_mode,
         time_zone, publish_at, platform_posts, created_at, updated_at)
       SELECT ?1, ?2, 'twitter', 'published', 'post', 'many', '[]', '[]', '[]', 'now', 'UTC', i, '[]', i, i FROM n`,
    )
      .bind(id, channel.channel_id)
      .run();
    const idsOf = ({ html }: Page) => [...html.matchAll(/\/posts\/(\d+)"/g)].map(([, post]) => post);
    const first = await list("?status=published");
    const [, next = ""] = /href="(\/console[^"]*cursor=[^"]+)"/.exec(first.html) ?? [];
    const second = await peek(browser, next.replace("/console", "").replaceAll("&amp;", "&"));
    expect([idsOf(first).length, idsOf(second).length]).toEqual([20, 20]);
    expect(idsOf(first).filter((post) => idsOf(second).includes(post))).toEqual([]);
    for (const page of [first, second]) {
      expect(callsOf(page)).toBeLessThanOrEqual(3);
      expect(Number(/rows_read=(\d+)/.exec(page.headers.get("Server-Timing") ?? "")?.[1])).toBeLessThan(400);
    }
  });
});
