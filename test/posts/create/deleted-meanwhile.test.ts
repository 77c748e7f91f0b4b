import { env } from "cloudflare:workers";
import { beforeAll, beforeEach, type ExpectStatic, test, vi } from "vitest";
import { z } from "zod";
import { CONSOLE_URL, formTo, newConsoleBrowser, newEmail, signedIn } from "../../console/console-browser.ts";
import { arm, disarm, makeMortal } from "../../contract/mortal.ts";
import { answering, quiet } from "../../support/between.ts";
import { advance, advanceTo } from "../../support/clock.ts";
import { cron, queue, queuesIdle } from "../../support/queue.ts";
import { HOUR, MINUTE, wallClock } from "../../support/times.ts";
import { API, type ChannelRef, createPost, door, type Project, projectWith } from "../../support/world.ts";

/**
 * What makes posts, deleted at each D1 call or request of its run: it makes no post after the deletion.
 * (test/support/guards.ts tries the same for each guard of every test.)
 */
let project: Project;
let channel: ChannelRef<"facebook">;
const served = new Map<string, string>();

beforeAll(async () => {
  ({ project, channel } = await projectWith("facebook"));
  makeMortal();
  const reach = globalThis.fetch;
  globalThis.fetch = async (input, init) => {
    const { host, pathname } = new URL(input instanceof Request ? input.url : String(input));
    return host === "feeds.example.com" ? new Response(served.get(pathname)) : reach(input, init);
  };
});
beforeEach(() => {
  queue.loseAll();
  vi.spyOn(console, "error").mockImplementation(() => {});
});

const MOST_EVENTS = 30;
const countPosts = (label: string) =>
  env.DB.prepare("SELECT count(*) AS n FROM posts WHERE external_id = ?").bind(label).first<number>("n");

interface Maker {
  /** Of its posts. */
  readonly label: string;
  readonly run: () => Promise<unknown>;
  /** True if it was still there. */
  readonly remove: () => Promise<boolean>;
}

/**
 * Deletes one maker at the first event of its run, another at the second, and so on until a run has no more.
 */
async function attack(expect: ExpectStatic, newMaker: () => Promise<Maker>): Promise<void> {
  const flaws: string[] = [];
  let hits = 0;
  for (let at = 1; at <= MOST_EVENTS; at++) {
    const { label, run, remove } = await newMaker();
    let before: number | null = null;
    arm({
      [at]: async () => {
        before = (await remove()) ? await countPosts(label) : null;
      },
    });
    await run();
    const events = disarm();
    if (before !== null) {
      hits += 1;
      const after = await countPosts(label);
      if (after !== before) flaws.push(`deleted at event ${at}: ${before} posts then, ${after} afterwards`);
    }
    if (events < at) break;
  }
  expect(flaws).toEqual([]);
  expect(hits).toBeGreaterThan(2);
}

const templateOf = (label: string) => ({
  ...channel,
  post_type: "post",
  media_urls: [],
  caption_text: "x",
  external_id: label,
});
const remove = async (path: string) => (await project.call("DELETE", path)).status === 200;

test("a series that is deleted while it runs makes no post", { timeout: 300_000 }, async ({ expect }) => {
  const Made = z.object({ series: z.object({ series_id: z.number(), next_at: z.string() }) });
  await attack(expect, async () => {
    const label = crypto.randomUUID();
    const start_time = wallClock(Math.ceil((Date.now() + 30 * MINUTE) / MINUTE) * MINUTE);
    const body = { rule: "FREQ=DAILY", start_time, time_zone: "UTC", post: templateOf(label) };
    const { series } = Made.parse((await project.call("POST", "/social/create-series", { body })).body);
    await advanceTo(Date.parse(series.next_at) - 9 * MINUTE);
    await cron();
    const path = `/social/delete-series/${series.series_id}`;
    return { label, run: () => queuesIdle(0), remove: () => remove(path) };
  });
});

test("a feed that is deleted while it is read makes no post", { timeout: 300_000 }, async ({ expect }) => {
  const Made = z.object({ feed: z.object({ feed_id: z.number() }) });
  const item = (id: string) =>
    `<item><guid>${id}</guid><title>${id}</title><link>https://blog.example.com</link></item>`;
  await attack(expect, async () => {
    const label = crypto.randomUUID();
    served.set(`/${label}`, `<rss><channel>${item("old")}</channel></rss>`);
    const url = `https://feeds.example.com/${label}`;
    const body = { url, publish_mode: "draft", posts: [templateOf(label)] };
    const { feed } = Made.parse((await project.call("POST", "/social/create-feed", { body })).body);
    await advance(MINUTE);
    await cron();
    await queuesIdle(0);
    served.set(`/${label}`, `<rss><channel>${item("new")}${item("old")}</channel></rss>`);
    await advance(13 * HOUR);
    await cron();
    return { label, run: () => queuesIdle(0), remove: () => remove(`/social/delete-feed/${feed.feed_id}`) };
  });
});

test("an import whose row is gone creates no post", { timeout: 300_000 }, async ({ expect }) => {
  const Made = z.object({ import: z.object({ import_id: z.number() }) });
  await attack(expect, async () => {
    const label = crypto.randomUUID();
    const csv = `channel_id,caption_text,external_id\n${channel.channel_id},a,${label}\n${channel.channel_id},b,${label}`;
    const headers = {
      Authorization: `Bearer ${project.token}`,
      "Content-Type": "text/csv",
      "Content-Length": String(csv.length),
    };
    const sent = await door(new Request(`${API}/social/import-posts`, { method: "POST", headers, body: csv }));
    const id = Made.parse(await sent.json()).import.import_id;
    await project.call("POST", `/social/start-import/${id}`, { body: {} });
    // No request deletes an import, but its project's end and its age do.
    const forget = async () => {
      const { meta } = await env.DB.prepare("DELETE FROM imports WHERE id = ?").bind(id).run();
      return meta.changes > 0;
    };
    return { label, run: () => queuesIdle(0), remove: forget };
  });
});

const refusal = () =>
  Response.json({ error: { message: "Invalid parameter", type: "OAuthException", code: 100 } }, { status: 400 });

test("a failed post that is deleted meanwhile is not posted again", { timeout: 300_000 }, async ({ expect }) => {
  const browser = await signedIn({ email: newEmail(), project: project.name }, newConsoleBrowser());
  const home = (await browser.go(CONSOLE_URL)).url.replace(/\/(tokens|members)$/, "");
  await attack(expect, async () => {
    const label = crypto.randomUUID();
    answering(({ method, url }) => (method === "POST" && url.endsWith("/feed") ? refusal() : null));
    const id = await createPost(project, channel, { caption_text: label, external_id: label });
    await queuesIdle(24 * HOUR);
    quiet();
    const form = formTo(await browser.go(home), `/posts/${id}/copy`);
    return { label, run: () => browser.send(form), remove: () => remove(`/social/delete-post/${id}`) };
  });
});
