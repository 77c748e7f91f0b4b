import { describe, test } from "vitest";
import { z } from "zod";
import { advance } from "../../support/clock.ts";
import { queuesIdle } from "../../support/queue.ts";
import { HOUR } from "../../support/times.ts";
import { createPost, HANDLES, PAGES, type Project, projectWith } from "../../support/world.ts";

const Warned = z.object({ warnings: z.array(z.string()).optional() });

async function warnings(called: ReturnType<Project["call"]>) {
  const answer = await called;
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  return Warned.parse(answer.body).warnings;
}

describe("a caption that repeats one of the last 24 hours", () => {
  test("is reported with the id of that post, on create, update and validate", async ({ expect }) => {
    const { project, channel } = await projectWith("twitter", HANDLES.fern);
    const text = `Spring sale ${crypto.randomUUID()}`;
    const body = { ...channel, post_type: "post", publish_mode: "queued", caption_text: text, media_urls: [] };
    const create = (change = {}, headers = {}) =>
      warnings(project.call("POST", "/social/create-post", { body: { ...body, ...change }, headers }));
    const first = await createPost(project, channel, body);
    const sentence = `caption_text repeats post ${first}, created on this channel in the last 24 hours.`;
    const validate = () => warnings(project.call("POST", "/social/validate-post", { body }));
    expect(await validate()).toEqual([sentence]);
    // White space and case aside.
    expect(await create({ caption_text: ` ${text.toUpperCase()}\n` })).toEqual([sentence]);
    expect(await create({ caption_text: `${text}!` })).toBeUndefined();
    const other = await createPost(project, channel, { caption_text: "another", publish_mode: "draft" });
    const update = (change: object) => warnings(project.call("PUT", `/social/update-post/${other}`, { body: change }));
    expect(await update({ hash_tags: "a" })).toBeUndefined();
    const repeated = await update({ caption_text: text });
    expect(repeated).toEqual([expect.stringMatching(/^caption_text repeats post \d+, /)]);
    // Not of itself.
    expect(
      await warnings(project.call("PUT", `/social/update-post/${other}`, { body: { caption_text: `${text} ` } })),
    ).not.toEqual([expect.stringContaining(`post ${other},`)]);
    await advance(25 * HOUR);
    expect(await validate()).toBeUndefined();
    expect(await create()).toBeUndefined();
  });

  test("is not reported of deleted and failed posts, other channels, or another project's", async ({ expect }) => {
    const { project, channel } = await projectWith("twitter", HANDLES.harbour);
    const { project: stranger, channel: theirs } = await projectWith("twitter", HANDLES.harbour);
    const text = crypto.randomUUID();
    const body = { ...channel, post_type: "post", publish_mode: "queued", caption_text: text, media_urls: [] };
    const validate = () => warnings(project.call("POST", "/social/validate-post", { body }));
    const id = await createPost(project, channel, body);
    await project.call("DELETE", `/social/delete-post/${id}`);
    expect(await validate()).toBeUndefined();
    await createPost(project, channel, { caption_text: text, media_urls: ["https://sandbox.test/_media/none.jpg"] });
    await queuesIdle(12 * HOUR);
    expect(await validate()).toBeUndefined();
    await createPost(stranger, theirs, body.publish_mode === "queued" ? { ...body, ...theirs } : {});
    const [page = 0] = await project.connect("facebook", [PAGES.fern]);
    await createPost(
      project,
      { channel_type: "facebook", channel_id: page },
      { caption_text: text, publish_mode: "draft" },
    );
    expect(await validate()).toBeUndefined();
  });

  test("is reported of threads by their items, and again to a repeat of the same request", async ({ expect }) => {
    const { project, channel } = await projectWith("twitter", HANDLES.bikes);
    const items = [{ message: `one ${crypto.randomUUID()}` }, { message: "two" }];
    const body = { ...channel, post_type: "thread", publish_mode: "queued", twitter_threads: items };
    const first = await createPost(project, channel, body);
    const headers = { "Idempotency-Key": crypto.randomUUID() };
    const create = () => warnings(project.call("POST", "/social/create-post", { body, headers }));
    const shown = [`twitter_threads repeats post ${first}, created on this channel in the last 24 hours.`];
    expect(await create()).toEqual(shown);
    expect(await create()).toEqual(shown);
  });
});

describe("a local time that clocks skip", () => {
  const skipped = { schedule_time: "2029-03-11 02:30", time_zone: "America/New_York" };
  const sentence =
    "schedule_time 2029-03-11 02:30 does not exist in America/New_York, because clocks go forward then. It was moved to 2029-03-11 03:30.";

  test("moves forward, and is reported from what to what", async ({ expect }) => {
    const { project, channel } = await projectWith("twitter", HANDLES.fern);
    const body = {
      ...channel,
      post_type: "post",
      publish_mode: "scheduled",
      caption_text: crypto.randomUUID(),
      media_urls: [],
      ...skipped,
    };
    expect(await warnings(project.call("POST", "/social/validate-post", { body }))).toEqual([sentence]);
    const answer = await project.call("POST", "/social/create-post", { body });
    expect(answer.body).toMatchObject({ warnings: [sentence] });
    const id = z.object({ data: z.object({ post_id: z.number() }) }).parse(answer.body).data.post_id;
    expect((await project.call("GET", `/social/post/${id}?include=content`)).body).toMatchObject({
      post: { scheduled_at: "2029-03-11T07:30:00.000+00:00" },
    });
    const update = (change: object) => warnings(project.call("PUT", `/social/update-post/${id}`, { body: change }));
    expect(await update({ schedule_time: "2029-03-11 02:10" })).toEqual([
      sentence.replace("02:30", "02:10").replace("03:30", "03:10"),
    ]);
    // A time that occurs twice, and any other, goes without a word.
    expect(await update({ schedule_time: "2029-11-04 01:30" })).toBeUndefined();
    expect(await update({ caption_text: crypto.randomUUID() })).toBeUndefined();
  });
});
