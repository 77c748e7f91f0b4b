import { beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { queuesIdle } from "../../support/queue.ts";
import { eventsOf } from "../../support/queueing.ts";
import { media, sandbox } from "../../support/sandbox.ts";
import { DAY, wallClock } from "../../support/times.ts";
import { type ChannelRef, createPost, findPost, type Project, projectWith } from "../../support/world.ts";

/** What files show, for those who cannot see them: it arrives with each file, or the post is refused. */
let project: Project;
let page: ChannelRef;
let x: ChannelRef;
beforeAll(async () => {
  ({ project, channel: page } = await projectWith("facebook"));
  const [id = 0] = await project.connect("twitter", ["2244990001"]);
  x = { channel_type: "twitter", channel_id: id };
});

const Described = z.looseObject({ alt_texts: z.array(z.string().nullable()) });

/** The alt texts of the live posts with the mark, the first item first. */
async function described(mark: string) {
  const live = (await sandbox.postsWith(mark)).toSorted((a, b) => (a.id < b.id ? -1 : 1));
  return live.map((post) => Described.parse(post).alt_texts);
}

const channels = () => ({ facebook: page, twitter: x });

test.for(["facebook", "twitter"] as const)("%s: each image is posted with its own", async (name) => {
  const mark = crypto.randomUUID();
  const id = await createPost(project, channels()[name], {
    caption_text: mark,
    media_urls: [media("square.jpg"), media("square.png"), media("square.jpg")],
    alt_texts: ["A red square", "  ", "The same, in other words"],
  });
  await queuesIdle();
  expect(await findPost(project, id)).toMatchObject({ STATUS: "published" });
  expect(await described(mark)).toEqual([["A red square", null, "The same, in other words"]]);
});

test("a thread has them by item, and a GIF has one too", async () => {
  const mark = crypto.randomUUID();
  const id = await createPost(project, x, {
    post_type: "thread",
    twitter_threads: [
      { message: `1 ${mark}`, media_urls: [media("anim.gif")], alt_texts: ["A turning wheel"] },
      { message: `2 ${mark}`, media_urls: [media("square.jpg")] },
      { message: `3 ${mark}`, media_urls: [media("square.jpg"), media("landscape.jpg")], alt_texts: ["", "A quay"] },
    ],
  });
  await queuesIdle();
  expect(await findPost(project, id)).toMatchObject({ STATUS: "published" });
  expect(await described(mark)).toEqual([["A turning wheel"], [null], [null, "A quay"]]);
});

test("update-post changes them, and new files come without those of the files before", async () => {
  const marks = [crypto.randomUUID(), crypto.randomUUID(), crypto.randomUUID()];
  const due = { publish_mode: "scheduled", schedule_time: wallClock(Date.now() + DAY), time_zone: "UTC" };
  const before = { ...due, media_urls: [media("square.jpg")], alt_texts: ["before"] };
  const ids = await Promise.all(marks.map((mark) => createPost(project, page, { ...before, caption_text: mark })));
  const changes = [{ alt_texts: ["after"] }, { media_urls: [media("landscape.jpg")] }, { hash_tags: "bikes" }];
  for (const [index, change] of changes.entries()) {
    const path = `/social/update-post/${ids[index]}`;
    expect((await project.call("PUT", path, { body: change })).status).toBe(200);
    const soon = { schedule_time: wallClock(Date.now()), time_zone: "UTC" };
    expect((await project.call("PUT", path, { body: soon })).status).toBe(200);
  }
  await queuesIdle();
  expect(await Promise.all(marks.map(described))).toEqual([[["after"]], [[null]], [["before"]]]);
});

const Refusal = z.object({ errors: z.record(z.string(), z.array(z.string())) });

async function refusalOf(channel: ChannelRef, body: Record<string, unknown>) {
  const sent = { ...channel, post_type: "post", publish_mode: "now", caption_text: "x", ...body };
  const answer = await project.call("POST", "/social/create-post", { body: sent });
  expect(answer.status).toBe(422);
  return Refusal.parse(answer.body).errors;
}

test("what cannot belong to a file is refused at once, by its field", async () => {
  const media_urls = [media("square.jpg")];
  expect(await refusalOf(page, { media_urls, alt_texts: ["a", "b"] })).toEqual({
    alt_texts: ["alt_texts must have at most 1 entry, one a media file, not 2."],
  });
  expect(await refusalOf(x, { media_urls, alt_texts: ["é".repeat(1001)] })).toEqual({
    alt_texts: ["alt_texts.0 must have at most 1,000 characters, not 1,001."],
  });
  const item = { message: "x", media_urls, alt_texts: ["a", "b"] };
  expect(await refusalOf(x, { post_type: "thread", twitter_threads: [item] })).toEqual({
    "twitter_threads.0.alt_texts": ["twitter_threads.0.alt_texts must have at most 1 entry, one a media file, not 2."],
  });
  const plain = { post_type: "thread", twitter_threads: [{ message: "x" }], alt_texts: ["a"] };
  expect(Object.keys(await refusalOf(x, plain))).toEqual(["alt_texts"]);
});

test.for(["facebook", "twitter"] as const)(
  "%s: a video that takes none is published without, and it is reported",
  async (name) => {
    const mark = crypto.randomUUID();
    const body = { caption_text: mark, media_urls: [media("clip.mp4")], alt_texts: ["A video"] };
    const sentence = "`alt_texts.0` is left out: clip.mp4 is a video, which supports no alt text here.";
    const checked = await project.call("POST", "/social/validate-post", {
      body: { ...channels()[name], post_type: "post", publish_mode: "now", ...body },
    });
    expect(checked).toMatchObject({
      status: 200,
      body: { warnings: [sentence], items: [{ media: [{ alt_text: null }] }] },
    });
    const id = await createPost(project, channels()[name], body);
    await queuesIdle();
    expect(await findPost(project, id)).toMatchObject({ STATUS: "published" });
    expect(await described(mark)).toEqual([[null]]);
    const shown = (await eventsOf(project, id)).find(({ type }) => type === "post.left_out");
    expect(shown).toMatchObject({ message: sentence, detail: { fields: ["alt_texts.0"] } });
  },
);

test("a video in a thread that takes none is reported by its item", async () => {
  const mark = crypto.randomUUID();
  const videos = { media_urls: [media("clip.mp4")], alt_texts: ["A video"] };
  const twitter_threads = [{ message: `1 ${mark}` }, { message: `2 ${mark}`, ...videos }];
  const id = await createPost(project, x, { post_type: "thread", twitter_threads });
  await queuesIdle();
  expect(await described(mark)).toEqual([[], [null]]);
  const shown = (await eventsOf(project, id)).find(({ type }) => type === "post.left_out");
  expect(shown).toMatchObject({ detail: { fields: ["twitter_threads.1.alt_texts.0"] } });
});

test("a type of post that takes none is published without, and the answer says so", async () => {
  const media_urls = [media("square.jpg")];
  const body = {
    ...page,
    post_type: "story",
    publish_mode: "draft",
    caption_text: crypto.randomUUID(),
    media_urls,
    alt_texts: ["a"],
  };
  const answer = await project.call("POST", "/social/create-post", { body });
  const warnings = ["`alt_texts` is left out: posts of this type have no alt texts."];
  expect(answer).toMatchObject({ status: 200, body: { warnings } });
  const checked = await project.call("POST", "/social/validate-post", { body: { ...body, publish_mode: "now" } });
  expect(checked).toMatchObject({ status: 200, body: { warnings: expect.arrayContaining(warnings) } });
  const caption_text = crypto.randomUUID();
  const plain = await project.call("POST", "/social/create-post", {
    body: { ...body, caption_text, alt_texts: [" "] },
  });
  expect(plain.body).not.toHaveProperty("warnings");
});

test("validate-post shows them with their files", async () => {
  const body = {
    ...page,
    post_type: "post",
    publish_mode: "now",
    caption_text: "x",
    media_urls: [media("square.jpg"), media("square.jpg")],
    alt_texts: ["A red square"],
  };
  const answer = await project.call("POST", "/social/validate-post", { body });
  expect(answer).toMatchObject({
    status: 200,
    body: { items: [{ media: [{ alt_text: "A red square" }, { alt_text: null }] }] },
  });
  expect(JSON.stringify(answer.body)).not.toContain("ublicUrl");
});
