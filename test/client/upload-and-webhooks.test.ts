import { beforeAll, describe, test } from "vitest";
import { Belfry, dataOf, verifyWebhook } from "../../client/src/index.ts";
import { queuesIdle } from "../support/queue.ts";
import { pass, receiver } from "../support/receiver.ts";
import { largeVideo, sample } from "../support/uploads.ts";
import { type ChannelRef, door, ORIGIN, type Project, projectWith } from "../support/world.ts";

let project: Project;
let channel: ChannelRef<"facebook">;
beforeAll(async () => {
  ({ project, channel } = await projectWith("facebook"));
});

/** The operations that a client calls, in order. */
function client() {
  const operations: string[] = [];
  const belfry = new Belfry({
    url: ORIGIN,
    token: project.token,
    fetch: async (input, init) => {
      const request = new Request(input, init);
      operations.push(/\/api\/v1\/\w[\w-]*\/([\w-]+)/.exec(request.url)?.[1] ?? request.url);
      // A network sends the length of a body that it knows.
      const { url, method, headers } = request;
      const body = await request.arrayBuffer();
      if (body.byteLength === 0) return door(new Request(url, { method, headers }));
      headers.set("Content-Length", String(body.byteLength));
      return door(new Request(url, { method, headers, body }));
    },
  });
  return { belfry, operations };
}

const post = (caption_text: string, ...media_urls: string[]) => {
  const kind = { post_type: "post", publish_mode: "now" } as const;
  return { ...channel, ...kind, caption_text, media_urls };
};

describe("upload", () => {
  test("stores a picture, whose url a post takes", async ({ expect }) => {
    const { belfry } = client();
    const { url, kind } = await belfry.upload(new Blob([await sample("square.jpg")]));
    expect([kind, url]).toEqual(["image", expect.stringMatching(/\.jpg$/)]);
    expect((await belfry.createPost(post("A picture", url))).post_id).toBeGreaterThan(0);
  });

  test("sends a large file in parts", async ({ expect }) => {
    const { belfry, operations } = client();
    const video = await largeVideo(33 * 1024 * 1024);
    expect(await belfry.upload(video)).toMatchObject({ kind: "video", bytes: video.length });
    expect(operations).toEqual(["create-upload", "upload-part", "upload-part", "upload-part", "complete-upload"]);
  });
});

test("a file of posts is checked, and its posts are created", async ({ expect }) => {
  const { belfry, operations } = client();
  const rows = `channel_id,caption_text,schedule_time\n${channel.channel_id},Rolls,2030-01-01 10:00`;
  const { import_id } = await belfry.checkImport(new Blob([rows], { type: "text/csv" }));
  expect(await belfry.startImport(import_id)).toMatchObject({ import_id });
  expect(operations).toEqual(["import-posts", "start-import"]);
});

test("verifyWebhook returns the event of a signed message, and refuses any other", async ({ expect }) => {
  const { belfry } = client();
  const url = "https://hooks.test/of-client";
  const { secret } = dataOf(await belfry.api.POST("/social/create-webhook", { body: { url } }));
  const { post_id } = await belfry.createPost(post("Signed"));
  await queuesIdle();
  await pass();
  const messages = receiver.at("/of-client");
  const events = messages.map(({ text, headers }) => verifyWebhook(text, new Headers(headers), secret));
  const live = events.flatMap((event) => (event.type === "post.published" ? [event.data] : []));
  expect(live.find((data) => data.post_id === post_id)?.permalink).toMatch(/^https:/);
  const [{ text, headers } = { text: "", headers: {} }] = messages;
  expect(() => verifyWebhook(`${text} `, headers, secret)).toThrow();
  expect(() => verifyWebhook(text, headers, `whsec_${btoa("another secret, of 24 bytes")}`)).toThrow();
});
