import { env } from "cloudflare:workers";
import { beforeAll, describe, test } from "vitest";
import { sweep } from "../../../src/entry/dispatch.ts";
import { createDeps } from "../../../src/service/deps.ts";
import { CONSOLE_URL, owned } from "../../console/console-browser.ts";
import { arm, disarm, makeBucketMortal, makeMortal } from "../../contract/mortal.ts";
import { advance } from "../../support/clock.ts";
import { costOf, costsOf } from "../../support/costs.ts";
import { rowOf } from "../../support/databases.ts";
import { watchPageReads } from "../../support/page-reads.ts";
import { bindings, cron, queuesIdle } from "../../support/queue.ts";
import { happens, oneOf, type Random, seededRandom, uniquely, whole } from "../../support/random.ts";
import { DAY, HOUR, MINUTE } from "../../support/times.ts";
import {
  type ChannelRef,
  call,
  createPost,
  door,
  HANDLES,
  ORIGIN,
  type Project,
  projectWith,
} from "../../support/world.ts";
import { entriesOf } from "../../support/zip.ts";
import { answersOf, copyOf, count, eventsOf, movedOf, pagesOf, textOf } from "./old-posts.ts";

/** Timelines of old posts are in the bucket, and every answer is the same as before. */

let pageReads: ReturnType<typeof watchPageReads>;
beforeAll(() => {
  pageReads = watchPageReads();
});

/** Posts of many kinds and ends, some of which were changed or deleted on the way. */
async function anyPosts(random: Random, project: Project, channel: ChannelRef, most: number): Promise<number[]> {
  const ids: number[] = [];
  for (let n = 0; n < most; n++) {
    const text = uniquely("Archived");
    const labels = happens(random, 0.5) ? { external_id: `mine-${n}`, metadata: { campaign: `${n}` } } : {};
    const fault = happens(random, 0.2) ? " #rejected" : "";
    const kinds = [{ publish_mode: "now" }, { publish_mode: "now" }, { publish_mode: "draft" }] as const;
    const kind = oneOf(random, kinds);
    const id = await createPost(project, channel, { ...kind, ...labels, caption_text: `${text}${fault}` });
    ids.push(id);
    if (kind.publish_mode === "draft" && happens(random, 0.7)) {
      const changes = { caption_text: `${text} changed`, ...(happens(random, 0.7) ? { publish_mode: "now" } : {}) };
      await project.call("PATCH", `/social/update-post/${id}`, { body: changes });
    }
    if (happens(random, 0.3)) await queuesIdle();
    if (happens(random, 0.1)) await project.call("DELETE", `/social/delete-post/${id}`);
    if (happens(random, 0.3)) await advance(whole(random, 1, 120) * MINUTE);
  }
  await queuesIdle();
  return ids;
}

test("an idle sweep after the move costs no more than before", async ({ expect }) => {
  const { project, channel } = await projectWith("facebook");
  await createPost(project, channel, { caption_text: uniquely("Idle") });
  await queuesIdle();
  await advance(15 * DAY);
  await costsOf(sweep);
  await queuesIdle();
  const idle = await costsOf(sweep);
  expect(idle.d1Calls).toBeLessThanOrEqual(3);
  expect(idle.d1RowsWritten).toBe(0);
});

test.for([1, 2])("the answers about old posts are the same byte for byte: seed %i", async (seed, { expect }) => {
  const random = seededRandom(seed);
  const { project, channel } = await projectWith(oneOf(random, ["twitter", "facebook"]));
  const ids = await anyPosts(random, project, channel, 10);
  await advance(15 * DAY);
  const before = await answersOf(project, ids);
  await cron();
  const published = JSON.stringify(ids);
  const due = await count("posts WHERE state = 'published' AND id IN (SELECT value FROM json_each(?))", published);
  expect(due).toBeGreaterThan(2);
  expect(await movedOf(ids)).toBe(due);
  expect(await answersOf(project, ids)).toEqual(before);
  // Again a day later, with what happens to some of them.
  for (const id of ids) if (happens(random, 0.3)) await project.call("DELETE", `/social/delete-post/${id}`);
  await queuesIdle();
  await advance(DAY + HOUR);
  const later = await answersOf(project, ids);
  await cron();
  expect(await answersOf(project, ids)).toEqual(later);
});

describe("the timeline of an old post", () => {
  test("costs one D1 call and one read of the bucket, and none of the bucket while it is young", async ({ expect }) => {
    const { project, channel } = await projectWith("facebook");
    const id = await createPost(project, channel, { caption_text: uniquely("Read") });
    await queuesIdle();
    const paths = [`/social/get-post-events/${id}`, `/social/explain-post/${id}`];
    const costs = async () => {
      const found: unknown[] = [];
      for (const path of paths) {
        pageReads.count = 0;
        const { calls } = costOf(await project.call("GET", path));
        found.push({ calls, reads: pageReads.count });
      }
      return found;
    };
    expect(await costs()).toEqual([
      { calls: 1, reads: 0 },
      { calls: 1, reads: 0 },
    ]);
    await advance(15 * DAY);
    await cron();
    expect(await eventsOf([id])).toBe(0);
    expect(await costs()).toEqual([
      { calls: 1, reads: 1 },
      { calls: 1, reads: 1 },
    ]);
  });

  test("goes on after its beginning was moved, and leaves the bucket with the post", async ({ expect }) => {
    const { project, channel } = await projectWith("facebook");
    // The newest post of all is never purged.
    const deleted = await createPost(project, channel, { caption_text: uniquely("Deleted") });
    const kept = await createPost(project, channel, { caption_text: uniquely("Kept") });
    await queuesIdle();
    await advance(15 * DAY);
    await cron();
    expect(await eventsOf([kept, deleted])).toBe(0);
    await project.call("DELETE", `/social/delete-post/${deleted}`);
    await queuesIdle();
    const answer = JSON.stringify((await project.call("GET", `/social/get-post-events/${deleted}`)).body);
    const types = [...answer.matchAll(/"type":"post\.(\w+)"/g)].map(([, type]) => type);
    expect(types).toEqual(["created", "processing", "published", "deleted", "removed"]);
    const names = await pagesOf(project);
    expect(names).toHaveLength(1);
    await advance(31 * DAY);
    const before = await answersOf(project, [kept]);
    await cron();
    expect((await project.call("GET", `/social/get-post-events/${deleted}`)).status).toBe(404);
    await advance(2 * HOUR);
    await cron();
    // For two days the page as it was stays beside the one without the post.
    expect(await pagesOf(project)).toHaveLength(2);
    expect(await answersOf(project, [kept])).toEqual(before);
    await advance(3 * DAY);
    await cron();
    const [left = "", ...others] = await pagesOf(project);
    expect(others).toEqual([]);
    expect(names).not.toContain(left);
    const text = await textOf(left);
    expect(text).toContain(`"${kept}":`);
    expect(text).not.toContain(`"${deleted}":`);
  });

  test("ends after 180 days, with its page", async ({ expect }) => {
    const { project, channel } = await projectWith("facebook");
    const id = await createPost(project, channel, { caption_text: uniquely("Old") });
    await queuesIdle();
    await advance(15 * DAY);
    await cron();
    const [page = ""] = await pagesOf(project);
    await advance(166 * DAY);
    expect((await project.call("GET", `/social/get-post-events/${id}`)).body).toMatchObject({ events: [] });
    await cron();
    // The post itself is at rest by now, on a page of its own.
    expect(await pagesOf(project)).not.toContain(page);
    expect(await pagesOf(project)).toHaveLength(1);
    expect((await project.call("GET", `/social/get-post-events/${id}`)).body).toMatchObject({ events: [] });
  });

  test("is in the export of its project, and goes with it", async ({ expect }) => {
    const { project, channel } = await projectWith("facebook");
    const id = await createPost(project, channel, { caption_text: uniquely("Taken along") });
    await queuesIdle();
    const operator = { "X-Operator-Key": env.OPERATOR_KEY, "Content-Type": "application/json" };
    const body = JSON.stringify({ project: project.name });
    const exported = async () => {
      const url = `${ORIGIN}/internal/projects/export`;
      const answer = await door(new Request(url, { method: "POST", headers: operator, body }));
      const entries = entriesOf(new Uint8Array(await answer.arrayBuffer()));
      const linesOf = (name: string) => new TextDecoder().decode(entries.get(name)).split("\n");
      const isOwn = (line: string) => line.includes(`"subject":"post","subject_id":${id},`);
      return { old: linesOf("old-timelines.jsonl").filter(isOwn), young: linesOf("timelines.jsonl").filter(isOwn) };
    };
    const before = await exported();
    expect([before.old.length, before.young.length]).toEqual([0, 3]);
    await advance(15 * DAY);
    await cron();
    expect(await exported()).toEqual({ old: before.young, young: [] });
    expect(await pagesOf(project)).toHaveLength(1);
    const prefix = (await pagesOf(project))[0]?.replace(/[^/]+$/, "") ?? "?";
    await call("POST", "/internal/projects/delete", { headers: operator, body: { id: (await rowOf(project)).id } });
    for (let minute = 0; minute < 40; minute++) {
      await advance(MINUTE);
      await cron();
      await queuesIdle(MINUTE);
    }
    expect((await env.FILES.list({ prefix })).objects).toEqual([]);
    expect(await count("archive_pages WHERE name LIKE ?", `${prefix}%`)).toBe(0);
  });

  test("is on the console's page of the post", async ({ expect }) => {
    const { project, browser, id: projectId } = await owned();
    const [channelId = 0] = await project.connect("twitter", [HANDLES.fern]);
    const channel = { channel_type: "twitter", channel_id: channelId } as const;
    const id = await createPost(project, channel, { caption_text: uniquely("Shown") });
    await queuesIdle();
    const pageOf = async () => (await browser.go(`${CONSOLE_URL}/projects/${projectId}/posts/${id}`)).html;
    await advance(15 * DAY);
    const timelineOf = (html: string) => html.slice(html.indexOf("<main"), html.indexOf("</main>"));
    const before = await pageOf();
    expect(before).toContain("Publishing has begun");
    await cron();
    expect(await eventsOf([id])).toBe(0);
    const strip = (html: string) => timelineOf(html).replace(/value="[^"]*"/g, "");
    expect(strip(await pageOf())).toBe(strip(before));
  });
});

test("a sweep that dies at any call, or loses an answer, loses no timeline and leaves no page behind", async ({
  expect,
}) => {
  const { project, channel } = await projectWith("facebook");
  const id = await createPost(project, channel, { caption_text: uniquely("Mortal") });
  await queuesIdle();
  const { results: timeline } = await env.DB.prepare("SELECT * FROM events WHERE subject = 'post' AND subject_id = ?")
    .bind(id)
    .all();
  await advance(16 * DAY);
  makeMortal();
  makeBucketMortal();
  const walk = async () => {
    await env.DB.prepare("DELETE FROM sweep_notes WHERE name = 'timelines'").run();
    await sweep(createDeps(bindings, { test: true })).catch(() => undefined);
  };
  let n = 0;
  let hasEnded = false;
  for (let at = 1; !hasEnded; at++) {
    for (const fate of ["dies", "loses the answer"] as const) {
      const copies = [await copyOf(id, ++n, timeline), await copyOf(id, ++n, timeline)];
      const before = await answersOf(project, copies);
      expect(before[0]).toContain("post.published");
      arm({ [at]: fate });
      await walk();
      hasEnded = disarm() < at;
      expect(await answersOf(project, copies)).toEqual(before);
      // Once more, unharmed, beside one that is as fast.
      await Promise.all([walk(), walk()]);
      expect(await answersOf(project, copies)).toEqual(before);
      expect([at, await movedOf(copies), await eventsOf(copies)]).toEqual([at, 2, 0]);
    }
  }
  await advance(3 * DAY);
  await cron();
  const own = "project_id = (SELECT id FROM projects WHERE name = ?)";
  const used = await env.DB.prepare(
    `SELECT DISTINCT archive_pages.name FROM posts JOIN archive_pages ON archive_pages.id = timeline_page WHERE posts.${own}`,
  )
    .bind(project.name)
    .all<{ name: string }>();
  const names = used.results.map((row) => row.name).toSorted();
  expect(names.length).toBeGreaterThan(3);
  expect((await pagesOf(project)).toSorted()).toEqual(names);
  expect(await count(`archive_pages WHERE ${own}`, project.name)).toBe(names.length);
}, 120_000);
