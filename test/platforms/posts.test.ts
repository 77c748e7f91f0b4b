import { env } from "cloudflare:workers";
import { afterEach, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import type { Permalinks, ReadPermalink } from "../../src/platforms/publishing.ts";
import { findPlatform } from "../../src/platforms/registry.ts";
import { quiet, requests } from "../support/between.ts";
import { advance } from "../support/clock.ts";
import { cron, queuesIdle } from "../support/queue.ts";
import { media, sandbox } from "../support/sandbox.ts";
import { MINUTE, wallClock } from "../support/times.ts";
import { type ChannelRef, createPost, findPost, PAGES, type Project, projectWith } from "../support/world.ts";

/**
 * What an adapter is given of a post, and what is kept of the post that is live then: its ids and its
 * address.
 */
const known = findPlatform("facebook");
if (!known) throw new Error("Facebook has an adapter.");
const facebook = known;

let project: Project;
let page: ChannelRef;
beforeAll(async () => {
  quiet();
  ({ project, channel: page } = await projectWith("facebook"));
});
afterEach(async () => {
  quiet();
  vi.restoreAllMocks();
  // The posts of one test are not looked up in the next.
  await env.DB.prepare("DELETE FROM recurring WHERE kind = 'permalink'").run();
});

const Events = z.object({ events: z.array(z.object({ type: z.string(), message: z.string() })) });

async function createReel(mark: string): Promise<number> {
  return createPost(project, page, { post_type: "reel", caption_text: mark, media_urls: [media("reel.mp4")] });
}

async function remove(id: number): Promise<void> {
  expect((await project.call("DELETE", `/social/delete-post/${id}`)).status).toBe(200);
  await queuesIdle();
}

/** The only live post of the row. */
const storedPost = (id: number) =>
  env.DB.prepare(
    "SELECT platform_posts ->> '$[0].id' AS id, platform_posts ->> '$[0].secondaryId' AS secondaryId FROM posts WHERE id = ?",
  )
    .bind(id)
    .first<{ id: string; secondaryId: string | null }>();

/** Whose path ends in an id. */
const deletions = () => requests("DELETE").map((request) => request.split("?")[0]?.split("/").at(-1));

test("a reel is kept with its video's own id, and deleted by it", async () => {
  const mark = crypto.randomUUID();
  const id = await createReel(mark);
  await queuesIdle();
  const stored = await storedPost(id);
  expect((await findPost(project, id)).permalink).toContain(`/reel/${stored?.secondaryId}`);
  expect(stored?.id).not.toBe(stored?.secondaryId);
  await remove(id);
  expect(deletions()).toEqual([stored?.secondaryId]);
  expect(await sandbox.postsWith(mark)).toEqual([]);
});

test("post_extra arrives in the adapter, with its defaults, also after the post was changed", async () => {
  const prepare = vi.spyOn(facebook.posts, "prepare");
  const extra = { title: "Opening day", category: 27, privacyStatus: "unlisted" };
  await createPost(project, page, { caption_text: crypto.randomUUID(), post_extra: extra });
  await createPost(project, page, { caption_text: crypto.randomUUID(), post_extra: { title: "Bread" } });
  await createPost(project, page, { caption_text: crypto.randomUUID() });
  await queuesIdle();
  const later = { publish_mode: "scheduled", schedule_time: wallClock(Date.now() + 5 * MINUTE), time_zone: "UTC" };
  const changed = await createPost(project, page, { ...later, caption_text: "before", post_extra: extra });
  const change = { body: { caption_text: crypto.randomUUID() } };
  expect((await project.call("PUT", `/social/update-post/${changed}`, change)).status).toBe(200);
  await advance(6 * MINUTE);
  await cron();
  await queuesIdle();
  expect(prepare.mock.calls.map(([, content]) => content.extra)).toEqual([
    extra,
    { title: "Bread", category: 22, privacyStatus: "public" },
    null,
    extra,
  ]);
});

test.for([
  { shown: "never" },
  { shown: "later", forSeconds: 3600, read: async () => ({ kind: "not_yet" }) },
] satisfies Permalinks[])("an address that is reported $shown does not hold a post back", async (declared) => {
  const read = "read" in declared ? vi.spyOn(declared, "read") : undefined;
  vi.spyOn(facebook.posts, "permalink", "get").mockReturnValue(declared);
  const id = await createPost(project, page, { caption_text: crypto.randomUUID() });
  await queuesIdle(0);
  const { STATUS, permalink } = await findPost(project, id);
  expect({ STATUS, permalink }).toEqual({ STATUS: "published", permalink: undefined });
  expect(read?.mock.calls ?? []).toEqual([]);
});

/** The sweeps and their messages of so many minutes. */
async function minutes(count: number): Promise<void> {
  for (let minute = 0; minute < count; minute++) {
    await advance(MINUTE);
    await cron();
    await queuesIdle(0);
  }
}

test("an address that comes later is found, with the ids that come with it, and then not polled any more", async () => {
  const late = { id: "104_late", secondaryId: "77", permalink: "https://www.facebook.com/104/late" };
  const read = vi
    .fn<ReadPermalink>()
    .mockResolvedValueOnce({ kind: "not_yet" })
    .mockResolvedValueOnce({ kind: "failed", reason: "down", message: "Facebook is down." })
    .mockResolvedValue({ kind: "found", post: late });
  vi.spyOn(facebook.posts, "permalink", "get").mockReturnValue({ shown: "later", forSeconds: 86_400, read });
  const id = await createPost(project, page, { caption_text: crypto.randomUUID() });
  await queuesIdle(0);
  expect(read).toHaveBeenCalledTimes(0);
  await minutes(10);
  expect(await findPost(project, id)).toMatchObject({ STATUS: "published", permalink: late.permalink });
  expect(await storedPost(id)).toEqual({ id: late.id, secondaryId: late.secondaryId });
  await minutes(10);
  expect(read).toHaveBeenCalledTimes(3);
});

test("a platform is polled for an address as long as it documents, and one that never reports it not at all", async () => {
  const read = vi.fn<ReadPermalink>(async () => ({ kind: "not_yet" }));
  const declared = vi.spyOn(facebook.posts, "permalink", "get");
  const tasks = () => env.DB.prepare("SELECT count(*) AS n FROM recurring WHERE kind = 'permalink'").first("n");
  declared.mockReturnValue({ shown: "later", forSeconds: 240, read });
  await createPost(project, page, { caption_text: crypto.randomUUID() });
  await queuesIdle(0);
  expect(await tasks()).toBe(1);
  await minutes(10);
  expect(read).toHaveBeenCalledTimes(2);
  expect(await tasks()).toBe(0);
  declared.mockReturnValue({ shown: "never" });
  await createPost(project, page, { caption_text: crypto.randomUUID() });
  await queuesIdle(0);
  expect(await tasks()).toBe(0);
});

test("an address that is reported at once is read a few times, and then left out", async () => {
  const read = vi.fn(async () => ({ kind: "not_yet" }) as const);
  vi.spyOn(facebook.posts, "permalink", "get").mockReturnValue({ shown: "at_once", read });
  const id = await createPost(project, page, { caption_text: crypto.randomUUID() });
  await queuesIdle(0);
  expect((await findPost(project, id)).STATUS).toBe("processing");
  await queuesIdle();
  expect(await findPost(project, id)).toMatchObject({ STATUS: "published" });
  expect(read).toHaveBeenCalledTimes(4);
});

/** For this test facebook has no call to delete. */
function withoutRemove(): void {
  const { remove } = facebook.posts;
  Reflect.deleteProperty(facebook.posts, "remove");
  onTestFinished(() => void Object.assign(facebook.posts, { remove }));
}

test("where a platform has no call to delete, the answer asks the owner to do it there, once", async () => {
  const mark = crypto.randomUUID();
  withoutRemove();
  const id = await createPost(project, page, { caption_text: mark });
  await queuesIdle();
  const answer = await project.call("DELETE", `/social/delete-post/${id}`);
  expect(answer).toMatchObject({
    status: 200,
    body: { message: expect.stringContaining("Delete it in the platform's app") },
  });
  await queuesIdle();
  // A new connection resumes the deletions that are possible.
  await project.connect("facebook", [PAGES.fern]);
  await queuesIdle();
  const events = await project.call("GET", `/social/get-post-events/${id}`);
  expect(Events.parse(events.body).events.filter(({ type }) => type.startsWith("post.remov"))).toEqual([
    {
      type: "post.removal_failed",
      message: "Deleted here; facebook has no API call to delete it. Delete it in the platform's app.",
    },
  ]);
  expect(await sandbox.postsWith(mark)).toHaveLength(1);
  expect(deletions()).toEqual([]);
});
