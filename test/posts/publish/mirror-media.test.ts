import { createExecutionContext, createMessageBatch, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterAll, beforeAll, describe, test } from "vitest";
import worker from "../../../src/worker.ts";
import { answering, quiet } from "../../support/between.ts";
import { advance } from "../../support/clock.ts";
import { bindings, cron, queue, queuesIdle } from "../../support/queue.ts";
import { sandbox } from "../../support/sandbox.ts";
import { HOUR } from "../../support/times.ts";
import { isServed, sample, uploaded } from "../../support/uploads.ts";
import { createPost, findPost, ORIGIN, projectWith } from "../../support/world.ts";

/** TikTok fetches pictures itself, and from addresses only that are proven to be the operator's. */
const PHOTOS = ["https://sandbox.test/_media/square.jpg", "https://sandbox.test/_media/photo.webp"] as const;

beforeAll(() => sandbox.settings({ tiktok_verified_urls: `${ORIGIN}/media/` }));
afterAll(async () => {
  quiet();
  await sandbox.settings({ tiktok_verified_urls: "" });
});

const copies = async () => {
  const { results } = await env.DB.prepare("SELECT name, bytes, forget_at FROM files WHERE is_copy").all<{
    name: string;
    bytes: number;
    forget_at: number | null;
  }>();
  return results;
};

describe("pictures", () => {
  test("from anywhere are fetched from copies of this service, which are deleted when the post has ended", async ({
    expect,
  }) => {
    const { project, channel } = await projectWith("tiktok");
    const mark = crypto.randomUUID();
    const id = await createPost(project, channel, { caption_text: mark, media_urls: [...PHOTOS] });
    await queuesIdle();
    expect(await findPost(project, id)).toMatchObject({ STATUS: "published" });
    const [live] = await sandbox.postsWith(mark);
    expect(live?.media).toHaveLength(2);
    const made = await copies();
    const sizes = await Promise.all(
      PHOTOS.map(async (url) => (await sample(url.slice(url.lastIndexOf("/") + 1))).length),
    );
    expect(made.map(({ bytes }) => bytes)).toEqual(sizes);
    const [first] = made;
    const address = `${ORIGIN}/media/${first?.name}.jpg`;
    expect(await isServed(address)).toBe(true);
    // They are copies of the service, and count for no project.
    const counted =
      "SELECT count(*) AS count FROM file_bytes WHERE project_id = (SELECT id FROM projects WHERE name = ?)";
    expect(await env.DB.prepare(counted).bind(project.name).first()).toEqual({ count: 0 });
    await advance(26 * HOUR);
    await cron();
    expect(await isServed(address)).toBe(false);
    expect(await copies()).toEqual([]);
  });

  test("that were uploaded here need no copy", async ({ expect }) => {
    const { project, channel } = await projectWith("tiktok");
    const { url } = await uploaded(project, await sample("square.jpg"));
    const mark = crypto.randomUUID();
    const id = await createPost(project, channel, { caption_text: mark, media_urls: [url] });
    await queuesIdle();
    expect(await findPost(project, id)).toMatchObject({ STATUS: "published" });
    expect(await copies()).toEqual([]);
  });

  test("whose server fails in the middle are copied all the same, each once", async ({ expect }) => {
    const { project, channel } = await projectWith("tiktok");
    const mark = crypto.randomUUID();
    let requested = 0;
    // One request probes the file; the next is for its copy.
    answering((request) =>
      request.url === PHOTOS[1] && ++requested === 2 ? new Response(null, { status: 503 }) : null,
    );
    const id = await createPost(project, channel, { caption_text: mark, media_urls: [...PHOTOS] });
    await queuesIdle();
    quiet();
    expect(requested).toBe(3);
    expect(await findPost(project, id)).toMatchObject({ STATUS: "published" });
    expect(await copies()).toHaveLength(2);
    expect(await sandbox.postsWith(mark)).toHaveLength(1);
  });

  test("wait for an operator who has not said where this service is", async ({ expect }) => {
    const { project, channel } = await projectWith("tiktok");
    const id = await createPost(project, channel, { caption_text: crypto.randomUUID(), media_urls: [...PHOTOS] });
    const message = queue.takeDue();
    if (!message) throw new Error("Nothing was sent.");
    const batch = createMessageBatch("belfry-media", [
      { id: crypto.randomUUID(), timestamp: new Date(Date.now()), body: message, attempts: 1 },
    ]);
    const context = createExecutionContext();
    const homeless = { ...bindings, PUBLIC_ORIGIN: "" };
    await worker.queue(batch, homeless, context);
    await waitOnExecutionContext(context);
    const shown = await project.call("GET", `/social/get-post-events/${id}`);
    expect(shown.body).toMatchObject({
      events: [{}, {}, { type: "post.waiting", message: expect.stringContaining("must set PUBLIC_ORIGIN") }],
    });
    await queuesIdle();
    expect(await findPost(project, id)).toMatchObject({ STATUS: "published" });
  });

  test("of a post that is deleted go too", async ({ expect }) => {
    const { project, channel } = await projectWith("tiktok");
    await env.DB.prepare("DELETE FROM files WHERE is_copy").run();
    const id = await createPost(project, channel, { caption_text: crypto.randomUUID(), media_urls: [...PHOTOS] });
    await queuesIdle();
    await project.call("DELETE", `/social/delete-post/${id}`);
    await queuesIdle();
    const made = await copies();
    expect(made).toHaveLength(2);
    for (const { forget_at } of made) expect(forget_at).not.toBeNull();
  });
});
