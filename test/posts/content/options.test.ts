import { afterEach, describe, expect, test } from "vitest";
import { z } from "zod";
import type { PlatformName } from "../../../src/platforms/names.ts";
import { callsTo, calm } from "../../contract/world.ts";
import { newAccount } from "../../support/accounts.ts";
import { queuesIdle } from "../../support/queue.ts";
import { media } from "../../support/sandbox.ts";
import { createPost, findPost, projectWith } from "../../support/world.ts";

/** Options of a post: what the platform receives, and what is refused or left out. Covers: covers.test.ts. */

afterEach(calm);

const home = (name: PlatformName) => newAccount(name).then((account) => projectWith(name, account));
const bodyOf = (more: Record<string, unknown>) => ({
  post_type: "post",
  publish_mode: "now",
  caption_text: crypto.randomUUID(),
  media_urls: [],
  ...more,
});

const PLACE = "104000000000001";
const OPENING = "Opening day";

test.for([
  ["facebook", { options: { location_id: PLACE } }, `place=${PLACE}`],
  ["facebook", { media_urls: [media("square.jpg")], options: { location_id: PLACE } }, `place=${PLACE}`],
  [
    "facebook",
    { post_type: "reel", media_urls: [media("reel.mp4")], options: { location_id: PLACE, title: OPENING } },
    `title=Opening+day&place=${PLACE}`,
  ],
  ["facebook", { media_urls: [media("clip.mp4")], options: { title: OPENING } }, "title=Opening+day"],
  ["instagram", { media_urls: [media("square.jpg")], options: { location_id: PLACE } }, `location_id=${PLACE}`],
  ["linkedin", { media_urls: [media("reel.mp4")], options: { title: OPENING } }, '"title":"Opening day"'],
  ["threads", { options: { location_id: PLACE } }, `location_id=${PLACE}`],
  ["threads", { media_urls: [media("square.jpg")], options: { location_id: PLACE } }, `location_id=${PLACE}`],
  ["twitter", { options: { location_id: "df51dec6f4ee2b2c" } }, '"geo":{"place_id":"df51dec6f4ee2b2c"}'],
] as const)("%s receives %o", async ([name, more, expected]) => {
  const { project, channel } = await home(name);
  const body = bodyOf(more);
  const answer = await project.call("POST", "/social/create-post", { body: { ...channel, ...body } });
  expect(answer).toMatchObject({ status: 200 });
  expect(answer.body).not.toHaveProperty("warnings");
  await queuesIdle();
  const { post_id } = z.looseObject({ data: z.looseObject({ post_id: z.int() }) }).parse(answer.body).data;
  expect(await findPost(project, post_id)).toMatchObject({ STATUS: "published" });
  const sent = (await callsTo(name)).filter((call) => String(call.body).includes(body.caption_text));
  expect(sent.map((call) => String(call.body)).filter((one) => one.includes(expected))).toHaveLength(1);
});

test("the place of a thread stands on its first item", async () => {
  const { project, channel } = await home("twitter");
  const mark = crypto.randomUUID();
  await createPost(project, channel, {
    post_type: "thread",
    twitter_threads: [{ message: `1 ${mark}` }, { message: `2 ${mark}` }],
    options: { location_id: "df51dec6f4ee2b2c" },
  });
  await queuesIdle();
  const sent = (await callsTo("twitter")).filter(({ body }) => String(body).includes(mark));
  expect(sent.map(({ body }) => String(body).includes("place_id"))).toEqual([true, false]);
});

describe("is refused at once", () => {
  test.for([
    ["facebook", { options: { location_id: "df51dec6f4ee2b2c" } }, "options.location_id"],
    [
      "instagram",
      { post_type: "reel", media_urls: [media("reel.mp4")], options: { location_id: "abc" } },
      "options.location_id",
    ],
    ["twitter", { options: { location_id: "Berlin" } }, "options.location_id"],
    [
      "facebook",
      { post_type: "reel", media_urls: [media("reel.mp4")], options: { collaborators: ["fernandoak"] } },
      "options.collaborators",
    ],
    ["tiktok", { media_urls: [media("square.jpg")], options: { title: "x".repeat(91) } }, "options.title"],
    ["tiktok", { media_urls: [media("square.jpg")], options: { consent_given: false } }, "options.consent_given"],
    [
      "youtube",
      { media_urls: [media("clip.mp4")], post_extra: { title: "x" }, options: { playlist_id: "a b" } },
      "options.playlist_id",
    ],
  ] as const)("%s, %o", async ([name, more, field]) => {
    const { project, channel } = await home(name);
    for (const path of ["create-post", "validate-post"]) {
      const answer = await project.call("POST", `/social/${path}`, { body: { ...channel, ...bodyOf(more) } });
      const { errors } = z.looseObject({ errors: z.record(z.string(), z.array(z.string())) }).parse(answer.body);
      expect([answer.status, Object.keys(errors)]).toEqual([422, [field]]);
    }
  });
});

test("the place of a feed video at Facebook is left out, with a warning", async () => {
  const { project, channel } = await home("facebook");
  const body = bodyOf({ media_urls: [media("clip.mp4")], options: { location_id: PLACE } });
  const warned = async (path: string) =>
    z
      .looseObject({ warnings: z.array(z.string()) })
      .parse((await project.call("POST", `/social/${path}`, { body: { ...channel, ...body } })).body).warnings;
  const [early, sure] = [await warned("create-post"), await warned("validate-post")];
  expect(early).toEqual([
    "`options.location_id` is left out if the file is a video: facebook has no field for it with a video.",
  ]);
  expect(sure).toContain("`options.location_id` is left out: facebook has no field for it with a video.");
});

test("the collaborators of a reel at Facebook are invited once it is live", async () => {
  const { project, channel } = await home("facebook");
  const body = bodyOf({
    post_type: "reel",
    media_urls: [media("reel.mp4")],
    options: { collaborators: [PLACE, "104000000000002"] },
  });
  const id = await createPost(project, channel, body);
  await queuesIdle();
  expect(await findPost(project, id)).toMatchObject({ STATUS: "published" });
  const invited = (await callsTo("facebook")).filter(({ path }) => String(path).endsWith("/collaborators"));
  expect(invited.slice(-2)).toMatchObject([
    { status: 200, body: expect.stringContaining(`target_id=${PLACE}`) },
    { status: 200, body: expect.stringContaining("target_id=104000000000002") },
  ]);
});

test("TikTok takes no picture as a cover, and says what it takes", async () => {
  const { project, channel } = await home("tiktok");
  const more = { privacy_level: "SELF_ONLY", consent_given: true, cover_url: media("square.jpg") };
  const body = bodyOf({ post_type: "reel", media_urls: [media("reel.mp4")], options: more });
  const answer = await project.call("POST", "/social/validate-post", { body: { ...channel, ...body } });
  expect(answer.body).toMatchObject({
    warnings: [expect.stringMatching(/^`options.cover_url` is left out.*no picture: send options.cover_ms\.$/)],
  });
});

test("a live post at TikTok without consent is warned about", async () => {
  const { project, channel } = await home("tiktok");
  const body = bodyOf({ media_urls: [media("reel.mp4")], options: { privacy_level: "SELF_ONLY" } });
  const answer = await project.call("POST", "/social/create-post", { body: { ...channel, ...body } });
  expect(answer.body).toMatchObject({ warnings: [expect.stringMatching(/^`options.consent_given` is missing/)] });
});

test("consent to TikTok's sentence is kept with the post, and not sent", async () => {
  const { project, channel } = await home("tiktok");
  const body = bodyOf({
    media_urls: [media("reel.mp4")],
    options: { privacy_level: "PUBLIC_TO_EVERYONE", consent_given: true },
  });
  const answer = await project.call("POST", "/social/create-post", { body: { ...channel, ...body } });
  expect(answer.body).not.toHaveProperty("warnings");
  await queuesIdle();
  const { post_id } = z.looseObject({ data: z.looseObject({ post_id: z.int() }) }).parse(answer.body).data;
  const found = await project.call("GET", `/social/post/${post_id}?include=content`);
  expect(found.body).toMatchObject({ post: { STATUS: "published", options: { consent_given: true } } });
  const sent = (await callsTo("tiktok")).filter((call) => String(call.body).includes(body.caption_text));
  expect(sent.some((call) => String(call.body).includes("consent"))).toBe(false);
});
