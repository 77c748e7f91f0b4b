import { env } from "cloudflare:workers";
import { describe, test } from "vitest";
import { advance } from "../support/clock.ts";
import { cron, queuesIdle } from "../support/queue.ts";
import { sandbox } from "../support/sandbox.ts";
import { DAY } from "../support/times.ts";
import { isServed, largeVideo, sample, uploaded } from "../support/uploads.ts";
import { createPost, findPost, Project, projectWith } from "../support/world.ts";

/**
 * Posts of uploaded files. Nothing serves `https://belfry.test` to the service itself: what it reads of them
 * it reads in the bucket.
 */

/** A day passes with its sweeps, as often as that. */
async function days(count: number): Promise<void> {
  await advance(Math.round(count * DAY));
  await cron();
}

describe("a post of uploaded files", () => {
  test.for(["facebook", "twitter"] as const)("is published on %s", async (platform, { expect }) => {
    const { project, channel } = await projectWith(platform);
    const { url } = await uploaded(project, await sample("square.png"));
    const mark = crypto.randomUUID();
    const id = await createPost(project, channel, { caption_text: mark, media_urls: [url] });
    await queuesIdle();
    expect(await findPost(project, id)).toMatchObject({ STATUS: "published" });
    expect((await sandbox.postsWith(mark)).map(({ media }) => media.length)).toEqual([1]);
  });

  test.for(["facebook", "twitter"] as const)(
    "with a large video is published on %s, read by range",
    async (platform, { expect }) => {
      const { project, channel } = await projectWith(platform);
      const { url } = await uploaded(project, await largeVideo(12 * 1024 * 1024));
      const mark = crypto.randomUUID();
      const id = await createPost(project, channel, { caption_text: mark, media_urls: [url] });
      await queuesIdle();
      expect(await findPost(project, id)).toMatchObject({ STATUS: "published" });
      expect(await sandbox.postsWith(mark)).toHaveLength(1);
    },
  );

  test("is checked like any other", async ({ expect }) => {
    const { project, channel } = await projectWith("twitter");
    const { url, bytes } = await uploaded(project, await sample("square.png"));
    const body = { ...channel, post_type: "post", publish_mode: "now", caption_text: "x", media_urls: [url] };
    expect(await project.call("POST", "/social/validate-post", { body })).toMatchObject({
      status: 200,
      body: { items: [{ media: [{ url, bytes, mime: "image/png" }] }] },
    });
  });

  test("whose file is gone by then fails, and says so", async ({ expect }) => {
    const { project, channel } = await projectWith("twitter");
    const { url } = await uploaded(project, await sample("square.png"));
    const file = url.slice(url.lastIndexOf("/") + 1);
    const id = await createPost(project, channel, { caption_text: crypto.randomUUID(), media_urls: [url] });
    await env.FILES.delete(file.slice(0, 32));
    await queuesIdle();
    const error = `${file}: The file does not exist or was deleted. Upload it again.`;
    expect(await findPost(project, id)).toMatchObject({ STATUS: "failed", error });
  });

  describe("that the project does not have is refused", () => {
    const other = async () => (await uploaded(await Project.create(), await sample("square.png"))).url;
    const absent = async () => `https://belfry.test/media/${"x".repeat(32)}.png`;
    /** As it was served from an address that the service had before. */
    const moved = async () => (await other()).replace("https://belfry.test", "https://old.belfry.example");

    test.for([
      ["another project's", other],
      ["another project's, by an older address", moved],
      ["one that is not there", absent],
    ] as const)("by create-post, validate-post and update-post: %s", async ([, foreign], { expect }) => {
      const { project, channel } = await projectWith("twitter");
      const mine = (await uploaded(project, await sample("square.png"))).url;
      const url = await foreign();
      const refused = (field: string) => ({
        status: 422,
        body: {
          code: "reference_invalid",
          errors: { [field]: [expect.stringContaining("must be a file of this project")] },
        },
      });
      const post = { ...channel, post_type: "post", publish_mode: "draft", caption_text: "x", media_urls: [mine, url] };
      for (const path of ["create-post", "validate-post"]) {
        const answer = await project.call("POST", `/social/${path}`, { body: post });
        expect(answer).toMatchObject(refused("media_urls.1"));
      }
      const thread = [{ message: "one" }, { message: "two", media_urls: [url] }];
      const threaded = { ...channel, post_type: "thread", publish_mode: "draft", twitter_threads: thread };
      expect(await project.call("POST", "/social/create-post", { body: threaded })).toMatchObject(
        refused("twitter_threads.1.media_urls.0"),
      );
      const id = await createPost(project, channel, { ...post, media_urls: [mine] });
      const changed = await project.call("PUT", `/social/update-post/${id}`, { body: { media_urls: [url] } });
      expect(changed).toMatchObject(refused("media_urls.0"));
    });

    test("but not an address on another host that is only formed like one of this service", async ({ expect }) => {
      const { project, channel } = await projectWith("twitter");
      const body = { ...channel, post_type: "post", publish_mode: "draft", caption_text: "x" };
      const url = `https://cdn.example/media/${"y".repeat(32)}.png`;
      expect(await project.call("POST", "/social/create-post", { body: { ...body, media_urls: [url] } })).toMatchObject(
        {
          status: 200,
        },
      );
    });
  });
});

describe("a file exists", () => {
  async function world(body: Record<string, unknown> = {}) {
    const { project, channel } = await projectWith("twitter");
    const { url } = await uploaded(project, await sample("square.png"));
    const post = (more: Record<string, unknown> = {}) =>
      createPost(project, channel, { caption_text: crypto.randomUUID(), media_urls: [url], ...body, ...more });
    return { project, channel, url, post };
  }

  test("as long as a post waits for it, and a week after that has gone out", async ({ expect }) => {
    const { project, url, post } = await world();
    const publishAt = new Date(Date.now() + 20 * DAY).toISOString().slice(0, 16).replace("T", " ");
    const id = await post({ publish_mode: "scheduled", schedule_time: publishAt, time_zone: "UTC" });
    await days(19);
    expect(await isServed(url)).toBe(true);
    await days(1.1);
    await queuesIdle();
    expect(await findPost(project, id)).toMatchObject({ STATUS: "published" });
    await days(6);
    expect(await isServed(url)).toBe(true);
    await days(1.1);
    expect(await isServed(url)).toBe(false);
  });

  test("until the last of several posts needs it no more", async ({ expect }) => {
    const { project, url, post } = await world({ publish_mode: "draft" });
    const [first, second] = [await post(), await post()];
    await project.call("DELETE", `/social/delete-post/${first}`);
    await days(8);
    expect(await isServed(url)).toBe(true);
    await project.call("DELETE", `/social/delete-post/${second}`);
    await days(7.1);
    expect(await isServed(url)).toBe(false);
  });

  test("no longer for a post that was given others; for as long as that for one that was given it", async ({
    expect,
  }) => {
    const { project, url, post } = await world({ publish_mode: "draft" });
    const id = await post();
    const { url: other } = await uploaded(project, await sample("square.jpg"));
    const changed = await project.call("PUT", `/social/update-post/${id}`, { body: { media_urls: [other] } });
    expect(changed.status).toBe(200);
    await days(8);
    expect([await isServed(url), await isServed(other)]).toEqual([false, true]);
  });

  test("for the items of a thread too", async ({ expect }) => {
    const { url, post } = await world();
    const items = [{ message: crypto.randomUUID() }, { message: "second", media_urls: [url] }];
    await post({
      publish_mode: "draft",
      post_type: "thread",
      twitter_threads: items,
      caption_text: undefined,
      media_urls: undefined,
    });
    await days(8);
    expect(await isServed(url)).toBe(true);
  });
});

test("to accept such a post costs two D1 calls, as it does without", async ({ expect }) => {
  const { project, channel } = await projectWith("twitter");
  const { url } = await uploaded(project, await sample("square.png"));
  const body = { ...channel, post_type: "post", publish_mode: "draft", caption_text: "x", media_urls: [url] };
  const answer = await project.call("POST", "/social/create-post", { body });
  expect(answer.headers.get("Server-Timing")).toMatch(/d1;desc="calls=2 /);
});
