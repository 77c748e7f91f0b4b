import { describe, test } from "vitest";
import { z } from "zod";
import { queuesIdle } from "../../support/queue.ts";
import { createPost, HANDLES, PAGES, type Project, projectWith } from "../../support/world.ts";

const Events = z.object({
  events: z.array(z.object({ type: z.string(), detail: z.record(z.string(), z.unknown()).nullable() })),
});

async function details(project: Project, id: number) {
  const answer = await project.call("GET", `/social/get-post-events/${id}`);
  return Events.parse(answer.body).events;
}

describe("external_id and metadata", () => {
  test("are in every event of the post, whatever its outcome", async ({ expect }) => {
    const { project, channel } = await projectWith("twitter", HANDLES.fern);
    const labels = { external_id: "order-7", metadata: { campaign: "spring", constructor: "none" } };
    const id = await createPost(project, channel, { caption_text: crypto.randomUUID(), ...labels });
    await queuesIdle();
    await project.call("DELETE", `/social/delete-post/${id}`);
    await queuesIdle();
    const shown = await details(project, id);
    expect(shown.map(({ type }) => type)).toEqual([
      "post.created",
      "post.processing",
      "post.published",
      "post.deleted",
      "post.removed",
    ]);
    for (const event of shown) expect(event).toMatchObject({ detail: labels });
    expect(shown[3]?.detail).toMatchObject({ changes: { STATUS: { from: "published", to: "deleted" } } });
    const failed = await createPost(project, channel, {
      caption_text: "x",
      media_urls: ["https://sandbox.test/_media/none.jpg"],
      ...labels,
    });
    await queuesIdle(48 * 3_600_000);
    expect((await details(project, failed)).filter(({ type }) => type === "post.failed")).toMatchObject([
      { detail: labels },
    ]);
    const plain = await createPost(project, channel, { caption_text: "plain", publish_mode: "queued" });
    expect(Object.keys((await details(project, plain))[0]?.detail ?? {})).toEqual(["publish_mode", "due_at"]);
  });

  test("can be changed and taken away, and the events have the old values and the new ones", async ({ expect }) => {
    const { project, channel } = await projectWith("facebook", PAGES.fern);
    const id = await createPost(project, channel, {
      caption_text: "before",
      publish_mode: "queued",
      external_id: "a",
      metadata: { one: "1", two: "2" },
    });
    const answer = await project.call("PUT", `/social/update-post/${id}`, {
      body: { caption_text: "after", external_id: null, metadata: { one: "1" }, hash_tags: "x" },
    });
    expect(answer.body).toMatchObject({
      changed: ["caption_text", "hash_tags", "external_id", "metadata"],
      message: `Changed caption_text, hash_tags, external_id and metadata of post ${id}, which is queued.`,
    });
    const read = await project.call("GET", `/social/post/${id}?include=content`);
    expect(read.body).toMatchObject({ post: { external_id: null, metadata: { one: "1" } } });
    const [, updated] = await details(project, id);
    expect(updated).toEqual({
      type: "post.updated",
      detail: {
        changes: {
          caption_text: { from: "before", to: "after" },
          hash_tags: { from: [], to: ["x"] },
          external_id: { from: "a", to: null },
          metadata: { from: { one: "1", two: "2" }, to: { one: "1" } },
        },
        metadata: { one: "1" },
      },
    });
    const cleared = await project.call("PUT", `/social/update-post/${id}`, { body: { metadata: null } });
    expect(cleared.body).toMatchObject({ changed: ["metadata"] });
    expect((await project.call("GET", `/social/post/${id}?include=content`)).body).toMatchObject({
      post: { metadata: null },
    });
  });

  const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, "v"]));
  test.for([
    ['{"external_id": ""}', "external_id"],
    [`{"external_id": "${"x".repeat(256)}"}`, "external_id"],
    ['{"external_id": 7}', "external_id"],
    ['{"metadata": []}', "metadata"],
    ['{"metadata": "text"}', "metadata"],
    ['{"metadata": {"a": 1}}', "metadata.a"],
    ['{"metadata": {"a": null}}', "metadata.a"],
    ['{"metadata": {"a": {}}}', "metadata.a"],
    ['{"metadata": {"": "x"}}', "metadata."],
    ['{"metadata": {"a b": "x"}}', "metadata.a b"],
    [`{"metadata": {"${"k".repeat(41)}": "x"}}`, `metadata.${"k".repeat(41)}`],
    ['{"metadata": {"__proto__": "x"}}', "metadata.__proto__"],
    [`{"metadata": {"a": "${"x".repeat(501)}"}}`, "metadata.a"],
    [`{"metadata": ${JSON.stringify(many(21))}}`, "metadata"],
  ] as const)("%s is refused on its field", async ([json, field], { expect }) => {
    const { project, channel } = await projectWith("twitter", HANDLES.fern);
    const body = { ...channel, post_type: "post", publish_mode: "draft", caption_text: "x", media_urls: [] };
    for (const [method, path, raw] of [
      ["POST", "/social/create-post", `${JSON.stringify(body).slice(0, -1)}, ${json.slice(1)}`],
      ["PUT", "/social/update-post/1", json],
    ] as const) {
      const answer = await project.call(method, path, { raw });
      expect([path, answer.status]).toEqual([path, 422]);
      expect(Object.keys(z.object({ errors: z.record(z.string(), z.unknown()) }).parse(answer.body).errors)).toEqual([
        field,
      ]);
    }
  });

  test("may be as large as they are allowed to be, with names that objects have already", async ({ expect }) => {
    const { project, channel } = await projectWith("twitter", HANDLES.fern);
    const metadata = { ...many(17), constructor: "a", toString: "b", ["k".repeat(40)]: "v".repeat(500) };
    const id = await createPost(project, channel, {
      caption_text: "x",
      publish_mode: "draft",
      external_id: "x".repeat(255),
      metadata,
    });
    expect((await project.call("GET", `/social/post/${id}?include=content`)).body).toMatchObject({
      post: { external_id: "x".repeat(255), metadata },
    });
  });
});
