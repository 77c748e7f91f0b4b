import { afterEach, describe, test } from "vitest";
import { z } from "zod";
import { oldServerRefusal } from "../../../src/platforms/bluesky/image-limit.ts";
import { findPlatform } from "../../../src/platforms/registry.ts";
import { calm } from "../../contract/world.ts";
import { send } from "../../support/platform.ts";
import { queuesIdle } from "../../support/queue.ts";
import { media, sandbox } from "../../support/sandbox.ts";
import { DAY } from "../../support/times.ts";
import { createPost, findPost, type Project, projectWith } from "../../support/world.ts";

/** Limits that platforms moved, or that count something else than they document. */
afterEach(async () => {
  await calm();
  await sandbox.settings({ threads_text_counts: "characters" });
});

async function published(project: Project, id: number) {
  await queuesIdle(DAY);
  return findPost(project, id);
}

describe("Threads", () => {
  // 470 characters, 640 bytes.
  const umlauts = `${crypto.randomUUID()} ${"ä".repeat(170)} ${"a".repeat(262)}`;

  test("a post of more than 500 bytes is published with a warning", async ({ expect }) => {
    const { project, channel } = await projectWith("threads");
    const body = { ...channel, post_type: "post", publish_mode: "now", media_urls: [], caption_text: umlauts };
    const answer = await project.call("POST", "/social/create-post", { body });
    expect(answer.body).toMatchObject({
      status: true,
      warnings: [expect.stringMatching(/^caption_text has 640 bytes of UTF-8: Threads may refuse more than 500\.$/)],
    });
    await queuesIdle(DAY);
    expect(await sandbox.postsWith(umlauts)).toHaveLength(1);
  });

  test("an item of more than 500 bytes is refused in a thread of several, and nothing is published", async ({
    expect,
  }) => {
    const { project, channel } = await projectWith("threads");
    const thread = (...messages: string[]) => ({
      ...channel,
      post_type: "thread",
      publish_mode: "now",
      twitter_threads: messages.map((message) => ({ message })),
    });
    const first = crypto.randomUUID();
    const refused = await project.call("POST", "/social/create-post", { body: thread(first, umlauts) });
    expect([refused.status, refused.body]).toEqual([
      422,
      expect.objectContaining({
        errors: {
          "twitter_threads.1.message": [
            "twitter_threads.1.message must have at most 500 bytes of UTF-8 in a thread of several items, not 640.",
          ],
        },
      }),
    ]);
    expect(await sandbox.postsWith(first)).toEqual([]);
    expect((await project.call("POST", "/social/create-post", { body: thread(umlauts) })).status).toBe(200);
  });

  test("says what was wrong if Threads counts bytes", async ({ expect }) => {
    const { project, channel } = await projectWith("threads");
    await sandbox.settings({ threads_text_counts: "bytes" });
    const id = await createPost(project, channel, { caption_text: `x${umlauts}` });
    expect(await published(project, id)).toMatchObject({
      STATUS: "failed",
      error: expect.stringContaining("may count bytes of UTF-8: 500"),
    });
  });
});

describe("Bluesky", () => {
  const Embed = z.object({
    value: z.object({
      embed: z.object({
        $type: z.string(),
        items: z.array(z.looseObject({ aspectRatio: z.object({ width: z.number() }) })),
      }),
    }),
  });

  test("five to ten pictures are a gallery, eleven are refused", async ({ expect }) => {
    const { project, channel, accountId } = await projectWith("bluesky");
    const mark = crypto.randomUUID();
    const urls = Array.from({ length: 10 }, (_, index) => `${media("square.jpg")}?${index}`);
    const id = await createPost(project, channel, { caption_text: mark, media_urls: urls, alt_texts: ["one"] });
    expect((await published(project, id)).STATUS).toBe("published");
    const [live] = await sandbox.postsWith(mark);
    const query = new URLSearchParams({
      repo: accountId ?? "",
      collection: "app.bsky.feed.post",
      rkey: live?.id.split("/").at(-1) ?? "",
    });
    const server = "https://morel.us-east.host.bsky.network";
    const { embed } = Embed.parse((await send(`${server}/xrpc/com.atproto.repo.getRecord?${query}`)).json).value;
    expect([embed.$type, embed.items.length]).toEqual(["app.bsky.embed.gallery", 10]);
    const body = { ...channel, post_type: "post", publish_mode: "now", caption_text: "x" };
    const many = await project.call("POST", "/social/create-post", {
      body: { ...body, media_urls: [...urls, media("wide.jpg")] },
    });
    expect(many.status).toBe(422);
  });

  test("pictures have two million bytes, and one for a server that says an old version", async ({ expect }) => {
    expect(findPlatform("bluesky")?.rules({}).post?.files.image?.maxBytes).toBe(2_000_000);
    const file = {
      url: "https://a.test/1.jpg",
      kind: "image",
      mime: "image/jpeg",
      bytes: 1_500_000,
      width: 9,
      height: 9,
      durationSeconds: null,
    } as const;
    const refusalOf = (version: unknown, bytes: number = file.bytes) => {
      const answered = { kind: "answered", status: 200, headers: new Headers(), body: { version } } as const;
      const context = { now: Date.now(), send: async () => answered };
      return oldServerRefusal(context as never, "https://pds.test", { ...file, bytes });
    };
    const old = await refusalOf("0.4.217");
    expect(old).toMatchObject({
      reason: "rejected",
      code: "media_invalid",
      message: expect.stringContaining("1,000,000"),
    });
    for (const version of ["0.4.218", "0.5.35", "1.0.0", "burrow 0.1", undefined])
      expect(await refusalOf(version)).toBeNull();
    expect(await refusalOf("0.4.217", 1_000_000)).toBeNull();
  });
});

test("Instagram takes pictures of 3:4", ({ expect }) => {
  const rules = findPlatform("instagram")?.rules({}).post?.files.image;
  expect(rules?.minRatio).toBe(0.75);
});

test("a hashtag of digits alone is refused with a true sentence", async ({ expect }) => {
  const { project, channel } = await projectWith("facebook");
  const body = {
    ...channel,
    post_type: "post",
    publish_mode: "draft",
    media_urls: [],
    caption_text: "x",
    hash_tags: "#100",
  };
  const answer = await project.call("POST", "/social/create-post", { body });
  expect(answer.body).toMatchObject({
    errors: { hash_tags: ['hash_tags must have tags of letters, digits and _ that are not digits alone, not "#100".'] },
  });
});

describe("Facebook", () => {
  test("a photo that could not be fetched is sent again, and published once", async ({ expect }) => {
    const { project, channel } = await projectWith("facebook");
    const mark = crypto.randomUUID();
    await sandbox.fault("facebook", "upload", "unfetchable_media", 2);
    const id = await createPost(project, channel, {
      caption_text: mark,
      media_urls: [media("square.jpg"), media("wide.jpg")],
    });
    expect((await published(project, id)).STATUS).toBe("published");
    expect(await sandbox.faults()).toEqual([]);
    const live = await sandbox.postsWith(mark);
    expect(live.map((post) => post.media.length)).toEqual([2]);
  });

  test("a photo that is never fetched fails, and nothing is published", async ({ expect }) => {
    const { project, channel } = await projectWith("facebook");
    const mark = crypto.randomUUID();
    await sandbox.fault("facebook", "upload", "unfetchable_media", 20);
    const id = await createPost(project, channel, { caption_text: mark, media_urls: [media("square.jpg")] });
    expect(await published(project, id)).toMatchObject({
      STATUS: "failed",
      error: expect.stringContaining("could not fetch"),
    });
    expect(await sandbox.postsWith(mark)).toEqual([]);
  });
});

test("every text that leaves is clean, and is found again by what was sent", async ({ expect }) => {
  const { project, channel } = await projectWith("youtube");
  const mark = crypto.randomUUID();
  const dirty = `\ufeff${mark} he\u200bllo\u0007 👩‍👩‍👧 می‌خواهم\r\nlast\n\n \n`;
  const id = await createPost(project, channel, {
    caption_text: dirty,
    media_urls: [media("clip.mp4")],
    post_extra: { title: `Tit\u200ble \u0008${mark}`, category: 22, privacyStatus: "public" },
  });
  expect((await published(project, id)).STATUS).toBe("published");
  const live = (await sandbox.posts("youtube")).filter(({ text }) => text.includes(mark));
  expect(live.map(({ text }) => text)).toEqual([expect.stringContaining(`${mark} hello 👩‍👩‍👧 می‌خواهم\nlast`)]);
  expect(JSON.stringify(live)).not.toMatch(/\\u0007|\\u0008|\u200b|\ufeff|last\\n/);
});
