import { env } from "cloudflare:workers";
import { beforeAll, describe, test } from "vitest";
import { sweep } from "../../../src/entry/dispatch.ts";
import { createDeps } from "../../../src/service/deps.ts";
import { arm, disarm, makeBucketMortal, makeMortal } from "../../contract/mortal.ts";
import { makeBot } from "../../support/automations.ts";
import { advance } from "../../support/clock.ts";
import { costOf } from "../../support/costs.ts";
import { rowOf } from "../../support/databases.ts";
import { watchPageReads } from "../../support/page-reads.ts";
import { bindings, cron, queuesIdle } from "../../support/queue.ts";
import { uniquely } from "../../support/random.ts";
import { DAY, HOUR, MINUTE } from "../../support/times.ts";
import {
  type ChannelRef,
  call,
  createPost,
  door,
  ORIGIN,
  PAGES,
  type Project,
  projectWith,
} from "../../support/world.ts";
import { entriesOf } from "../../support/zip.ts";
import { copyOf, count, pagesOf, textOf } from "../timelines/old-posts.ts";
import { allAnswers, liveOf, restingOf, restSoon } from "./resting-posts.ts";

/** Old published posts are in the bucket, and every answer is the same as before. */

let project: Project;
let channel: ChannelRef;
let other: ChannelRef;
const operator = { "X-Operator-Key": env.OPERATOR_KEY, "Content-Type": "application/json" };

let pageReads: ReturnType<typeof watchPageReads>;
beforeAll(async () => {
  pageReads = watchPageReads();
  ({ project, channel } = await projectWith("twitter"));
  const [id = 0] = await project.connect("facebook", [PAGES.fern]);
  other = { channel_type: "facebook", channel_id: id };
});

const KINDS = [
  { caption_text: 'Old: "quoted", \\ and\nlines, ümläut, 🦊' },
  { caption_text: "Old with ids", external_id: "mine", metadata: { campaign: "1" } },
  { caption_text: "Old with the same id", external_id: "mine" },
  { caption_text: "Old and rejected #rejected" },
  { caption_text: "Old draft", publish_mode: "draft" },
] as const;

/** Posts that are old enough to rest, but for those that are not published. */
async function oldPosts(): Promise<number[]> {
  const ids: number[] = [];
  for (const [n, kind] of KINDS.entries()) {
    for (const of of n % 2 === 0 ? [channel, other] : [channel]) {
      ids.push(await createPost(project, of, { ...kind, caption_text: uniquely(kind.caption_text) }));
      await advance(7 * MINUTE);
    }
  }
  await queuesIdle();
  await advance(61 * DAY);
  return ids;
}

const queries = (): string[] => {
  const own = `channel_id=${channel.channel_id}`;
  const all = "channels=twitter,facebook";
  const until = encodeURIComponent(new Date(Date.now() - 30 * DAY).toISOString());
  return [
    all,
    `${all}&status=published`,
    `${all}&status=published,failed&include=content`,
    own,
    `${own}&status=published`,
    `${own}&status=draft`,
    `${all}&external_id=mine`,
    `${all}&external_id=mine&status=published&include=content`,
    `${all}&created_before=${until}`,
    `${all}&published_before=${until}&include=content`,
    `${own}&published_before=${until}`,
  ];
};

const published = (ids: readonly number[]) =>
  count("posts WHERE state = 'published' AND id IN (SELECT value FROM json_each(?))", JSON.stringify(ids));

test("the answers are the same byte for byte, whatever is asked, before and after", async ({ expect }) => {
  const ids = await oldPosts();
  const young = await createPost(project, channel, { caption_text: uniquely("Young") });
  await queuesIdle();
  const all = [...ids, young];
  const due = await published(ids);
  expect(due).toBeGreaterThan(3);
  const counters = "SELECT counts, waiting, bytes FROM post_counts ORDER BY project_id";
  const counted = (await env.DB.prepare(counters).all()).results;
  const asked = queries();
  const before = await allAnswers(project, all, asked);
  await cron();
  expect([await restingOf(ids), await liveOf(ids)]).toEqual([due, ids.length - due]);
  expect(await restingOf([young])).toBe(0);
  expect(await allAnswers(project, all, asked)).toEqual(before);
  expect((await env.DB.prepare(counters).all()).results).toEqual(counted);
  // Later ones join them, and timelines go to the archive meanwhile.
  await advance(61 * DAY);
  const later = await allAnswers(project, all, []);
  await createPost(project, other, { caption_text: uniquely("Newer"), publish_mode: "draft" });
  await restSoon();
  await cron();
  expect(await restingOf(all)).toBe(due + 1);
  expect(await allAnswers(project, all, [])).toEqual(later);
});

describe("a post at rest", () => {
  let ids: number[] = [];
  const resting = async () => {
    await restSoon();
    await cron();
    const { results } = await env.DB.prepare(
      "SELECT id FROM posts_at_rest WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id",
    )
      .bind(JSON.stringify(ids))
      .all<{ id: number }>();
    return results.map(({ id }) => id);
  };
  beforeAll(async () => {
    ids = await oldPosts();
  });

  test("costs one D1 call and one read of the bucket, a page of a list too", async ({ expect }) => {
    const [id = 0] = await resting();
    const list = `/social/get-posts?channels=twitter,facebook&limit=100`;
    const costs: unknown[] = [];
    for (const path of [`/social/post/${id}`, `/social/post/${id}?include=content`, `${list}&cursor=`, list]) {
      pageReads.count = 0;
      const { calls } = costOf(await project.call("GET", path));
      costs.push([calls, pageReads.count > 0 && pageReads.count <= 3]);
    }
    expect(costs).toEqual([
      [1, true],
      [1, true],
      [1, true],
      [1, true],
    ]);
    pageReads.count = 0;
    await project.call("GET", `/social/post/${id}`);
    expect(pageReads.count).toBe(1);
  });

  test("is deleted as if it were not, and is not found in other projects", async ({ expect }) => {
    const [id = 0] = await resting();
    const stranger = await projectWith("twitter");
    expect((await stranger.project.call("GET", `/social/post/${id}`)).status).toBe(404);
    expect((await stranger.project.call("DELETE", `/social/delete-post/${id}`)).status).toBe(404);
    expect(await restingOf([id])).toBe(1);
    const answer = await project.call("DELETE", `/social/delete-post/${id}`);
    expect(JSON.stringify(answer.body)).toContain("Post deletion has been initiated");
    await queuesIdle();
    expect((await project.call("GET", `/social/post/${id}`)).status).toBe(404);
    expect(await count("posts WHERE id = ? AND removal = 'done'", id)).toBe(1);
  });

  test("is taken back by an automation for it, and stays as long as that lives", async ({ expect }) => {
    const [id = 0] = await resting();
    const [of] = (
      await env.DB.prepare("SELECT channel_id AS id FROM posts_at_rest WHERE id = ?").bind(id).all<{ id: number }>()
    ).results;
    const before = await allAnswers(project, [id], []);
    const items = await env.DB.prepare("SELECT platform_posts ->> '$[0].id' AS item FROM posts WHERE id = ?");
    await makeBot(project, [{ ...channel, channel_id: of?.id ?? 0 } as ChannelRef], {
      target_type: "posts",
      post_ids: [id],
    });
    expect([await restingOf([id]), await liveOf([id])]).toEqual([0, 1]);
    expect(await count("recurring WHERE key = ?", `comments:${id}`)).toBe(1);
    expect(
      await count("publications WHERE post_id = ? AND platform_id = ?", id, await items.bind(id).first("item")),
    ).toBe(1);
    expect(await allAnswers(project, [id], [])).toEqual(before);
    await resting();
    expect(await restingOf([id])).toBe(0);
  });

  test("is in the export, and goes with its project", async ({ expect }) => {
    const left = await resting();
    expect(left.length).toBeGreaterThan(0);
    const body = JSON.stringify({ project: project.name });
    const answer = await door(
      new Request(`${ORIGIN}/internal/projects/export`, { method: "POST", headers: operator, body }),
    );
    const entries = entriesOf(new Uint8Array(await answer.arrayBuffer()));
    const linesOf = (name: string) => new TextDecoder().decode(entries.get(name)).trim().split("\n");
    const exported = linesOf("old-posts.jsonl").map((line) => JSON.parse(line));
    expect(exported.filter(({ id }) => left.includes(id)).map(({ state }) => state)).toEqual(
      left.map(() => "published"),
    );
    expect(Object.keys(exported[0])).toEqual(Object.keys(JSON.parse(linesOf("posts.jsonl")[0] ?? "{}")));
  });
});

test("a sweep or a deletion that dies at any call, or loses an answer, loses no post and counts none twice", async ({
  expect,
}) => {
  const mortal = await projectWith("facebook");
  const id = await createPost(mortal.project, mortal.channel, { caption_text: uniquely("Mortal") });
  await queuesIdle();
  // What copies are made of stays: a file waits for it.
  await env.DB.prepare("INSERT INTO file_uses (file_id, post_id) VALUES (0, ?)").bind(id).run();
  await advance(62 * DAY);
  makeMortal();
  makeBucketMortal();
  const walk = async () => {
    await restSoon();
    await sweep(createDeps(bindings, { test: true })).catch(() => undefined);
  };
  const total = async () => {
    const { body } = await mortal.project.call("GET", "/social/get-posts?channels=facebook&status=published");
    return (body as { posts: { total: number } }).posts.total;
  };
  let n = 0;
  let hasEnded = false;
  for (let at = 1; !hasEnded; at++) {
    for (const fate of at % 2 === 0 ? (["dies"] as const) : (["loses the answer"] as const)) {
      const copies = [await copyOf(id, ++n, []), await copyOf(id, ++n, [])];
      const before = await allAnswers(mortal.project, copies, ["channels=facebook"]);
      const was = await total();
      arm({ [at]: fate });
      await walk();
      hasEnded = disarm() < at;
      expect(await allAnswers(mortal.project, copies, ["channels=facebook"])).toEqual(before);
      await Promise.all([walk(), walk()]);
      expect(await allAnswers(mortal.project, copies, ["channels=facebook"])).toEqual(before);
      expect([at, await restingOf(copies), await liveOf(copies), await total()]).toEqual([at, 2, 0, was]);
    }
  }
  hasEnded = false;
  for (let at = 1; !hasEnded; at++) {
    const copy = await copyOf(id, ++n, []);
    await Promise.all([walk(), walk()]);
    const was = await total();
    expect(await restingOf([copy])).toBe(1);
    arm({ [at]: at % 2 === 0 ? "dies" : "loses the answer" });
    await mortal.project.call("DELETE", `/social/delete-post/${copy}`).catch(() => undefined);
    hasEnded = disarm() < at;
    expect((await restingOf([copy])) + (await liveOf([copy]))).toBe(1);
    const again = await mortal.project.call("DELETE", `/social/delete-post/${copy}`);
    expect([200, 404]).toContain(again.status);
    expect([at, await total()]).toEqual([at, was - 1]);
  }
  await advance(3 * DAY);
  await cron();
  await advance(2 * HOUR);
  await cron();
  await advance(3 * DAY);
  await cron();
  const prefixed = await pagesOf(mortal.project);
  const { results } = await env.DB.prepare(
    "SELECT DISTINCT name FROM posts_at_rest JOIN archive_pages ON archive_pages.id = page WHERE posts_at_rest.project_id = (SELECT id FROM projects WHERE name = ?)",
  )
    .bind(mortal.project.name)
    .all<{ name: string }>();
  const names = results.map(({ name }) => name).toSorted();
  expect(prefixed.toSorted().filter((name) => names.includes(name))).toEqual(names);
  expect(prefixed.length).toBeLessThanOrEqual(names.length + 1);
  const texts = await Promise.all(names.map(textOf));
  expect(texts.length).toBeGreaterThan(2);
  await call("POST", "/internal/projects/delete", {
    headers: operator,
    body: { id: (await rowOf(mortal.project)).id },
  });
  for (let minute = 0; minute < 40; minute++) {
    await advance(MINUTE);
    await cron();
    await queuesIdle(MINUTE);
  }
  expect(await count("posts_at_rest JOIN posts USING (id)")).toBe(0);
  expect(await pagesOf(mortal.project)).toEqual([]);
}, 240_000);
