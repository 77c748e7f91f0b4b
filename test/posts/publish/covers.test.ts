import { afterEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { callsTo, calm, settings } from "../../contract/world.ts";
import { newAccount } from "../../support/accounts.ts";
import { generate } from "../../support/generations.ts";
import { queuesIdle } from "../../support/queue.ts";
import { eventsOf } from "../../support/queueing.ts";
import { media, sandbox } from "../../support/sandbox.ts";
import { sample, uploaded } from "../../support/uploads.ts";
import { createPost, findPost, Project, projectWith } from "../../support/world.ts";

/** The cover of a video: a picture of the caller's, at once or when the video is live. */

afterEach(async () => {
  await settings({ youtube_thumbnails: "allowed" });
  await calm();
});

const TARGETS = [
  ["youtube", "post", "clip.mp4"],
  ["facebook", "post", "clip.mp4"],
  ["facebook", "reel", "reel.mp4"],
  ["instagram", "reel", "reel.mp4"],
  ["linkedin", "post", "reel.mp4"],
] as const;
type Target = (typeof TARGETS)[number];

const bodyOf = ([name, post_type, file]: Target, cover_url: string) => ({
  post_type,
  publish_mode: "now",
  caption_text: crypto.randomUUID(),
  media_urls: [media(file)],
  ...(name === "youtube" ? { post_extra: { title: "Opening day" } } : {}),
  options: { cover_url },
});
const home = ([name]: Target) => newAccount(name).then((account) => projectWith(name, account));

const Answered = z.object({ errors: z.record(z.string(), z.array(z.string())).default({}) });
async function validate(target: Target, more: Record<string, unknown>) {
  const { project, channel } = await home(target);
  const body = { ...channel, ...bodyOf(target, media("square.jpg")), ...more };
  const answer = await project.call("POST", "/social/validate-post", { body });
  return { status: answer.status, ...Answered.parse(answer.body) };
}

test.for(TARGETS)("%s, a %s has it", async (target) => {
  const { project, channel } = await home(target);
  const body = bodyOf(target, media("square.jpg"));
  const id = await createPost(project, channel, body);
  await queuesIdle();
  expect(await findPost(project, id)).toMatchObject({ STATUS: "published" });
  expect((await eventsOf(project, id)).map(({ type }) => type)).not.toContain("post.left_out");
  const [live] = await sandbox.postsWith(body.caption_text);
  if (target[0] !== "instagram") {
    expect(live).toHaveProperty("cover");
    return;
  }
  const sent = (await callsTo("instagram")).filter(({ body: form }) => String(form).includes(body.caption_text));
  expect(new URLSearchParams(String(sent.at(-1)?.body)).get("cover_url")).toBe(media("square.jpg"));
});

test("a refusal after the publication leaves the post live, and stands in its timeline", async () => {
  const { project, channel } = await home(TARGETS[0]);
  await settings({ youtube_thumbnails: "unverified" });
  const id = await createPost(project, channel, bodyOf(TARGETS[0], media("square.jpg")));
  await queuesIdle();
  expect(await findPost(project, id)).toMatchObject({ STATUS: "published" });
  expect(await eventsOf(project, id)).toContainEqual(
    expect.objectContaining({
      type: "post.left_out",
      message: expect.stringMatching(/^The post is live without `options.cover_url`: /),
      detail: { fields: ["options.cover_url"] },
    }),
  );
  const tried = (await callsTo("youtube")).filter(({ path }) => String(path).includes("thumbnails/set"));
  expect(tried.slice(-1)).toMatchObject([{ status: 403 }]);
});

describe("is checked before anything is published", () => {
  test.for([
    [TARGETS[0], "photo.webp", /photo\.webp is a WebP file; allowed here: JPEG and PNG/],
    [TARGETS[2], "clip.mp4", /clip\.mp4 is an MP4 file; allowed here: JPEG and PNG/],
    [TARGETS[3], "square.png", /square\.png is a PNG file; allowed here: JPEG/],
    [TARGETS[1], "missing.jpg", /missing\.jpg could not be read/],
  ] as const)("%s, %s", async ([target, file, sentence]) => {
    const options = { cover_url: media(file), fit: "strict" };
    const refusal = await validate(target, { options });
    expect(refusal).toMatchObject({ status: 422, errors: { "options.cover_url": [expect.stringMatching(sentence)] } });
    const { project, channel } = await home(target);
    const body = { ...bodyOf(target, media(file)), options };
    const id = await createPost(project, channel, body);
    await queuesIdle();
    expect(await findPost(project, id)).toMatchObject({ STATUS: "failed", error: expect.stringMatching(sentence) });
    expect(await sandbox.postsWith(body.caption_text)).toEqual([]);
  });

  test("an address that is none, and a carousel, are refused at once", async () => {
    expect(await validate(TARGETS[0], { options: { cover_url: "ftp://x" } })).toMatchObject({
      status: 422,
      errors: { "options.cover_url": [expect.stringContaining("https")] },
    });
    const carousel = { post_type: "post", media_urls: [media("reel.mp4"), media("square.jpg")] };
    expect(await validate(TARGETS[3], carousel)).toMatchObject({
      status: 422,
      errors: { "options.cover_url": [expect.stringContaining("cover_ms")] },
    });
  });
});

describe("a file of this service", () => {
  test("must be the project's own", async () => {
    const { url } = await uploaded(await Project.create(), await sample("square.jpg"));
    expect(await validate(TARGETS[0], { options: { cover_url: url } })).toMatchObject({
      status: 422,
      errors: { "options.cover_url": [expect.stringContaining("must be a file of this project")] },
    });
  });

  test("in a format that Instagram refuses is sent in its other format", async () => {
    const { project, channel } = await home(TARGETS[3]);
    const [banner = ""] = (await generate(project, "ai_banner_post")).media_urls;
    expect(banner).toMatch(/\.png$/);
    const body = bodyOf(TARGETS[3], banner);
    const answer = await project.call("POST", "/social/validate-post", { body: { ...channel, ...body } });
    expect(answer.status).toBe(200);
    const id = await createPost(project, channel, body);
    await queuesIdle();
    expect(await findPost(project, id)).toMatchObject({ STATUS: "published" });
    const sent = (await callsTo("instagram")).filter(({ body: form }) => String(form).includes(body.caption_text));
    expect(new URLSearchParams(String(sent.at(-1)?.body)).get("cover_url")).toMatch(/\.jpg$/);
  });

  test("that a model made is declared", async () => {
    const { project, channel } = await home(TARGETS[0]);
    const { media_urls } = await generate(project, "ai_image_post");
    const id = await createPost(project, channel, {
      ...bodyOf(TARGETS[0], media_urls[0] ?? ""),
      publish_mode: "draft",
    });
    const declared = async () =>
      z
        .object({ post: z.looseObject({ declared: z.unknown() }) })
        .parse((await project.call("GET", `/social/post/${id}?include=content`)).body).post.declared;
    expect(await declared()).toEqual({ made_with_ai: true });
    await project.call("PUT", `/social/update-post/${id}`, { body: { options: null } });
    expect(await declared()).toBeNull();
  });
});
